# SPDX-License-Identifier: MIT
"""picture.py PAGE TAB HEIGHT OUT.webp: a picture of one tab, 1280 pixels wide, as README.md shows of the page of `make demo`."""
import base64
import sys

from browser import Browser

page, tab, height, out = sys.argv[1:]
with Browser() as b:
    b.open(page)
    if tab != 'summary':
        b.tab(tab)
    b.until('return document.fonts.status === "loaded"')
    got = b.driver.execute_cdp_cmd('Page.captureScreenshot', {
        'format': 'webp', 'quality': 80, 'captureBeyondViewport': True, 'clip': {'x': 0, 'y': 0, 'width': 1280, 'height': int(height), 'scale': 1}})
    with open(out, 'wb') as f:
        f.write(base64.b64decode(got['data']))
