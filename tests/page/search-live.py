# SPDX-License-Identifier: MIT
"""search-live.py PAGE NEWS NAME KEY WORDS: an open page shows what a script file beside it says, each time it is replaced.

KEY is the figure that is changed, WORDS are what stands behind it in the page."""
import os
import sys
import time

from browser import Browser

page, news, name, key, words = sys.argv[1:]
told = open(news).read().replace(news, name)


def tell(figure, state):
    with open(name + '.new', 'w') as f:
        f.write(told.replace('"state": "done"', f'"state": "{state}"').replace(f'"{key}":', f'"{key}": {figure}, "was":', 1))
    os.rename(name + '.new', name)


tell(1111, 'searching')
with Browser() as b:
    b.open(page)
    b.until(f"return document.body.innerText.includes('1,111 {words}')")
    tell(2222, 'searching')
    b.until(f"return document.body.innerText.includes('2,222 {words}')")
    tell(3333, 'done')
    b.until("return document.getElementById('state').textContent === 'done'")
    b.look()
    asked = len(b.requests)
    assert all(os.path.basename(r).startswith(name) for r in b.requests), b.requests
    time.sleep(2.5)
    b.look()
    assert len(b.requests) == asked, 'the page still asks'
    assert not b.complaints, b.complaints
