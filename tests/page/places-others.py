# SPDX-License-Identifier: MIT
"""places-others.py PAGE OUT SHOTS: documents that others write, maps of arrays and joules, put into a page and read back."""
import base64
import gzip
import json
import sys

from browser import Browser
from check import Wrong, same

MAPS = {'schema': 1, 'maps': [{'array': 'grid', 'kind': 'denormals stored', 'columns': 8, 'rows': 4, 'per_cell': 1250, 'times_ns': [1e6, 2e6]}]}
CELLS = {'frame': [0, 1, 1], 'cell': [3, 3, 31], 'count': [5, 40, 2]}
ROW = {'file': None, 'line': 0, 'how': 'modelled', 'percent': 7}
ENERGY = {'schema': 1, 'joules': 2.5, 'how': 'modelled', 'percent': 7, 'says': 'The model was fitted elsewhere.', 'rule': 'Shared power was dealt by time.',
          'command': 'perseus report --json', 'absent': ['Of phases nothing is known.'], 'rows': [
              {'kind': 'thread', 'name': 'worker 0', 'joules': 1.5, 'low': 1.4, 'high': 1.6, **ROW},
              {'kind': 'thread', 'name': 'worker </script>', 'joules': 1.0, 'low': 0.9, 'high': 1.1, **ROW},
              {'kind': 'function', 'name': 'mix', 'joules': 2.5, 'low': 2.3, 'high': 2.7, **ROW, 'how': 'measured'}]}


def document(name, value):
    return f'<script type="application/json" id="{name}">' + json.dumps(value).replace('<', '\\u003c') + '</script>\n'


def table(name, columns):
    """As lib/html/columns.c writes it, all columns as values of one byte."""
    rows = len(next(iter(columns.values())))
    raw = b''.join(bytes(2 * v for v in values) for values in columns.values())
    heads = ' '.join(f'{k}:1:32:.' for k in columns)
    return f'<script type="text/plain" id="{name}" data-rows="{rows}" data-columns="{heads}">{base64.b64encode(gzip.compress(raw)).decode()}</script>\n'


page = open(sys.argv[1]).read()
at = page.index('<script type="application/json" id="page">')
open(sys.argv[2], 'w').write(page[:at] + document('array_maps', MAPS) + table('array_map_0', CELLS) + document('energy', ENERGY) + page[at:])
with Browser() as b:
    b.open(sys.argv[2])
    b.tab('arrays')
    pixel = '''const m = document.querySelector('canvas.map'), c = document.createElement('canvas'), g = c.getContext('2d', {willReadFrequently: true});
        [c.width, c.height] = [m.width, m.height];
        g.drawImage(m, 0, 0);
        const d = g.getImageData(arguments[0] % m.width, Math.floor(arguments[0] / m.width), 1, 1).data; return [...d]'''
    clock = "return document.querySelector('#array-maps .clock').textContent"
    same('the last moment', b.js(clock), '2.00 ms, 42 in all')
    late, none = b.js(pixel, 31), b.js(pixel, 0)
    if late == none or sum(b.js(pixel, 3)) >= sum(late):
        raise Wrong(f'the map shows {b.js(pixel, 3)}, {late}, {none}')
    b.js("const r = document.querySelector('#array-maps input[type=range]'); r.value = 0; r.dispatchEvent(new Event('input'))")
    same('the first moment', b.js(clock), '1.00 ms, 5 in all')
    same('what comes later is not there yet', b.js(pixel, 31), none)
    b.shot(f'{sys.argv[3]}/maps.png')
    b.tab('energy')
    rows = b.js("return [...document.querySelectorAll('#tab-energy table')].map(t => [...t.tBodies[0].rows].map(r => [...r.cells].map(c => c.textContent)))")
    same('threads', [[r[0], r[2], r[3], r[4]] for r in rows[0]], [['worker 0', '1.50 J', '60.0 %', 'modelled \u00b1 7 %'], ['worker </script>', '1.00 J', '40.0 %', 'modelled \u00b1 7 %']])
    same('functions', rows[1][0][-1], 'measured')
    text = b.js("return document.getElementById('tab-energy').textContent")
    for word in ('2.50 J in all', ENERGY['says'], ENERGY['absent'][0], ENERGY['rule']):
        if word not in text:
            raise Wrong(f'energy does not tell {word!r}')
    b.shot(f'{sys.argv[3]}/energy.png')
    b.look()
    same('requests', b.requests, [])
    same('complaints', b.complaints, [])
