#!/usr/bin/env bash
# Runs tests under a sanitizer, in a build of its own.
#
#   Scripts/sanitizers.sh address     the whole test suite
#   Scripts/sanitizers.sh thread      everything that uses threads; the stress test for longer
#
# Further arguments go to swift test, such as --filter NAME.
set -euo pipefail
cd "$(dirname "$0")/.."

kind=${1:-}
shift || true
filter=()
flags=()
case $kind in
  address)
    scratch=.build-asan
    # Swift keeps some objects for the life of the process.
    export ASAN_OPTIONS="detect_leaks=0:${ASAN_OPTIONS:-}"
    ;;
  thread)
    scratch=.build-tsan
    # Shows the sanitizer an order that it cannot see: Sources/LogStore/Index/ReadMark.swift.
    flags=(-Xswiftc -DTHREAD_SANITIZER)
    # Every suite in whose file there are threads, or work that the library gives to some.
    threads='Threads\.run|\bThread( \{|\(|\.detach)|DispatchQueue|TaskGroup|concurrentPerform'
    threads+='|\bTask( \{|\.detached)|SerialWorker\(|\.background|mode = \.automatic'
    threads+='|threadCount: |Compactor\(|mergeIndexes|LongWalk|StressWorkload|isBesideWriter'
    suites=$(grep -rlE "$threads" Tests --include='*Tests.swift' | sed 's|.*/||; s|\.swift$||' |
      sort -u | paste -sd '|' -)
    filter=(--filter "[.]($suites)/")
    export LOGSTORE_STRESS_SECONDS=${LOGSTORE_STRESS_SECONDS:-20}
    export TSAN_OPTIONS="halt_on_error=1:${TSAN_OPTIONS:-}"
    ;;
  *)
    echo "usage: Scripts/sanitizers.sh address | thread [arguments of swift test]" >&2
    exit 64
    ;;
esac
[ $# -eq 0 ] || filter=("$@")

Scripts/install-dependencies.sh
started=$SECONDS
flags+=(--sanitize="$kind" --scratch-path "$scratch")
swift build --build-tests "${flags[@]}" 2>&1 | tail -n 1
built=$SECONDS
# What passed is said in one line; everything else is shown.
swift test --skip-build "${flags[@]}" ${filter[@]+"${filter[@]}"} |
  grep -vE '^(◇|✔ (Suite|Test ")|✔ Test case|↳|\[|Test Suite|[[:space:]]*Executed)' ||
  [ "${PIPESTATUS[0]}" -eq 0 ]
echo "no findings of the $kind sanitizer; built in $((built - started)) s," \
  "run in $((SECONDS - built)) s"
