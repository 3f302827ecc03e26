# SPDX-License-Identifier: MIT
"""flush.py PAGE SHOTS PLAN REPORT [absent]: functions that the plan flushes, against the plan and perseus report --json; absent: of a plan whose function this run has not."""
import json
import re
import sys
import time

from check import Wrong, check, same

ABSENT = len(sys.argv) > 5
FIELD = r'\n    {}: "?([^"\n]*)"?\n'
# Lines of the picture in which ink and something else take turns so often that it is no text.
DRAWN = '''const c = document.querySelector('#tab-timeline canvas.timeline'), copy = document.createElement('canvas');
copy.width = c.width;
copy.height = c.height;
const g = copy.getContext('2d', {willReadFrequently: true}), ink = parseInt(perseus.color('ink').slice(1), 16), want = [ink >> 16, ink >> 8 & 255, ink & 255];
g.drawImage(c, 0, 0);
let found = 0;
for (let y = 0; y < c.height; y++) {
	const row = g.getImageData(200, y, c.width - 200, 1).data;
	let runs = 0, on = false;
	for (let i = 0; i < row.length; i += 4) {
		const is = want.every((v, k) => row[i + k] === v);
		runs += is && !on;
		on = is;
	}
	found += runs > 60;
}
return found'''
# What is said of the middle of the picture, thread by thread.
SAID = '''const c = document.querySelector('#tab-timeline canvas.timeline'), out = [];
for (let y = 24; y < c.clientHeight; y += 4) {
	const e = new PointerEvent('pointermove', {bubbles: true, clientX: c.getBoundingClientRect().left + 170 + (c.clientWidth - 170) / 2, clientY: c.getBoundingClientRect().top + y});
	c.dispatchEvent(e);
	out.push(document.querySelector('#tab-timeline p.hover').textContent);
}
return out'''


def field(text, name):
    m = re.search(FIELD.format(name), text)
    return m and m.group(1)


def test(b, data):
    text = open(sys.argv[3]).read()
    plan = text[text.index('\nflushes:'):]
    functions = {f['name']: f for f in json.load(open(sys.argv[4]))['functions']}
    b.tab('timeline')
    rows = b.js("return [...document.querySelectorAll('#plan-flushes tbody tr')].map(r => [...r.cells].map(c => c.textContent))")
    same('flushes', len(rows), plan.count('- number:'))
    name, seen = field(plan, 'function'), functions.get(field(plan, 'function'))
    same('function', rows[0][1], name)
    same('sets', rows[0][3], field(plan, 'set'))
    same('calls', rows[0][4], 'not in this run' if ABSENT else f"{seen['calls']:,}")
    same('births', rows[0][6], f"{int(field(plan, 'births')):,}")
    same('because', rows[0][9], field(plan, 'reason'))
    words = b.js("return document.getElementById('tab-timeline').textContent")
    for said in ('The plan places no thread of this run', 'is not in the record'):
        if said not in words:
            raise Wrong(f'the page does not say {said!r}')
    time.sleep(0.2)
    b.js("[...document.querySelectorAll('#tab-timeline .scroll')[0].querySelectorAll('tbody tr')].find(r => arguments[0] || r.cells[0].textContent === arguments[1]).click()", ABSENT, name)
    same('the middle of a call is flushed', any(f'{name}' in said and f"planned: flush to zero ({field(plan, 'set')})" in said for said in b.js(SAID)), not ABSENT)
    dashes = b.js(DRAWN)
    if (dashes == 0) != ABSENT:
        raise Wrong(f'{dashes} rows of the picture have dashes')
    b.shot(f'{sys.argv[2]}/flush{"-absent" if ABSENT else ""}.png')


check('flush-view', test)
