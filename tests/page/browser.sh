#!/bin/sh
# SPDX-License-Identifier: MIT
# A page in a browser: every tab is opened and driven, and its figures are those of --json.
# Screenshots are kept in $O/pages.
. tests/lib.sh
top=$PWD
[ -x /usr/bin/chromium ] && [ -x /usr/bin/chromedriver ] && /usr/bin/python3 -c 'import selenium' 2>/dev/null || {
	skip "pages in a browser" "no chromium with its driver here"
	finish
}
cd "$T" || exit 1
it "a program builds" gcc -O1 -g $(perseus flags) -o work "$top/tests/page/work.c" -pthread
it "a timing run" perseus record -q ./work
it "a sharing run" perseus record -q --purpose=sharing --sharing=precise ./work
it "a page" perseus report --html page.html
for test in "$top"/tests/page/tab-*.py; do
	name=$(basename "$test" .py)
	it "$name" /usr/bin/python3 "$test" page.html "$O/pages"
done
it "what can be copied runs" /usr/bin/python3 "$top/tests/page/commands.py" page.html
it "it prints" /usr/bin/python3 "$top/tests/page/print.py" page.html
it "a program with many calls" gcc -O1 -g $(perseus flags) -o traced "$top/tests/page/traced.c" -pthread
it "a run with a trace" perseus record -q --trace ./traced
it "a page of it" perseus report --html traced.html @last
it "takes less than 3 MB" test "$(wc -c <traced.html)" -lt 3000000
for name in calls timeline waits; do
	it "$name, with a trace" /usr/bin/python3 "$top/tests/page/tab-$name.py" traced.html "$O/pages/traced"
done
it "what can be copied of it runs" /usr/bin/python3 "$top/tests/page/commands.py" traced.html
# Names that are markup, end a script, or turn the direction: they are shown, and do nothing.
mkdir 'a<'
name=$(printf 'a</script>"\047&<b>\342\200\256.c')
it "a source with such a name" sh -c 'sed "s/return p;/pthread_setname_np(pthread_self(), \"<\/script>\\\\001\"); return p;/" "$1" >"$2"' sh "$top/tests/page/work.c" "$name"
it "builds" gcc -O1 -g -D_GNU_SOURCE $(perseus flags) -o hostile "$name" -pthread
it "recorded" perseus record -q --trace ./hostile
it "a page of it" perseus report --html hostile.html @last
for name in calls timeline waits; do
	it "$name, with such names" /usr/bin/python3 "$top/tests/page/tab-$name.py" hostile.html "$O/pages/hostile"
done
# Twins: what was altered is noticed.
sed 's/"calls": \([0-9]*\),/"calls": 9\1,/g' page.html >altered.html
it "figures that were altered" sh -c '! cmp -s page.html altered.html && ! /usr/bin/python3 "$1"/tests/page/tab-calls.py altered.html "$2"' sh "$top" "$T/shots"
sed '/id="call_rows"/s/>H4sI/>H4sA/' page.html >damaged.html
it "a table that was damaged" sh -c '! cmp -s page.html damaged.html && ! /usr/bin/python3 "$1"/tests/page/tab-calls.py damaged.html "$2"' sh "$top" "$T/shots"
it "tables that lose their heads on paper" sh -c '! /usr/bin/python3 "$1"/tests/page/print.py page.html headless 2>out && grep -q "th button 0 are printed" out' sh "$top"
finish
