# SPDX-License-Identifier: MIT
"""speeds.py PAGE SHOTS REPORT: speeds of the cores in the timeline, cycles beside the calls; all of a core of 1 GHz."""
import json
import sys

from check import Wrong, check, same

ROWS = "return [...document.querySelectorAll(arguments[0] + ' tbody tr')].map(r => [...r.cells].map(c => c.textContent))"


def number(text):
    return 0 if text == '-' else int(text.replace(',', ''))


def test(b, data):
    said = json.load(open(sys.argv[3]))['counters']
    b.tab('timeline')
    rows = b.js(ROWS, '#speeds-seen')
    same('threads', len(rows), len(said['threads']))
    for r in rows:
        if not 0.9 <= float(r[3].split()[0]) <= 1.1 or not r[3].endswith('GHz'):
            raise Wrong(f'{r} is no core of 1 GHz')
    total = next(e['total'] for e in said['events'] if e['name'] == 'cpu-cycles')
    if abs(sum(number(r[2]) for r in rows) - total) > 0.01 * total:
        raise Wrong(f'{rows}: not the {total} cycles of the report')
    b.js("document.querySelector('canvas.timeline').dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', bubbles: true}))")
    b.shot(f'{sys.argv[2]}/speeds-timeline.png')
    b.tab('calls')
    names = b.js("return [...document.querySelectorAll('#tab-calls .scroll th')].map(h => h.textContent)")
    column = names.index('cycles')
    cells = b.js("return [...document.querySelectorAll('#tab-calls .scroll tbody tr')].map(r => [...r.cells].map(c => c.textContent))")
    for f in said['functions']:
        mine = [number(r[column]) for r in cells if r[2] == f['name']]
        if f['name'] and mine and abs(sum(mine) - f['counts']['cpu-cycles']) > 1 + len(mine):
            raise Wrong(f'{f["name"]}: {mine}, the report has {f["counts"]}')
    if not any(number(r[column]) for r in cells):
        raise Wrong('no call has cycles')


check('speeds', test)
