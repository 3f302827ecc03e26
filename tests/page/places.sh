#!/bin/sh
# SPDX-License-Identifier: MIT
# A page of a run with phases, with a plan, a search and a run that counted denormals: the tabs that show them have the
# figures of the commands, and say what makes a source that is not there.
. tests/lib.sh
top=$PWD
cd "$T" || exit 1
it "a program builds" gcc -O1 -g $(perseus flags) -o phased "$top/tests/page/phased.c" -pthread
mkdir counted
it "... and with counters of denormals" gcc -O1 -g $(perseus flags --probe=denormal:full) -o counted/phased "$top/tests/page/phased.c" -pthread
it "a timing run" perseus record -q --trace ./phased
it "a run that counts denormals" perseus record -q --purpose=denormal counted/phased
it "a model" sh -c 'perseus analyze -o model.yaml @last-timing >/dev/null'
it "a search that was watched" sh -c 'perseus plan model.yaml -p "$1" -o found.yaml --watch=search.html >/dev/null' sh "$top/yaml/examples/platform.yaml"
it "a plan that sets something" /usr/bin/python3 "$top/tests/page/set-cores.py" found.yaml plan.yaml
perseus denormals --json >denormals.json
exits 0 "a page of all of it" perseus report --html all.html --plan plan.yaml --search search.html
exits 0 "a page of one run" perseus report --html one.html @last-timing
it "a plan that flushes" sh -c 'perseus denormals --plan=flush.yaml --platform="$1" >/dev/null' sh "$top/yaml/examples/platform.yaml"
sed '/^flushes:/,$s/    function: ".*"/    function: "nobody"/' flush.yaml >absent.yaml
exits 0 "a page of it" perseus report --html flush.html --plan flush.yaml @last-timing
exits 0 "a page of one that flushes what is not there" perseus report --html absent.html --plan absent.yaml @last-timing
perseus report --json --calls 1000 @last-timing >report.json
exits 0 "a denormal run that is named" perseus report --html named.html @last-timing @last-denormal
it "is in it" grep -q 'id="denormals"' named.html
exits 4 "denormals alone" perseus report --html none.html @last-denormal
says "a page wants the times of a run too" "... it says so" err
exits 2 "a plan without a page" perseus report --plan plan.yaml
exits 4 "a plan that is none" perseus report --html none.html --plan model.yaml
exits 4 "a search that is none" perseus report --html none.html --search all.html.none
exits 4 "a page that is of no search" perseus report --html none.html --search one.html
says "is no page of a search" "... it says so" err
head -c "$(($(grep -bo 'id="search"' search.html | cut -d: -f1) + 200))" search.html >cut.html
exits 4 "a page of a search that was cut" perseus report --html none.html --search cut.html
it "no page is left" test ! -e none.html
it "what the documents hold" /usr/bin/python3 "$top/tests/page/documents.py" all.html denormals.json search.html model.yaml
[ -x /usr/bin/chromium ] && [ -x /usr/bin/chromedriver ] && /usr/bin/python3 -c 'import selenium' 2>/dev/null || {
	skip "pages in a browser" "no chromium with its driver here"
	finish
}
it "driven" /usr/bin/python3 "$top/tests/page/places.py" all.html "$O/pages/places" denormals.json
it "flushes" /usr/bin/python3 "$top/tests/page/flush.py" flush.html "$O/pages/places" flush.yaml report.json
it "what is not there is not flushed" /usr/bin/python3 "$top/tests/page/flush.py" absent.html "$O/pages/places" absent.yaml report.json absent
it "what can be copied runs" /usr/bin/python3 "$top/tests/page/commands.py" all.html
it "sources that are not there" /usr/bin/python3 "$top/tests/page/places-none.py" one.html "$O/pages/places"
it "maps, origins and joules" /usr/bin/python3 "$top/tests/page/places-others.py" all.html others.html "$O/pages/places"
# A machine that counts cycles is not at hand everywhere: CPU time under that name is a core of 1 GHz.
it "a run with counted events" perseus record -q --events=task-clock -o counts ./phased
exits 0 "... without cycles" perseus report --html slow.html ./counts
it "has no speeds" test "$(grep -c 'id="speeds"' slow.html)" = 0
it "called cycles" /usr/bin/python3 "$top/tests/page/as-cycles.py" counts
exits 0 "a page of it" perseus report --html fast.html ./counts
perseus report --json --calls 1000 ./counts >counts.json
it "cores of 1 GHz" /usr/bin/python3 "$top/tests/page/speeds.py" fast.html "$O/pages/places" counts.json
# Twins: what was altered is noticed.
sed 's/"loads": \([0-9]\)\([0-9]*\),"stores"/"loads": 9\2,"stores"/; s/"births": 40000/"births": 50000/' all.html >altered.html
it "figures that were altered" sh -c '! cmp -s all.html altered.html && ! /usr/bin/python3 "$1"/tests/page/places.py altered.html "$2" denormals.json' sh "$top" "$T/shots"
finish
