#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Reads what the library's objects refer to, define and contain (promises A1, A6, B3, B4, M3, O1, T8).

  check_symbols.py --library libloquat.a --level avx2 a.o b.o --level baseline c.o
  check_symbols.py --self-test c++
"""
import pathlib
import re
import subprocess
import sys
import tempfile

FORBIDDEN = {
    "ends the process": "abort exit _exit _Exit quick_exit __assert_fail __assert_rtn raise kill longjmp siglongjmp "
                        "__longjmp_chk __stack_chk_guard std::terminate()",
    "installs handlers": "signal sigaction atexit at_quick_exit __cxa_atexit __cxa_thread_atexit std::set_terminate(void(*)()) "
                         "std::set_new_handler(void(*)())",
    "prints": "printf vprintf puts putchar fprintf vfprintf fputs fputc putc fwrite perror write stdout stderr std::cout "
              "std::cerr std::clog __printf_chk __fprintf_chk __vfprintf_chk",
    "changes the host's state": "setenv putenv unsetenv setlocale uselocale chdir fesetround setpriority nice umask "
                                "sched_setaffinity pthread_setaffinity_np",
    "loads code or starts programs": "dlopen dlsym system popen fork vfork execve posix_spawn",
    "throws": "__cxa_throw __cxa_rethrow",
    "allocates where nobody can say no": "malloc calloc realloc posix_memalign aligned_alloc",
}
REASONS = {name: reason for reason, names in FORBIDDEN.items() for name in names.split()}
REASONS["std::set_terminate(void (*)())"] = REASONS["std::set_new_handler(void (*)())"] = "installs handlers"
OURS = re.compile(r"^(non-virtual thunk to |virtual thunk to |vtable for |typeinfo (name )?for |guard variable for |VTT for )?"
                  r"(\S.* )?\(?(loquat::|fmt::loquat_\w+::)")
STANDARD = re.compile(r"^(vtable for |typeinfo (name )?for |guard variable for )?(\S.* )?(std::|__gnu_cxx::|void std::|bool std::)")
AVX = re.compile(r"%[yz]mm\d|\tv[a-z0-9]+\s.*%xmm")
LEVELS_WITHOUT_AVX = {"reference", "baseline"}


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True, errors="replace").stdout


def read_nm(path, *options):
    """(object, kind, demangled name) of each symbol."""
    symbols = []
    member = pathlib.Path(path).name
    for line in run("nm", "-C", *options, str(path)).splitlines():
        if line.endswith(":") and not line.startswith(" "):
            member = line[:-1]
        elif found := re.match(r"^(?:[0-9a-f]+)?\s+([A-Za-z])\s(.*)$", line):
            symbols.append((member, found.group(1), found.group(2)))
    return symbols


def check_references(path):
    errors = []
    for member, _, name in read_nm(path, "--undefined-only"):
        plain = name.split("@")[0]
        if plain in REASONS:
            errors.append(f"{member}: refers to {plain}, which {REASONS[plain]}")
    return errors


def check_visible(path):
    """Symbols that a program which links the library can see: ours, and weak copies of the standard library's."""
    errors = []
    for line in run("sh", "-c", f"readelf -sW '{path}' | c++filt").splitlines():
        parts = line.split(None, 7)
        if len(parts) < 8 or parts[4] not in ("GLOBAL", "WEAK", "UNIQUE") or parts[5] != "DEFAULT" or parts[6] == "UND":
            continue
        name = parts[7]
        if OURS.match(name) or (parts[4] != "GLOBAL" and STANDARD.match(name)):
            continue
        errors.append(f"shows {name} ({parts[4].lower()}), which is not in namespace loquat")
    return errors


def check_unloading(path):
    """Tables of std::atomic::wait are unique symbols that keep a plug-in in memory: threading/native_thread.hpp waits."""
    return [f"{member}: holds {name}" for member, _, name in read_nm(path, "--defined-only") if "__waiter_pool" in name]


def check_weak(level, path):
    """A weak symbol of a kernel object may replace another unit's copy: only our own kernels' names are safe."""
    own = re.compile(r"\bloquat::.*\bkernels::" + re.escape(level) + r"\b")
    return [f"{pathlib.Path(path).name} of level {level}: weak {name}" for _, kind, name in read_nm(path, "--defined-only")
            if kind in "WwVvu" and not own.search(name)]


