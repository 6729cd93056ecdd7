#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Counts the cases of a ctest run: `summarize.py ctest.xml`.

A Catch2 program counts as its cases, any other test as one. Prints what was skipped and what failed, and as the last
line `N passed, N failed`. Exits with 1 when anything failed or nothing ran.
"""
import re
import sys
import xml.etree.ElementTree as ElementTree

ALL_PASSED = re.compile(r"^All tests passed \(\d+ assertions? in (\d+) test cases?\)", re.MULTILINE)
SOME_FAILED = re.compile(r"^test cases:\s*(\d+)(.*)$", re.MULTILINE)
SKIPPED = re.compile(r"^\s*skipped: (.*)$", re.MULTILINE)


def count_cases(output, has_passed):
    """(passed, failed) of one test program."""
    passed = failed = 0
    is_catch = False
    for found in ALL_PASSED.finditer(output):
        is_catch = True
        passed += int(found.group(1))
    for found in SOME_FAILED.finditer(output):
        is_catch = True
        parts = {word: int(number) for number, word in re.findall(r"(\d+) (passed|failed)", found.group(2))}
        passed += parts.get("passed", 0)
        failed += parts.get("failed", 0)
    if not is_catch:
        return (1, 0) if has_passed else (0, 1)
    if not has_passed and failed == 0:
        failed = 1  # it crashed, or ran out of time, after its summary
    return passed, failed


def summarize(xml_text):
    """(passed, failed, skipped lines, names of failed tests)."""
    passed = failed = 0
    skipped, failures = [], []
    for test in ElementTree.fromstring(xml_text).iter("testcase"):
        name, status = test.get("name"), test.get("status")
        output = test.findtext("system-out") or ""
        skipped += [f"{name}: {reason}" for reason in SKIPPED.findall(output)]
        if status in ("notrun", "disabled"):
            reason = test.find("skipped")
            message = reason.get("message", "") if reason is not None else ""
            if "SKIP" in message or status == "disabled":
                skipped.append(f"{name}: whole test" if not SKIPPED.search(output) else f"{name}: whole test, see above")
                continue
        good, bad = count_cases(output, status == "run")
        passed += good
        failed += bad
        if bad or status != "run":
            failures.append(name)
    return passed, failed, skipped, failures


def main():
    with open(sys.argv[1], encoding="utf-8", errors="replace") as file:
        passed, failed, skipped, failures = summarize(file.read())
    for line in dict.fromkeys(skipped):
        print(f"SKIPPED {line}")
    for name in failures:
        print(f"FAILED {name}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or passed == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
