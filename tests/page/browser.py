# SPDX-License-Identifier: MIT
"""A browser without a window for the tests of pages: Debian's chromium by its driver.

    with Browser() as b:
        b.open('/path/report.html')        # waits until the page says that it is ready
        b.tab('calls')
        b.js('return document.title')
        b.shot('build/pages/calls.png')
        b.requests, b.complaints           # what it asked for beside the file, what it printed
"""
import json
import os
import time

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service


class Browser:
    def __init__(self, width=1280, height=900, dark=False, script=True):
        o = Options()
        o.binary_location = '/usr/bin/chromium'
        for word in ('--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage',
                     '--disable-background-networking', '--disable-component-update', '--no-first-run',
                     f'--window-size={width},{height}'):
            o.add_argument(word)
        if dark:
            o.add_argument('--force-dark-mode')
        if not script:
            o.add_experimental_option('prefs', {'profile.managed_default_content_settings.javascript': 2})
        o.set_capability('goog:loggingPrefs', {'browser': 'ALL', 'performance': 'ALL'})
        self.driver = webdriver.Chrome(service=Service('/usr/bin/chromedriver'), options=o)
        self.driver.set_script_timeout(120)
        self.script = script
        self.requests, self.complaints = [], []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.driver.quit()

    def open(self, path, fragment=''):
        self.driver.get('about:blank')
        self.driver.get('file://' + os.path.abspath(path) + fragment)
        if self.script:
            self.until("return document.documentElement.dataset.ready === '1'")
        self.look()

    def until(self, script, seconds=60):
        end = time.time() + seconds
        while not self.js(script):
            if time.time() > end:
                self.look()
                raise TimeoutError(f'{script}: {self.complaints}')
            time.sleep(0.02)

    def js(self, script, *args):
        return self.driver.execute_script(script, *args)

    def tab(self, name):
        self.js("location.hash = 'tab=' + arguments[0]", name)
        self.until(f"const p = document.getElementById('tab-{name}'); return !p.hidden && p.dataset.ready === '1'")
        self.look()

    def shot(self, path):
        os.makedirs(os.path.dirname(path) or '.', exist_ok=True)
        self.driver.save_screenshot(path)

    def look(self):
        """Read what the browser logged since the last time."""
        for entry in self.driver.get_log('browser'):
            self.complaints.append(entry['message'])
        for entry in self.driver.get_log('performance'):
            m = json.loads(entry['message'])['message']
            if m['method'] == 'Network.requestWillBeSent':
                url = m['params']['request']['url']
                if not url.startswith(('file://', 'about:', 'data:', 'blob:', 'chrome')):
                    self.requests.append(url)
                elif url.startswith('file://') and m['params'].get('type') != 'Document':
                    self.requests.append(url)
