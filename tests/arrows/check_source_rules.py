#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Rules that can be read off the text: words that our CMake files and library sources must not hold."""
import pathlib
import re
import sys

# What would reach into a consumer's project, or bind a build to this machine (promise B1).
CMAKE_WORDS = ["CMAKE_CXX_FLAGS", "add_compile_options", "add_definitions", "add_link_options", "CMAKE_SOURCE_DIR",
               "CMAKE_BINARY_DIR", "set(CMAKE_BUILD_TYPE", "march=native", "file(GLOB"]
CMAKE_COMMANDS = re.compile(r"^\s*(include_directories|link_libraries|link_directories)\s*\(", re.MULTILINE)
# Consumers of the tests are separate projects and may do what they like.
NOT_OURS = "tests/consumer/"
# Allocate where nobody can say no, throw, or print (promises A1, M3, O1).
SOURCE_WORDS = ["std::vector", "std::string(", "std::string ", "std::map", "std::unordered_map", "std::function",
                "std::shared_ptr", "std::unique_ptr", "std::make_unique", "std::thread", "std::mutex", "std::regex",
                "<iostream>", "printf(", "abort(", "std::exit", "assert(", "TODO", "FIXME"]
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


def is_word_at(text, start):
    """True when the match does not continue an identifier to its left, as in LOQUAT_ASSERT( or static_assert(."""
    return start == 0 or not (text[start - 1].isalnum() or text[start - 1] == "_")


def find_word(text, word):
    return any(is_word_at(text, found.start()) for found in re.finditer(re.escape(word), text))


def check_cmake(path, text):
    code = re.sub(r"#[^\n]*", "", text)
    errors = [f"{path}: holds {word}" for word in CMAKE_WORDS if find_word(code, word)]
    return errors + [f"{path}: holds {command}()" for command in CMAKE_COMMANDS.findall(code)]


def check_source(path, text):
    errors = [] if text.startswith("// SPDX-License-Identifier: MIT\n") else [f"{path}: the licence line is missing"]
    code = COMMENT.sub("", text)
    errors += [f"{path}: holds {word}" for word in SOURCE_WORDS if find_word(code, word)]
    return errors + [f"{path}: holds {word}" for word in ("TODO", "FIXME") if word in text and word not in code]


def check_tree(root):
    errors = []
    for path in sorted([*root.rglob("CMakeLists.txt"), *root.rglob("*.cmake")]):
        name = path.relative_to(root).as_posix()
        if not name.startswith(("build", "out/", NOT_OURS)):
            errors += check_cmake(name, path.read_text())
    for folder in ("src", "include"):
        for path in sorted((root / folder).rglob("*.[ch]pp")):
            if path.name != "filesystem.hpp":  # of the consumer's own unit: std::string may be used
                errors += check_source(path.relative_to(root).as_posix(), path.read_text())
    return errors


LICENCE = "// SPDX-License-Identifier: MIT\n"


def self_test():
    wrong = [check_cmake("a", 'set(CMAKE_CXX_FLAGS "-O3")'), check_cmake("a", "  include_directories(x)"),
             check_cmake("a", "file(GLOB sources *.cpp)"), check_cmake("a", "target_compile_options(x -march=native)"),
             check_source("a", "int x;\n"), check_source("a", LICENCE + "std::vector<int> x;\n"),
             check_source("a", LICENCE + "void f() { assert(x); }\n"), check_source("a", LICENCE + "// TODO later\n"),
             check_source("a", LICENCE + "std::printf(1);\n")]
    right = [check_cmake("a", "target_include_directories(x PRIVATE y)\n# file(GLOB is forbidden"),
             check_source("a", LICENCE + "static_assert(true); LOQUAT_ASSERT(x); // no std::vector here\n"),
             check_source("a", LICENCE + "std::string_view x;\n")]
    errors = [f"self-test: wrong sample {i} was not found" for i, found in enumerate(wrong) if not found]
    return errors + [f"self-test: right sample gave {found}" for found in right if found]


def main():
    errors = self_test() if sys.argv[1] == "--self-test" else check_tree(pathlib.Path(sys.argv[1]))
    print("\n".join(errors))
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
