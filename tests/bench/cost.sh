#!/bin/sh
# SPDX-License-Identifier: MIT
# make bench-cost: what probes cost programs and their compiler, against the plain build in
# the same run: at rest, in a timing run, in one with a budget, in a sharing run as it is by
# default; with probes in the only body of each function and in a second one (bodies=two).
# CPU time by pairs that run at the same time on the same core (tests/bench/cost.py), and, at
# rest, executed instructions and code touched, by callgrind, which no load can move.
# Programs are those of make bench-rest, and public ones: an SQL engine, a key-value server
# with io threads under its own load generator, compressors with threads, a solver in C++,
# an aligner of sequences with OpenMP.  Takes an hour or two, and prints as it goes.
#
#   BENCH_ONLY="NAME ..."    only these programs
#   BENCH_PARTS="..."        of: rest record budget sharing count compile (all)
#   BENCH_ROUNDS=N           pairs of each (5)   BENCH_SECONDS=S  that they may take (60)
. tests/bench/lib.sh
load_note
plugin_line
SRC=$O/foreign-src
COST=$(pwd)/tests/bench/cost.py
rounds=${BENCH_ROUNDS:-5} most=${BENCH_SECONDS:-60}
BODIES="one two"
BUDGET=" json pack match words tree kv lua bzip2 sqlite minisat " # the ten whose budget is looked at
HOT=8192 # bytes that a program touches at least for its ratio to be told: a constructor runs besides, in two lines
RUN=$T/run
export RUN T

# NAME:ARGUMENTS to run:ARGUMENTS to count instructions of, with commas
PROGRAMS="json:150:20 pack:60:6 matrix:700:200 pipe:150000:20000 match:60000:6000 sort:400000:40000 stencil:250:30 tree:6000:600
	words:120000:12000 machine:50:10 kv:2,12000:2,4000 queens:14:9 graph:30000:3000 lists:5000:500 turns:20000:2000
	bodies:15000:1500 bytes:150000:15000 names:500000:50000 rounds:1200:120 fourier:350:40 counts:25000:2500
	recent:3000000:300000 distance:700:70 cells:3000000:300000 digits:2500000:250000 heap:1500:150 julia:4000:150
	lexer:2400:240 life:250:25 order:60:6 shapes:900:90"

# flags VARIANT
flags() {
	case $1 in
	one) plugin_flags calls,memory ;;
	two) echo "$(plugin_flags calls,memory) -fplugin-arg-perseus-bodies=two" ;;
	esac
}
wanted() { case " ${BENCH_ONLY:-$1} " in *" $1 "*) ;; *) return 1 ;; esac; }
part() { case " ${BENCH_PARTS:-$1} " in *" $1 "*) ;; *) return 1 ;; esac; }

# tell KIND BODY NAME MEDIAN LOW HIGH [SECONDS PAIRS]: a row of $T/KIND.BODY, and a line for the reader
tell() {
	echo "$3 $4 $5 $6" >>"$T/$1.$2"
	echo "$*" | awk '{ printf "  %-10s %-12s %-3s  %.3f  (%.3f to %.3f)%s\n", $3, $1, $2, $4, $5, $6, (NF > 6 ? "  plain " $7 " s, pairs: " $8 : "") }'
}

# paired KIND BODY NAME HOW A... -- B...
paired() {
	kind=$1 body=$2 name=$3 how=$4
	shift 4
	# shellcheck disable=SC2086
	if got=$(python3 "$COST" "$how" "$rounds" "$most" "$@" 2>"$T/err"); then tell "$kind" "$body" "$name" $got
	else echo "note: $name fails ($kind, $body): $(tail -n 1 "$T/err")"; fi
}

