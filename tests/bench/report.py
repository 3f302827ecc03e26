# SPDX-License-Identifier: MIT
"""report.py PAGE_1E6 PAGE_1E7: how long pages take in a browser, as lines "name value"."""
import os
import statistics
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), '..', 'page'))
from browser import Browser

DRAWN = "const p = document.getElementById('tab-memory'); return p && p.dataset.drawn ? Number(p.dataset.drawn) : 0"
SEEK = '''const out = [], {land, p} = perseus.memory;
let x = 1;
for (let i = 0; i < 300; i++) {
	x = x * 48271 % 2147483647;
	const start = performance.now();
	land(x % p.n);
	document.body.getBoundingClientRect();
	out.push(performance.now() - start);
}
return out'''


def opened(b, page, tab):
    b.open(page, tab)
    if tab:
        b.until(DRAWN)
        return b.js(DRAWN)
    return b.js("return performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd")


for name, page in zip(('1e6', '1e7'), sys.argv[1:]):
    with Browser() as b:
        print(f'ready_{name}', round(statistics.median(opened(b, page, '#tab=memory') for _ in range(5))))
        memory = b.js("return perseus.data('memory')")
        print(f'kept_{name}', memory['events_kept'])
        print(f'events_{name}', memory['events'])
        print(f'bytes_{name}', os.path.getsize(page))
        print(f'table_{name}', b.js("return document.getElementById('memory_events').textContent.length"))
        if name == '1e6':
            times = b.js(SEEK)
            print('seek', round(statistics.median(times), 2))
            print('worst', round(max(times), 2))
        print(f'first_{name}', round(statistics.median(opened(b, page, '') for _ in range(5))))
