# SPDX-License-Identifier: MIT
"""Calls: the rows are those of the report; lists, charts and the tree agree with it, whatever is selected."""
import sys

from check import Wrong, check, same


def number(text):
    return int(text.replace(',', '').rstrip(' \u00d7'))


def rows(b, selector):
    return b.js("return [...document.querySelectorAll(arguments[0])].map(r => [...r.cells].map(c => c.textContent.trim()))", selector)


def pick(b, side, text):
    b.js("""[...document.querySelectorAll('#side-' + arguments[0] + ' button.option')]
        .find(x => x.querySelector('.what').textContent === arguments[1]).click()""", side, text)


def options(b, side):
    return b.js("""return [...document.querySelectorAll('#side-' + arguments[0] + ' button.option')]
        .map(x => [x.querySelector('.what').textContent, x.querySelector('.sum').textContent])""", side)


def test_rows(b, report):
    shown = rows(b, '#tab-calls .scroll tbody tr')
    same('calls', sum(number(r[4]) for r in shown if len(r) == 8), report['calls'])
    for side in 'thread', 'caller', 'callee':
        same(f'calls by {side}', sum(number(n) for _, n in options(b, side)), report['calls'])
    b.js("[...document.querySelectorAll('#tab-calls th button')].find(x => x.textContent === 'calls').click()")
    first = b.js("return document.querySelector('#tab-calls .scroll tbody tr td.n').textContent")
    same('the most calls are first', number(first), max(number(r[4]) for r in shown if len(r) == 8))


def test_selection(b, report):
    for site in report['call_sites'][:3]:
        pick(b, 'callee', site['callee'])
        caller = next(name for name, _ in options(b, 'caller') if name.startswith(site['function'] + ','))
        mine = [s for s in report['call_sites'] if s['callee'] == site['callee']]
        same('calls of the callee', sum(number(n) for _, n in options(b, 'caller')), sum(s['calls'] for s in mine))
        if len(mine) == 1:
            pick(b, 'caller', caller)
            said = [b.js('return perseus.time(arguments[0])', site[k + '_ns']) for k in ('p50', 'p90', 'p99', 'max')]
            same('quantiles of ' + site['callee'], rows(b, '#quantiles tbody tr')[-1][3:7], said)
            pick(b, 'caller', caller)
        pick(b, 'callee', site['callee'])


def test_chart(b, data):
    for i, name in enumerate(name for name, _ in options(b, 'callee')[:6]):
        pick(b, 'callee', name)
        b.js("document.querySelector('#quantiles .pin').click()")
        pick(b, 'callee', name)
        same('series', len(rows(b, '#quantiles tbody tr')), i + 2)
    log = b.js("return document.querySelector('#tab-calls path.series').getAttribute('d')")
    b.js("document.querySelector('#tab-calls input.log').click()")
    if log == b.js("return document.querySelector('#tab-calls path.series').getAttribute('d')"):
        raise Wrong('the chart is the same with a linear number of calls')
    b.js("document.querySelector('#tab-calls input.log').click()")
    b.js("[...document.querySelectorAll('#tab-calls .copiers button')][0].click()")
    copied = b.js("return document.querySelector('#tab-calls textarea').value").splitlines()
    counts = [int(line.rsplit(',', 1)[1]) for line in copied[1:] if line.startswith('all calls,')]
    same('copied histogram', sum(counts), data('report')['calls_timed'])
    b.js("document.querySelector('#tab-calls .copiers').scrollIntoView()")
    b.shot(f'{sys.argv[2]}/calls-chart.png')


def test_tree(b, paths):
    roots = [n for n in paths['nodes'] if n['parent'] is None]
    same('roots of the tree', len(rows(b, '#tab-calls .tree tbody tr')), len(roots))
    before = b.js("return document.querySelectorAll('svg.flame .node').length")
    name = max((n for n in paths['nodes'] if n['parent'] is not None), key=lambda n: n['total_ns'])['name']
    b.js("const i = document.querySelector('.flame-search'); i.value = arguments[0]; i.dispatchEvent(new Event('input'))", name)
    if not b.js("return document.querySelectorAll('svg.flame .node.hit').length"):
        raise Wrong(f'{name} is not found in the tree')
    b.js("document.querySelector('svg.flame .node.hit').dispatchEvent(new MouseEvent('click', {bubbles: true}))")
    zoomed = b.js("return document.activeElement.getAttribute('aria-label')")
    if not zoomed.startswith(name + ':'):
        raise Wrong(f'a click on {name} went to {zoomed}')
    for _ in range(8):
        b.js("document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key: 'Escape', bubbles: true}))")
    same('the whole tree again', b.js("return document.querySelectorAll('svg.flame .node').length"), before)
    b.js("document.querySelector('svg.flame').scrollIntoView()")
    b.shot(f'{sys.argv[2]}/calls-tree.png')
    b.js('scrollTo(0, 0)')


def test(b, data):
    b.tab('calls')
    test_rows(b, data('report'))
    test_selection(b, data('report'))
    test_chart(b, data)
    test_tree(b, data('paths'))
    b.js("document.querySelector('button.theme').click()")
    b.shot(f'{sys.argv[2]}/calls-dark.png')
    b.js("document.querySelector('button.theme').click()")


check('calls', test)
