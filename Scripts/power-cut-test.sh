#!/usr/bin/env bash
# Cuts the power of a disk while four threads write to a store on it, and a fifth rewrites segments:
# the file system of a loop device is shut down under the running process, which drops everything
# that was not synchronized; then it is mounted again and the store is checked. It must verify, hold
# every commit that was acknowledged as durable, and be a prefix of what was submitted.
#
#   Scripts/power-cut-test.sh [CUTS] [SEED]     300 cuts by default, half on ext4 and half on XFS
#
# A seed repeats what is written and when it is cut, not how the threads take turns. First it proves
# that it can fail: a writer that does not synchronize must be found out. Linux only, as root.
#
# What is acknowledged while the file system goes down is not counted: a synchronization that runs at
# that moment may succeed although its bytes are dropped, which no loss of power would tell anybody.
#
# Mounts live in namespaces of their own and end with this script, however that ends.
set -euo pipefail
cd "$(dirname "$0")/.."

skip() { echo "SKIPPED: power cuts, as $1"; exit 0; }
tool=${WORKLOAD_PROCESS:-.build/release/WorkloadProcess}

if [ -z "${POWER_CUT_DIRECTORY:-}" ]; then
  [ "$(uname -s)" = Linux ] || skip "this system is not Linux"
  [ "$(id -u)" -eq 0 ] || skip "mounting needs root"
  [ -x "$tool" ] ||
    { echo "$tool is missing; build it with: swift build -c release" >&2; exit 1; }
  if ! command -v mkfs.xfs >/dev/null || ! command -v mkfs.ext4 >/dev/null; then
    if command -v apt-get >/dev/null; then
      export DEBIAN_FRONTEND=noninteractive
      apt-get update -qq || true
      apt-get install -y -qq --no-install-recommends xfsprogs e2fsprogs >/dev/null || true
    fi
  fi
  command -v mkfs.xfs >/dev/null || skip "there is no mkfs.xfs, and it could not be installed"
  command -v mkfs.ext4 >/dev/null || skip "there is no mkfs.ext4, and it could not be installed"
  isolate=(unshare --mount --pid --fork --kill-child --mount-proc)
  "${isolate[@]}" true 2>/dev/null || skip "this machine allows no namespaces of its own"
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  truncate -s 16M "$work/probe"
  mkfs.ext4 -q -F "$work/probe"
  mkdir "$work/mounted"
  if ! "${isolate[@]}" mount -o loop "$work/probe" "$work/mounted" 2>"$work/errors"; then
    skip "no loop device can be mounted here: $(head -n 1 "$work/errors")"
  fi
  # Whatever ends this script ends the namespaces too, and all that runs or is mounted in them.
  trap 'exit 143' TERM INT
  POWER_CUT_DIRECTORY=$work "${isolate[@]}" "$0" "${1:-300}" "${2:-$RANDOM}" &
  isolated=$!
  trap 'kill -KILL $isolated 2>/dev/null || true; rm -rf "$work"' EXIT
  wait $isolated
  exit
fi

# From here on in namespaces of its own.
work=$POWER_CUT_DIRECTORY
export SWIFT_BACKTRACE=enable=no
# Disks in memory: many more commits before each cut than the real one would let through.
mount -t tmpfs -o size=500m none "$work"
cuts=$1
seed=$2
flushes=(everything journal nothing)

