#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""messages.py PAGE FOLDER...: the messages that a page has as headings stand in the sources.

A heading `### `TEXT`' is a message, `...' in it what differs.  Its parts have to stand in this order
in one text of the C sources, adjacent literals joined.  Prints the headings that do not; exit
status 1 if there is one, or if the page has no messages.
"""
import pathlib
import re
import sys

LITERAL = r'"(?:[^"\\\n]|\\.)*"'
# PRIu64 and the like may stand between.
TEXT = re.compile(r'%s(?:\s*(?:PRI[a-z0-9A-Z]+\s*)?%s)*' % (LITERAL, LITERAL))
COMMENT = re.compile(r'/\*.*?\*/|//[^\n]*', re.S)


def texts(folders):
    for folder in folders:
        for path in sorted(pathlib.Path(folder).rglob("*.[ch]*")):
            if path.suffix not in (".c", ".h", ".cc"):
                continue
            source = COMMENT.sub(lambda m: m.group(0) if m.group(0).startswith("//") and '"' in m.group(0) else " ",
                                 path.read_text(encoding="utf-8"))
            for found in TEXT.finditer(source):
                joined = "".join(part[1:-1] for part in re.findall(LITERAL, found.group(0)))
                yield re.sub(r"\s+", " ", joined.replace("\\n", " ").replace('\\"', '"').replace("%%", "%"))


def stands(message, text):
    at = 0
    for part in message.split("..."):
        part = re.sub(r"\s+", " ", part)
        at = text.find(part, at)
        if at < 0:
            return False
        at += len(part)
    return True


def main():
    page = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")
    messages = re.findall(r"^### `(.*)`$", page, re.M)
    all_texts = list(texts(sys.argv[2:]))
    gone = [m for m in messages if not any(stands(m, t) for t in all_texts)]
    for message in gone:
        print("not in the sources: %s" % message)
    print("%d messages, %d texts" % (len(messages), len(all_texts)))
    return bool(gone) or not messages


if __name__ == "__main__":
    sys.exit(main())
