# SPDX-License-Identifier: MIT
"""print.py PAGE [headless]: on paper tables keep their heads, what is shown by buttons stays, what only a mouse can use goes; canvases are on white."""
import sys

from browser import Browser
from check import Wrong, same

SEEN = '''return [...document.querySelectorAll('#tab-' + arguments[0] + ' ' + arguments[1])].filter(x => x.checkVisibility() && x.getClientRects().length).length'''
CORNER = "const g = document.querySelector('#tab-timeline canvas.timeline').getContext('2d'); return [...g.getImageData(3, 3, 1, 1).data]"


def seen(b, tab, what):
    return b.js(SEEN, tab, what)


with Browser(dark=True) as b:
    b.open(sys.argv[1])
    tabs = b.js("return [...document.querySelectorAll('nav [role=tab]:not([data-empty])')].map(x => x.id.slice(5))")
    on_screen = {}
    for tab in tabs[1:]:
        b.tab(tab)
        on_screen[tab] = {what: seen(b, tab, what) for what in ('th button', '.mline', '.objects button', 'button.option')}
    if len(sys.argv) > 2:  # the twin: a style that prints no button
        b.js("const s = document.styleSheets[0]; s.insertRule('@media print { button { display: none !important; } }', s.cssRules.length)")
    b.driver.execute_cdp_cmd('Emulation.setEmulatedMedia', {'media': 'print'})
    for tab in tabs[1:]:
        b.tab(tab)
        for what, n in on_screen[tab].items():
            if seen(b, tab, what) < n:
                raise Wrong(f'{tab}: of {n} {what} {seen(b, tab, what)} are printed')
        same(f'{tab}: tools that only a mouse can use', seen(b, tab, '.tools button'), 0)
        same(f'{tab}: the summary comes with it', seen(b, 'summary', 'h2') > 3, True)
    b.driver.execute_cdp_cmd('Emulation.setEmulatedMedia', {'media': ''})
    b.tab('timeline')
    b.js("document.documentElement.dataset.theme = 'light'; document.querySelector('button.theme').click()")
    dark = b.js(CORNER)
    if dark[0] > 60:
        raise Wrong(f'the dark canvas is {dark}')
    b.js("window.dispatchEvent(new Event('beforeprint'))")
    same('the canvas on paper', b.js(CORNER), [255, 255, 255, 255])
    b.js("window.dispatchEvent(new Event('afterprint'))")
    same('the canvas after that', b.js(CORNER), dark)
    same('complaints', b.complaints, [])
