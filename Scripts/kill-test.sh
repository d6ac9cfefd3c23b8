#!/usr/bin/env bash
# Kills `logstore import --ack` at random moments and checks after each kill that the store verifies,
# that it holds at least what was acknowledged, and that it is a prefix of the input.
#
#   Scripts/kill-test.sh [KILLS] [SEED]     200 kills by default; a seed repeats their moments
set -euo pipefail
cd "$(dirname "$0")/.."

kills=${1:-200}
seed=${2:-$$}
RANDOM=$seed
tool=${LOGSTORE:-.build/release/logstore}
[ -x "$tool" ] || { echo "$tool is missing; build it with: swift build -c release" >&2; exit 1; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
input=$work/input.jsonl
seq 1 60000 | awk '{ printf "{\"id\":\"%08d\",\"text\":\"line %d of the input, and some more of it: %d\"}\n", $1, $1, $1 * 7919 }' >"$input"
cat >"$work/history.json" <<'JSON'
{
  "format": 1,
  "base": {
    "version": 0,
    "types": [
      { "name": "Line", "key": "id", "members": [
        { "name": "id", "type": "string" },
        { "name": "text", "type": "string" } ] } ]
  },
  "versions": []
}
JSON

fail() { echo "FAILED after $1 kills with seed $seed: $2" >&2; exit 1; }

done_count=0
acknowledged_total=0
while [ "$done_count" -lt "$kills" ]; do
  rm -rf "$work/store"
  held=0
  # Several kills of one store: each recovers what the last one left and goes on from there.
  for _ in 1 2 3 4 5; do
    tail -n "+$((held + 1))" "$input" >"$work/rest.jsonl"
    "$tool" import "$work/store" --type Line --key id --history "$work/history.json" \
      --batch $((1 + RANDOM % 40)) --ack "$work/rest.jsonl" >"$work/acks" 2>"$work/errors" &
    pid=$!
    sleep "0.$(printf '%03d' $((RANDOM % 250)))"
    kill -KILL "$pid" 2>/dev/null || true
    wait "$pid" 2>/dev/null || true
    done_count=$((done_count + 1))
    # The last line may have been cut by the kill: only whole lines count.
    acknowledged=$(grep -aE '^ACK [0-9]+$' "$work/acks" | tail -n 1 | cut -d' ' -f2 || true)
    acknowledged=$((held + ${acknowledged:-0}))
    if [ ! -e "$work/store/MANIFEST" ]; then
      [ "$acknowledged" -eq 0 ] || fail "$done_count" "$acknowledged acknowledged, no store"
      continue
    fi
    "$tool" verify "$work/store" >"$work/verify" 2>&1 ||
      fail "$done_count" "verify: $(cat "$work/verify")"
    if "$tool" dump "$work/store" --type Line >"$work/dump" 2>"$work/errors"; then
      held=$(wc -l <"$work/dump")
    else
      # Killed before the type's first commit.
      held=0
      : >"$work/dump"
    fi
    [ "$held" -ge "$acknowledged" ] || fail "$done_count" "$acknowledged acknowledged, $held held"
    head -n "$held" "$input" | cmp -s - "$work/dump" ||
      fail "$done_count" "the dump of $held lines is not a prefix of the input"
    acknowledged_total=$((acknowledged_total + acknowledged))
    [ "$done_count" -lt "$kills" ] || break
  done
done
echo "$done_count kills with seed $seed: nothing acknowledged was lost," \
  "$acknowledged_total lines acknowledged in all"
