# SPDX-License-Identifier: MIT
"""palette.py CSS: colors that stand side by side can be told apart, also by the colour-blind, and text can be read, in both themes.

Colour blindness as in Machado, Oliveira and Fernandes, 2009 (severity 1); differences in CIE L*a*b*, contrast as in WCAG 2.
"""
import itertools
import re
import sys

LEAST, READABLE = 15, 4.5
EYES = {
    'full': ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    'protan': ((.152286, 1.052583, -.204868), (.114503, .786281, .099216), (-.003882, -.048116, 1.051998)),
    'deutan': ((.367322, .860646, -.227968), (.280085, .672501, .047413), (-.011820, .042940, .968881)),
    'tritan': ((1.255528, -.076749, -.178779), (-.078411, .930809, .147602), (.004733, .691367, .303900)),
}
# What is drawn side by side: parts of the time; calls and cores of the timeline; lines of memory; bytes of a line.
TOGETHER = [('own', 'wait', 'lib', 'line', 'unknown', 'probe'), ('own', 'good', 'probe', 'lib', 'bad', 'wait'),
            ('wait', 'bad', 'good', 'shade'), ('lib', 'bad', 'shade')]
TEXT = [('ink', 'paper'), ('dim', 'paper'), ('link', 'paper'), ('ink', 'shade'), ('dim', 'shade')]


def linear(color):
    channels = [int(color[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    return [c / 12.92 if c <= .04045 else ((c + .055) / 1.055) ** 2.4 for c in channels]


def seen(color, eye):
    return [min(1, max(0, sum(a * b for a, b in zip(row, linear(color))))) for row in EYES[eye]]


def lab(rgb):
    def curve(t):
        return t ** (1 / 3) if t > .008856 else 7.787 * t + 16 / 116
    r, g, b = rgb
    x, y, z = (curve(v) for v in ((.4124 * r + .3576 * g + .1805 * b) / .95047, .2126 * r + .7152 * g + .0722 * b, (.0193 * r + .1192 * g + .9505 * b) / 1.08883))
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def difference(a, b, eye):
    return sum((x - y) ** 2 for x, y in zip(lab(seen(a, eye)), lab(seen(b, eye)))) ** .5


def light(color):
    return sum(k * c for k, c in zip((.2126, .7152, .0722), linear(color)))


def contrast(a, b):
    high, low = sorted((light(a), light(b)), reverse=True)
    return (high + .05) / (low + .05)


def colors(text, start):
    return dict(re.findall(r'--([a-z]+): (#[0-9a-f]{6});', text[text.index(start):].split('}')[0]))


css, bad = open(sys.argv[1]).read(), []
plain = colors(css, ':root {')
for theme, names in ('light', plain), ('dark', {**plain, **colors(css, ':root[data-theme="dark"]')}):
    for group, eye in itertools.product(TOGETHER, EYES):
        for a, b in itertools.combinations(group, 2):
            d = difference(names[a], names[b], eye)
            if d < LEAST:
                bad.append(f'{theme}, {eye}: {a} and {b} differ by {d:.0f}')
    for a, b in TEXT:
        if contrast(names[a], names[b]) < READABLE:
            bad.append(f'{theme}: {a} on {b} has a contrast of {contrast(names[a], names[b]):.1f}')
for line in sorted(set(bad)):
    print(line)
sys.exit(bool(bad))
