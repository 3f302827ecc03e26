# SPDX-License-Identifier: MIT
# reorder.py PLAN SEED OUT: the same plan in canonical form, its threads (each
# behind its creator), sites, triggers and actions in another order, and
# triggers under other numbers.
import random
import re
import sys


def blocks(lines):
    """Entries `  - ...` of a list."""
    out = []
    for line in lines:
        if line.startswith("  - "):
            out.append([])
        out[-1].append(line)
    return out


def lists(text):
    """The plan as head lines and named lists, in order."""
    parts = [["", []]]
    for line in text.splitlines():
        m = re.fullmatch(r"(\w+):", line)
        if m:
            parts.append([m.group(1), []])
        elif parts[-1][0] and not line.startswith(" "):
            parts.append(["", [line]])
        else:
            parts[-1][1].append(line)
    return parts


def renumber(block, key, table):
    return [re.sub(r"^((?:  - |    )%s: )(\d+)$" % key, lambda m: m.group(1) + str(table[int(m.group(2))]), line) for line in block]


def value(block, key):
    for line in block:
        m = re.match(r"(?:  - |    )%s: (\d+)$" % key, line)
        if m:
            return int(m.group(1))
    return None


def swap_actions(block):
    at = [i for i, line in enumerate(block) if line.startswith("      - ")]
    if len(at) != 2:
        return block
    end = next((i for i in range(at[1], len(block)) if re.match(r"    \w", block[i])), len(block))
    return block[: at[0]] + block[at[1] : end] + block[at[0] : at[1]] + block[end:]


def main(plan, seed, out):
    rng = random.Random(int(seed))
    parts = lists(open(plan).read())
    named = {name: blocks(lines) for name, lines in parts if name}
    threads, sites, triggers = named["threads"], named.get("sites", []), named.get("triggers", [])
    order, left = [0], list(range(1, len(threads)))
    rng.shuffle(left)
    while left:
        i = next(k for k in left if value(threads[k], "creator") in order + [None])
        left.remove(i)
        order.append(i)
    site_order = list(range(len(sites)))
    rng.shuffle(site_order)
    new_thread = {old: new for new, old in enumerate(order)}
    new_site = {old: new for new, old in enumerate(site_order)}
    threads = [renumber(renumber(renumber(threads[i], "index", new_thread), "creator", new_thread), "create_site", new_site) for i in order]
    sites = [renumber(sites[i], "index", new_site) for i in site_order]
    rng.shuffle(triggers)
    for n, block in enumerate(triggers):
        numbers = {value(block, "number"): n + 11}
        triggers[n] = swap_actions(renumber(renumber(renumber(block, "number", numbers), "thread", new_thread), "site", new_site))
    named["threads"], named["sites"], named["triggers"] = threads, sites, triggers
    with open(out, "w") as f:
        for name, lines in parts:
            if name:
                print(name + ":", file=f)
                lines = [line for block in named[name] for line in block]
            print("\n".join(lines), file=f)


main(*sys.argv[1:])
