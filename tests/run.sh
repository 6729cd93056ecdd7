#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
set -euo pipefail

usage() {
  cat <<'TEXT'
Usage: tests/run.sh [--sanitize] [--no-model] [--jobs N] [--filter REGEX]

Installs what is missing (Debian and relatives: apt-get as root or through sudo), builds loquat with
all its tests in build/tests, runs them, and prints as the last line `N passed, N failed`.
Ends with 0 only when nothing failed. Safe to run again: only what changed is built.

  --sanitize      the same in build/tests-sanitize with address and undefined-behaviour sanitizers
  --no-model      does not fetch the real model; tests that need it say that they are skipped
  --jobs N        cores to use (default: all)
  --filter REGEX  only tests whose names match (see ctest -R)
  --help          this text

LOQUAT_TEST_MODEL=path/to/model.gguf uses that file instead of fetching one.
TEXT
}

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$root/build/tests
build_type=Release
sanitizers=""
warnings_as_errors=ON
get_model=true
jobs=$(getconf _NPROCESSORS_ONLN)
ctest_options=()
need_value() { [ $# -ge 2 ] || { echo "run.sh: $1 needs a value" >&2; exit 2; }; }
while [ $# -gt 0 ]; do
  case $1 in
    --sanitize)
      build=$root/build/tests-sanitize
      build_type=RelWithDebInfo
      sanitizers=address,undefined
      warnings_as_errors=OFF  # instrumented code makes GCC warn of paths that do not exist
      ;;
    --no-model) get_model=false ;;
    --jobs) need_value "$@"; jobs=$2; shift ;;
    --filter) need_value "$@"; ctest_options+=(-R "$2"); shift ;;
    --help | -h) usage; exit 0 ;;
    *) echo "run.sh: unknown option '$1' (see --help)" >&2; exit 2 ;;
  esac
  shift
done

step() { printf '== %s\n' "$1"; }
# A failure before any test has run is a failure, too.
give_up() { printf '%s\n0 passed, 1 failed\n' "run.sh: $1"; exit 1; }

step "Checking what is installed"
"$root/cmake/install_dependencies.sh" --tests || give_up "something is missing, see above"

if [ -n "${LOQUAT_TEST_MODEL:-}" ]; then
  [ -f "$LOQUAT_TEST_MODEL" ] || give_up "LOQUAT_TEST_MODEL names no file: $LOQUAT_TEST_MODEL"
elif $get_model; then
  step "Getting the real model"
  if model=$("$root/examples/get_model.sh"); then
    export LOQUAT_TEST_MODEL=$model
  else
    echo "SKIPPED tests with the real model: it could not be fetched, see above"
  fi
fi

step "Building ($build_type${sanitizers:+, sanitizers $sanitizers})"
launcher=()
if command -v ccache >/dev/null; then launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache); fi
mkdir -p "$build"
{
  cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=$build_type -DLOQUAT_SANITIZE=$sanitizers \
    -DLOQUAT_WARNINGS_AS_ERRORS=$warnings_as_errors -DLOQUAT_BUILD_TESTS=ON -DLOQUAT_BUILD_EXAMPLES=ON -DLOQUAT_BUILD_BENCH=ON \
    "${launcher[@]}" >"$build/configure.log" 2>&1
} || { tail -n 30 "$build/configure.log"; give_up "configuring failed"; }
cmake --build "$build" --parallel "$jobs" >"$build/build.log" 2>&1 ||
  { grep -E -A 12 'error|FAILED' "$build/build.log" | head -n 80; give_up "building failed"; }

step "Running"
# Leaks of the tests' own are bugs as well; a first finding ends the test.
export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
export ASAN_OPTIONS=detect_stack_use_after_return=0
results=$build/results.xml
rm -f "$results"
ctest --test-dir "$build" --parallel "$jobs" --output-on-failure --output-junit "$results" \
  --test-output-size-passed 1000000 --test-output-size-failed 1000000 "${ctest_options[@]}" || true
[ -f "$results" ] || give_up "ctest gave no results"
exec python3 "$root/tests/summarize.py" "$results"
