#!/bin/sh
# SPDX-License-Identifier: MIT
# make bench-rest: instructions that programs need which have all probes and run
# without the runtime, against the plain build, with probes in the only body of
# each function and in a second one (bodies=two).  Counted by cachegrind, so that
# neither load nor the layout of the code matters; what a core makes of them is
# make bench-dormant's.  Beside it what the compiler needed, in CPU time.
#
#   BENCH_ONLY="NAME ..."  only these programs
. tests/bench/lib.sh
VARIANTS="plain one two"
SRC=$O/foreign-src
command -v valgrind >/dev/null || { echo "note: no valgrind: nothing is counted"; exit; }
plugin_line
PROGRAMS="json:20 pack:6 matrix:200 pipe:20000 match:6000 sort:40000 stencil:30 tree:600 words:12000 machine:10 kv:2,4000
	queens:9 graph:3000 lists:500 turns:2000 bodies:1500 bytes:15000 names:50000 rounds:120 fourier:40 counts:2500 recent:300000
	distance:70 cells:300000 digits:250000 heap:150 julia:150 lexer:240 life:25 order:6 shapes:90"

# flags VARIANT
flags() {
	case $1 in
	one) plugin_flags calls,memory ;;
	two) echo "$(plugin_flags calls,memory) -fplugin-arg-perseus-bodies=two" ;;
	esac
}

wanted() { case " ${BENCH_ONLY:-$1} " in *" $1 "*) ;; *) return 1 ;; esac; }

# build NAME COMMAND: for each variant, with $F its flags and $B where the program goes; what the compiler took to $T/cpu
build() {
	: >"$T/cpu"
	for v in $VARIANTS; do
		F="-O2 -w $(flags $v)" B=$T/$v-$1
		export F B
		sh -c "$2; times" >"$T/log" 2>"$T/err" || { echo "note: $1 does not build ($v): $(tail -n 1 "$T/err")"; return 1; }
		tail -n 1 "$T/log" | awk '{ split($1, t, /[ms]/); print t[1] * 60 + t[2] }' >>"$T/cpu"
	done
}

# count COMMAND...: instructions of it
count() {
	valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null --log-file="$T/log" "$@" >/dev/null 2>&1
	awk '/I +refs:/ { gsub(",", ""); print $NF }' "$T/log"
}

# measure NAME ARGUMENT...
measure() {
	name=$1
	shift
	n=$(for v in $VARIANTS; do count "$T/$v-$name" "$@"; done)
	text=$(for v in $VARIANTS; do size -A "$T/$v-$name" | awk '$1 == ".text" { print $2 }'; done)
	echo "$name" $n $text $(cat "$T/cpu") | awk '{ printf "%-10s %8.2f M   one %.3f   two %.3f   text %8d x%.2f x%.2f   compiler %.1f s x%.2f x%.2f\n",
		$1, $2 / 1e6, $3 / $2, $4 / $2, $5, $6 / $5, $7 / $5, $8, $9 / ($8 + .001), $10 / ($8 + .001) }' | tee -a "$T/all"
}

for spec in $PROGRAMS; do
	wanted "${spec%%:*}" || continue
	source=$(ls tests/bench/overhead/"${spec%%:*}".c* tests/bench/overhead/*/"${spec%%:*}".c* 2>/dev/null)
	case $source in *.cc) cc=g++ ;; *) cc=gcc ;; esac
	build "${spec%%:*}" "$cc \$F -fopenmp -o \$B $source -lpthread -lm" || continue
	# shellcheck disable=SC2046
	measure "${spec%%:*}" $(echo "${spec#*:}" | tr , ' ')
done

cat >"$T/t.lua" <<'L'
local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end
local t = {} for i = 1, 3000 do t[i] = (i * 7919) % 10007 end table.sort(t)
local s = {} for i = 1, 2000 do s[#s + 1] = string.format("%d:%s", i, tostring(i):rep(3)) end
local str = table.concat(s, ",") local n = 0 for w in str:gmatch("%d+") do n = n + #w end
local m = setmetatable({}, {__index = function(_, k) return k * 2 end}) for i = 1, 5000 do n = n + m[i] end
print(fib(18), t[17], n, #str:gsub("1", "22"))
L
if wanted lua && D=$(scripts/get-source.sh -x lua5.4 "$SRC"); then
	printf '#define DEB_HOST_MULTIARCH "none"\n' >"$T/lua5.4-deb-multiarch.h"
	build lua "gcc \$F -I$T -DLUA_USE_POSIX -o \$B \$(ls $D/src/*.c | grep -v luac) -lm" && measure lua "$T/t.lua"
fi

# column N: of the programs
column() { awk -v n="$1" '{ sub(/^x/, "", $n); print $n }' "$T/all" 2>/dev/null; }
figure rest.one.median "$(column 5 | median)" ""
figure rest.one.max "$(column 5 | sort -g | tail -n 1)" ""
figure rest.two.median "$(column 7 | median)" 1.01
figure rest.two.max "$(column 7 | sort -g | tail -n 1)" 1.04
finish_bench
