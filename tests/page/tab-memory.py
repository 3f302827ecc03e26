# SPDX-License-Identifier: MIT
"""Memory: what can be chosen and played, and that its figures are those of the documents."""
import sys

from check import Wrong, check, same

MEMORY = "document.querySelector('#tab-memory')"


def text(b, selector):
    return b.js(f"const x = {MEMORY}.querySelector(arguments[0]); return x ? x.textContent : null", selector)


def state(b, key):
    return b.js(f'return perseus.memory.v.{key}')


def press(b, key):
    b.js(f"{MEMORY}.querySelector('.player').dispatchEvent(new KeyboardEvent('keydown', {{key: arguments[0], bubbles: true, cancelable: true}}))", key)


def click(b, selector):
    b.js(f'{MEMORY}.querySelector(arguments[0]).click()', selector)


def table(b, name):
    return b.js("const t = await perseus.table(arguments[0]); return t && Object.fromEntries(Object.entries(t).map(([k, v]) => [k, k === 'rows' ? v : [...v]]))", name)


def objects(b, memory, conflicts):
    """One button an object, with the figures of the document; choosing one shows its pages alone."""
    ids = b.js(f"return [...{MEMORY}.querySelectorAll('.objects button')].map(x => x.dataset.id)")
    same('objects', ids, memory['findings'])
    lines = table(b, 'memory_lines')
    for number, name in enumerate(ids):
        f = next(x for x in conflicts['findings'] if x['id'] == name)
        click(b, f'[data-id={name}]')
        shown = text(b, f'[data-id={name}]')
        for part in f['subject'], f['object'], f"{f['transfers_per_s']:,.0f} transfers/s":
            if part not in shown:
                raise Wrong(f'{name} does not say {part!r}: {shown}')
        if 'cost_percent' in f and f"cost {f['cost_percent']:.1f} %" not in shown:
            raise Wrong(f'{name} does not say its cost: {shown}')
        pages = sorted({line // 64 for n, line in zip(lines['finding'], lines['line']) if n == number})
        same('its pages', b.js(f"return [...{MEMORY}.querySelectorAll('.mpage h4')].map(x => x.textContent)"),
             ['page ' + memory['pages'][p] for p in pages])
        same('64 lines a page', b.js(f"return {MEMORY}.querySelectorAll('.mpage .mline').length"), 64 * len(pages))
    click(b, f'[data-id={ids[0]}]')


def zoom(b):
    """The chosen line has its fields, and its readers and writers as in the table."""
    line, names = state(b, 'line'), b.js("return [...new Set(perseus.memory.m.spans[perseus.memory.v.line].map(s => s.name))]")
    shown = b.js(f"return [...{MEMORY}.querySelectorAll('.zoomed .field title')].map(x => x.textContent)")
    same('fields', sorted(set(shown)), sorted(names))
    users = table(b, 'memory_bytes')
    threads = b.js('return perseus.memory.m.doc.threads')
    want = {threads[t] for t, l in zip(users['thread'], users['line']) if l == line}
    same('threads', set(b.js(f"return [...{MEMORY}.querySelectorAll('.zoomed tbody tr')].map(x => x.cells[0].textContent)")), want)


def keys(b, n):
    press(b, 'Home')
    same('home', state(b, 'i'), 0)
    press(b, 'ArrowRight')
    press(b, 'ArrowRight')
    press(b, 'ArrowLeft')
    same('two steps and one back', state(b, 'i'), 1)
    press(b, 'End')
    same('end', state(b, 'i'), n - 1)


def counts(b):
    return b.js('const s = perseus.memory.p.state; return [[...s.last], [...s.fought], [...s.counts]]')


def seeks(b, n):
    """The state at a position is the same from wherever one comes."""
    for at in (n // 2, n // 3, min(n - 1, 70000), 5):
        b.js('perseus.memory.land(arguments[0])', at)
        direct = counts(b)
        b.js('perseus.memory.land(0); perseus.memory.land(arguments[0])', at)
        same(f'state at {at}', counts(b), direct)


def plays(b, traced):
    """The player stops once for each new pair of fields, at its first conflict."""
    b.js("perseus.memory.land(0); perseus.memory.v.seen.clear(); perseus.memory.v.speed = 1e7")
    first = b.js("return perseus.memory.m.findings[0].stops[0]")
    press(b, ' ')
    b.until('return !perseus.memory.v.playing')
    if first is None:
        same('nothing to stop at', text(b, '.status'), 'The end.')
        return
    same('stops at the first conflict', state(b, 'i'), first)
    if 'Paused at the first conflict of' not in text(b, '.status'):
        raise Wrong(f"it does not say why: {text(b, '.status')}")
    same('a line is in conflict', b.js(f"return {MEMORY}.querySelectorAll('.pages .mline[data-state^=fought]').length > 0"), True)
    b.shot(f'{sys.argv[2]}/memory-paused{"-traced" if traced else ""}.png')
    for _ in range(100):
        before = state(b, 'i')
        press(b, ' ')
        b.until('return !perseus.memory.v.playing')
        if text(b, '.status') == 'The end.':
            break
        same('it goes on', state(b, 'i') > before, True)
    same('it comes to the end', text(b, '.status'), 'The end.')
    pairs = b.js("const {v, m, p} = perseus.memory; return m.doc.traced ? m.doc.pairs.filter(x => x.finding === v.chosen).length : p.stops.filter(x => x.finding === v.chosen).length")
    same('once for each pair', b.js('return perseus.memory.v.seen.size'), pairs)


def sums(b, memory, sharing_map):
    """What is shown of a line over the whole run is what the documents have."""
    bins = table(b, 'memory_bins')
    if memory['traced']:
        same('all accesses are in the sums',
             sum(max(r, w) for r, w, k in zip(bins['reads'], bins['writes'], bins['line'])) <= memory['events']
             <= sum(bins['reads']) + sum(bins['writes']), True)
        same('accesses kept', table(b, 'memory_events')['rows'], memory['events_kept'])
        return
    of = {p['pid']: p for p in sharing_map['processes']}[memory['pid']]
    for line in of['lines']:
        address = int(line['address'], 16)
        page = f'0x{address & ~4095:x}'
        if page not in memory['pages']:
            continue
        number = memory['pages'].index(page) * 64 + (address >> 6 & 63)
        same(f"transfers of {line['address']}", sum(t for n, t in zip(bins['line'], bins['transfers']) if n == number), line['transfers'])


def colours(b):
    """After all of the run, lines that no finding is about were never in conflict."""
    press(b, 'End')
    lines = set(table(b, 'memory_lines')['line'])
    red = set(b.js(f"return [...{MEMORY}.querySelectorAll('.mpage [data-state^=fought], .mpage [data-state$=was]')].map(x => Number(x.dataset.line))"))
    same('lines in conflict that no finding is about', sorted(red - lines), [])
    same('some were in conflict', bool(red), b.js('return perseus.memory.m.findings[perseus.memory.v.chosen].stops.length > 0'))
    b.until(f"return [...{MEMORY}.querySelectorAll('.mpage .mline')].every(x => x.getAttribute('aria-label'))")


DRAWN = """const [side, page] = arguments, copy = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
const pixels = (c, x, y) => {
	copy.clearRect(0, 0, side, side);
	copy.drawImage(c, x, y, side, side, 0, 0, side, side);
	return copy.getImageData(0, 0, side, side).data.join();
};
const forms = {none: 0, block: 1, used3: 2, fought: 3, 'block was': 4}, legend = [...document.querySelectorAll('#tab-memory .legend canvas')];
return [...document.querySelectorAll('#tab-memory .mpage')[page].querySelectorAll('.mline')].filter(x => x.dataset.state in forms).map(x => {
	const at = Number(x.dataset.line) & 63, canvas = x.closest('.mpage').querySelector('canvas');
	return [x.dataset.state, pixels(legend[forms[x.dataset.state]], 0, 0) === pixels(canvas, at % 16 * side, (at >> 4) * side)];
})"""


def drawn(b):
    """The picture of each line is that of the legend for its state, and no other's."""
    side = b.js("return document.querySelector('#tab-memory .legend canvas').width")
    found = []
    for page in range(b.js(f"return {MEMORY}.querySelectorAll('.mpage').length")):
        b.js(f"{MEMORY}.querySelectorAll('.mpage')[arguments[0]].scrollIntoView()", page)
        b.until(f"return !{MEMORY}.querySelectorAll('.mpage')[{page}].canvas.changed")
        found += b.js(DRAWN, side, page)
    same('lines that are drawn otherwise than the legend says', [s for s, right in found if not right], [])
    same('states that are drawn', bool(found), True)
    looks = b.js("return [...document.querySelectorAll('#tab-memory .legend canvas')].map(x => x.toDataURL())")
    same('pictures of the legend', len(set(looks)), 5)


def links(b, n):
    """#event=N opens at that moment; the link of a moment leads back to it."""
    at = b.js('perseus.memory.land(arguments[0]); return perseus.memory.p.number(perseus.memory.v.i)', n // 2)
    href = b.js(f"return {MEMORY}.querySelector('.tools a').getAttribute('href')")
    same('link', href, f'#event={at}')
    b.open(sys.argv[1], f'#event={at}')
    b.until("const p = document.getElementById('tab-memory'); return !p.hidden && p.dataset.ready === '1'")
    same('opens there', state(b, 'i'), n // 2)


def test(b, data):
    b.tab('memory')
    memory, conflicts = data('memory'), data('conflicts')
    n = b.js('return perseus.memory.p.n')
    objects(b, memory, conflicts)
    zoom(b)
    sums(b, memory, data('map'))
    keys(b, n)
    if memory['traced']:
        seeks(b, n)
    plays(b, memory['traced'])
    colours(b)
    drawn(b)
    b.js("document.querySelector('button.theme').click()")
    b.shot(f'{sys.argv[2]}/memory-other-theme.png')
    links(b, n)


check('memory', test)
