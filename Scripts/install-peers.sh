#!/usr/bin/env bash
# Installs the engines that the benchmarks compare with, as far as this machine lacks them and lets
# it. Never fails for a missing one: the benchmarks leave it out and say so.
set -euo pipefail

missing=()
add_missing() {
  local directory
  for directory in /usr/include /usr/local/include /opt/homebrew/include; do
    if [ -e "$directory/$2" ]; then return; fi
  done
  missing+=("$1")
}

if [ "$(uname -s)" = Darwin ]; then
  add_missing rocksdb rocksdb/c.h
  add_missing lmdb lmdb.h
  add_missing leveldb leveldb/c.h
  add_missing sqlite sqlite3.h
  if [ "${#missing[@]}" -gt 0 ]; then
    echo "To compare with more engines: brew install ${missing[*]}" >&2
  fi
  exit 0
fi

add_missing librocksdb-dev rocksdb/c.h
add_missing liblmdb-dev lmdb.h
add_missing libleveldb-dev leveldb/c.h
add_missing libsqlite3-dev sqlite3.h
if [ "${#missing[@]}" -eq 0 ]; then exit 0; fi

privileged=()
if [ "$(id -u)" -ne 0 ]; then privileged=(sudo); fi
if ! command -v apt-get >/dev/null || { [ "$(id -u)" -ne 0 ] && ! command -v sudo >/dev/null; }; then
  echo "To compare with more engines, install the development files of: ${missing[*]}" >&2
  exit 0
fi

echo "Installing ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
# The ${...+...} form: an empty array counts as unset for some shells.
apt_get() { ${privileged[@]+"${privileged[@]}"} apt-get "$@"; }
apt_get update -qq || echo "The lists of packages are as old as they are." >&2
# One by one: a package that this system does not have must not keep the others away.
for package in "${missing[@]}"; do
  apt_get install -y -qq --no-install-recommends "$package" ||
    echo "$package could not be installed; the rest is compared." >&2
done
