#!/usr/bin/env bash
# Tests @Model in the package that uses it as an app does. Builds swift-syntax: some minutes the
# first time.
set -euo pipefail
cd "$(dirname "$0")/.."

swift test --package-path MacroTests
