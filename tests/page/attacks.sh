#!/bin/sh
# SPDX-License-Identifier: MIT
# Pages of what is damaged, foreign, hostile or very much: they are made and say it, or are refused; nothing in them runs.
. tests/lib.sh
top=$PWD
cd "$T" || exit 1
it "a program builds" gcc -O1 -g $(perseus flags) -o phased "$top/tests/page/phased.c" -pthread
it "a run" perseus record -q -o run ./phased
it "a page of it" perseus report --html base.html ./run
# ---- pages given to diff ----
report=$(grep -bo 'id="report"' base.html | cut -d: -f1)
head -c $((report + 3000)) base.html >cut.html
sed 's/id="report">{/id="report">{{/' base.html >broken.html
sed 's/"functions": \[/"functions": 7,"x": [/' base.html >odd.html
sed 's/id="report"/id="other"/' base.html >without.html
echo '<!DOCTYPE html><title>news</title><script>alert(1)</script>' >foreign.html
printf '<\000<script type="application/json" id="report">{}</script>' >nul.html
: >empty.html
for page in cut broken odd without foreign nul empty; do
	exits 4 "diff refuses $page.html" perseus diff base.html $page.html
	it "... and names it" grep -q "$page.html" err
	exits 4 "... also as a baseline" perseus report --html x.html --compare $page.html ./run
done
exits 0 "diff takes the page itself" perseus diff base.html base.html
it "no page was left" test ! -e x.html
# ---- records ----
cp -r run header
truncate -s 4096 header/*.prec
exits 4 "a record cut behind its head" perseus report --html header.html ./header
cp -r run purpose
printf '\007' | dd of="$(ls purpose/*.prec)" bs=1 seek=28 conv=notrunc 2>/dev/null
exits 4 "a record of no known purpose" perseus report --html purpose.html ./purpose
cp -r run nothing
sed -i '/^purpose:/d' nothing/manifest.yaml
exits 4 "a manifest without a purpose" perseus report --html x.html ./nothing
says "purpose" "... it says so" err
# ---- names ----
evil=$(printf '</script><img src=x onerror=alert(1)>"\047\342\200\256\001')
perseus analyze -o model.yaml ./run >/dev/null
perseus plan model.yaml -p "$top/yaml/examples/platform.yaml" -o plan.yaml --watch=search.html >/dev/null
sed 's/^    name: "worker 0"/    name: "<\/script><img src=x onerror=alert(1)>\xe2\x80\xae"/' plan.yaml >evil.yaml
sed 's/"state": "done"/"state": "done\\u003c\/script>\\u003cimg src=x onerror=alert(1)>"/' search.html >evil-search.html
exits 0 "names of a plan and a search" perseus report --html evil.html --plan evil.yaml --search evil-search.html ./run
it "are there" sh -c '! cmp -s plan.yaml evil.yaml && ! cmp -s search.html evil-search.html && grep -q "u003c/script>.u003cimg" evil.html'
it "are no markup" test "$(grep -c '<img' evil.html)" = 0
mkdir '<' # the name has a slash in it
cp -r run "$evil"
exits 0 "a run of such a name" perseus report --html named.html "./$evil"
it "is no markup" test "$(grep -c '<img' named.html)" = 0
# ---- many threads ----
sed 's/LOOPS/3000/' >many.c <<'P'
#include <pthread.h>
__attribute__((noinline)) static long f(long x) { return x + 1; }
static void *w(void *p) { return (void *)f((long)p); }
int main(void)
{
	for (long i = 0; i < LOOPS; i++) {
		pthread_t t;
		pthread_create(&t, 0, w, (void *)i);
		pthread_join(t, 0);
	}
}
P
it "a program with many threads" gcc -O1 -g $(perseus flags) -o many many.c -pthread
it "its run" perseus record -q -o threads ./many
exits 0 "its page" perseus report --html many.html ./threads
it "has all of them" grep -q 'id="lives" data-rows="3001"' many.html
[ -x /usr/bin/chromium ] && [ -x /usr/bin/chromedriver ] && /usr/bin/python3 -c 'import selenium' 2>/dev/null || {
	skip "pages in a browser" "no chromium with its driver here"
	finish
}
it "all tabs of all of them" /usr/bin/python3 "$top/tests/page/opens.py" header.html purpose.html evil.html named.html many.html
finish
