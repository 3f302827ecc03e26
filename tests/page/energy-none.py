# SPDX-License-Identifier: MIT
"""energy-none.py PAGE SHOTS: a run for which no meter was found says the reason, and has no figures."""
from check import Wrong, check, same


def test(b, data):
    b.tab('energy')
    said = data('energy')['energy']
    same('mode', said['mode'], 'absent')
    text = b.js("return document.getElementById('tab-energy').textContent")
    if said['reason'] not in text or (said['remedy'] and said['remedy'] not in text):
        raise Wrong(f'{text!r} does not say {said}')
    same('figures', b.js("return document.querySelectorAll('#tab-energy table').length"), 0)


check('energy-none', test)
