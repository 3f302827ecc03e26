# SPDX-License-Identifier: MIT
"""tables.py PAGE REPORT: read the tables of a page as a browser does; their sums are those of the report."""
import base64
import gzip
import json
import re
import sys


def table(page, name):
    at = re.search(f'<script type="text/plain" id="{name}" data-rows="(\\d+)" data-columns="([^"]*)">([^<]*)</script>', page)
    rows, raw, out, pos = int(at.group(1)), gzip.decompress(base64.b64decode(at.group(3))), {}, 0
    for column in at.group(2).split():
        key, planes, bits, like = (column + ':').split(':')[:4]
        if planes == '0':
            out[key] = [int(like)] * rows
            continue
        slots, of = (like + '=').split('=')[:2]
        columns = [out[k] for k in slots.split('+')] if like and like != '.' else []
        values, last = [], {}
        for i in range(rows):
            v = sum(raw[pos + b * rows + i] << 8 * b for b in range(int(planes)))
            slot = sum(c[i] * n for c, n in zip(columns, (1, 257))) % 65536
            total = (-(v + 1) // 2 if v & 1 else v // 2) + (0 if like == '.' else last.get(slot, 0))
            assert bits == '64' or -2**int(bits) <= 2 * total < 2**int(bits)
            values.append(total)
            last[slot] = out[of][i] if of else total
        out[key] = values
        pos += rows * int(planes)
    assert pos == len(raw), (pos, len(raw))
    return out


if __name__ == '__main__':
    page, report = open(sys.argv[1]).read(), json.load(open(sys.argv[2]))
    rows, times = table(page, 'call_rows'), table(page, 'call_times')
    assert sum(rows['calls']) == report['calls'], (sum(rows['calls']), report['calls'])
    assert abs(sum(rows['self']) - sum(s['self_ns'] for s in report['call_sites'])) <= len(rows['self']) + len(report['call_sites'])
    assert sum(times['count']) == sum(rows['timed']) == report['calls_timed']
    assert all(low < high for low, high in zip(times['low_ps'], times['high_ps']))
