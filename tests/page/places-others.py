# SPDX-License-Identifier: MIT
"""places-others.py PAGE OUT SHOTS: maps, origins and joules, which this run does not have, put into a page and read back."""
import base64
import gzip
import json
import sys

from browser import Browser
from check import Wrong, same

MAPS = [{'array': 'grid', 'rows': 4, 'columns': 8, 'bytes': 160000, 'epoch_ns': 1000000, 'outside': 7, 'epochs': ['3:5', '3:40 31:2']}]
ORIGINS = {'births': [{'file': 'phased.c', 'line': 20, 'function': 'fade', 'operation': 'mul', 'array': 'grid', 'stores': 440000}],
           'edges': [{'from': 'grid', 'to': 'copy', 'loads': 12}]}
ROW = {'joules': 1.5, 'idle_joules': 0.1, 'cpu_seconds': 0.5, 'calls': 3, 'how': 'modelled', 'error': 0.07}
ENERGY = {'schema': 1, 'energy': {'mode': 'modelled', 'reason': None, 'remedy': None, 'joules': 2.5, 'seconds': 0.5, 'error': 0.07, 'idle_joules': 0.2, 'others_joules': 0,
                                  'rule': 'activity', 'dealt_by': 'model', 'extrapolated': None},
          'programs': [], 'sites': [], 'phases': [],
          'threads': [{'name': 'worker 0', **ROW}, {'name': 'worker </script>', **ROW, 'joules': 1.0}],
          'functions': [{'name': 'mix', 'file': 'phased.c', 'line': 11, **ROW, 'joules': 2.5, 'how': 'measured', 'error': 0}]}


def document(name, value):
    return f'<script type="application/json" id="{name}">' + json.dumps(value).replace('<', '\\u003c') + '</script>\n'


def table(name, columns):
    """As lib/html/columns.c writes it, all columns as values of one byte."""
    rows = len(next(iter(columns.values())))
    raw = b''.join(bytes(2 * v for v in values) for values in columns.values())
    heads = ' '.join(f'{k}:1:32:.' for k in columns)
    return f'<script type="text/plain" id="{name}" data-rows="{rows}" data-columns="{heads}">{base64.b64encode(gzip.compress(raw)).decode()}</script>\n'


page = open(sys.argv[1]).read()
assert 'id="energy"' not in page
mark = '<script type="application/json" id="denormals">'
at = page.index(mark)
end = page.index('</script>', at) + len('</script>\n')
counted = json.loads(page[at + len(mark):end - len('</script>\n')])
counted.update(maps=MAPS, origins=ORIGINS)
power = table('power', {'begin': [0, 50], 'ns': [50, 50], 'mw': [100, 120]})
open(sys.argv[2], 'w').write(page[:at] + document('denormals', counted) + document('energy', ENERGY) + power + page[end:])
with Browser() as b:
    b.open(sys.argv[2])
    b.tab('arrays')
    pixel = '''const m = document.querySelector('canvas.map'), c = document.createElement('canvas'), g = c.getContext('2d', {willReadFrequently: true});
        [c.width, c.height] = [m.width, m.height];
        g.drawImage(m, 0, 0);
        const d = g.getImageData(arguments[0] % m.width, Math.floor(arguments[0] / m.width), 1, 1).data; return [...d]'''
    clock = "return document.querySelector('#array-maps .clock').textContent"
    same('the last moment', b.js(clock), '1.00 ms to 2.00 ms: 42 in all')
    late, none = b.js(pixel, 31), b.js(pixel, 0)
    if late == none or sum(b.js(pixel, 3)) >= sum(late):
        raise Wrong(f'the map shows {b.js(pixel, 3)}, {late}, {none}')
    b.js("const r = document.querySelector('#array-maps input[type=range]'); r.value = 0; r.dispatchEvent(new Event('input'))")
    same('the first moment', b.js(clock), '0 ns to 1.00 ms: 5 in all')
    same('what comes later is not there yet', b.js(pixel, 31), none)
    text = b.js("return document.getElementById('tab-arrays').textContent")
    for word in ('440,000', 'copy', '7 more lie in no tile'):
        if word not in text:
            raise Wrong(f'arrays do not tell {word!r}')
    b.js("document.getElementById('array-origins').scrollIntoView()")
    b.shot(f'{sys.argv[3]}/maps.png')
    b.tab('energy')
    rows = b.js("return [...document.querySelectorAll('#energy-threads tbody tr')].map(r => [...r.cells].map(c => c.textContent))")
    same('threads', [[r[0], r[2], r[3], r[5]] for r in rows], [['worker 0', '1.50 J', '60.0 %', 'modelled \u00b1 7.0 %'], ['worker </script>', '1.00 J', '40.0 %', 'modelled \u00b1 7.0 %']])
    same('functions', b.js("return document.querySelector('#energy-functions tbody td:last-child').textContent"), 'measured')
    text = b.js("return document.getElementById('tab-energy').textContent")
    for word in ('2.50 J in 500 ms, modelled \u00b1 7.0 %', '200 mJ of it', 'by activity'):
        if word not in text:
            raise Wrong(f'energy does not tell {word!r}: {text}')
    same('power is drawn', b.js("return document.querySelectorAll('svg.power polyline').length"), 1)
    b.shot(f'{sys.argv[3]}/energy.png')
    b.look()
    same('requests', b.requests, [])
    same('complaints', b.complaints, [])
