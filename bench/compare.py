#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares `loquat bench` with llama.cpp's `llama-bench` on the same file, alternating in the same minutes.

    bench/compare.py MODEL.gguf --loquat BUILD/examples/cli/loquat --peer LLAMA_BUILD/bin/llama-bench [--rounds 5]

Prints, for prefill and decode at each thread count, both engines' medians and ranges and the ratio of the medians with
its range over the rounds. Rules and how to build the peer: bench/README.md.
"""
import argparse
import json
import statistics
import subprocess
import sys


def run_loquat(program, model, threads, args):
    command = [program, "bench", model, "-t", str(threads), "-p", str(args.prompt), "-n", str(args.tokens), "-r", "1", "--json"]
    if args.level:
        command += ["--level", args.level]
    result = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return {"prefill": result["prefill_tok_s"]["median"], "decode": result["decode_tok_s"]["median"]}


def run_peer(program, model, threads, args):
    command = [program, "-m", model, "-t", str(threads), "-p", str(args.prompt), "-n", str(args.tokens), "-r", "1", "-fa", "1", "-o", "json"]
    rows = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return {"prefill" if row["n_prompt"] else "decode": row["avg_ts"] for row in rows}


def describe(values):
    return f"{statistics.median(values):8.1f} [{min(values):.1f}..{max(values):.1f}]"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("--loquat", required=True, help="the loquat program")
    parser.add_argument("--peer", required=True, help="llama-bench")
    parser.add_argument("--threads", default="1,2", help="thread counts (default: 1,2)")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("-p", "--prompt", type=int, default=512)
    parser.add_argument("-n", "--tokens", type=int, default=64)
    parser.add_argument("--level", help="force loquat's kernel level")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()

    report = []
    for threads in (int(t) for t in args.threads.split(",")):
        ours, theirs = [], []
        for _ in range(args.rounds):
            ours.append(run_loquat(args.loquat, args.model, threads, args))
            theirs.append(run_peer(args.peer, args.model, threads, args))
        for what in ("prefill", "decode"):
            a, b = [r[what] for r in ours], [r[what] for r in theirs]
            ratios = [x / y for x, y in zip(a, b)]
            row = {"threads": threads, "what": what, "loquat": a, "peer": b, "ratio": statistics.median(a) / statistics.median(b),
                   "ratio_min": min(ratios), "ratio_max": max(ratios)}
            report.append(row)
            if not args.json:
                print(f"{threads} thread(s) {what:7}: loquat {describe(a)}  peer {describe(b)}  ratio {row['ratio']:.2f} "
                      f"[{row['ratio_min']:.2f}..{row['ratio_max']:.2f}]", flush=True)
    if args.json:
        json.dump(report, sys.stdout)
        print()


if __name__ == "__main__":
    main()
