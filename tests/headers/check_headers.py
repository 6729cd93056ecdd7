#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks every public header (promises H1, H2, B8 and the limits of size).

Each must compile alone and included twice, without a warning under strict flags; all of them after hostile_prelude.hpp
with exceptions and RTTI off; two units with all of them must link; and none may be longer or heavier than the limits.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

STRICT = ("-std=c++20 -Werror -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wold-style-cast "
          "-Wnon-virtual-dtor -Woverloaded-virtual -Wcast-qual -Wundef").split()
MOST_LINES, MOST_LINES_UMBRELLA, MOST_PREPROCESSED = 200, 40, 60_000
UMBRELLA, HEAVY = "loquat.hpp", {"filesystem.hpp"}  # <filesystem> alone is over the limit
PRELUDE = pathlib.Path(__file__).with_name("hostile_prelude.hpp")
INCLUDE = re.compile(r"^\s*#\s*include\s*[<\"]([^>\"]+)[>\"]", re.MULTILINE)


class Checker:
    def __init__(self, compiler, include, work):
        self.compiler, self.include, self.work = compiler, pathlib.Path(include), pathlib.Path(work)
        self.headers = sorted((self.include / "loquat").glob("*.hpp"))
        self.errors = []

    def run(self, arguments):
        return subprocess.run([self.compiler, *arguments], capture_output=True, text=True, check=False)

    def standard_headers(self):
        names = {name for header in self.headers for name in INCLUDE.findall(header.read_text())}
        return sorted(name for name in names if not name.startswith("loquat/"))

    def compile(self, what, text, options):
        """Compiles a unit of this text; a failure is noted under `what`."""
        source = self.work / (re.sub(r"\W+", "_", what) + ".cpp")
        source.write_text(text)
        made = self.run([*STRICT, *options, "-I", str(self.include), "-c", str(source), "-o", str(source) + ".o"])
        if made.returncode != 0:
            self.errors.append(f"{what}:\n" + "\n".join(made.stderr.splitlines()[:12]))
        return str(source) + ".o"

    def check_header(self, header):
        name = f"loquat/{header.name}"
        text = header.read_text()
        most = MOST_LINES_UMBRELLA if header.name == UMBRELLA else MOST_LINES
        if (lines := text.count("\n")) > most:
            self.errors.append(f"{name}: {lines} lines, at most {most}")
        for included in INCLUDE.findall(text):
            if not included.startswith("loquat/") and "." in included:
                self.errors.append(f"{name}: includes <{included}>; only standard C++ headers and our own are light")
        self.compile(f"{name} alone", f"#include <{name}>\n#include <{name}>\n", [])
        source = self.work / f"{header.stem}_alone.cpp"
        source.write_text(f"#include <{name}>\n")
        text = self.run(["-std=c++20", "-E", "-I", str(self.include), str(source)]).stdout
        if (lines := text.count("\n")) > MOST_PREPROCESSED and header.name not in HEAVY:
            self.errors.append(f"{name}: {lines} lines after preprocessing, at most {MOST_PREPROCESSED}")

    def everything(self):
        return "".join(f"#include <loquat/{header.name}>\n" for header in self.headers)

    def check_hostile(self):
        standard = "".join(f"#include <{name}>\n" for name in self.standard_headers())
        self.compile("all headers after the hostile prelude, exceptions and RTTI off",
                     standard + PRELUDE.read_text() + self.everything(), ["-fno-exceptions", "-fno-rtti"])

    def check_two_units(self):
        everything = self.everything()
        first = self.compile("all headers, first unit", everything + "int main() { return 0; }\n", [])
        second = self.compile("all headers, second unit", everything + "int second() { return 0; }\n", [])
        linked = self.run([first, second, "-o", str(self.work / "two_units")])
        if linked.returncode != 0:
            self.errors.append("two units do not link:\n" + linked.stderr)

    def check_all(self):
        if not self.headers:
            self.errors.append(f"no header in {self.include}")
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as threads:
            list(threads.map(self.check_header, self.headers))
        self.check_hostile()
        self.check_two_units()
        return self.errors


WRONG = {  # header text: what must be found
    "int not_inline() { return 1; }": "two units do not link",
    "inline std::size_t f() { return 0; }": "exceptions and RTTI off",
    "struct A { int check(int) { return 0; } }; inline int f(A a) { return a.check(1); }": "hostile prelude",
    "inline int f(long x) { return x; }": "alone",
    "#include <unistd.h>": "only standard C++ headers",
    "inline void f() { throw 1; }": "exceptions and RTTI off",
    "\n" * 201: "lines, at most 200",
}


def self_test(compiler):
    """Each wrong header must be found, for its own reason, and a right one must pass."""
    failures = []
    for text, reason in [*WRONG.items(), ("inline int f() { return 1; }", None)]:
        with tempfile.TemporaryDirectory() as work:
            folder = pathlib.Path(work) / "include" / "loquat"
            folder.mkdir(parents=True)
            (folder / "a.hpp").write_text("#ifndef A_HPP\n#define A_HPP\n" + text + "\n#endif\n")
            errors = Checker(compiler, folder.parent, work).check_all()
        found = any(reason in error for error in errors) if reason else not errors
        if not found:
            failures.append(f"self-test: {text[:60]!r} gave {errors}, expected {reason}")
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--include")
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    if options.self_test:
        errors = self_test(options.compiler)
    else:
        with tempfile.TemporaryDirectory() as work:
            errors = Checker(options.compiler, options.include, work).check_all()
    print("\n".join(errors))
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
