#!/bin/sh
# SPDX-License-Identifier: MIT
# perseus report --html: what is in the file, that it holds what the commands print, and that no name in it is markup.
. tests/lib.sh
top=$PWD
cd "$T" || exit 1
name='a"b<img src=x onerror=alert(1)>'
it "a program builds" gcc -O1 -g $(perseus flags) -o evil "$top/tests/page/work.c" -pthread
it "a name that is markup" cp evil "$name"
it "a timing run" perseus record -q "./$name"
it "a sharing run" perseus record -q --purpose=sharing "./$name"
exits 0 "a page of both" perseus report --html page.html
says "^wrote page.html, [0-9.]+ MB: it opens in a browser from disk$" "... it says so" out
it "nothing but scripts of ours may run" grep -q "default-src 'none'; script-src 'sha256-" page.html
it "it is small" test "$(wc -c <page.html)" -lt 500000
it "its colors can be told apart" /usr/bin/python3 "$top/tests/page/palette.py" "$top/lib/html/assets/page.css"
sed 's/--unknown: #......;/--unknown: #999999;/' "$top/lib/html/assets/page.css" >alike.css
it "two that cannot" sh -c '! /usr/bin/python3 "$1/tests/page/palette.py" alike.css >out && grep -q "unknown and probe" out' sh "$top"
it "the title is text" grep -qF '<title>a&quot;b&lt;img src=x onerror=alert(1)&gt; - Perseus</title>' page.html
it "no markup of others" test "$(grep -c '<img' page.html)" = 0
perseus report --json --threads --calls 5000 @last-timing >report.json
perseus waits --json @last-timing >waits.json
perseus waits --critical-path --json @last-timing >critical.json
perseus report --paths --json --calls 20000 @last-timing >paths.json
perseus conflicts --json --all >conflicts.json
perseus conflicts --map=map.json >/dev/null
it "its documents are what the commands print" /usr/bin/python3 -c "
import json, re
page = open('page.html').read()
for name in 'report', 'waits', 'critical', 'paths', 'conflicts', 'map':
    said = re.search('<script type=\"application/json\" id=\"' + name + '\">(.*?)</script>', page, re.S).group(1)
    assert json.loads(said) == json.load(open(name + '.json')), name
"
it "the tables are what was recorded" /usr/bin/python3 "$top/tests/page/tables.py" page.html report.json
exits 0 "a page with a baseline" perseus report --html since.html --compare page.html
it "says what changed: nothing" grep -q 'no difference that can be told' since.html
exits 4 "a baseline that is none" perseus report --html since2.html --compare report.json.none
exits 2 "a baseline without a page" perseus report --compare page.html
exits 0 "a page of one run" perseus report --html one.html @last-timing
it "has no findings of sharing" test "$(grep -c 'id="conflicts"' one.html)" = 0
exits 0 "to stdout" perseus report --html=- @last-sharing
it "is the page alone" test "$(head -c 15 out)" = '<!DOCTYPE html>'
exits 2 "with another form" perseus report --html x.html --folded
exits 3 "where nothing can be written" perseus report --html nowhere/x.html
it "no file is left" test ! -e x.html
it "another program" gcc -O1 -fplugin="$PLUGIN" -o other -x c - <<'E2'
__attribute__((noinline)) static int f(int x) { return x + 1; }
int main(void) { return f(-1); }
E2
it "recorded" perseus record -q ./other
exits 4 "runs of two programs" perseus report --html x.html @last @last-sharing
cp -r perseus.data/other-* cut
it "a cut record" sh -c 'truncate -s 5000 cut/*.prec'
exits 4 "is refused or said" perseus report --html cut.html ./cut
finish
