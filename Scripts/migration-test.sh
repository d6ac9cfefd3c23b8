#!/usr/bin/env bash
# Shows what a store costs whose objects are all five versions old: opening it takes at most 1.2 times
# what it takes at their version, the first read is right, and bringing all of them up takes less than
# 64 MB of memory. Linux only (reads /proc).
#
#   Scripts/migration-test.sh [RECORDS]     1,000,000 by default
set -euo pipefail
cd "$(dirname "$0")/.."

records=${1:-1000000}
limit_kilobytes=$((64 * 1000))
tool=${WORKLOAD_PROCESS:-.build/release/WorkloadProcess}
[ -x "$tool" ] || { echo "$tool is missing; build it with: swift build -c release" >&2; exit 1; }
if [ ! -r /proc/self/status ]; then
  echo "SKIPPED: migration test, as this system has no /proc"
  exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$tool" old "$work/store" "$records"
read -r open_0 open_5 read_0 read_5 < <("$tool" open "$work/store" 31)
echo "$records records: open at version 0 $open_0 us, at version 5 $open_5 us;" \
  "first read $read_0 us and $read_5 us"

# Migrates a copy of the store and prints the peak of all memory and of the process's own, in kB.
# What is mapped counts as memory here, though the system takes it back at will.
peaks() {
  cp -r "$work/store" "$work/copy"
  "$tool" migrate "$work/copy" "$@" >"$work/out" &
  local pid=$! all=0 own=0 status
  while status=$(awk '/^VmHWM/ { all = $2 } /^RssAnon/ { own = $2 } END { print all, own }' \
    "/proc/$pid/status" 2>/dev/null) && [ "$status" != " " ]; do
    all=${status% *}
    [ "${status#* }" -le "$own" ] || own=${status#* }
    sleep 0.01
  done
  wait "$pid"
  rm -rf "$work/copy"
  echo "$all $own"
}

read -r all own < <(peaks)
echo "migrating mapped: peak $all kB, of which its own are $own kB"
read -r peak own < <(peaks --buffered)
echo "migrating without mapping: peak $peak kB, of which its own are $own kB"

[ "$(cat "$work/out")" = "$records" ] || { echo "FAILED: not all were migrated" >&2; exit 1; }
for kilobytes in "$all" "$peak"; do
  [ "$kilobytes" -le "$limit_kilobytes" ] ||
    { echo "FAILED: $kilobytes kB is over $limit_kilobytes kB" >&2; exit 1; }
done
[ $((open_5 * 10)) -le $((open_0 * 12)) ] ||
  { echo "FAILED: opening at version 5 takes more than 1.2 times as long" >&2; exit 1; }
