# SPDX-License-Identifier: MIT
"""documents.py PAGE DENORMALS SEARCH MODEL: documents and tables that other parts fill are what these print."""
import json
import re
import sys

from memory import document
from tables import table

page, search, model = (open(sys.argv[i]).read() for i in (1, 3, 4))
assert document(page, 'denormals') == json.load(open(sys.argv[2]))
assert document(page, 'search') == document(search, 'search')
phases, spans, lives = document(page, 'phases'), table(page, 'phase_spans'), table(page, 'lives')
names = [p['name'] for p in phases['phases']]
assert names == re.findall(r'name: "(phase-\d+)"', model), (names, model)
for i, p in enumerate(phases['phases']):
    assert p['repeats'] == spans['phase'].count(i), p
ends = [b + n for b, n in zip(spans['begin'], spans['ns'])]
assert all(abs(e - b) <= 2 for e, b in zip(ends, spans['begin'][1:])), 'the phases leave no gap'
plan, cores = document(page, 'plan'), table(page, 'plan_cores')
assert plan['without_triggers']
threads = document(page, 'calls')['threads']
for t in plan['threads']:
    assert threads[t['thread']] == t['name'], t
one = plan['threads'].index(next(t for t in plan['threads'] if t['name'] == 'worker 0'))
mine = [k for k, t in enumerate(cores['thread']) if t == plan['threads'][one]['thread']]
assert [cores['core'][k] for k in mine] == [0, 1], cores
assert plan['triggers'][0]['told'] and plan['triggers'][0]['fired'] == 1
# From the end of the second wait at that call on.
events, doc = table(page, 'events'), document(page, 'timeline')
site = next(i for i, p in enumerate(doc['places']) if [p['callee'], p['line']] == ['pthread_barrier_wait', plan['triggers'][0]['line']])
waits = sorted(events['begin'][k] + events['ns'][k] for k in range(len(events['thread']))
               if events['thread'][k] == plan['threads'][one]['thread'] and events['place'][k] == site)
assert any(abs(cores['begin'][mine[1]] - w) <= 2 for w in waits), (cores['begin'][mine[1]], waits)
assert cores['begin'][mine[0]] == lives['begin'][plan['threads'][one]['thread']]
