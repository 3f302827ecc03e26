# SPDX-License-Identifier: MIT
"""A plan.yaml in canonical form as lines that can be changed one at a time."""
import re


class PlanText:
    def __init__(self, data):
        self.lines = data.decode().splitlines(keepends=True)

    def bytes(self):
        return "".join(self.lines).encode()

    def section(self, name):
        """[first, last) of the lines below `name:`."""
        start = [i for i, l in enumerate(self.lines) if l.rstrip() == name + ":"]
        if not start:
            return 0, 0
        end = start[0] + 1
        while end < len(self.lines) and self.lines[end].startswith(" "):
            end += 1
        return start[0] + 1, end

    def items(self, name):
        """[first, last) of each item of a list."""
        first, last = self.section(name)
        heads = [i for i in range(first, last) if self.lines[i].startswith("  - ")]
        return list(zip(heads, heads[1:] + [last]))

    def find(self, key, span=None):
        """Line of @key within @span, or of the document."""
        first, last = span or (0, len(self.lines))
        lead = r"^(?:  [ -] | {6,8}[ -]? ?)" if span else "^"
        for i in range(first, last):
            if re.match(lead + re.escape(key) + ":", self.lines[i]):
                return i
        return None

    def get(self, key, span=None):
        i = self.find(key, span)
        return None if i is None else self.lines[i].split(": ", 1)[1].strip()

    def number(self, key, span=None):
        v = self.get(key, span)
        return None if v is None else int(v)

    def set(self, key, value, span=None):
        i = self.find(key, span)
        self.lines[i] = self.lines[i].split(": ", 1)[0] + ": " + str(value) + "\n"

    def actions(self, span):
        """[first, last) of each action of a trigger."""
        heads = [i for i in range(*span) if self.lines[i].startswith("      - ")]
        ends = []
        for h in heads:
            e = h + 1
            while e < span[1] and self.lines[e].startswith("        "):
                e += 1
            ends.append(e)
        return list(zip(heads, ends))

    def drop(self, span):
        del self.lines[span[0]:span[1]]

    def exchange(self, a, b, key):
        va, vb = self.get(key, a), self.get(key, b)
        self.set(key, vb, a)
        self.set(key, va, b)
