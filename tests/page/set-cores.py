# SPDX-License-Identifier: MIT
"""set-cores.py PLAN OUT: the plan with worker 0 on core 0 and, from its second wait on, on core 1; worker 1 on core 1."""
import re
import sys

plan = re.sub(r'^triggers:\n(?:[ -].*\n)*', '', open(sys.argv[1]).read(), flags=re.M)
plan = re.sub(r'(name: "worker (\d)"\n(?:    (?:creator|create_site|ordinal): .*\n)+)(?:    core: .*\n)?(?:    evidence: .*\n)?(?:    reason: .*\n)?',
              r'\1    core: \2\n    reason: "to see it"\n', plan)
sites = len(re.findall(r'^    id: "', plan, re.M))
wait = re.search(r'id: "(\w+)"\n    instance: "(\w+)"\n    unit: ".*"\n    function: "worker"\n    callee: "pthread_barrier_wait"\n    file: ".*"\n    line: (\d+)\n', plan + open('model.yaml').read())
site = f'''  - index: {sites}
    id: "{wait.group(1)}"
    instance: "{wait.group(2)}"
    unit: "phased.c"
    function: "worker"
    callee: "pthread_barrier_wait"
    file: "phased.c"
    line: {wait.group(3)}
triggers:
  - number: 7
    at: call
    thread: 1
    site: {sites}
    after: true
    first: 2
    every: 0
    actions:
      - kind: pin
        core: 1
    reason: "to see it"
'''
plan = re.sub(r'^phases:', site + 'phases:', plan, flags=re.M)
open(sys.argv[2], 'w').write(plan)
