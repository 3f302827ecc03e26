# SPDX-License-Identifier: MIT
"""The page of a search for settings that has ended: its dots, steps and table are those of its runs."""
from statistics import median_high

from check import check, same


def test(b, data):
    s = data('tune')
    same('state', b.js("return document.getElementById('state').textContent"), 'done')
    good = [r for r in s['runs'] if r['end'] == 'ok']
    same('dots', b.js("return document.querySelectorAll('#tune-view svg.chart circle').length"), len(good))
    same('points of the steps', b.js("return document.querySelector('#tune-view polyline').getAttribute('points').split(' ').length"), 2 * len(good))
    by = {}
    for r in good:
        by.setdefault(r['setting'], []).append(r['value'])
    best = min(by, key=lambda x: median_high(by[x]))
    row = b.js("return [...document.querySelectorAll('#tune-view table tr:nth-child(3) td')].map(x => x.textContent)")
    same('the best setting', row[:2], [best, str(len(by[best]))])
    refused = sum(r['end'] != 'ok' for r in s['runs'])
    words = b.js("return document.getElementById('tune-view').textContent")
    same('what was refused is said', 'Refused or stopped' in words, refused > 0)


check('tune', test)
