# SPDX-License-Identifier: MIT
"""The first screen: parts of the time, functions, findings; theme, keyboard, a page without scripts."""
import sys

from browser import Browser
from check import Wrong, check, same


def texts(b, selector):
    return b.js('return [...document.querySelectorAll(arguments[0])].map(x => x.textContent.trim())', selector)


def test(b, data):
    report, conflicts = data('report'), data('conflicts')
    parts = [float(x.rstrip(' %')) for x in texts(b, '#time table.legend td')]
    if abs(sum(parts) - 100) > 0.6:
        raise Wrong(f'the parts of the time add up to {sum(parts)} %')
    rows = texts(b, '#time table:nth-of-type(2) td.name')
    same('functions', rows, [f['name'] for f in report['functions'][:len(rows)]])
    shares = texts(b, '#time table:nth-of-type(2) tr td:nth-child(4)')
    same('their shares', shares, [f"{100 * f['self']:.1f} %" for f in report['functions'][:len(shares)]])
    ids = texts(b, '#wrong .id')
    for f in conflicts['findings']:
        if f['significant'] or f['candidate']:
            if f['id'] not in ids and len(ids) < 5:
                raise Wrong(f'{f["id"]} is not on the first screen')
    b.js("document.querySelector('button.theme').click()")
    same('the theme changes', b.js('return document.documentElement.dataset.theme') in ('dark', 'light'), True)
    b.shot(f'{sys.argv[2]}/summary-dark.png')
    b.js("document.getElementById('open-summary').focus()")
    b.js("document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight', bubbles: true}))")
    b.until("return perseus.current().id !== 'summary'")
    same('one tab is selected', len(texts(b, '[role=tab][aria-selected=true]')), 1)


check('summary', test)
with Browser(script=False) as plain:
    plain.driver.get('file://' + __import__('os').path.abspath(sys.argv[1]))
    plain.shot(f'{sys.argv[2]}/summary-no-script.png')
    head = plain.driver.find_element('id', 'h-time').is_displayed()
    same('readable without scripts', head, True)
    same('no tabs without scripts', len(plain.driver.find_elements('css selector', 'nav')), 0)
