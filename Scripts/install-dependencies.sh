#!/usr/bin/env bash
# Installs what the build needs and this machine lacks: LZ4 with its headers, and pkg-config.
# Does nothing, and needs no rights, when all of it is there.
set -euo pipefail

if pkg-config --exists liblz4 2>/dev/null; then
  exit 0
fi

case "$(uname -s)" in
  Darwin)
    echo "LZ4 is missing. Install it with: brew install lz4 pkg-config" >&2
    exit 1
    ;;
  Linux)
    if ! command -v apt-get >/dev/null; then
      echo "LZ4 or pkg-config is missing. Install the development files of liblz4, and" \
        "pkg-config, with this system's package manager." >&2
      exit 1
    fi
    ;;
  *)
    echo "LZ4 or pkg-config is missing. Install both, so that 'pkg-config liblz4' works." >&2
    exit 1
    ;;
esac

privileged=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "Packages are missing. As root, run: apt-get install liblz4-dev pkg-config" >&2
    exit 1
  fi
  privileged=(sudo)
fi

echo "Installing liblz4-dev and pkg-config"
export DEBIAN_FRONTEND=noninteractive
# The ${...+...} form: an empty array counts as unset for some shells.
${privileged[@]+"${privileged[@]}"} apt-get update -qq
${privileged[@]+"${privileged[@]}"} apt-get install -y -qq --no-install-recommends \
  liblz4-dev pkg-config
