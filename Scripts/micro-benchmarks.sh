#!/usr/bin/env bash
# Measures the parts that every operation is made of, by processor time, and prints them.
#
# Arguments go to the benchmark command, such as --filter NAME.
set -euo pipefail
cd "$(dirname "$0")/../Benchmarks"

# A build of its own, in which the benchmarks may look inside the modules they measure.
exec swift package --scratch-path .build-micro -Xswiftc -enable-testing \
  benchmark run "$@" --target Micro --no-progress
