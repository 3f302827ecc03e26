# SPDX-License-Identifier: MIT
# check-html.py FILE: one file, no script, nothing fetched, every link leads somewhere, tags close.
import sys
from html.parser import HTMLParser


class Page(HTMLParser):
    void = {"meta", "br"}

    def __init__(self):
        super().__init__()
        self.ids, self.links, self.open = set(), [], []

    def handle_starttag(self, tag, attrs):
        a = dict(attrs)
        assert tag in {"html", "head", "meta", "title", "style", "body", "h1", "h2", "p", "a", "table", "thead", "tbody", "tr", "th", "td", "br", "code"}, tag
        assert set(a) <= {"id", "href", "class", "scope", "lang", "charset", "http-equiv", "content"}, a
        if "id" in a:
            assert a["id"] not in self.ids, a
            self.ids.add(a["id"])
        if "href" in a:
            assert a["href"].startswith("#"), a
            self.links.append(a["href"][1:])
        if tag not in self.void:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag


page = Page()
text = open(sys.argv[1], encoding="utf-8").read()
page.feed(text)
page.close()
assert not page.open, page.open
missing = [link for link in page.links if link not in page.ids]
assert not missing, missing
print(len(page.links), "links")
