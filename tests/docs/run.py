#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""run.py PAGE [SECTION [BLOCK...]]: run the commands that a page shows, and compare what they print.

A block between ``` whose first line begins with `$ ' is a dialogue: a line with `$ ' is a
command, also the one behind a line that ends in a backslash; the lines below it are what it
prints.  All commands of a page run in one shell, in the current directory.
Of a page with a SECTION, `# SECTION', only that one is read, or the dialogues BLOCK of it, counted
from 1; in a manual page's source (.scd) two backslashes are one.

What is shown has to be printed, in this order, in the same form: numbers stand for numbers,
units for units, ids for ids (FORMS).  White space does not count, so lines may be wrapped
elsewhere.  Output that the page leaves out is not looked at; `...' says so to the reader.

A command has to end with 0, with 5 (cannot tell: other programs use the machine), or with 1 if the
page shows that it says `different: '.

Prints a line `differs: COMMAND: LINE' for each line that is not printed any more, and `busy' if
the machine did not let two threads meet.  Exit status: 0 all as shown, 1 not.
"""
import re
import subprocess
import sys

NUMBER = r"[-+]?(?:\d[\d,]*\.?\d*|\.\d+)"
# What differs from run to run, from machine to machine, and with what else runs: pattern, what
# stands for it.  The page and the output are both seen through these.
FORMS = [
    # Colours and the line that a progress display leaves.
    (r"\x1b\[[0-9;?]*[a-zA-Z]", ""),
    (r"\.\.\.", " "),
    # A finding's cost is a number, a bound or unknown, by how well the run could see it.
    (r"(?:costs|may cost)(?: up to| at least| less than)? %s %% of run time(?: \([^)]*\))?" % NUMBER, "COST"),
    (r"%s[kMG]? ?[kMG]? ?(?:transfers)?/s,? not priced" % NUMBER, "COST"),
    (r", saves about %s %%" % NUMBER, ""),
    (r"(?:about|at least) (%s(?: [kMG])?/s)(?: \([^)]*\))?" % NUMBER, r"\1"),
    (r"between (?:threads on one core|caches|cores|packages|hardware threads)", "between CORES"),
    # What is only said of a machine that others use, too.
    (r",? [0-9.]+ % taken by the host(?=,)", ""),
    # Verdicts that hang on how quiet the machine is.
    (r"\b(?:proven|inconclusive|Inconclusive)\b", "VERDICT"),
    (r"\bconfidence (?:low|medium|high)", "confidence C"),
    (r"(trust +)(?:good|limited)", r"\1TRUST"),
    (r"\b(?:ok|limited|absent|not needed|missing)$", "STATE"),
    # Said only where two programs differ.
    (r"^that is %sx (?:faster|slower) \(%s to %s\)$" % (NUMBER, NUMBER, NUMBER), ""),
    # Which element of an array, and which thread of several equal ones.
    (r"\[%s(?:\.\.%s)?\]" % (NUMBER, NUMBER), "[N]"),
    # Ids, hashes.
    (r"\b(share|wait|queue|phase|place)-\d{6}\b", r"\1-ID"),
    (r"\b[0-9a-f]{6,64}\b(?=\.\.)", "HASH"),
    (r"\b(?=[0-9a-f]*[a-f])(?:[0-9a-f]{8}|[0-9a-f]{16}|[0-9a-f]{40}|[0-9a-f]{64})\b", "HASH"),
    # Numbers with a unit, then bare ones.
    (r"(%s)( ?)(?:[kMG]?Hz|GHz)\b" % NUMBER, "N Hz"),
    (r"(%s) ?[kMG]?/s\b" % NUMBER, "N/s"),
    (r"(%s) (?:ns|us|ms|s)\b" % NUMBER, "N s"),
    (r"(%s) (?:[kMG]?B|[kMG]?J|[kMG])\b" % NUMBER, "N U"),
    (NUMBER, "N"),
]
BUSY = re.compile(r"seen on one core|^0 findings", re.M)


def form(text):
    """What a text says, without what differs from run to run; a list of words."""
    lines = []
    for line in text.splitlines():
        line = line.rstrip()
        for pattern, by in FORMS:
            line = re.sub(pattern, by, line)
        lines.append(line)
    return " ".join(lines).split()


def section_of(page, name):
    """The part of a page below `# NAME', as it is read."""
    lines, on = [], False
    for line in page.splitlines():
        if line.startswith("# "):
            on = line == "# " + name
        elif on:
            lines.append(line)
    return "\n".join(lines)


def dialogues(page, blocks=()):
    """The commands of a page with the lines that it shows below each; of all blocks, or of these."""
    inside, shown, lines = False, [], []
    for line in page.splitlines():
        if line.startswith("```"):
            if inside and lines and lines[0].startswith("$ "):
                shown.append(lines)
            inside, lines = not inside, []
        elif inside:
            lines.append(line)
    for number, lines in enumerate(shown, 1):
        if blocks and number not in blocks:
            continue
        commands = []
        for line in lines:
            if commands and commands[-1][0].endswith("\\") and not commands[-1][1]:
                commands[-1][0] += "\n" + line
            elif line.startswith("$ "):
                commands.append([line[2:], []])
            else:
                commands[-1][1].append(line)
        yield from commands


def run(commands):
    """What each command prints, and its status, all in one shell."""
    mark = "--- run.py: the end of a command: "
    script = "".join("%s\n__status=$?; printf '\\n%s%%d\\n' $__status; (exit $__status)\n" % (c, mark)
                     for c, _ in commands)
    done = subprocess.run(["bash", "-c", script], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace")
    parts = re.split(r"\n%s(\d+)\n" % re.escape(mark), done.stdout)
    return list(zip(parts[0::2], map(int, parts[1::2])))


def missing(shown, printed):
    """The lines of `shown' that are not in `printed', behind one another."""
    words, at = form(printed), 0
    for line in shown:
        want = form(line)
        if not want:
            continue
        for i in range(at, len(words) - len(want) + 1):
            if words[i:i + len(want)] == want:
                at = i + len(want)
                break
        else:
            yield line


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        page = f.read()
    if len(sys.argv) > 2:
        page = section_of(page, sys.argv[2])
    if sys.argv[1].endswith(".scd"):
        page = page.replace("\\\\", "\\")
    commands = list(dialogues(page, [int(n) for n in sys.argv[3:]]))
    if not commands:
        print("differs: the page has no commands")
        return 1
    results = run(commands)
    bad = False
    for (command, shown), (printed, status) in zip(commands, results):
        print("$ %s\n%s[%d]" % (command, printed, status))
        if status not in (0, 5) and not (status == 1 and shown and shown[0].startswith("different: ")):
            print("differs: %s: status %d" % (command, status))
            bad = True
        for line in missing(shown, printed):
            print("differs: %s: %s" % (command, line))
            bad = True
    if len(results) < len(commands):
        print("differs: %s: the shell ended" % commands[len(results)][0])
        bad = True
    if BUSY.search("".join(p for p, _ in results)):
        print("busy")
    print("%d commands, %d lines compared" % (len(results), sum(len(s) for _, s in commands)))
    return bad


if __name__ == "__main__":
    sys.exit(main())
