#!/usr/bin/env bash
# Tests @Model in the package that uses it as an app does. Builds swift-syntax: some minutes the
# first time.
set -euo pipefail
cd "$(dirname "$0")/.."

# The plan of an earlier build does not notice files that came or went above the package.
rm -f MacroTests/.build/*.yaml
swift test --package-path MacroTests
