#!/bin/sh
# SPDX-License-Identifier: MIT
# make bench-record: cost of call probes.  E = net ns per call / (2 x clock read).
# Then, as information, what a timing run costs real programs (tests/bench/programs.sh)
# in the default mode: CPU time of the recorded program / the plain one; BENCH_PARTS=calls leaves that out.
. tests/bench/lib.sh
. tests/bench/programs.sh
load_note
plugin_line
# PIE and -O2, as users build; recursion is kept what it is, so that both builds make the same calls.
harness="-O2 -fno-optimize-sibling-calls -pthread"
offsets="0 16 32 48"
for o in $offsets; do
	# shellcheck disable=SC2086,SC2046
	{
		gcc $harness -DOFFSET="$o" -o "$T/plain-$o" tests/bench/calls.c || exit 3
		gcc $harness -DOFFSET="$o" $(plugin_flags calls) -o "$T/probed-$o" tests/bench/calls.c || exit 3
	}
done
gcc -O2 -o "$T/cputime" tests/bench/cputime.c || exit 3
rounds=${BENCH_ROUNDS:-5}

# level NAME OFFSET PERIOD [THREADS]: one recorded run
level() {
	rm -rf run
	mkdir run
	PERSEUS_PERIOD=$3 PERSEUS_RUN_DIR=$T/run LD_PRELOAD=$O/lib/libperseus-rt.so ./probed-"$2" ${4:-1} >>"$1-$2.txt" 2>/dev/null
}

# One turn of each level, in $T.
turn() {
	for o in $offsets; do
		./plain-"$o" >>"plain-$o.txt"
		./probed-"$o" >>"dormant-$o.txt"
		LD_PRELOAD=$O/lib/libperseus-nop.so ./probed-"$o" >>"hooks-$o.txt"
		level timed "$o" 1
		level sampled "$o" 64
		level count "$o" 1048576
		level default "$o" ""
	done
	if [ "$(nproc)" -ge 2 ]; then
		level one 0 1 1
		level two 0 1 2
	fi
	for p in instrument gprof uftrace; do [ -x "./peer-$p" ] && ./peer-$p >>"peer-$p-0.txt" 2>/dev/null; done
	rm -rf gmon.out uf uf.old
}

# The peers that are there, on the same program.
peers() {
	printf '%s\n' 'void __cyg_profile_func_enter(void *f, void *c) { (void)f, (void)c; }' \
	  'void __cyg_profile_func_exit(void *f, void *c) { (void)f, (void)c; }' >hooks.c
	# shellcheck disable=SC2086
	{
		gcc -O2 -c -o hooks.o hooks.c &&
		gcc $harness -finstrument-functions -o peer-instrument "$1/tests/bench/calls.c" hooks.o
		gcc $harness -pg -o peer-gprof "$1/tests/bench/calls.c"
	} 2>/dev/null
	if command -v uftrace >/dev/null; then
		# shellcheck disable=SC2086
		gcc $harness -DREPEATS=2 -pg -o traced "$1/tests/bench/calls.c" 2>/dev/null
		printf '#!/bin/sh\nexec uftrace record --no-libcall --no-event -d "%s/uf" "%s/traced"\n' "$T" "$T" >peer-uftrace
		chmod +x peer-uftrace
	fi
}
top=$(pwd)
(cd "$T" && peers "$top")
i=0
while [ $i -lt "$rounds" ]; do
	(cd "$T" && turn)
	i=$((i + 1))
done
# least FILE: of each column
least() { awk '{for (k = 1; k <= NF; k++) if (NR == 1 || $k < m[k]) m[k] = $k} END {for (k = 1; k <= NF; k++) printf "%s ", m[k]; print ""}' "$1" 2>/dev/null; }
# each NAME: E of each offset and workload, "WORKLOAD E" a line
each() {
	for o in $offsets; do
		[ -s "$T/$1-$o.txt" ] || continue
		echo "$(least "$T/plain-$o.txt") $(least "$T/$1-$o.txt")" |
		  awk 'BEGIN {split("F L L2 R D H T", w)} {for (k = 2; k <= 8; k++) print w[k - 1], ($(k + 8) - $k) / (2 * $9)}'
	done
}
# by_workload NAME: the median of each, in one line
by_workload() { for w in F L L2 R D H T; do printf '%s %.3f ' $w "$(each "$1" | awk -v w=$w '$1 == w {print $2}' | median)"; done; }
efficiency() { each "$1" | awk '{print $2}' | median; }
# peer NAME: its E, "-" if it is not here
peer() { e=$(efficiency "peer-$1" | awk '{printf "%.2f", $1}'); [ -s "$T/peer-$1-0.txt" ] && echo "$e" || echo -; }
figure record.E.timed "$(efficiency timed)" 1.0 "$(by_workload timed)"
figure record.E.sampled "$(efficiency sampled)" 0.04 "$(by_workload sampled)"
figure record.E.count "$(efficiency count)" 0.02 "$(by_workload count)"
figure record.E.default "$(efficiency default)" "" "automatic back-off"
figure record.E.hooks "$(efficiency hooks)" "" "libperseus-nop.so: every probe goes the long way, nothing is recorded"
figure record.E.dormant "$(efficiency dormant)" 0.02 "$(by_workload dormant)"
echo "note: peers in this run: empty -finstrument-functions $(peer instrument), -pg $(peer gprof), uftrace $(peer uftrace)"
ratio() { paste -d' ' "$T/two-0.txt" "$T/one-0.txt" | awk '{for (k = 2; k <= 8; k++) print $k / $(k + 8)}' | median; }
[ -s "$T/two-0.txt" ] && figure record.threads2_ratio "$(ratio)" 1.05 "two threads against one, ns per timed call"
figure record.runtime_text_bytes "$(size -A "$O/lib/libperseus-rt.so" | awk '$1 == ".text" {print $2}')" 65536

[ "${BENCH_PARTS:-}" != calls ] || { finish_bench; exit; }
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
