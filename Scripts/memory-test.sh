#!/usr/bin/env bash
# Shows that the memory of `import` and `compact` does not grow with the store: peak resident memory
# at N and at 10 N records, which must stay below 200 MB, and at 10 N be at most a quarter and 16 MB
# more than at N. Linux only (reads /proc).
#
#   Scripts/memory-test.sh [RECORDS]     63,000 by default
set -euo pipefail
cd "$(dirname "$0")/.."

records=${1:-63000}
limit_kilobytes=$((200 * 1000))
tool=${LOGSTORE:-.build/release/logstore}
[ -x "$tool" ] || { echo "$tool is missing; build it with: swift build -c release" >&2; exit 1; }
if [ ! -r /proc/self/status ]; then
  echo "SKIPPED: memory test, as this system has no /proc"
  exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Runs a command and prints its peak resident memory in kilobytes.
peak() {
  "$@" >"$work/out" 2>"$work/errors" &
  local pid=$! highest=0 now
  while now=$(awk '/^VmHWM/ { print $2 }' "/proc/$pid/status" 2>/dev/null) && [ -n "$now" ]; do
    highest=$now
    sleep 0.02
  done
  wait "$pid" || { cat "$work/errors" >&2; exit 1; }
  echo "$highest"
}

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

fail() { echo "FAILED: $1" >&2; exit 1; }

# Fails when $3 kB, the peak of $1 at ten times the records, is much more than the $2 kB of before.
expect_bounded() {
  local most=$(($2 + $2 / 4 + 16000))
  [ "$3" -le "$most" ] || fail "$1 takes $3 kB, over $most kB, where a tenth of it takes $2 kB"
}

smaller_import=
for count in "$records" $((records * 10)); do
  rm -rf "$work/store"
  seq 1 "$count" | awk '{
    printf "{\"id\":\"%09d\",\"text\":\"", ($1 * 7919) % 1000003 * 1000 + $1 % 1000
    for (i = 0; i < 40; i++) printf "word %d ", ($1 * (i + 17)) % 9973
    printf "\"}\n" }' >"$work/input.jsonl"
  bytes=$(wc -c <"$work/input.jsonl")
  import=$(peak "$tool" import "$work/store" --type Line --key id --infer "$work/input.jsonl")
  compact=$(peak "$tool" compact "$work/store" --history "$work/history.json")
  echo "$count records, $bytes bytes: import $import kB, compact $compact kB"
  for kilobytes in "$import" "$compact"; do
    [ "$kilobytes" -gt 0 ] || fail "a command was over before its memory could be looked at"
    [ "$kilobytes" -le "$limit_kilobytes" ] || fail "$kilobytes kB is over $limit_kilobytes kB"
  done
  if [ -n "$smaller_import" ]; then
    expect_bounded import "$smaller_import" "$import"
    expect_bounded compact "$smaller_compact" "$compact"
  fi
  smaller_import=$import
  smaller_compact=$compact
done
