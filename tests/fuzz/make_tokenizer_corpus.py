#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes corpus/tokenizer: two small vocabulary files and texts, each with something the others lack."""
import pathlib
import struct

FOLDER = pathlib.Path(__file__).resolve().parent / "corpus" / "tokenizer"
STRING, ARRAY = 8, 9
FORMATS = {4: "<I", 5: "<i", 6: "<f", 7: "<?"}


def string(text):
    data = text.encode()
    return struct.pack("<Q", len(data)) + data


def value(kind, item):
    return string(item) if kind == STRING else struct.pack(FORMATS[kind], item)


def entry(key, kind, item):
    if isinstance(item, list):
        payload = struct.pack("<IIQ", ARRAY, kind, len(item)) + b"".join(value(kind, i) for i in item)
    else:
        payload = struct.pack("<I", kind) + value(kind, item)
    return string(key) + payload


def vocabulary(model, pre, tokens, types, extra):
    entries = [
        entry("tokenizer.ggml.model", STRING, model),
        entry("tokenizer.ggml.pre", STRING, pre),
        entry("tokenizer.ggml.tokens", STRING, tokens),
        entry("tokenizer.ggml.token_type", 5, types),
        entry("tokenizer.ggml.bos_token_id", 4, 1),
        entry("tokenizer.ggml.eos_token_id", 4, 2),
    ] + extra
    return b"GGUF" + struct.pack("<IQQ", 3, 0, len(entries)) + b"".join(entries)


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    letters = list("abcde'12") + ["\u0120", "\u010a"]
    bpe_tokens = ["<unk>", "<s>", "</s>"] + letters + ["ab", "\u0120a", "abc", "<u>"]
    bpe = vocabulary("gpt2", "llama-bpe", bpe_tokens, [2, 3, 3] + [1] * 13 + [4],
                     [entry("tokenizer.ggml.merges", STRING, ["a b", "\u0120 a", "ab c"])])
    pieces = ["\u2581", "a", "b", "\u2581a", "ab", "\u2581ab", "\u00e9"]
    spm_tokens = ["<unk>", "<s>", "</s>", "<0x0A>", "<0xFF>"] + pieces + ["  "]
    spm = vocabulary("llama", "default", spm_tokens, [2, 3, 3, 6, 6] + [1] * 7 + [4],
                     [entry("tokenizer.ggml.scores", 6, [float(-i) for i in range(len(spm_tokens))])])
    files = {
        "bpe.gguf": bpe,
        "spm.gguf": spm,
        "spaces": b"\x00 a  b   c\n\n \n\td \xc2\xa0 e ",
        "contractions": b"\x01I'll it'S we'VE '\xc5\xbf don't",
        "digits": b"\x021 22 333 4444 55555 \xd9\xa3\xd9\xa4 \xe2\x85\xa3",
        "marks": "\x03e\u0301 \u0928\u093f \u1e69 \u0344 \uac01\u11a8".encode(),
        "case": b"\x04HTTPServer parseXML aB \xc7\x85x // CamelCase",
        "cjk": "\x05\u6f22\u5b57 \u304b\u306a \ud55c\uae00 \u0e44\u0e17\u0e22".encode(),
        "broken": b"\x06a\xff\xe2\x82 \xf0\x9f\x98 \xed\xa0\x80 \xc0\xaf z",
        "special": b"\x87<|im_start|>user<tool> <|im_end|><s></s><|endoftext|>",
    }
    for name, data in files.items():
        (FOLDER / name).write_bytes(data)
    print(f"{len(files)} files in corpus/tokenizer")


if __name__ == "__main__":
    main()
