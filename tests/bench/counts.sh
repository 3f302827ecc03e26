# SPDX-License-Identifier: MIT
# make bench-counts: calls of each function of public programs as perseus record
# counts them, beside those that callgrind counts in their plain builds; and what
# differs beside gdb, which stops at each call.  Nothing is timed.
. tests/bench/lib.sh
plugin_line
judge=$(pwd)/tests/bench/counts.py
VARIANTS="plain calls"
# Else how often strings are looked up hangs on the time and on addresses.
lua_fixed='#define luai_makeseed(L) 7u
#define STRCACHE_N 1
#define STRCACHE_M 2
'
. tests/bench/programs.sh
seq 1 4000 | awk '{ print $1, $1 * 7919 % 100003, "perseus" }' >"$T/input"
sed -i 's/fib(29)/fib(16)/; s/150000/1500/g; s/300000/6000/' "$T/t.lua"

# measure NAME PROGRAM ARGUMENT...: both builds as they are, the plain one by callgrind
measure() {
	name=$1 program=$2
	shift 2
	valgrind -q --tool=callgrind --demangle=no --callgrind-out-file="$T/callgrind" \
		"$T/plain/$program" "$@" >/dev/null 2>&1 </dev/null || [ -s "$T/callgrind" ] || return
	rm -rf "$T/run"
	perseus record -q -o "$T/run" "$T/calls/$program" "$@" >/dev/null 2>&1 </dev/null
	perseus report --json --calls 1000000 "$T/run" >"$T/report.json" 2>"$T/err" || { head -n 2 "$T/err"; return; }
	python3 "$judge" "$T/callgrind" "$T/report.json" >"$T/counts"
	sed "/^counts/d; s/^/$name: /" "$T/counts"
	by_gdb "$T/plain/$program" "$@"
	set -- $(sed -n 's/^counts //p' "$T/counts")
	figure "counts.$name.unexplained" "$4" 0 "$2 of $1 functions equal, $3 differ as the report says; $5 calls"
}

# by_gdb PROGRAM ARGUMENT...: how often the functions that differ begin, in one more plain run
by_gdb() {
	sed -n 's/^differ \([^ ]*\) .*/\1/p' "$T/counts" | head -n 8 >"$T/names"
	[ -s "$T/names" ] && command -v gdb >/dev/null || return
	{
		echo "tbreak main"
		echo run # with arguments it would forget those of --args
		awk '{ print "break " $1; print "ignore $bpnum 100000000" }' "$T/names"
		echo "continue"
		echo "info breakpoints"
	} >"$T/gdb"
	gdb -q -batch -x "$T/gdb" --args "$@" 2>/dev/null </dev/null |
		awk -v name="$name" '/breakpoint  *keep/ { n++ } /already hit/ { hits[n] = $4 } { while ((getline line <names) > 0) f[++k] = line } END { for (i = 1; i <= k; i++) print name ": gdb " f[i] " " hits[i] + 0 }' names="$T/names"
}

command -v valgrind >/dev/null || { echo "note: no valgrind here"; finish_bench; exit; }
each_program
finish_bench
