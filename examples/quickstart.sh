#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
set -euo pipefail

usage() {
  cat <<'TEXT'
Usage: examples/quickstart.sh [--prompt TEXT] [MODEL.gguf]

From a fresh checkout to a language model that answers, in four steps:
  1. installs what is missing to build (Debian and its relatives; see cmake/install_dependencies.sh)
  2. fetches SmolLM2-135M-Instruct (98 MB) into models/, unless a GGUF file is given
  3. builds the loquat program in build/quickstart
  4. asks the model, and streams its answer

Safe to run again: what is there is not fetched or built twice. Works from any folder.

  --prompt TEXT   what to ask (default: a question about bread)
  --help          this text
TEXT
}

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
prompt="Why does bread rise? Answer in two sentences."
model=
while [ $# -gt 0 ]; do
  case $1 in
    --prompt)
      [ $# -ge 2 ] || { echo "quickstart.sh: --prompt needs a value" >&2; exit 2; }
      prompt=$2
      shift 2
      ;;
    --help | -h) usage; exit 0 ;;
    -*) echo "quickstart.sh: unknown option '$1' (see --help)" >&2; exit 2 ;;
    *)
      [ -z "$model" ] || { echo "quickstart.sh: one model is enough (see --help)" >&2; exit 2; }
      model=$1
      shift
      ;;
  esac
done
fail() { echo "quickstart.sh: $1" >&2; exit 1; }
step() { echo "== $1 (after $SECONDS s)"; }

if [ -n "$model" ] && [ ! -f "$model" ]; then fail "there is no file '$model'"; fi

step "1/4 What the build needs"
"$root/cmake/install_dependencies.sh" || fail "the tools could not be installed; see above, or install them yourself"

step "2/4 The model"
if [ -z "$model" ]; then
  model=$("$root/examples/get_model.sh") ||
    fail "the model could not be fetched; with a GGUF file at hand: examples/quickstart.sh MODEL.gguf"
fi
echo "$model"

step "3/4 Building the loquat program"
build=$root/build/quickstart
generator=()
if [ ! -f "$build/CMakeCache.txt" ] && command -v ninja >/dev/null; then generator=(-G Ninja); fi
mkdir -p "$root/build"
cmake -S "$root" -B "$build" "${generator[@]}" -DCMAKE_BUILD_TYPE=Release -DLOQUAT_BUILD_TESTS=OFF \
  -DLOQUAT_BUILD_BENCH=OFF -DLOQUAT_BUILD_EXAMPLES=ON -DLOQUAT_INSTALL=OFF >"$build.log" 2>&1 || {
  tail -n 20 "$build.log" >&2
  fail "CMake could not prepare the build; the whole log is $build.log"
}
cmake --build "$build" --target loquat-cli --parallel "$(nproc)" || fail "the build failed; see above"
program=$(find "$build" -type f -name loquat -perm -u+x | head -n 1)
[ -n "$program" ] || fail "the build left no program 'loquat' in $build"

step "4/4 $prompt"
"$program" run "$model" -p "$prompt" -n 96 --temp 0 || fail "the model did not answer; see above"
step "Done. More: $program --help"
