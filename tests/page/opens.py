# SPDX-License-Identifier: MIT
"""opens.py PAGE...: every tab of each page opens, none is empty, nothing is asked for, and nothing that came along runs."""
import sys

from browser import Browser
from check import Wrong, same

for page in sys.argv[1:]:
    with Browser() as b:
        b.open(page)
        for tab in b.js("return [...document.querySelectorAll('nav [role=tab]')].map(x => x.id.slice(5))"):
            b.js("location.hash = 'tab=' + arguments[0]", tab)
            b.until(f"const p = document.getElementById('tab-{tab}'); return !p.hidden && ('{tab}' === 'summary' || p.dataset.ready === '1')")
            text = b.js(f"return document.getElementById('tab-{tab}').innerText.trim()")
            if len(text) < 20 or 'cannot be shown' in text:
                raise Wrong(f'{page}, {tab}: {text!r}')
        same(f'{page}: images', b.js("return document.querySelectorAll('img').length"), 0)
        same(f'{page}: marks that turn text', b.js("return document.body.innerText.includes('\\u202e')"), False)
        b.look()
        same(f'{page}: requests', b.requests, [])
        same(f'{page}: complaints', b.complaints, [])
