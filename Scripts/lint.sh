#!/usr/bin/env bash
# Fails when a Swift file is not formatted as .swift-format says.
set -euo pipefail
cd "$(dirname "$0")/.."

directories=()
for directory in Sources Tests Examples Benchmarks MacroTests/Tests; do
  if [ -d "$directory" ]; then directories+=("$directory"); fi
done
swift format lint --strict --parallel --recursive Package.swift "${directories[@]}"
