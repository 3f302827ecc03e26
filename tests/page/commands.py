# SPDX-License-Identifier: MIT
"""commands.py PAGE: every command that the page gives to copy runs here, each fold names it, and no tab is wider than the window."""
import subprocess
import sys

from browser import Browser
from check import Wrong, same

COPIED = '''const out = [];
for (const c of document.querySelectorAll('#tab-' + arguments[0] + ' .copiers')) {
	c.querySelector('button.command').click();
	const text = c.querySelector('textarea').value;
	c.querySelector('details').open = true;
	out.push(text);
}
return out'''
FOLDS = "return [...document.querySelectorAll('#tab-' + arguments[0] + ' details.how')].map(d => d.querySelector('code').textContent)"
WIDE = 'return document.documentElement.scrollWidth - document.documentElement.clientWidth'


def run(command):
    done = subprocess.run(command, shell=True, capture_output=True, text=True)
    if done.returncode or not done.stdout:
        raise Wrong(f'{command}: exit {done.returncode}, {done.stderr}')


with Browser() as b:
    b.open(sys.argv[1])
    commands = set(b.js(FOLDS, 'summary'))
    if len(commands) < 2:
        raise Wrong(f'the first screen says only {commands}')
    for tab in b.js("return [...document.querySelectorAll('nav [role=tab]')].map(x => x.id.slice(5))"):
        if tab != 'summary':
            b.tab(tab)
            said = b.js(COPIED, tab)
            b.until(f"return [...document.querySelectorAll('#tab-{tab} .copiers details code')].every(c => c.textContent)")
            same(f'folds of {tab}', b.js(FOLDS, tab), said)
            commands |= set(said)
        else:
            b.js("location.hash = 'tab=summary'")
        for width in (1280, 700):
            b.driver.set_window_size(width, 900)
            if b.js(WIDE) > 0:
                raise Wrong(f'{tab} is {b.js(WIDE)} pixels wider than a window of {width}')
    for command in sorted(commands):
        run(command)
    same('requests', b.requests, [])
    print(len(commands), 'commands')
