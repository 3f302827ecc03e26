# SPDX-License-Identifier: MIT
"""Nothing is in conflict: nothing to choose, to play or to stop at, and the tab says why."""
from check import Wrong, check, same


def test(b, data):
    b.tab('memory')
    same('no document', data('memory'), None)
    same('squares', b.js("return document.querySelectorAll('#tab-memory .mline, #tab-memory .player').length"), 0)
    if 'no conflict' not in b.js("return document.getElementById('tab-memory').textContent"):
        raise Wrong('it does not say why it is empty')


check('memory-twin', test)
