# SPDX-License-Identifier: MIT
"""The page of a search that has ended: its figures are those of its data."""
from check import check, same


def test(b, data):
    s = data('search')
    same('state', b.js("return document.getElementById('state').textContent"), s['state'])
    cells = b.js("return [...document.querySelectorAll('#search-view table tr:nth-child(4) td')].map(x => x.textContent)")
    saved = 100 * (1 - s['best']['energy_j'] / s['baseline']['energy_j'])
    same('energy saved', cells[3], f'{saved:.2f} %')
    rows = s['log']
    points = b.js("return document.querySelector('#search-view polyline').getAttribute('points').split(' ').length")
    same('points of the first line', points, len(rows) - 1)
    axes = b.js("return [...document.querySelectorAll('#search-view svg.chart')].map(c => [...c.querySelectorAll('text.end')].map(x => x.textContent))")
    same('marks of an axis that are alike', [a for a in axes if any(x == y for x, y in zip(a, a[1:]))], [])
    same('the thread table', b.js("return document.querySelectorAll('#search-view section:last-of-type td').length > 0"), True)


check('search', test)
