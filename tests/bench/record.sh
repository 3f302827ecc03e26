#!/bin/sh
# SPDX-License-Identifier: MIT
# make bench-record: cost of call probes.  E = net ns per call / (2 x clock read).
# Then, as information, what a timing run costs real programs (tests/bench/programs.sh)
# in the default mode: CPU time of the recorded program / the plain one.
. tests/bench/lib.sh
. tests/bench/programs.sh
load_note
plugin_line
harness="-O2 -fno-inline -fno-optimize-sibling-calls"
# shellcheck disable=SC2086,SC2046
{
	gcc $harness -o "$T/plain-calls" tests/bench/calls.c || exit 3
	gcc $harness $(plugin_flags calls) -o "$T/probed-calls" tests/bench/calls.c || exit 3
}
gcc -O2 -o "$T/cputime" tests/bench/cputime.c || exit 3
rounds=${BENCH_ROUNDS:-5}

# One turn of each level, in $T.
turn() {
	./plain-calls >>plain.txt
	./probed-calls >>dormant.txt
	for level in 1 64 1073741824; do
		PERSEUS_PERIOD=$level perseus record -o "run-$1-$level" -- ./probed-calls >>"level-$level.txt" 2>/dev/null
	done
	perseus record -o "run-$1" -- ./probed-calls >>default.txt 2>/dev/null
}
i=0
while [ $i -lt "$rounds" ]; do
	(cd "$T" && turn $i)
	i=$((i + 1))
done
# efficiency FILE: median E over rounds and workloads
efficiency() {
	paste -d' ' "$T/plain.txt" "$T/$1" | awk '{for (k = 2; k <= 4; k++) print ($(k + 4) - $k) / (2 * $5)}' | median
}
figure record.E.timed "$(efficiency level-1.txt)" 1.0 "peers: Tracy 1.5, uftrace 3.8"
figure record.E.sampled "$(efficiency level-64.txt)" 0.04
figure record.E.count "$(efficiency level-1073741824.txt)" 0.02
figure record.E.default "$(efficiency default.txt)" "" "automatic back-off"
figure record.E.dormant "$(efficiency dormant.txt)" 0.02
figure record.runtime_text_bytes "$(size -A "$O/lib/libperseus-rt.so" | awk '$1 == ".text" {print $2}')" 65536

VARIANTS="plain calls,memory"
mkdir "$T/live" "$T/runs"
# starter FILE PROGRAM LINE: a script that makes a run directory, does LINE, and becomes the program
starter() {
	printf '#!/bin/sh\nd=%s/runs/$$\nmkdir "$d"\n%s\nexec %s "$@"\n' "$T" "$3" "$2" >"$T/live/$1"
	chmod +x "$T/live/$1"
}
# measure NAME PROGRAM ARGUMENT...
measure() {
	name=$1 program=$2
	shift 2
	starter plain "$T/plain/$program" ""
	starter asleep "$T/calls,memory/$program" ""
	starter awake "$T/calls,memory/$program" "export PERSEUS_RUN_DIR=\$d PERSEUS_PURPOSE=timing LD_PRELOAD=$O/lib/libperseus-rt.so"
	t=$("$T/cputime" "$rounds" "$T/live/plain" "$T/live/asleep" "$T/live/awake" -- x "$@" 2>"$T/log")
	if [ -z "$t" ]; then echo "note: $name: $(tail -n 1 "$T/log")"
	elif ! ls "$T"/runs/*/*.prec >/dev/null 2>&1; then echo "note: $name recorded nothing"
	else
		echo "$name $t" | awk '{ printf "%s %.3f %.3f %.3f\n", $1, $4 / $2, $3 / $2, $2 }' >"$T/line"
		cat "$T/line" >>"$T/real"
		figure "record.real.$name" "$(awk '{ print $2 }' "$T/line")" "" "plain $(awk '{ print $4 }' "$T/line") s; with probes at rest $(awk '{ print $3 }' "$T/line")"
	fi
	rm -rf "$T/runs"
	mkdir "$T/runs"
}
each_program
real() { awk '{ print $2 }' "$T/real" 2>/dev/null; }
figure record.real.median "$(real | median)" "" "$(real | wc -l) programs"
figure record.real.max "$(real | sort -g | tail -n 1)" ""
finish_bench
