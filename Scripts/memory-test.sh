#!/usr/bin/env bash
# Shows that the memory of `import` and `compact` does not grow with the store: peak resident memory
# at N, 5 N and 10 N records stays below 200 MB, and what of it is the process's own, and not mapped
# files, below 48 MB, while the records grow to 267 MB. Small stores have smaller segments, and take
# less; it levels off: 14 to 22 MB at 5 N, 22 to 25 at 10 N, 27 with 1.5 million. Linux only (reads
# /proc).
#
#   Scripts/memory-test.sh [RECORDS]     63,000 by default, and much fewer show nothing
set -euo pipefail
cd "$(dirname "$0")/.."

records=${1:-63000}
limit_kilobytes=$((200 * 1000))
own_kilobytes=$((48 * 1000))
tool=${LOGSTORE:-.build/release/logstore}
[ -x "$tool" ] || { echo "$tool is missing; build it with: swift build -c release" >&2; exit 1; }
if [ ! -r /proc/self/status ]; then
  echo "SKIPPED: memory test, as this system has no /proc"
  exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Runs a command and prints its peak memory in kilobytes: all, and its own.
peak() {
  "$@" >"$work/out" 2>"$work/errors" &
  local pid=$! all=0 own=0 status
  while status=$(awk '/^VmHWM/ { all = $2 } /^RssAnon/ { own = $2 } END { print all, own }' \
    "/proc/$pid/status" 2>/dev/null) && [ "$status" != " " ]; do
    all=${status% *}
    [ "${status#* }" -le "$own" ] || own=${status#* }
    sleep 0.02
  done
  wait "$pid" || { cat "$work/errors" >&2; exit 1; }
  echo "$all $own"
}

fail() { echo "FAILED: $1" >&2; exit 1; }

history() {
  cat <<'JSON'
{
  "format": 1,
  "base": {
    "version": 0,
    "types": [
      { "name": "Line", "key": "id", "members": [
        { "name": "id", "type": "string" },
        { "name": "text", "type": "string" } ] } ]
  },
  "versions": [
    { "version": 1, "changes": [
      { "on": "Line", "operations": [
        { "add": "rank", "type": "int64", "default": 0 } ] } ] }
  ]
}
JSON
}
history >"$work/history.json"

for share in 1 5 10; do
  count=$((records * share))
  rm -rf "$work/store"
  seq 1 "$count" | awk '{
    printf "{\"id\":\"%09d\",\"text\":\"", ($1 * 7919) % 1000003 * 1000 + $1 % 1000
    for (i = 0; i < 40; i++) printf "word %d ", ($1 * (i + 17)) % 9973
    printf "\"}\n" }' >"$work/input.jsonl"
  bytes=$(wc -c <"$work/input.jsonl")
  import=$(peak "$tool" import "$work/store" --type Line --key id --infer "$work/input.jsonl")
  compact=$(peak "$tool" compact "$work/store" --history "$work/history.json")
  echo "$count records, $bytes bytes: import ${import% *} kB, of which its own are ${import#* } kB;" \
    "compact ${compact% *} kB and ${compact#* } kB"
  for peaks in "$import" "$compact"; do
    [ "${peaks#* }" -gt 0 ] || fail "a command was over before its memory could be looked at"
    [ "${peaks% *}" -le "$limit_kilobytes" ] || fail "${peaks% *} kB is over $limit_kilobytes kB"
  done
  [ "${import#* }" -le "$own_kilobytes" ] || fail "the memory of import grows"
  [ "${compact#* }" -le "$own_kilobytes" ] || fail "the memory of compact grows"
done
