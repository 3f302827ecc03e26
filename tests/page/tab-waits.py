# SPDX-License-Identifier: MIT
"""Waits: the table, the picture, the locks and the critical path are those of the documents; a node selects."""
import sys

from check import Wrong, check, same


def rows(b, selector):
    return b.js("return [...document.querySelectorAll(arguments[0])].map(r => [...r.cells].map(c => c.textContent.trim()))", selector)


def test_table(b, waits):
    shown = [r for r in rows(b, '#tab-waits .scroll tbody tr') if len(r) == 9]
    same('waits', len(shown), min(len(waits['waits']), 200))
    said = sorted(waits['waits'], key=lambda w: -w['ns'])
    same('their times', [r[6] for r in shown], [b.js('return perseus.time(arguments[0])', w['ns']) for w in said[:200]])
    same('who', sorted({r[0] for r in shown}), sorted({w['who'] for w in said[:200]}))


def test_picture(b, waits):
    labels = b.js("return [...document.querySelectorAll('svg.waits .node')].map(n => n.getAttribute('aria-label'))")
    for who in sorted({w['who'] for w in waits['waits']})[:10]:
        ns = sum(w['ns'] for w in waits['waits'] if w['who'] == who)
        label = f"{who}: {b.js('return perseus.time(arguments[0])', ns)}"
        if label not in labels:
            raise Wrong(f'{label!r} is not in the picture: {labels}')
    who = waits['waits'][0]['who']
    b.js("[...document.querySelectorAll('svg.waits .node.own')].find(n => n.getAttribute('aria-label').startsWith(arguments[0] + ': ')).dispatchEvent(new MouseEvent('click', {bubbles: true}))", who)
    left = [r for r in rows(b, '#tab-waits .scroll tbody tr') if len(r) == 9]
    same('who is left after a click', {r[0] for r in left}, {who})
    b.js("document.querySelector('svg.waits .node.chosen').dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', bubbles: true}))")
    b.js("document.querySelector('#tab-waits tbody tr').click()")
    if 'perseus explain wait-' not in b.js("return document.querySelector('#tab-waits .detail').textContent"):
        raise Wrong('a click on a wait does not say more')


def test_path(b, path):
    total = sum(s['end'] - s['begin'] for s in path['steps'])
    if path['steps_in_all'] == len(path['steps']) and abs(total - path['path_ns']) > 1e-6 * total + 10:
        raise Wrong(f'the path is {path["path_ns"]} ns, its stretches {total}')
    words = b.js("return document.getElementById('path-words').textContent")
    if b.js('return perseus.time(arguments[0])', path['path_ns']) not in words:
        raise Wrong(f'the length of the path is not in {words!r}')
    shown = rows(b, '#what-if tbody tr')
    same('what if', [r[0] for r in shown], [g['name'] for g in path['what_if']])
    for row, g in zip(shown, path['what_if']):
        low, high = f"{100 * g['low']:.1f}", f"{100 * g['high']:.1f}"
        same(row[0], row[3], 'cannot be told' if not g['known'] else f'{low} %' if low == high else f'{low} to {high} %')
        same(f'place of {row[0]}', row[1], f"{g['file'].split('/')[-1]}:{g['line']}" if g['file'] else '')
    if len({(r[0], r[2]) for r in shown}) < len(shown):
        raise Wrong(f'two rows of what if cannot be told apart: {shown}')
    cut = b.js("return [...document.querySelectorAll('#tab-waits .sides td')].filter(x => x.getBoundingClientRect().right > x.closest('.scroll').getBoundingClientRect().right + 1).map(x => x.textContent)")
    same('cells that are cut', cut, [])
    b.js("document.getElementById('path-words').scrollIntoView()")
    b.shot(f'{sys.argv[2]}/waits-path.png')
    b.js("document.querySelector('svg.path rect').dispatchEvent(new MouseEvent('click', {bubbles: true}))")
    b.until("return perseus.current().id === 'timeline'")
    b.tab('waits')


def test(b, data):
    b.tab('waits')
    test_table(b, data('waits'))
    test_picture(b, data('waits'))
    b.shot(f'{sys.argv[2]}/waits-table.png')
    test_path(b, data('critical'))
    b.js('scrollTo(0, 0)')
    b.js("document.querySelector('button.theme').click()")


check('waits', test)
