# SPDX-License-Identifier: MIT
"""memory.py TRACED APART ALONE CUT BAD: what the documents and tables of these pages hold."""
import json
import re
import sys

from tables import table

ROUNDS, TURN = 600, 10


def document(page, name):
    at = re.search(f'<script type="application/json" id="{name}">(.*?)</script>', page, re.S)
    return at and json.loads(at.group(1))


def whole(page):
    """Each of the two threads reads and writes its field, ten times a round; the line goes to and fro."""
    memory, events, bins = document(page, 'memory'), table(page, 'memory_events'), table(page, 'memory_bins')
    assert memory['traced'] and not memory['lost'] and not memory['damage'], memory
    fights = [i for i, pair in enumerate(events['pair']) if pair]
    names = memory['names']
    pair = next(p for p in memory['pairs'] if {names[p['a']], names[p['b']]} == {'traffic[].rx', 'traffic[].tx'})
    fights = [i for i in fights if memory['pairs'][events['pair'][i] - 1] is pair]
    assert pair['conflicts'] == len(fights) == 2 * ROUNDS - 1, (pair, len(fights))
    line = events['line'][fights[0]]
    mine = [i for i, at in enumerate(events['line']) if at == line and memory['threads'][events['thread'][i]] in ('reader', 'writer')]
    assert len(mine) == 2 * 2 * ROUNDS * TURN, len(mine)
    for i in fights:
        assert events['thread'][i] != events['rival'][i]
        assert {events['byte'][i], events['rival_byte'][i]} == {0, 8}, i
    assert events['time'] == sorted(events['time']) and events['seq'] == list(range(len(events['seq'])))
    assert memory['events'] == len(events['seq'])
    assert sum(bins['reads']) == sum(kind != 1 for kind in events['kind'])
    assert sum(bins['writes']) == sum(kind != 0 for kind in events['kind'])
    block = next(b for b in memory['blocks'] if b['bytes'] == 64)
    assert block['born_ns'] < events['time'][mine[0]] <= events['time'][mine[-1]] < block['freed_ns']


if __name__ == '__main__':
    traced, apart, alone, cut, bad = (open(p).read() for p in sys.argv[1:])
    whole(traced)
    memory = document(apart, 'memory')
    assert not any('traffic' in memory['names'][p[side]] for p in memory['pairs'] for side in 'ab'), memory['pairs']
    assert not document(alone, 'conflicts')['findings'] and not document(alone, 'memory')
    assert 'id="memory_events"' not in alone
    memory = document(cut, 'memory')
    assert memory['traced'] and memory['damage'] and 0 < memory['events'] < document(traced, 'memory')['events'], memory
    memory = document(bad, 'memory')
    assert not memory['traced'] and memory['damage'] and 'id="memory_events"' not in bad
