#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Configures and builds one of the consumer projects, and checks what it must find and what loquat must leave alone."""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
SKIPPED = 77
# Names with our prefix; and what FetchContent itself leaves behind about any project.
OURS = re.compile(r"^(LOQUAT_|loquat_|FETCHCONTENT_(SOURCE_DIR|UPDATES_DISCONNECTED)_LOQUAT$|__cmake_)")


class Failure(Exception):
    pass


def run(*command, cwd=None, env=None):
    """The command's output; Failure with its errors where it fails."""
    made = subprocess.run([str(part) for part in command], cwd=cwd, env=env, capture_output=True, text=True, check=False)
    if made.returncode != 0:
        output = (made.stdout + made.stderr).splitlines()
        errors = [line for line in output if re.search(r"error|undefined|multiple definition", line, re.IGNORECASE)]
        raise Failure(f"failed: {' '.join(map(str, command))}\n" + "\n".join(errors[:20] + ["..."] + output[-25:]))
    return made.stdout


class Consumer:
    def __init__(self, options):
        self.options = options
        self.source, self.work = pathlib.Path(options.source), pathlib.Path(options.work) / options.case
        shutil.rmtree(self.work, ignore_errors=True)
        self.work.mkdir(parents=True)

    def configure(self, project, *arguments, build_type="Release"):
        build = self.work / "build"
        launcher = [f"-DCMAKE_CXX_COMPILER_LAUNCHER={self.options.launcher}"] if self.options.launcher else []
        # Warnings as errors as in the tests' own build: a compiler cache then knows the objects already.
        run("cmake", "-S", project, "-B", build, "-G", "Ninja", f"-DCMAKE_BUILD_TYPE={build_type}",
            f"-DCMAKE_CXX_COMPILER={self.options.compiler}", f"-DLOQUAT_SOURCE={self.source}",
            "-DLOQUAT_WARNINGS_AS_ERRORS=ON", *launcher, *arguments)
        return build

    def build(self, build, *targets):
        run("cmake", "--build", build, "--target", *targets)

    def install_main_build(self):
        prefix = self.work / "prefix"
        run("cmake", "--install", self.options.build, "--prefix", prefix)
        return prefix

    def compile(self, source, target, *arguments):
        run(self.options.compiler, "-std=c++20", *arguments, "-c", HERE / source, "-o", self.work / target)
        return self.work / target


def expect_works(program, *arguments):
    output = run(program, *arguments)
    if "works" not in output:
        raise Failure(f"{program} says: {output}")


def read_state(path):
    return dict(line.split("=", 1) for line in path.read_text().splitlines() if "=" in line)


def compare_states(before, after):
    """What a sub-project changed in its parent, its own prefix left out."""
    changed = []
    for name in sorted(before.keys() | after.keys()):
        if not OURS.match(name.split(" ", 1)[1]) and before.get(name) != after.get(name):
            changed.append(f"{name}: {before.get(name)} -> {after.get(name)}")
    return changed


def check_parent(build):
    changed = compare_states(read_state(build / "before.txt"), read_state(build / "after.txt"))
    if changed:
        raise Failure("the parent project was changed (B1):\n" + "\n".join(changed))
    targets = (build / "targets.txt").read_text().split()
    foreign = [target for target in targets if not target.startswith("loquat")]
    if "loquat" not in targets or foreign:
        raise Failure(f"targets without our prefix (B2): {foreign} of {targets}")
    tests = run("ctest", "-N", cwd=build)
    if "Total Tests: 0" not in tests:
        raise Failure(f"tests were added to the parent (B1): {tests}")
    prefix = build / "nothing"
    run("cmake", "--install", build, "--prefix", prefix)
    if prefix.exists() and any(path.is_file() for path in prefix.rglob("*")):
        raise Failure("install rules were added to the parent (B1)")


def add_subdirectory(consumer):
    build = consumer.configure(HERE / "add_subdirectory")
    check_parent(build)
    consumer.build(build, "game")
    expect_works(build / "game")


def fetch_content(consumer):
    check_parent(consumer.configure(HERE / "fetch_content"))


def installed(consumer):
    prefix = consumer.install_main_build()
    build = consumer.configure(HERE / "installed", f"-DCMAKE_PREFIX_PATH={prefix}")
    consumer.build(build, "all")
    for program in ("plain", "bare", "strict"):
        expect_works(build / program)
    commands = (build / "compile_commands.json").read_text()
    for foreign in ("openmp", "fmt", "xsimd", "-pthread", "-mavx"):
        if foreign in commands:
            raise Failure(f"a consumer's compile line holds '{foreign}' (B7)")
    for path in prefix.rglob("*"):
        if path.is_file() and path.suffix in (".hpp", ".h") and path.parent != prefix / "include" / "loquat":
            raise Failure(f"{path} was installed, and is no public header (B7)")