def check_instructions(path):
    errors = []
    function = ""
    for line in run("objdump", "-d", "--no-show-raw-insn", str(path)).splitlines():
        if line.endswith(">:"):
            function = line.split("<", 1)[1][:-2]
        elif AVX.search(line):
            errors.append(f"{pathlib.Path(path).name}: {function} holds '{' '.join(line.split()[1:])}'")
    return errors[:5]


def is_x86(path):
    return "x86-64" in run("objdump", "-f", str(path))


def check_library(library, levels):
    errors = check_references(library) + check_visible(library) + check_unloading(library)
    higher = {pathlib.Path(path).name for level, paths in levels.items() if level not in LEVELS_WITHOUT_AVX for path in paths}
    for level, paths in levels.items():
        for path in paths:
            errors += check_weak(level, path)
    if is_x86(library):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["ar", "x", str(pathlib.Path(library).resolve())], cwd=folder, check=True)
            for path in sorted(pathlib.Path(folder).iterdir()):
                if path.name not in higher:
                    errors += check_instructions(path)
            for level in LEVELS_WITHOUT_AVX & levels.keys():  # a name may repeat in the archive: look at the objects
                for path in levels[level]:
                    errors += check_instructions(path)
    return errors


SAMPLES = {  # source: what must be found in it
    "#include <cstdlib>\nnamespace loquat { void f() { std::abort(); } }": "ends the process",
    "#include <cassert>\nnamespace loquat { void f(int x) { assert(x); } }": "ends the process",
    "#include <cstdio>\nnamespace loquat { void f() { std::fputs(\"x\", stderr); } }": "prints",
    "#include <iostream>\nnamespace loquat { void f() { std::cout << 1; } }": "prints",
    "#include <csignal>\nnamespace loquat { void f() { std::signal(SIGINT, SIG_IGN); } }": "installs handlers",
    "#include <exception>\nnamespace loquat { void f() { std::set_terminate(nullptr); } }": "installs handlers",
    "namespace loquat { struct A { ~A(); }; A a; }": "installs handlers",
    "namespace loquat { void f() { throw 1; } }": "throws",
    "void f() {}": "not in namespace loquat",
    "namespace other { inline int f() { return 1; } int (*g())() { return &f; } }": "not in namespace loquat",
    "#include <atomic>\nnamespace loquat { void f(std::atomic<int>& x) { x.wait(1); } }": "__waiter_pool",
    "namespace loquat { int f() { return 1; } }": None,
}
KERNEL_SAMPLES = {  # source: what check_weak must find for level avx2
    "#include <algorithm>\nnamespace loquat::kernels::avx2 { const int& f(int& a, int& b) { return std::max(a, b); } }": "weak",
    "namespace loquat { template <class A> A g(A a) { return a + 1; } namespace kernels::avx2 { int f() { return g(1); } } }":
        "weak",
    "namespace loquat::kernels::avx2 { template <class A> A g(A a) { return a + 1; } int f() { return g(1); } }": None,
}


def self_test(compiler):
    errors = []

    def expect(found, reason, sample):
        if not (any(reason in error for error in found) if reason else not found):
            errors.append(f"self-test: {sample!r} gave {found}, expected {reason}")

    with tempfile.TemporaryDirectory() as folder:
        source, made = pathlib.Path(folder) / "a.cpp", pathlib.Path(folder) / "a.o"

        def build(text, *options):
            source.write_text(text + "\n")
            subprocess.run([compiler, "-std=c++20", *options, "-c", str(source), "-o", str(made)], check=True)

        for text, reason in SAMPLES.items():
            build(text)
            expect(check_references(made) + check_visible(made) + check_unloading(made), reason, text)
        for text, reason in KERNEL_SAMPLES.items():
            build(text, "-O0")
            expect(check_weak("avx2", made), reason, text)
        if is_x86(made):
            loop = "void f(float* a) { for (int i = 0; i < 64; ++i) a[i] *= 2; }"
            build(loop, "-O3", "-mavx2")
            expect(check_instructions(made), "holds", "AVX2 object")
            build(loop, "-O3")
            expect(check_instructions(made), None, "baseline object")
    return errors


def main():
    arguments = sys.argv[1:]
    if arguments[0] == "--self-test":
        errors = self_test(arguments[1])
    else:
        library, levels, level = arguments[1], {}, None
        rest = iter(arguments[2:])
        for argument in rest:
            if argument == "--level":
                level = next(rest)
                levels[level] = []
            else:
                levels[level] += argument.split(";")
        errors = check_library(library, levels)
    print("\n".join(dict.fromkeys(errors)))
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
