# SPDX-License-Identifier: MIT
"""places.py PAGE SHOTS DENORMALS: arrays, search, phases and the plan as they are drawn, against the documents and perseus denormals --json."""
import json
import sys

from check import Wrong, check, same

ROWS = "return [...document.querySelectorAll(arguments[0] + ' tbody tr')].map(r => [...r.cells].map(c => c.textContent))"


def number(text):
    return int(text.replace(',', '').lstrip('\u2265 '))


def test_arrays(b, data):
    said = json.load(open(sys.argv[3]))
    wrong = b.js("return document.getElementById('wrong').textContent")
    for line in said['births']:
        if f"{line['births']:,} born in {line['function']}(), {line['file'].split('/')[-1]}:{line['line']}" not in wrong:
            raise Wrong(f'{line} is not on the first screen: {wrong!r}')
    b.tab('arrays')
    rows = b.js("return [...document.querySelectorAll('#tab-arrays table')].map(t => [...t.tBodies[0].rows].map(r => [...r.cells].map(c => c.textContent)))")
    want = sorted(([a['name'], a['part'], a['loads'], a['stores']] for a in said['arrays']), key=lambda a: -a[2] - a[3])
    same('arrays', [[r[0], r[1], number(r[4]), number(r[6])] for r in rows[0]], want)
    same('births', [[r[1], number(r[2])] for r in rows[1]], [[f"{x['file'].split('/')[-1]}:{x['line']}", x['births']] for x in said['births']])
    same('lines', sum(number(r[3]) for r in rows[2]), sum(x['results'] for x in said['lines']))
    totals = b.js("return document.querySelector('#tab-arrays .totals').textContent")
    if f"{said['total']['births']:,} born" not in totals or f"{said['total']['stores']:,} stored" not in totals:
        raise Wrong(f'{totals!r} does not tell {said["total"]}')
    b.js("document.querySelector('#tab-arrays tbody tr').click()")
    detail = b.js(ROWS, '#tab-arrays .detail')
    most = max(said['arrays'], key=lambda a: a['loads'] + a['stores'])
    same('operations of the first array', sum(number(r[3]) for r in detail), most['loads'] + most['stores'])
    b.shot(f'{sys.argv[2]}/arrays.png')


def test_search(b, data):
    b.tab('search')
    text = b.js("return document.getElementById('tab-search').textContent")
    search = data('search')
    for word in (search['state'], f"{search['evaluations']:,} evaluations", search['objective']):
        if word not in text:
            raise Wrong(f'the search does not tell {word!r}')
    charts = b.js("return document.querySelectorAll('#tab-search svg.chart').length")
    if len(search['log']) > 2 and charts < 2:
        raise Wrong(f'{charts} charts of a log of {len(search["log"])} lines')
    b.shot(f'{sys.argv[2]}/search.png')


def test_timeline(b, data):
    b.tab('timeline')
    phases, plan = data('phases')['phases'], data('plan')
    rows = b.js(ROWS, '#phases-seen')
    same('phases', sorted([r[0], number(r[2])] for r in rows), sorted([p['name'], p['repeats']] for p in phases))
    total = sum(float(r[4].rstrip(' %')) for r in rows)
    if not 95 < total < 101:
        raise Wrong(f'phases take {total} % of the run')
    rows = b.js(ROWS, '#plan-seen')
    same('threads of the plan', {r[0]: r[1] for r in rows[:len(plan['threads'])]},
         {t['name']: {'worker 0': 'core 0, core 1', 'worker 1': 'core 1'}.get(t['name'], 'as it is') for t in plan['threads']})
    same('the trigger', [rows[-1][0], rows[-1][4], rows[-1][5]], ['7', 'core 1', '1'])
    b.js("document.querySelector('#phases-seen tbody tr').click()")
    shown = b.js("const d = document.querySelector('canvas.timeline').dataset; return Number(d.to) - Number(d.from)")
    longest = max(phases, key=lambda p: p['repeats'] * p['wall_ns'])
    if rows and not shown < b.js("return perseus.table('lives').then(t => Math.max(...t.end))"):
        raise Wrong(f'the first {longest["name"]} is not what is in view')
    b.shot(f'{sys.argv[2]}/phase.png')


def test_phase(b, data):
    """Calls of all phases are those of the trace."""
    calls, mixes = 0, {}
    for i, p in enumerate(data('phases')['phases']):
        b.js("location.hash = 'tab=calls&phase=' + arguments[0]", p['name'])
        b.until(f"return perseus.current().id === 'calls' && document.querySelector('select.phase')?.value === '{i}' && document.querySelector('p.basis').textContent")
        cells = b.js(ROWS, '#quantiles')[-1]
        calls += number(cells[1])
        if p['name'] not in cells[0]:
            raise Wrong(f'{cells[0]!r} does not name {p["name"]}')
        for s in b.js("return [...document.querySelectorAll('#side-callee button.option')].map(x => [...x.children].map(c => c.textContent))"):
            mixes.setdefault(s[0], []).append(number(s[1].rstrip(' \u00d7')))
    said = {}
    for s in data('report')['call_sites']:
        said[s['callee']] = said.get(s['callee'], 0) + s['calls']
    same('calls of all phases', calls, data('timeline')['trace']['calls'])
    same('... by callee', {k: sum(v) for k, v in mixes.items()}, said)
    if not any(len(v) < len(data('phases')['phases']) for v in mixes.values()):
        raise Wrong('every phase has every callee')
    b.shot(f'{sys.argv[2]}/calls-of-a-phase.png')


def test(b, data):
    test_arrays(b, data)
    test_search(b, data)
    test_timeline(b, data)
    test_phase(b, data)


check('places', test)
