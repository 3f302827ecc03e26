# SPDX-License-Identifier: MIT
"""firefox.py PAGE SHOTS: every tab of a page in Firefox, by Marionette, which needs no driver: drawn, with the figures of the documents."""
import base64
import json
import os
import socket
import subprocess
import sys
import tempfile
import time

from check import Wrong, same

PREFS = {'marionette.port': 0, 'browser.shell.checkDefaultBrowser': False, 'datareporting.policy.dataSubmissionEnabled': False,
         'network.captive-portal-service.enabled': False, 'network.connectivity-service.enabled': False, 'app.update.enabled': False}


class Firefox:
    def __init__(self, profile):
        with open(f'{profile}/user.js', 'w') as f:
            f.writelines(f'user_pref({json.dumps(k)}, {json.dumps(v)});\n' for k, v in PREFS.items())
        self.process = subprocess.Popen(['/usr/bin/firefox-esr', '--headless', '--no-remote', '--marionette', '--profile', profile],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, 'HOME': profile, 'MOZ_HEADLESS_WIDTH': '1280', 'MOZ_HEADLESS_HEIGHT': '900'})
        self.socket = socket.create_connection(('127.0.0.1', self.port(f'{profile}/MarionetteActivePort')), 120)
        self.file = self.socket.makefile('rb')
        self.number = 0
        self.receive()
        self.send('WebDriver:NewSession', {'capabilities': {}})
        self.send('WebDriver:SetTimeouts', {'script': 120000, 'pageLoad': 120000})

    def port(self, path):
        for _ in range(1200):
            if self.process.poll() is not None:
                raise Wrong(f'firefox ended with {self.process.returncode}')
            if os.path.exists(path) and (text := open(path).read()):
                return int(text)
            time.sleep(0.1)
        raise Wrong('firefox does not answer')

    def receive(self):
        n = b''
        while (c := self.file.read(1)) != b':':
            n += c
        return json.loads(self.file.read(int(n)))

    def send(self, command, parameters):
        self.number += 1
        text = json.dumps([0, self.number, command, parameters]).encode()
        self.socket.sendall(str(len(text)).encode() + b':' + text)
        _, _, error, result = self.receive()
        if error:
            raise Wrong(f'{command}: {error["message"]}')
        return result and result.get('value') if isinstance(result, dict) and 'value' in result else result

    def js(self, script, *args):
        return self.send('WebDriver:ExecuteScript', {'script': script, 'args': list(args)})

    def until(self, script):
        for _ in range(1200):
            if self.js(script):
                return
            time.sleep(0.05)
        raise Wrong(f'never: {script}')

    def shot(self, path):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'wb') as f:
            f.write(base64.b64decode(self.send('WebDriver:TakeScreenshot', {'full': False})))


def number(text):
    return int(text.replace(',', ''))


def document(b, name):
    """What an element holds: a script of Marionette does not see the page's own names."""
    return json.loads(b.js("return document.getElementById(arguments[0]).textContent", name))


def test(b, page, shots):
    b.send('WebDriver:Navigate', {'url': 'file://' + os.path.abspath(page)})
    b.until("return document.documentElement.dataset.ready === '1'")
    tabs = b.js("return [...document.querySelectorAll('nav [role=tab]')].map(x => x.id.slice(5))")
    for tab in tabs:
        b.js("location.hash = 'tab=' + arguments[0]", tab)
        if tab != 'summary':
            b.until(f"const p = document.getElementById('tab-{tab}'); return !p.hidden && p.dataset.ready === '1'")
        if damage := b.js("const d = document.querySelector('.damage'); return d && d.textContent"):
            raise Wrong(f'{tab}: {damage}')
        b.shot(f'{shots}/{tab}.png')
    calls = b.js("return [...document.querySelectorAll('#side-thread .option .sum:nth-of-type(2)')].map(x => x.textContent.split(' ')[0])")
    same('calls', sum(number(c) for c in calls), document(b, "report")["calls"])
    same('waits', b.js("return document.querySelectorAll('#tab-waits .scroll tbody')[0].rows.length"), len(document(b, "waits")["waits"]))
    clock = "return document.querySelector('#tab-memory .clock').textContent"
    before = b.js(clock)
    b.js("document.querySelector('#tab-memory button.forward').click()")
    if b.js(clock) == before:
        raise Wrong(f'the player stays at {before}')
    same('requests', b.js("return performance.getEntriesByType('resource').map(x => x.name)"), [])


with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
    firefox = Firefox(profile)
    try:
        test(firefox, sys.argv[1], sys.argv[2])
    finally:
        firefox.process.terminate()
        firefox.process.wait()