# compile VARIANT FOLDER COMMAND: with $F the flags and $B where the program goes, in the folder $D
compile() { (mkdir -p "$2" && cd "$D" && F="-O2 -w $(flags "$1")" B=$2 sh -c "$3"); }
# build NAME COMMAND: all variants, and what that took
build() {
	wanted "$1" || return 1
	for v in plain $BODIES; do
		compile "$v" "$T/$v" "$2" >"$T/err" 2>&1 || { echo "note: $1 does not build ($v): $(tail -n 1 "$T/err")"; return 1; }
		{ echo "cd '$D' && mkdir -p '$T/again/$v' && F='-O2 -w $(flags $v)' B='$T/again/$v' && export F B T"; echo "$2"; } >"$T/compile-$v"
	done
	part compile || return 0
	for b in $BODIES; do paired compile "$b" "$1" together sh "$T/compile-plain" -- sh "$T/compile-$b"; done
	rm -rf "$T/again"
}

# counted NAME ARGUMENT...: executed instructions, and code touched, of all variants
counted() {
	name=$1
	shift
	plain=$(python3 "$COST" count "$T/plain/$name" "$@")
	for b in $BODIES; do
		echo "$plain $(python3 "$COST" count "$T/$b/$name" "$@")" |
			awk '{ printf "%.4f %.4f %d\n", $3 / ($1 + !$1), $4 / ($2 + !$2), $2 }' >"$T/counts"
		read -r i h bytes <"$T/counts"
		tell instructions "$b" "$name" "$i" "$i" "$i"
		[ "$bytes" -lt "$HOT" ] || tell hot "$b" "$name" "$h" "$h" "$h"
	done
}

# measure NAME HOW ARGUMENTS COUNT-ARGUMENTS [BEFORE]: $T/VARIANT/NAME; no count without arguments for it
measure() {
	for body in $BODIES; do
		plain="$5 $T/plain/$1 $3" probed="$T/$body/$1 $3" record="perseus record -q -o $RUN"
		# shellcheck disable=SC2086
		{
			if part rest; then paired rest $body "$1" "$2" $plain -- $5 $probed; fi
			if part record; then paired record $body "$1" "$2" $plain -- $5 $record -- $probed; fi
			case $BUDGET in *" $1 "*) if part budget; then paired budget $body "$1" "$2" $plain -- $5 $record --budget=3% -- $probed; fi ;; esac
			if part sharing; then paired sharing $body "$1" "$2" $plain -- $5 $record --purpose=sharing -- $probed; fi
		}
	done
	# shellcheck disable=SC2086
	if [ -n "$4" ] && part count; then counted "$1" $4; fi
}

