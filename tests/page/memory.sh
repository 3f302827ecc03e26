#!/bin/sh
# SPDX-License-Identifier: MIT
# The tab "Memory" of a run with a trace: what it plays, what it says when the trace is damaged or not there,
# and that it has nothing to play where nothing is in conflict.
. tests/lib.sh
top=$PWD
cd "$T" || exit 1
it "a program builds" gcc -O1 -g $(perseus flags) -o turns "$top/tests/page/turns.c" -pthread
it "its twin, with fields apart" gcc -O1 -g -DAPART $(perseus flags) -o apart "$top/tests/page/turns.c" -pthread
it "... and one thread after the other" gcc -O1 -g -DALONE $(perseus flags) -o alone "$top/tests/page/turns.c" -pthread
it "a sharing run with a trace" perseus record -q --purpose=sharing --trace --trace-full=block -o traced ./turns
it "... of fields apart" perseus record -q --purpose=sharing --trace --trace-full=block -o apart.run ./apart
it "... of one after the other" perseus record -q --purpose=sharing --trace --trace-full=block -o alone.run ./alone
it "... cut in the middle of a thread's accesses" sh -c 'cp -r traced cut && s=$(ls -S cut/trace/[0-9]* | head -1) && truncate -s $(($(wc -c <"$s") * 2 / 3 + 5)) "$s"'
it "... whose trace has a damaged head" sh -c 'cp -r traced bad && echo damage >bad/trace/metadata'
for run in traced apart.run alone.run cut bad; do
	exits 0 "a page of $run" perseus report --html $run.html ./$run
done
it "what it holds" /usr/bin/python3 "$top/tests/page/memory.py" traced.html apart.run.html alone.run.html cut.html bad.html
it "no markup of others" test "$(cat ./*.html | grep -c '<img')" = 0
[ -x /usr/bin/chromium ] && [ -x /usr/bin/chromedriver ] && /usr/bin/python3 -c 'import selenium' 2>/dev/null || {
	skip "pages in a browser" "no chromium with its driver here"
	finish
}
for run in traced cut bad; do
	it "driven: $run" /usr/bin/python3 "$top/tests/page/tab-memory.py" $run.html "$O/pages/memory-$run"
done
it "driven: nothing is in conflict" /usr/bin/python3 "$top/tests/page/memory-twin.py" alone.run.html "$O/pages"
finish
