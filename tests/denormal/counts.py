# SPDX-License-Identifier: MIT
"""counts.py FILE.pden...: the counts of each site and array as words, one line each."""
import collections
import struct
import sys

KINDS = "load store add sub mul div sqrt fma convert compare call copy other".split()
ROLES = ["result", "birth", "death", "operand", "wrapped"]
WHERE = ["heap", "static", "stack", "mapped", "elsewhere"]


def text(data, at):
    return data[at:data.index(b"\0", at)].decode()


def items(data):
    at = 4096
    end = struct.unpack_from("<Q", data, 24)[0]
    while at < end:
        kind, number, size = struct.unpack_from("<IIQ", data, at)
        yield kind, number, at, size
        at += size


def read(path, sites, arrays):
    data = open(path, "rb").read()
    units, kinds, objects = {}, {}, {}
    for kind, number, at, _ in items(data):
        if kind == 2:
            n = struct.unpack_from("<I", data, at + 32)[0]
            rows = []
            for i in range(n):
                row = at + 64 + 64 * i
                address, _, role, operand, what, kind_of, line, column, flags = struct.unpack_from("<QQ7I", data, row)
                f, name, label = struct.unpack_from("<3I", data, row + 48)
                base = at + 64 + 64 * n
                key = (text(data, base + f), line, column, KINDS[what], kind_of, text(data, base + name), text(data, base + label), flags)
                kinds[address] = KINDS[what]
                rows.append((key, ROLES[role] + (str(operand) if role == 3 else "")))
            units[number] = rows
        elif kind == 5:
            where = struct.unpack_from("<I", data, at + 32)[0]
            objects[number] = "%s-%d" % (WHERE[where], number)
    for kind, number, at, _ in items(data):
        if kind == 4:
            unit = struct.unpack_from("<I", data, at + 16)[0]
            for i, (key, role) in enumerate(units[unit]):
                sites[key][role] += struct.unpack_from("<Q", data, at + 64 + 8 * i)[0]
        elif kind == 6:
            n = struct.unpack_from("<I", data, at + 20)[0]
            for i in range(n):
                site, _, count, number_of, _ = struct.unpack_from("<QQQII", data, at + 64 + 32 * i)
                arrays[objects.get(number_of, "none")][kinds.get(site, "?")] += count


def main():
    sites = collections.defaultdict(collections.Counter)
    arrays = collections.defaultdict(collections.Counter)
    for path in sys.argv[1:]:
        read(path, sites, arrays)
    for key, counts in sorted(sites.items()):
        file, line, column, kind, of, function, name, flags = key
        print("site %s:%d:%d %s type=%d %s() '%s'%s %s" % (file.rsplit("/", 1)[-1], line, column, kind, of, function, name,
              " root" if flags & 1 else "", " ".join("%s=%d" % (r, counts[r]) for r in sorted(counts))))
    for name, counts in sorted(arrays.items()):
        print("array %s %s" % (name, " ".join("%s=%d" % (k, counts[k]) for k in sorted(counts))))


main()
