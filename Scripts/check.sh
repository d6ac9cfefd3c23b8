#!/usr/bin/env bash
# What every change must pass: build without warnings, imports that point downwards, format, tests.
set -euo pipefail
cd "$(dirname "$0")/.."

echo "== build and imports"
# Warnings are errors by the manifest; the flag refuses imports of targets that are not declared.
swift build --build-tests --explicit-target-dependency-import-check error

echo "== format"
Scripts/lint.sh

echo "== tests"
swift test