def pkg_config(consumer):
    if shutil.which("pkg-config") is None:
        print("skipped: pkg-config is not installed")
        return SKIPPED
    prefix = consumer.install_main_build()
    folder = next(prefix.rglob("loquat.pc")).parent
    flags = run("pkg-config", "--cflags", "--libs", f"--define-variable=prefix={prefix}", "loquat",
                env={**os.environ, "PKG_CONFIG_PATH": str(folder)}).split()
    program = consumer.work / "program"
    run(consumer.options.compiler, "-std=c++20", HERE / "first_program.cpp", "-o", program, *flags)
    expect_works(program)
    return 0


def shared(consumer):
    build = consumer.configure(HERE / "add_subdirectory", "-DBUILD_SHARED_LIBS=ON")
    consumer.build(build, "game")
    expect_works(build / "game")
    library = next(build.rglob("libloquat.so")).resolve()
    symbols = [line.split() for line in run("nm", "-D", "--defined-only", library).splitlines()]
    names = [parts[-1].split("@")[0] for parts in symbols if len(parts) == 3]
    foreign = [name for name in names if not re.match(r"_Z(N|NK|TV|TS|TI|Tv\w+N|Th\w+N|TVN|TSN|TIN)6loquat|_ZT[VSI]N6loquat", name)]
    if foreign or not names:
        raise Failure(f"the shared library shows {foreign[:10]} (B3)")
    version = next(name for name in names if re.match(r"_ZN6loquat.*7versionEv$", name))
    loader = consumer.work / "load_often"
    run(consumer.options.compiler, "-std=c++20", HERE / "load_often.cpp", "-o", loader, "-ldl")
    expect_works(loader, library, version)


def two_copies(consumer):
    second = consumer.configure(consumer.source, "-DCMAKE_CXX_FLAGS=-DLOQUAT_ABI=v9_9", "-DLOQUAT_BUILD_TESTS=OFF",
                                "-DLOQUAT_BUILD_EXAMPLES=OFF", "-DLOQUAT_BUILD_BENCH=OFF", build_type="Debug")
    consumer.build(second, "loquat")
    include = f"-I{consumer.source}/include"
    objects = [consumer.compile("two_copies_main.cpp", "main.o"),
               consumer.compile("two_copies_half.cpp", "first.o", include, "-DHALF=first"),
               consumer.compile("two_copies_half.cpp", "second.o", include, "-DHALF=second", "-DLOQUAT_ABI=v9_9")]
    openmp = ["-fopenmp"] if "GOMP_parallel" in run("nm", consumer.options.library) else []
    program = consumer.work / "two_copies"
    run(consumer.options.compiler, *objects, consumer.options.library, second / "libloquat.a", "-pthread", *openmp,
        "-o", program)
    expect_works(program)


def self_test(_):
    """A sub-project that misbehaves must be noticed."""
    before = {"variable CMAKE_CXX_FLAGS": "", "variable X": "1", "cache A": ""}
    samples = [{**before, "variable CMAKE_CXX_FLAGS": "-O3"}, {**before, "cache fmt_DIR": ""},
               {**before, "variable BUILD_SHARED_LIBS": "ON"}, {"variable X": "1", "cache A": ""}]
    for sample in samples:
        if not compare_states(before, sample):
            raise Failure(f"self-test: the change to {sample} was not noticed")
    if compare_states(before, {**before, "cache LOQUAT_OPENMP": "", "variable loquat_SOURCE_DIR": "x"}):
        raise Failure("self-test: our own names were reported")
    with tempfile.TemporaryDirectory() as folder:
        build = pathlib.Path(folder)
        (build / "before.txt").write_text("variable A=1\n")
        (build / "after.txt").write_text("variable A=1\n")
        (build / "targets.txt").write_text("loquat\ndocs\n")
        try:
            check_parent(build)
        except Failure as failure:
            if "docs" in str(failure):
                return
        raise Failure("self-test: a target without our prefix was not noticed")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for option in ("--source", "--build", "--work", "--compiler", "--library"):
        parser.add_argument(option, required=True)
    parser.add_argument("--launcher", default="")
    cases = {case.__name__: case
             for case in (add_subdirectory, fetch_content, installed, pkg_config, shared, two_copies, self_test)}
    parser.add_argument("case", choices=cases)
    options = parser.parse_args()
    try:
        return cases[options.case](Consumer(options)) or 0
    except Failure as failure:
        print(failure)
        return 1


if __name__ == "__main__":
    sys.exit(main())
