#!/usr/bin/env bash
# Crashes simulated stores in every way and checks what is left; prints how many states that were.
#
#   Scripts/simulate.sh [ci|soak] [SEED] [THREADS]
#   Scripts/simulate.sh bugs
#
# ci checks a million distinct states, at least 200,000 of them behind a second crash; soak checks
# thirty million. Seeds count up from SEED, so a run is repeated by the same one. A failure prints
# its seed and a script, and is shrunk; Documentation/Testing.md says how to go on from there. bugs
# plants one bug after another, in an optimized build that has them, and fails unless all are found.
set -euo pipefail
cd "$(dirname "$0")/.."

tier=${1:-ci}
seed=${2:-1}
threads=${3:-2}
options=(--seed "$seed" --threads "$threads" --shrink)
case $tier in
  bugs)
    planted=(-c release -Xswiftc -DPLANTED_BUGS --scratch-path .build/planted)
    swift build "${planted[@]}" --product logstore-simulation
    exec .build/planted/release/logstore-simulation --hunt
    ;;
  ci) options+=(--states 1000000 --nested-minimum 200000) ;;
  soak) options+=(--soak --nested-minimum 6000000) ;;
  *)
    echo "usage: Scripts/simulate.sh [ci|soak|bugs] [SEED] [THREADS]" >&2
    exit 2
    ;;
esac
swift build -c release --product logstore-simulation
echo "crash simulation, tier $tier, from seed $seed, on $threads threads"
simulator=${LOGSTORE_SIMULATION:-.build/release/logstore-simulation}
trace=$(mktemp)
child=
trap 'rm -f "$trace"' EXIT
# Who ends the script ends the simulator too. Traps run at once only while bash waits for a process
# in the background.
trap '[ -z "$child" ] || { kill "$child"; wait "$child"; } 2>/dev/null || true; exit 143' TERM HUP INT
simulate() {
  local status=0
  "$simulator" "$@" &
  child=$!
  wait "$child" || status=$?
  child=
  return "$status"
}
status=0
simulate "${options[@]}" --trace "$trace" || status=$?
# What traps ends the process without a word about its seed: those that were running are run again.
if [ $status -gt 128 ]; then
  running=$(awk '$1 == "begin" { seeds[$2] } $1 == "end" { delete seeds[$2] }
    END { for (seed in seeds) print seed }' "$trace" | sort -n)
  echo "the simulator died while it ran the seeds" $running >&2
  for seed in $running; do
    simulate --only "$seed" >/dev/null 2>&1 ||
      echo "seed $seed fails by itself: --only $seed repeats it" >&2
  done
fi
exit $status
