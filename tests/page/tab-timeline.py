# SPDX-License-Identifier: MIT
"""Timeline: waits and calls are those of the other documents; zoom, keys, links and themes."""
import sys
import time

from check import Wrong, check, same


def view(b):
    return b.js("const d = document.querySelector('canvas.timeline').dataset; return [Number(d.from), Number(d.to)]")


def press(b, key):
    b.js("document.querySelector('canvas.timeline').dispatchEvent(new KeyboardEvent('keydown', {key: arguments[0], bubbles: true}))", key)
    return view(b)


def column(b, table, name):
    return b.driver.execute_async_script(
        "const done = arguments[2]; perseus.table(arguments[0]).then(t => done(t ? [...t[arguments[1]]] : null))", table, name)


def test_events(b, data):
    doc, waits = data('timeline'), data('waits')
    kinds, ns = column(b, 'events', 'kind'), column(b, 'events', 'ns')
    for w in waits['waits']:
        if w['kind'] in ('join', 'barrier') and not w['still_waiting']:
            number = doc['kinds'].index(w['kind'])
            all_of_kind = sum(x['ns'] for x in waits['waits'] if x['kind'] == w['kind'])
            shown = sum(n for k, n in zip(kinds, ns) if k == number)
            if shown < 0.99 * all_of_kind:
                raise Wrong(f"waits at {w['kind']}: {shown} ns of {all_of_kind}")
    other = column(b, 'events', 'other')
    last = [o for k, n, o in zip(kinds, ns, other) if doc['kinds'][k] == 'barrier' and n > 1e6]
    if last and sum(o >= 0 for o in last) < 0.5 * len(last):
        raise Wrong(f'of {len(last)} waits at barriers hardly any says who came last: {last}')
    lives = [e - s for s, e in zip(column(b, 'lives', 'begin'), column(b, 'lives', 'end'))]
    if abs(sum(lives) - data('report')['thread_ns']) > len(lives) + 1e-6 * sum(lives):
        raise Wrong(f"lives of {sum(lives)} ns, thread time {data('report')['thread_ns']}")


def test_trace(b, data):
    trace = data('timeline').get('trace')
    if not trace:
        return
    same('calls of the trace', trace['calls'], data('report')['calls_timed'])
    rows = len(column(b, 'trace_calls', 'ns'))
    same('calls in windows', rows, trace['calls_in_windows'])
    size = b.js("return document.getElementById('trace_calls').textContent.length + document.getElementById('trace_bins').textContent.length")
    if size > 3e6:
        raise Wrong(f'the trace takes {size} bytes of the page')


def test_zoom(b):
    whole = view(b)
    a = press(b, '+')
    same('zoomed in', round((a[1] - a[0]) / (whole[1] - whole[0]), 2), 0.5)
    c = press(b, 'ArrowRight')
    if not c[0] > a[0]:
        raise Wrong('the right arrow does not move')
    same('the whole run', press(b, 'Home'), whole)
    b.js("document.querySelector('canvas.timeline').dispatchEvent(new WheelEvent('wheel', {deltaY: -100, ctrlKey: true, cancelable: true}))")
    d = view(b)
    if not d[1] - d[0] < whole[1] - whole[0]:
        raise Wrong('the wheel does not zoom')
    press(b, 'Home')


def test_table(b):
    time.sleep(0.2)
    rows = b.js("return [...document.querySelectorAll('#tab-timeline tbody tr')].map(r => [...r.cells].map(c => c.textContent))")
    if not any(r[0].startswith('waits at join') and r[6] for r in rows):
        raise Wrong('no join in view that somebody ended')
    b.js("document.querySelector('#tab-timeline tbody tr').click()")
    at, span = view(b)
    hover = b.js("return document.querySelector('#tab-timeline p.hover').textContent")
    if rows[0][0] not in hover:
        raise Wrong(f'{hover!r} does not say {rows[0][0]!r}')


def test_path(b):
    def picture():
        return b.js("return document.querySelector('canvas.timeline').toDataURL()")
    before = picture()
    b.js("document.querySelector('#tab-timeline input.path').click()")
    if picture() == before:
        raise Wrong('the critical path is not drawn')
    b.js("document.querySelector('#tab-timeline input.path').click()")
    same('without the path again', picture() == before, True)
    b.js("document.querySelector('#tab-timeline input.path').click()")


def test_link(b, data):
    if not data('timeline').get('trace'):
        return
    b.tab('calls')
    text = b.js("return document.querySelector('#slowest tbody tr').cells[0].textContent")
    longest = max(data('timeline')['places'], key=lambda p: p['callee'] == text)
    same('the slowest call is of a site', longest['callee'], text)
    b.js("document.querySelector('#slowest tbody button').click()")
    b.until("return perseus.current().id === 'timeline'")
    at, ns = column(b, 'slow_calls', 'begin')[0], column(b, 'slow_calls', 'ns')[0]
    v = view(b)
    if not v[0] <= at + 1 or not at + ns <= v[1] + 1:
        raise Wrong(f'the call at {at} for {ns} ns is not in view {v}')


def test(b, data):
    b.tab('timeline')
    test_events(b, data)
    test_trace(b, data)
    test_zoom(b)
    test_path(b)
    b.shot(f'{sys.argv[2]}/timeline-whole.png')
    test_table(b)
    b.shot(f'{sys.argv[2]}/timeline-wait.png')
    test_link(b, data)
    b.shot(f'{sys.argv[2]}/timeline-call.png')
    b.js("document.querySelector('button.theme').click()")


check('timeline', test)
