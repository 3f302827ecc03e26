# SPDX-License-Identifier: MIT
"""What the tests of tabs share: check(PAGE, SHOTS, test) opens the page and reports what is wrong."""
import sys

from browser import Browser


class Wrong(Exception):
    pass


def same(what, shown, said):
    if shown != said:
        raise Wrong(f'{what}: the page shows {shown!r}, the data says {said!r}')


def check(name, test):
    """Run test(browser, data) on the page argv[1], data(id) being a document of it; a picture goes to argv[2]."""
    with Browser() as b:
        b.open(sys.argv[1])
        try:
            test(b, lambda key: b.js('return perseus.data(arguments[0])', key))
        finally:
            b.shot(f'{sys.argv[2]}/{name}.png')
        b.look()
        same('requests', b.requests, [])
        same('complaints', b.complaints, [])