# cut_often KIND CUTS SEED [--without-sync]: cuts one file system of its own again and again.
# Prints a line of counts, or what was wrong, with status 1.
cut_often() {
  local kind=$1 cuts=$2 seed=$3 option=${4:-}
  local place=$work/$kind done_count=0 store=0 session=0 flush delay pid status line
  local durable=0 visible=0 beyond=0 open=0 torn=0 commits_durable commits_visible found tail acknowledged
  local late=0 late_lost=0 commits_late lost
  local -a cut_counts=(0 0 0)
  RANDOM=$seed
  mkdir -p "$place"
  truncate -s "$([ "$kind" = xfs ] && echo 320M || echo 96M)" "$place.img"
  case $kind in
    xfs) mkfs.xfs -q -f "$place.img" ;;
    ext4) mkfs.ext4 -q -F "$place.img" ;;
  esac
  mount -o loop "$place.img" "$place"
  while [ "$done_count" -lt "$cuts" ]; do
    # Eight cuts of one store: each finds what the last one left, some while it is put in order.
    if [ $((done_count % 8)) -eq 0 ]; then
      store=$((store + 1))
      # A name of its own: that the last one is removed may not survive the cut.
      rm -rf "$place"/store-*
      : >"$place.acks"
    fi
    session=$((session + 1))
    timeout --signal=KILL 20 "$tool" write "$place/store-$store" $((seed + store)) $session $option \
      >>"$place.acks" 2>"$place.errors" &
    pid=$!
    # One in four soon after the start, while the last crash is still being put in order.
    delay=$((RANDOM % 4 == 0 ? RANDOM % 30 : RANDOM % 300))
    sleep "0.$(printf '%03d' $delay)"
    # Mostly without the journal, sometimes with it; seldom with all data, which loses nothing.
    flush=$((RANDOM % 10))
    flush=$((flush == 0 ? 0 : flush < 4 ? 1 : 2))
    acknowledged=$("$tool" cut "$place" $flush "$place.acks")
    status=0
    wait $pid 2>/dev/null || status=$?
    # 3 is a typed error of the disk; a mapped page that cannot be read ends the process by SIGBUS.
    if [ $status -ne 3 ] && [ $status -ne 135 ]; then
      echo "FAILED: the writer on $kind ended with status $status: $(head -n 3 "$place.errors")"
      return 1
    fi
    umount "$place"
    mount -o loop "$place.img" "$place"
    done_count=$((done_count + 1))
    cut_counts[flush]=$((cut_counts[flush] + 1))
    if ! line=$("$tool" check "$place/store-$store" $((seed + store)) "$place.acks" "$acknowledged" \
      2>"$place.errors"); then
      echo "$kind, cut $done_count (${flushes[flush]} flushed), seed $seed:" \
        "$(head -n 3 "$place.errors")"
      umount "$place"
      return 1
    fi
    read -r commits_durable commits_visible found tail commits_late lost <<<"$line"
    late=$((late + commits_late))
    late_lost=$((late_lost + lost))
    durable=$((durable + commits_durable))
    visible=$((visible + commits_visible))
    beyond=$((beyond + found))
    case $tail in open) open=$((open + 1)) ;; torn) torn=$((torn + 1)) ;; esac
  done
  umount "$place"
  # A few cuts may all come too soon.
  if [ -z "$option" ] && [ "$cuts" -ge 8 ] && [ "$durable" -eq 0 ]; then
    echo "FAILED: no writer on $kind acknowledged anything as durable in $cuts cuts, seed $seed"
    return 1
  fi
  echo "$kind: $cuts cuts (${cut_counts[2]} with nothing flushed, ${cut_counts[1]} with the" \
    "journal, ${cut_counts[0]} with everything), $durable commits acknowledged as durable and" \
    "$visible as visible, $beyond found beyond the durable ones, $open open and $torn torn tails;" \
    "$late acknowledged while the file system went down, $late_lost of them not there"
}

for kind in ext4 xfs; do
  if result=$(cut_often $kind 8 "$seed" --without-sync); then
    echo "FAILED: a writer on $kind that does not synchronize was not found out: $result" >&2
    exit 1
  fi
  case $result in
    *LOST:*) echo "self-check: $result" ;;
    *) echo "FAILED: the self-check found something else: $result" >&2; exit 1 ;;
  esac
done

started=$SECONDS
cut_often ext4 $(((cuts + 1) / 2)) "$seed" >"$work/ext4.out" &
first=$!
status=0
cut_often xfs $((cuts / 2)) $((seed + 5000)) >"$work/xfs.out" || status=1
wait $first || status=1
cat "$work/ext4.out" "$work/xfs.out"
[ $status -eq 0 ] || exit 1
echo "$cuts power cuts with seed $seed in $((SECONDS - started)) s: nothing acknowledged was lost"
