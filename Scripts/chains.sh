#!/usr/bin/env bash
# Tries random histories: fused plans give what one version after the other gives. Prints the seeds.
#
#   Scripts/chains.sh [HISTORIES] [SEED] [THREADS]
#
# A hundred thousand unless said otherwise. A failure names its seed, which the same one repeats.
set -euo pipefail
cd "$(dirname "$0")/.."
swift build -c release --product logstore-histories
exec .build/release/logstore-histories chains "${1:-${LOGSTORE_CHAINS:-100000}}" \
  --seed "${2:-1}" --threads "${3:-2}"