# ---- programs of ours ----
D=$(pwd)
for spec in $PROGRAMS; do
	name=${spec%%:*} args=${spec#*:}
	source=$(ls tests/bench/overhead/"$name".c* tests/bench/overhead/*/"$name".c* 2>/dev/null)
	case $source in *.cc) cc=g++ ;; *) cc=gcc ;; esac
	build "$name" "$cc \$F -fopenmp -o \$B/$name $source -lpthread -lm" || continue
	measure "$name" together "$(echo "${args%:*}" | tr , ' ')" "$(echo "${args#*:}" | tr , ' ')"
done

# ---- of others ----
tree() { D=$(scripts/get-source.sh -x "$1" "$SRC" 2>"$T/err") || { echo "note: no source of $1: $(tail -n 1 "$T/err")"; return 1; }; }
seq 1 400000 | awk '{ print $1, $1 * 7919 % 100003, "perseus" }' >"$T/input"
seq 1 20000 | awk '{ print $1, $1 * 7919 % 100003, "perseus" }' >"$T/input.small"

cat >"$T/lua.lua" <<'L'
local n = tonumber(arg[1])
local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end
for round = 1, n do
	local t = {} for i = 1, 3000 do t[i] = (i * 7919) % 10007 end table.sort(t)
	local s = {} for i = 1, 2000 do s[#s + 1] = string.format("%d:%s", i, tostring(i):rep(3)) end
	local str, m = table.concat(s, ","), 0
	for w in str:gmatch("%d+") do m = m + #w end
	if round == n then print(fib(18), t[17], m, #str:gsub("1", "22")) end
end
L
if wanted lua && tree lua5.4; then
	printf '#define DEB_HOST_MULTIARCH "none"\n' >"$T/lua5.4-deb-multiarch.h"
	build lua 'gcc $F -I$T -DLUA_USE_POSIX -o $B/lua $(ls src/*.c | grep -v luac) -lm' &&
		measure lua together "$T/lua.lua 60" "$T/lua.lua 1"
fi

# sql ROWS: a fixed script
sql() {
	cat <<-S
		create table item (id integer primary key, kind int, price real, name text);
		create table kind (id integer primary key, name text);
		with recursive n (i) as (select 1 union all select i + 1 from n where i < 50) insert into kind select i, 'kind ' || i from n;
		with recursive n (i) as (select 1 union all select i + 1 from n where i < $1)
			insert into item select i, i * 7919 % 50 + 1, i * 31 % 997 / 7.0, 'name ' || (i * 104729 % 100003) from n;
		create index by_name on item (name);
		create index by_kind on item (kind, price);
		select k.name, count(*), round(sum(i.price), 2), max(i.name) from item i join kind k on k.id = i.kind group by k.id order by 3;
		select count(*) from item where name like '%99%' and price > 20;
		update item set price = price * 1.07 where kind % 3 = 0;
		delete from item where id % 11 = 0;
		select sum(length(a.name)) from item a join item b on b.name = 'name ' || a.kind;
		select name, row_number() over (partition by kind order by price) r from item order by r, name limit 5;
	S
}
if wanted sqlite && tree sqlite3; then
	tree=$D
	mkdir -p "$T/amalgamation" && (cd "$T/amalgamation" && "$tree/configure" -q --disable-readline && make -s sqlite3.c shell.c) >"$T/err" 2>&1 ||
		echo "note: sqlite3.c is not made: $(tail -n 1 "$T/err")"
	D=$T/amalgamation
	sql 150000 >"$T/large.sql"
	sql 3000 >"$T/small.sql"
	build sqlite 'gcc $F -DSQLITE_THREADSAFE=0 -DSQLITE_OMIT_LOAD_EXTENSION -o $B/sqlite sqlite3.c shell.c -lm' &&
		measure sqlite together "-init $T/large.sql :memory: .quit" "-init $T/small.sql :memory: .quit"
fi

if wanted redis && tree redis; then
	LOAD=$T/plain/redis-tree/src/redis-benchmark
	export LOAD
	build redis 'rm -rf $B/redis-tree && cp -r . $B/redis-tree && cd $B/redis-tree/src && make -j1 redis-server redis-benchmark MALLOC=libc OPTIMIZATION= REDIS_CFLAGS="$F" BUILD_TLS=no USE_SYSTEMD=no && cp redis-server $B/redis' &&
		measure redis turns "" "" SERVER:300000
fi

if wanted zstd && tree libzstd; then
	build zstd 'gcc $F -pthread -DZSTD_MULTITHREAD -DZSTD_DISABLE_ASM -DZSTD_LEGACY_SUPPORT=0 -Ilib -Ilib/common -o $B/zstd lib/common/*.c lib/compress/*.c lib/decompress/*.c lib/dictBuilder/*.c programs/*.c' &&
		measure zstd together "-q -6 -T2 -B1MiB -c $T/input" "-q -6 -T2 -B1MiB -c $T/input.small"
fi

if wanted bzip2 && tree bzip2; then
	build bzip2 'gcc $F -D_FILE_OFFSET_BITS=64 -o $B/bzip2 blocksort.c huffman.c crctable.c randtable.c compress.c decompress.c bzlib.c bzip2.c' &&
		measure bzip2 together "-c $T/input" "-c $T/input.small"
fi

if wanted pbzip2 && tree bzip2; then
	bz=$D
	export bz
	tree pbzip2 && build pbzip2 'for f in blocksort huffman crctable randtable compress decompress bzlib; do gcc $F -c -o $B/$f.o $bz/$f.c || exit; done &&
		g++ $F -pthread -D_LARGEFILE64_SOURCE -D_FILE_OFFSET_BITS=64 -DPBZIP_NO_LOADAVG -I$bz -o $B/pbzip2 pbzip2.cpp BZ2StreamScanner.cpp ErrorContext.cpp $B/*.o; s=$?; rm -f $B/*.o; exit $s' &&
		measure pbzip2 together "-p2 -b2 -c -k $T/input" "-p2 -b2 -c -k $T/input.small"
fi

# formula VARIABLES CLAUSES: a random one
formula() {
	awk -v v="$1" -v c="$2" 'BEGIN { srand(7); print "p cnf " v " " c; for (i = 0; i < c; i++) {
		for (j = 0; j < 3; j++) printf "%d ", (rand() < .5 ? -1 : 1) * int(1 + rand() * v); print 0 } }'
}
if wanted minisat && tree minisat2; then
	formula 220 937 >"$T/large.cnf"
	formula 100 430 >"$T/small.cnf"
	build minisat 'g++ $F -std=gnu++11 -fpermissive -D__STDC_LIMIT_MACROS -D__STDC_FORMAT_MACROS -I. -o $B/minisat minisat/core/*.cc minisat/utils/Options.cc minisat/utils/System.cc -lz' &&
		measure minisat together "-verb=0 $T/large.cnf $T/answer" "-verb=0 $T/small.cnf $T/answer"
fi

if wanted muscle && tree muscle; then
	# what is aligned is made up
	for n in 24 6; do
		awk -v n=$n 'BEGIN { srand(5); for (i = 0; i < n; i++) { print ">s" i; s = ""; for (j = 0; j < 120; j++)
			s = s substr("ACDEFGHIKLMNPQRSTVWY", 1 + int(20 * (rand() < .7 ? j * 7919 % 97 / 97 : rand())), 1); print s } }' >"$T/$n.fa"
	done
	build muscle 'echo "\"0\"" >$B/gitver.txt && g++ $F -fopenmp -I$B -Isrc -o $B/muscle src/*.cpp' &&
		measure muscle together "-align $T/24.fa -output $T/aligned -threads 2" "-align $T/6.fa -output $T/aligned -threads 2"
fi

# ---- figures ----
ratios() { awk '{ print $2 }' "$T/$1.$2" 2>/dev/null; }
# of KIND BODY FIGURE GOAL-OF-MEDIAN GOAL-OF-MOST
of() {
	[ -s "$T/$1.$2" ] || return
	figure "cost.$3.median" "$(ratios "$1" "$2" | median)" "$4" "$(ratios "$1" "$2" | wc -l) programs, $(ratios "$1" "$2" | sort -g | head -n 1) to $(ratios "$1" "$2" | sort -g | tail -n 1)"
	figure "cost.$3.max" "$(ratios "$1" "$2" | sort -g | tail -n 1)" "$5" "$(sort -grk2 "$T/$1.$2" | awk 'NR == 1 { print $1 ": " $3 " to " $4 }')"
}
echo "ratios to the plain build; behind a median the least and most of the programs, behind a maximum those of its pairs"
of rest one rest.one "" ""
of rest two rest 1.01 1.04
of instructions one rest.one.instructions "" ""
of instructions two rest.instructions 1.01 1.04
of hot one text.one.hot "" ""
of hot two text.hot 1.05 ""
for b in $BODIES; do
	case $b in one) n= ;; *) n=.$b ;; esac
	of record $b record$n "" ""
	if [ -s "$T/budget.$b" ]; then
		echo "cost.budget$n.kept $(awk '$2 <= 1.03' "$T/budget.$b" | wc -l)" >>"$T/figures"
		at_least "cost.budget$n.kept" "$(wc -l <"$T/budget.$b")" "--budget 3 % within 1.03 of plain; beyond: $(awk '$2 > 1.03 { printf "%s %s (%s to %s) ", $1, $2, $3, $4 }' "$T/budget.$b")"
	fi
	of sharing $b sharing$n 1.5 3
done
of compile one compile.one 1.40 ""
of compile two compile.two "" 2.2
finish_bench
