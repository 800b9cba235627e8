"""A small lexer for Rust source, shared by `scripts/check-style` and `scripts/check-layers`."""

import os
import re

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
# Folders with sources of the project, relative to its root.
FOLDERS = ("src", "crates", "tests", "benches", "examples", "fuzz")
# A comment, a string, a character, or the start of a raw string.
TOKEN = re.compile(r"""//[^\n]*|/\*|b?r(?P<hashes>\#*)"|b?"(?:\\.|[^"\\])*"|b?'(?:\\(?:x..|u\{[^}]*\}|.)|[^'\\])'""", re.S)


def files():
    """Returns the paths of all .rs files, relative to the root, sorted."""
    found = ["build.rs"] if os.path.exists(os.path.join(ROOT, "build.rs")) else []
    for folder in FOLDERS:
        for path, folders, names in os.walk(os.path.join(ROOT, folder)):
            folders[:] = [name for name in folders if name != "target"]
            found += [os.path.relpath(os.path.join(path, name), ROOT) for name in names if name.endswith(".rs")]
    return sorted(found)


def read(path):
    """Returns the text of a file."""
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def split(text):
    """Returns the code and the comments of a source, both as long as it: everything else is blank, but for line feeds."""
    code, comments, place = [], [], 0

    def add(part, is_code, is_comment):
        blank = re.sub(r"[^\n]", " ", part)
        code.append(part if is_code else blank)
        comments.append(part if is_comment else blank)

    while match := TOKEN.search(text, place):
        add(text[place : match.start()], True, False)
        place = match.end()
        start = match[0]
        if start == "/*":
            depth = 1
            while depth and (mark := re.compile(r"/\*|\*/").search(text, place)):
                depth += 1 if mark[0] == "/*" else -1
                place = mark.end()
        elif match["hashes"] is not None:
            place = text.index('"' + match["hashes"], place) + 1 + len(match["hashes"])
        add(text[match.start() : place], False, start.startswith("/"))
    add(text[place:], True, False)
    return "".join(code), "".join(comments)


def block(code, place):
    """Returns the place behind the brace that closes the first one from `place` on; None if a semicolon comes first."""
    depth = 0
    for match in re.compile(r"[{};()\[\]]").finditer(code, place):
        mark = match[0]
        if mark in "{([":
            depth += 1
        elif mark in "})]":
            depth -= 1
            if depth == 0 and mark == "}":
                return match.end()
        elif depth == 0:
            return None
    return None
