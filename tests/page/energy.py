# SPDX-License-Identifier: MIT
"""energy.py PAGE SHOTS REPORT: joules as they are drawn are those of perseus report --energy --json."""
import json
import sys

from check import Wrong, check, same


def joules(text):
    value, unit = text.split()
    return float(value) * {'J': 1, 'mJ': 1e-3, 'uJ': 1e-6}[unit]


def test(b, data):
    said = json.load(open(sys.argv[3]))
    first = b.js("return document.getElementById('time').textContent")
    if f"Energy: {said['energy']['joules']:.3g} J, measured" not in first:
        raise Wrong('the first screen does not tell the joules')
    b.tab('energy')
    for kind in ('programs', 'threads', 'functions', 'sites', 'phases'):
        rows = b.js("return [...document.querySelectorAll(arguments[0] + ' tbody tr')].map(r => [...r.cells].map(c => c.textContent))", f'#energy-{kind}')
        same(kind, len(rows), len(said[kind]))
        at = b.js("return [...document.querySelectorAll(arguments[0] + ' th')].map(h => h.textContent).indexOf('energy')", f'#energy-{kind}')
        shown, want = sum(joules(r[at]) for r in rows), sum(x['joules'] for x in said[kind])
        if abs(shown - want) > 0.01 * want:
            raise Wrong(f'{kind}: {shown} J, the report has {want}')
        if not all(r[-1].startswith(('measured', 'modelled')) for r in rows):
            raise Wrong(f'{kind}: {rows} do not say how they are known')
    text = b.js("return document.querySelector('#tab-energy .totals').textContent")
    if abs(joules(text.split(' in ')[0]) - said['energy']['joules']) > 0.01 * said['energy']['joules'] or said['energy']['source'] not in text:
        raise Wrong(f'{text!r} is not {said["energy"]}')
    same('power over time', b.js("return document.querySelectorAll('svg.power polyline').length"), 1)
    b.shot(f'{sys.argv[2]}/energy-tab.png')


check('energy', test)
