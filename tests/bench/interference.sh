#!/bin/sh
# SPDX-License-Identifier: MIT
# make bench-interference: how long triggers and a planned program take, alone and
# under interference on the other core and on the same one; some minutes.  Prints a
# table, which is also in $OUT (interference.csv), to be kept by
# `perseus codegen --evidence=... --attach=interference.csv`.  These are
# distributions that were seen, not bounds: the most is the most of so many.  A share
# that so few cannot show is `-`; what could not interfere here has a row that says so.
. tests/bench/lib.sh
. tests/codegen/plan.inc
. tests/evidence/pairs.inc
: "${RUNS:=20}" "${OUT:=interference.csv}"
load_note
it() { shift; "$@" >/dev/null || exit 3; }
exits() { shift 2; "$@" >/dev/null || exit 3; }
W=$T/work
mkdir -p "$W"
{
	plan_head
	echo threads:
	plan_thread 0 main - - 0 "$A"
	echo sites:
	plan_site 0 00c1a5e4b7d29f36 spread.c main kept 10
	plan_site 1 93aa0b6614f08e7c spread.c main moved 11
	echo triggers:
	plan_trigger 1 0 0 true 1 1 "$A"
	plan_trigger 2 0 1 true 1 2 "${B:-$A}"
	plan_trigger 3 0 1 true 2 2 "$A"
} >"$T/plan.yaml"
perseus codegen "$T/plan.yaml" -o "$T/gen" >/dev/null || exit 3
gcc -std=c11 -O2 -I"$T/gen" -o "$T/spread" tests/bench/spread.c "$T/gen/perseus_triggers.c" "$T/gen/perseus_platform_linux.c" || exit 3
gcc -std=gnu11 -O2 -o "$T/stressor" tests/bench/stressor.c || exit 3
planned_pairs

# of_runs NAME COMMAND...: the same columns for whole runs, in ns
of_runs() {
	name=$1
	shift
	for _ in $(seq "$RUNS"); do
		begin=$(date +%s%N)
		"$@" >/dev/null 2>&1 || exit 3
		echo $(($(date +%s%N) - begin))
	done | sort -n | awk -v name="$name" 'function at(share, i) { i = int(NR * share); return v[i < NR ? i + 1 : NR] }
		function rare(share, least) { return NR < least ? "-" : at(share) }
		{ v[NR] = $1 } END { printf "%s,%d,%d,%d,%s,%s,%d\n", name, NR, v[1], at(0.5), rare(0.99, 100), rare(0.999, 1000), v[NR] }'
}
running() { kill -0 "$stressor" 2>/dev/null && ! grep -q '^State:.*Z' "/proc/$stressor/status" 2>/dev/null; }
# under LABEL KIND CORE: all subjects beside that interference
under() {
	stressor=
	if [ "$2" != none ]; then
		"$T/stressor" "$2" "$3" 600 2>/dev/null &
		stressor=$!
		sleep 0.3
		running || { echo "$1,not run: the stressor does not run here,,,,,," && stressor= && return; }
	fi
	{ "$T/spread" && of_runs "pairs planned" "$W/planned/pairs" && of_runs "pairs as it is" "$W/measured/pairs"; } | sed "s/^/$1,/"
	[ -z "$stressor" ] || running || echo "$1,the stressor ended meanwhile: the rows above are not all under it,,,,,,"
	[ -z "$stressor" ] || { kill "$stressor"; wait "$stressor"; } 2>/dev/null
	stressor=
}
stressor=
{
	# This is a shell of its own: whoever ends it ends its stressor.
	trap '[ -z "$stressor" ] || kill "$stressor" 2>/dev/null' EXIT
	trap 'exit 1' INT TERM HUP PIPE
	echo "interference,subject,calls or runs,least ns,median ns,99 % ns,99.9 % ns,most ns"
	under none none
	for kind in memory cache system compute; do
		if [ -n "$B" ]; then under "$kind on another core" $kind "$B"
		else echo "$kind on another core,not run: there is one core only,,,,,,"; fi
		under "$kind on the same core" $kind "$A"
	done
} | tee "$OUT"
finish_bench
