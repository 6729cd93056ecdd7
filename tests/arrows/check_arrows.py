#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Reads the include lines of src/ and include/, and fails on an arrow that goes the wrong way."""
import pathlib
import re
import sys

# Each folder may include itself and those before it.
ORDER = ["base", "format", "quant", "kernels", "threading", "cache", "nn", "models", "runtime", "api"]
ALLOWED = {folder: set(ORDER[: i + 1]) for i, folder in enumerate(ORDER)}
# Text and sampling know nothing of models; who holds a tokenizer or a sampler may include them.
for leaf in ("text", "sampling"):
    ALLOWED[leaf] = {"base", leaf}
    for user in ("models", "runtime", "api"):
        ALLOWED[user].add(leaf)
# Single files that may be included against the order: a table of names and sizes that the file format needs.
EXCEPTIONS = {("format", "quant/tensor_type.hpp")}
# Libraries that only one place may know.
PRIVATE = {"fmt/": ("base/error.hpp", "base/error.cpp"), "xsimd/": ("kernels/",), "omp.h": ("threading/",),
           "pthread.h": ("threading/",)}
INCLUDE = re.compile(r"^\s*#\s*include\s*([<\"])([^>\"]+)[>\"]", re.MULTILINE)


def check_source(path, text):
    """Errors of one file; `path` is relative to src/."""
    errors = []
    folder = path.split("/")[0]
    if folder not in ALLOWED:
        return [f"src/{path}: no such folder in the order of arrows"]
    for quote, name in INCLUDE.findall(text):
        if quote == '"':
            target = name.split("/")[0]
            if target not in ALLOWED[folder] and (folder, name) not in EXCEPTIONS:
                errors.append(f"src/{path}: includes \"{name}\", but {folder} may include only "
                              f"{', '.join(sorted(ALLOWED[folder]))}")
        for library, places in PRIVATE.items():
            if name.startswith(library) and not path.startswith(places):
                errors.append(f"src/{path}: includes <{name}>, which only {', '.join(places)} may")
    return errors


def check_public(path, text):
    """Errors of one public header: it includes standard headers and other public ones."""
    return [f"include/{path}: includes {name}; public headers include the standard library and each other"
            for quote, name in INCLUDE.findall(text)
            if quote == '"' or ("/" in name and not name.startswith("loquat/"))]


def check_tree(root):
    errors = []
    n_files = 0
    for folder, check in (("src", check_source), ("include", check_public)):
        for path in sorted((root / folder).rglob("*.[ch]pp")):
            n_files += 1
            errors += check(path.relative_to(root / folder).as_posix(), path.read_text())
    return errors if n_files else [f"no source under {root}"]


def self_test():
    wrong = [
        check_source("base/a.hpp", '#include "format/gguf.hpp"\n'),
        check_source("kernels/a.cpp", '#include "threading/parallel.hpp"\n'),
        check_source("text/a.cpp", ' #  include "models/decoder.hpp"\n'),
        check_source("sampling/a.cpp", '#include "text/a.hpp"\n'),
        check_source("nn/a.cpp", '#include "runtime/a.hpp"\n'),
        check_source("format/a.cpp", '#include "quant/canonical.hpp"\n'),
        check_source("kernels/a.cpp", '#include "text/a.hpp"\n'),
        check_source("runtime/a.cpp", "#include <fmt/core.h>\n"),
        check_source("nn/a.cpp", "#include <xsimd/xsimd.hpp>\n"),
        check_source("elsewhere/a.cpp", ""),
        check_source("base/a.cpp", '#include "neighbour.hpp"\n'),
        check_public("loquat/a.hpp", '#include "base/ref.hpp"\n'),
        check_public("loquat/a.hpp", "#include <fmt/core.h>\n"),
    ]
    right = [
        check_source("api/a.cpp", '#include <loquat/model.hpp>\n#include <span>\n#include "nn/rope.hpp"\n'),
        check_source("format/a.hpp", '#include "quant/tensor_type.hpp"\n'),
        check_source("models/a.hpp", '#include "text/vocabulary.hpp"\n'),
        check_source("base/error.hpp", "#include <fmt/core.h>\n"),
        check_public("loquat/a.hpp", "#include <loquat/result.hpp>\n#include <span>\n"),
    ]
    errors = [f"self-test: wrong sample {i} was not found" for i, found in enumerate(wrong) if len(found) != 1]
    return errors + [f"self-test: right sample gave {found}" for found in right if found]


def main():
    errors = self_test() if sys.argv[1] == "--self-test" else check_tree(pathlib.Path(sys.argv[1]))
    print("\n".join(errors))
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
