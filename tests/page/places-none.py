# SPDX-License-Identifier: MIT
"""places-none.py PAGE SHOTS: a page of one run says of each tab without a source why, and the command that makes it."""
import sys

from check import Wrong, check, same

MADE = {'memory': 'perseus record --purpose=sharing', 'arrays': 'perseus record --purpose=denormal', 'energy': 'perseus record --energy',
        'search': 'perseus plan'}


def test(b, data):
    for tab, command in MADE.items():
        b.tab(tab)
        same(f'{tab} is marked', b.js(f"return document.getElementById('open-{tab}').dataset.empty"), '')
        text = b.js(f"return document.getElementById('tab-{tab}').innerText")
        if command not in text or len(text) < len(command) + 20:
            raise Wrong(f'{tab} says {text!r}')
        same(f'{tab} has no figures', b.js(f"return document.querySelectorAll('#tab-{tab} table').length"), 0)
    b.tab('timeline')
    same('no plan', b.js("return document.getElementById('plan-seen')"), None)
    if '--plan plan.yaml' not in b.js("return document.querySelector('#tab-timeline ul.limits').textContent"):
        raise Wrong('how a plan is shown is not said')


check('places-none', test)
