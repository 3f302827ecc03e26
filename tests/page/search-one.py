# SPDX-License-Identifier: MIT
"""search-one.py PAGE SHOTS MADE: the page of a search with one step and a plan that sets nothing: no chart of one point, and why nothing is set."""
import json
import re
import sys

from check import Wrong, check, same

page = open(sys.argv[1]).read()
at = re.search('(<script type="application/json" id="search">)(.*?)(</script>)', page, re.S)
s = json.loads(at.group(2))
s.update(log=s['log'][:2], front=[], triggers=[], threads=[{'name': t['name'], 'reason': None} for t in s['threads']])
open(sys.argv[3], 'w').write(page[:at.start()] + at.group(1) + json.dumps(s) + at.group(3) + page[at.end():])
sys.argv[1] = sys.argv[3]


def test(b, data):
    same('charts', b.js("return document.querySelectorAll('#search-view svg.chart').length"), 0)
    words = b.js("return document.getElementById('search-view').textContent")
    for said in 'It sets nothing: keep your build', 'was not taken':
        if said not in words:
            raise Wrong(f'the page does not say {said!r}: {words}')


check('search-one', test)
