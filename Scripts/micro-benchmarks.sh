#!/usr/bin/env bash
# Measures the parts that every operation is made of, by processor time.
#
#   Scripts/micro-benchmarks.sh run       prints them
#   Scripts/micro-benchmarks.sh check     fails when one costs over three times its threshold
#   Scripts/micro-benchmarks.sh update    makes what is measured now the thresholds
#
# Further arguments go to the benchmark command, such as --filter NAME.
set -euo pipefail
cd "$(dirname "$0")/../Benchmarks"

# A build of its own, in which the benchmarks may look inside the modules they measure.
benchmark() {
  swift package --scratch-path .build-micro -Xswiftc -enable-testing \
    --allow-writing-to-package-directory benchmark "$@" --target Micro --no-progress
}

kind=${1:-}
shift || true
case $kind in
  run) benchmark run "$@" ;;
  update) benchmark thresholds update --path Thresholds "$@" ;;
  check)
    # 4 says that something has become cheaper.
    status=0
    benchmark thresholds check --path Thresholds "$@" || status=$?
    [ "$status" -eq 0 ] || [ "$status" -eq 4 ] || exit "$status"
    ;;
  *)
    echo "usage: Scripts/micro-benchmarks.sh run | check | update [arguments]" >&2
    exit 64
    ;;
esac
