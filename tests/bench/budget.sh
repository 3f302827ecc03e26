#!/bin/sh
# SPDX-License-Identifier: MIT
# make bench-budget: is an overhead that is promised held, and what is left of
# the profile?  CPU time of programs recorded with --budget / the same binary
# with its probes at rest; least of interleaved runs.  The works last a third of
# a second or more: what the start of the recording takes cannot be won.
. tests/bench/lib.sh
. tests/bench/programs.sh
load_note
plugin_line
VARIANTS=calls
rounds=${BENCH_ROUNDS:-9}
gcc -O2 -o "$T/cputime" tests/bench/cputime.c || exit 3
mkdir "$T/live" "$T/runs"

for i in 1 2 3 4; do cat "$T/input"; done >"$T/input4"
awk 'BEGIN { srand(9); print "p cnf 240 1022"; for (i = 0; i < 1022; i++) { for (j = 0; j < 3; j++) printf "%d ", (rand() < .5 ? -1 : 1) * int(1 + rand() * 240); print 0 } }' >"$T/p240.cnf"
{ echo 'for round = 1, 10 do'; sed 's/^local which/which/' "$T/t.lua"; echo 'end'; } >"$T/long.lua"

# starter FILE PROGRAM PPM: a script that makes a run directory and becomes the program, recorded unless PPM is empty
starter() {
	env=${3:+"PERSEUS_RUN_DIR=\$d PERSEUS_PURPOSE=timing PERSEUS_BUDGET=$3 LD_PRELOAD=$O/lib/libperseus-rt.so"}
	printf '#!/bin/sh\nd=%s/runs/%s-$$\nmkdir "$d"\nexec env %s %s "$@"\n' "$T" "$1" "$env" "$2" >"$T/live/$1"
	chmod +x "$T/live/$1"
}

# shares RUN LEAST: the costliest ten functions that have LEAST of the time, "SHARE NAME"
shares() {
	perseus report --json "$1" 2>/dev/null | awk -v least="$2" '
		/"call_sites":/ { exit }
		/"assembler_name":/ { sub(/^[^:]*: "/, ""); sub(/",$/, ""); name = $0 }
		/"self":/ { sub(",", "", $2); if ($2 + 0 >= least) print $2, name }' | sort -rg | head -n 10
}

# missing A B: how many functions of the list A are not in B, and half the sum of the differences of shares
missing() {
	awk 'NR == FNR { b[$2] = $1; next } { n += !($2 in b); d += $1 > b[$2] ? $1 - b[$2] : b[$2] - $1; delete b[$2] }
		END { for (f in b) if (b[f] >= 0.05) d += b[f]; printf "%d %.3f\n", n, d / 2 }' "$2" "$1"
}
timed() { perseus report --json "$1" 2>/dev/null | sed -n 's/^ *"calls_timed": \([0-9]*\),*$/\1/p'; }
told() { perseus report --json "$1" 2>/dev/null | sed -n 's/^ *"used": \([-0-9.e+]*\),*$/\1/p'; }

# measure NAME GOAL PROGRAM ARGUMENT...
measure() {
	name=$1 goal=$2 program=$T/calls/$3
	shift 3
	starter rest "$program" ""
	starter b1 "$program" 10000
	starter b3 "$program" 30000
	starter b10 "$program" 100000
	t=$("$T/cputime" "$rounds" "$T/live/rest" "$T/live/b1" "$T/live/b3" "$T/live/b10" -- x "$@" 2>"$T/log")
	rm -rf "$T/runs"
	mkdir "$T/runs"
	if [ -z "$t" ]; then echo "note: $name: $(tail -n 1 "$T/log")"; return; fi
	for b in 1 3 10; do
		perseus record -q --budget=$b% -o "$T/run-$name-$b" -- "$program" "$@" >/dev/null 2>&1
	done
	perseus record -q -o "$T/run-$name" -- "$program" "$@" >/dev/null 2>&1
	shares "$T/run-$name" 0.05 >"$T/full"
	shares "$T/run-$name-3" 0 >"$T/kept"
	# shellcheck disable=SC2086
	set -- $t
	figure "record.budget.$name" "$(echo "$3 $1" | awk '{ printf "%.3f", $1 / $2 }')" "$goal" \
		"at rest $1 s; said $(told "$T/run-$name-3" | awk '{ printf "%.3f", 1 + $1 }'); 1 %: $(echo "$2 $1" | awk '{ printf "%.3f", $1 / $2 }'), 10 %: $(echo "$4 $1" | awk '{ printf "%.3f", $1 / $2 }')"
	a=$(timed "$T/run-$name-1") b=$(timed "$T/run-$name-3") c=$(timed "$T/run-$name-10")
	figure "record.budget.order.$name" "$(awk -v a="$a" -v b="$b" -v c="$c" 'BEGIN { print (a > b) + (b > c) }')" 0 "calls timed at 1, 3, 10 %: $a $b $c"
	# shellcheck disable=SC2046
	set -- $(missing "$T/full" "$T/kept")
	figure "record.budget.missing.$name" "$1" 0 "of the $(wc -l <"$T/full") functions above 5 % without a budget; shares differ by $2"
}

echo '#define DEB_HOST_MULTIARCH "none"' >"$T/lua5.4-deb-multiarch.h"	# made by Debian's build
if tree lua5.4 && build lua 'gcc $F -I$T -DLUA_USE_POSIX -o $B/lua $(ls src/*.c | grep -v luac) -lm'; then
	measure lua 1.03 lua "$T/long.lua" fib
	measure lua-table 1.03 lua "$T/long.lua" table
	# Three calls in every four nanoseconds: to count them takes more than the promise, and the goal is missed.
	measure lua-sort 1.03 lua "$T/long.lua" sort
fi
if tree minisat2 && build minisat2 'g++ $F -std=gnu++11 -fpermissive -D__STDC_LIMIT_MACROS -D__STDC_FORMAT_MACROS -I. -o $B/minisat minisat/core/*.cc minisat/utils/Options.cc minisat/utils/System.cc -lz ||
	g++ $F -std=gnu++11 -fpermissive -D__STDC_LIMIT_MACROS -D__STDC_FORMAT_MACROS -I. -o $B/minisat core/*.cc utils/Options.cc utils/System.cc -lz'; then
	measure minisat2 1.03 minisat -verb=0 "$T/p240.cnf"
fi
if tree bzip2 && build bzip2 'gcc $F -D_FILE_OFFSET_BITS=64 -o $B/bzip2 blocksort.c huffman.c crctable.c randtable.c compress.c decompress.c bzlib.c bzip2.c'; then
	measure bzip2 1.03 bzip2 -c "$T/input4"
fi
if tree libzstd && build zstd 'gcc $F -DZSTD_DISABLE_ASM -DZSTD_LEGACY_SUPPORT=0 -Ilib -Ilib/common -o $B/zstd lib/common/*.c lib/compress/*.c lib/decompress/*.c lib/dictBuilder/*.c programs/*.c'; then
	measure zstd 1.03 zstd -q -9 -c "$T/input4"
fi
D=$(pwd)
if build signal 'gcc $F -falign-functions=64 -Iexamples/signal -o $B/signal examples/signal/*.c -lpthread -lm'; then
	measure signal 1.03 signal 0.5
fi
finish_bench
