#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compiles a source right and wrong. Its first line after the licence is `// expect: REGEX`, matched with the errors."""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile


def compile_source(options, source, *more):
    command = [options.compiler, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-I", options.include]
    return subprocess.run([*command, *more, str(source)], capture_output=True, text=True, check=False)


def check(options, source):
    expected = re.search(r"^// expect: (.*)$", source.read_text(), re.MULTILINE).group(1)
    right = compile_source(options, source)
    if right.returncode != 0:
        return f"{source.name}: the right program does not compile:\n{right.stderr}"
    wrong = compile_source(options, source, "-DLOQUAT_WRONG")
    if wrong.returncode == 0:
        return f"{source.name}: the wrong program compiles"
    if not re.search(expected, wrong.stderr):
        return f"{source.name}: the wrong program fails for another reason than '{expected}':\n{wrong.stderr}"
    return ""


def self_test(options):
    samples = {  # text: what must be said of it
        "// expect: x\nint y = z;\n": "the right program does not compile",
        "// expect: x\nint y;\n": "the wrong program compiles",
        "// expect: nothing like it\n#ifdef LOQUAT_WRONG\nint y = z;\n#endif\n": "another reason",
        "// expect: z\n#ifdef LOQUAT_WRONG\nint y = z;\n#endif\n": "",
    }
    errors = []
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "sample.cpp"
        for text, expected in samples.items():
            source.write_text(text)
            found = check(options, source)
            if (expected not in found) if expected else found:
                errors.append(f"self-test: {text!r} gave {found!r}")
    return "\n".join(errors)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--include", required=True)
    parser.add_argument("--self-test", action="store_true")
    parser.add_argument("source", nargs="?", type=pathlib.Path)
    options = parser.parse_args()
    error = self_test(options) if options.self_test else check(options, options.source)
    print(error)
    return 1 if error else 0


if __name__ == "__main__":
    sys.exit(main())
