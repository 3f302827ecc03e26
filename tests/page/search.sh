#!/bin/sh
# SPDX-License-Identifier: MIT
# perseus plan --watch: the page of a search, while it goes on and when it has ended.
. tests/lib.sh
top=$PWD
model=$top/yaml/examples/model.yaml platform=$top/yaml/examples/platform.yaml
cd "$T" || exit 1
plan() { perseus plan "$model" -p "$platform" --objective=energy --method=genetic --evaluations=100000 -o plan.yaml "$@"; }
exits 0 "a search with a page" plan --watch=search.html --log=log.csv
it "the plan is that of a search without" sh -c "perseus plan '$model' -p '$platform' --objective=energy --method=genetic --evaluations=100000 -o alone.yaml >/dev/null && cmp plan.yaml alone.yaml"
it "the page holds the log, the figures and the plan" /usr/bin/python3 -c "
import json, re
said = re.search('id=\"search\">(.*?)</script>', open('search.html').read(), re.S).group(1)
s = json.loads(said)
assert s['state'] == 'done' and s['live'] is None and s['evaluations'] > 0, s['state']
assert s['log'] == open('log.csv').read().splitlines()
assert 0 < s['best']['energy_j'] < s['baseline']['energy_j']
plan = open('plan.yaml').read()
assert len(s['threads']) >= 1 and all(t['name'] in plan for t in s['threads'])
assert '--watch=search.html' in s['command']
"
it "it asks for nothing any more" sh -c "! grep -q \"script-src [^;]* file:\" search.html"
it "the last news for a page that is open" grep -q '^perseus.live({' search.html.live.js
exits 2 "it cannot take the place of the model" plan --watch="$model"
exits 3 "or be where nothing can be written" plan --watch=none/search.html
it "then no plan is made" sh -c 'rm -f plan.yaml; perseus plan "$1" -p "$2" -o plan.yaml --watch=none/s.html; test ! -e plan.yaml' sh "$model" "$platform"
if /usr/bin/python3 -c 'import selenium' 2>/dev/null && [ -x /usr/bin/chromedriver ]; then
	it "in a browser" /usr/bin/python3 "$top/tests/page/search.py" search.html "$O/pages"
	it "of one step" /usr/bin/python3 "$top/tests/page/search-one.py" search.html "$O/pages" one.html
	# A search that goes on: the page is read before, and the script replaced under it.
	sed 's/"state": "done"/"state": "searching"/; s/"live": null/"live": "on.js"/; s/\(script-src [^;]*\);/\1 file:;/' search.html >on.html
	it "a page that is open is told" /usr/bin/python3 "$top/tests/page/search-live.py" on.html search.html.live.js on.js evaluations evaluations
else
	skip "in a browser" "no chromium with its driver here"
fi
finish
