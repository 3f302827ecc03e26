#!/bin/sh
# SPDX-License-Identifier: MIT
# perseus tune --watch: the page of a search for settings, while it goes on and when it has ended.
. tests/lib.sh
top=$PWD
cd "$T" || exit 1
printf '#!/bin/sh\nd=$((A - 5)); d=${d#-}; [ "$A" != 12 ] || exit 3; echo "cost $((1000 + 100 * d))"\n' >cost
chmod +x cost
printf 'perseus: tunables\nversion: 1\ntunables:\n  - {name: a, kind: integer, low: 1, high: 16, default: 16, environment: A}\n' >a.yaml
tune() { perseus tune --space=a.yaml --figure=cost --trials=60 --confirm=8 --worth=0 "$@"; }
exits 0 "a search with a page" tune --watch=tune.html --log=with.log ./cost
cp out said
exits 0 "... and one without" tune --log=without.log ./cost
it "... ask the same" sh -c 'sed 1d with.log >a; sed 1d without.log >b; cmp a b'
it "the page holds the runs and what is printed" /usr/bin/python3 -c "
import json, re
page = open('tune.html').read()
s = json.loads(re.search('id=\"tune\">(.*?)</script>', page, re.S).group(1))
log = [json.loads(l) for l in open('with.log')][1:]
assert s['state'] == 'done' and s['live'] is None and s['unit'] == 'cost'
assert len(s['runs']) == len(log) == s['runs_made'] and not s['runs_left_out']
assert [(r['end'], r['setting']) for r in s['runs']] == [(l['end'], l['setting']) for l in log]
assert all(r['value'] == l['value'] for r, l in zip(s['runs'], log) if l['end'] == 'ok')
assert s['text'] == open('said').read() and 'setting: a=5' in s['text']
assert '--watch=tune.html' in s['command']
"
it "it can be read without scripts" grep -q "<pre><span class=\"line\">gain: the best found" tune.html
it "it asks for nothing any more" sh -c "! grep -q \"script-src [^;]* file:\" tune.html"
it "the last news for a page that is open" grep -q '^perseus.live({' tune.html.live.js
exits 0 "of a figure more is better" perseus tune --space=a.yaml --figure=cost --more --trials=40 --confirm=8 --worth=0 --watch=more.html ./cost
it "... values are as they are printed" /usr/bin/python3 -c "
import json, re
s = json.loads(re.search('id=\"tune\">(.*?)</script>', open('more.html').read(), re.S).group(1))
assert s['more'] and all(900 < r['value'] < 2200 for r in s['runs'] if r['end'] == 'ok'), s['runs'][:3]"
cp tune.html kept.html
exits 4 "a page that is there is not written over" tune --watch=tune.html ./cost
says "^perseus tune: --watch: the file 'tune.html' is there already" "... it says so"
it "... and is as it was" cmp tune.html kept.html
exits 0 "... but by who goes on with the search" tune --watch=tune.html --log=with.log --resume ./cost
echo mine >mine.c
exits 4 "a file of another kind is not, either" tune --watch=mine.c --log=with.log --resume ./cost
says 'it is no page of a search' "... it says so"
it "... and is as it was" grep -qx mine mine.c
it "... and nothing is beside it" test ! -e mine.c.live.js
exits 3 "a place where nothing can be written" tune --watch=none/tune.html ./cost
printf '#!/bin/sh\nkill -TERM $PPID; echo "cost $A"\n' >stops
chmod +x stops
exits 143 "a search that is stopped" tune --watch=stopped.html ./stops
it "... says so" grep -q '"state": "stopped"' stopped.html
if /usr/bin/python3 -c 'import selenium' 2>/dev/null && [ -x /usr/bin/chromedriver ]; then
	it "in a browser" /usr/bin/python3 "$top/tests/page/tune.py" tune.html "$O/pages"
	sed 's/"state": "done"/"state": "searching"/; s/"live": null/"live": "on.js"/; s/\(script-src [^;]*\);/\1 file:;/' tune.html >on.html
	it "a page that is open is told" /usr/bin/python3 "$top/tests/page/search-live.py" on.html tune.html.live.js on.js runs_made "of at most"
else
	skip "in a browser" "no chromium with its driver here"
fi
finish
