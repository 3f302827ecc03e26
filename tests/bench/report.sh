#!/bin/sh
# SPDX-License-Identifier: MIT
# make bench-report: how long a page of a run with a trace takes to write and to open, and its bytes.
# Median of five, in Debian's chromium without a window; from the start of the navigation to the drawn player.
. tests/bench/lib.sh
load_note
# shellcheck disable=SC2046
gcc -O2 -g $(perseus flags) -o "$T/moves" tests/bench/moves.c -pthread || exit 3
for n in 1000000 10000000; do
	perseus record -q --purpose=sharing --trace --trace-full=block -o "$T/run-$n" -- "$T/moves" $n 2>/dev/null || exit 3
	for _ in 1 2 3; do
		start=$(date +%s.%N)
		perseus report --html "$T/$n.html" "$T/run-$n" >/dev/null || exit 3
		date +%s.%N | awk -v s="$start" '{print $1 - s}'
	done | median >"$T/make-$n"
done
/usr/bin/python3 tests/bench/report.py "$T/1000000.html" "$T/10000000.html" >"$T/figures" || exit 3
kept() { echo "$(value "kept_$1") of $(value "events_$1") accesses one by one, $2"; }
figure report.ready_1e6_ms "$(value ready_1e6)" 500 "$(kept 1e6 "the tab Memory")"
figure report.ready_1e7_ms "$(value ready_1e7)" 2000 "$(kept 1e7 "all of them as sums")"
figure report.first_1e6_ms "$(value first_1e6)" "" "the first screen of the same page"
figure report.seek_ms "$(value seek)" 10 "to any access; worst of 300: $(value worst)"
figure report.bytes_1e6 "$(value table_1e6)" 3000000 "the accesses, in no order; with all else the page has $(value bytes_1e6)"
figure report.bytes_1e7 "$(value table_1e7)" 3000000 "the page $(value bytes_1e7)"
figure report.make_1e6_s "$(cat "$T/make-1000000")" 1 "perseus report --html, analysis and all"
figure report.make_1e7_s "$(cat "$T/make-10000000")" "" "the same"
finish_bench
