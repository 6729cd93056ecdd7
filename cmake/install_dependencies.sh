#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
set -euo pipefail

usage() {
  cat <<'TEXT'
Usage: cmake/install_dependencies.sh [--tests] [--model] [--list]

Installs what loquat is built with and is not there yet, on Debian and its relatives, with apt-get
(as root, or through sudo). Does nothing, and needs no network, when nothing is missing.

  --tests   also what the tests need (Catch2, Python, ccache)
  --model   also what examples/get_model.sh needs (Python with pip)
  --list    only prints the names of missing packages, one a line
  --help    this text

Elsewhere: a C++20 compiler, CMake 3.24 or newer, Ninja, and the headers of fmt and xsimd; for the
tests Catch2 (2 or 3) and Python 3.
TEXT
}

packages=(g++ cmake ninja-build libfmt-dev libxsimd-dev)
list_only=false
for argument in "$@"; do
  case $argument in
    --tests) packages+=(catch2 python3 binutils ccache) ;;
    --model) packages+=(python3 python3-pip) ;;
    --list) list_only=true ;;
    --help | -h) usage; exit 0 ;;
    *) echo "install_dependencies.sh: unknown option '$argument' (see --help)" >&2; exit 2 ;;
  esac
done

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  if $list_only; then exit 0; fi
  for tool in c++ cmake ninja; do
    if ! command -v $tool >/dev/null; then
      echo "install_dependencies.sh: '$tool' is missing, and this system has no apt-get to install it; see --help" >&2
      exit 1
    fi
  done
  exit 0
fi

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query --show --showformat='${Status}' "$package" 2>/dev/null || true)
  [ "$status" = "install ok installed" ] || missing+=("$package")
done
if $list_only; then
  [ ${#missing[@]} -eq 0 ] || printf '%s\n' "${missing[@]}"
  exit 0
fi
if [ ${#missing[@]} -eq 0 ]; then exit 0; fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "install_dependencies.sh: please install as root: apt-get install ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi

echo "Installing ${missing[*]} ..."
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# An outdated package list is enough where the network or a mirror fails.
"${as_root[@]}" apt-get update >"$log" 2>&1 || true
if ! "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
  apt-get install --yes --no-install-recommends "${missing[@]}" >>"$log" 2>&1; then
  tail -n 15 "$log" >&2
  echo "install_dependencies.sh: apt-get could not install ${missing[*]} (is there a network?)" >&2
  exit 1
fi
