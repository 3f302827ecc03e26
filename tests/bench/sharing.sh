#!/bin/sh
# SPDX-License-Identifier: MIT
# make bench-sharing: what a sharing run costs, against the plain build of the same
# program, and what gcc -fsanitize=thread costs in the same run of this benchmark.
#
# Each program is built plain, with all probes (calls and memory) and with TSan, and
# run in turns: plain; with probes at rest; in a sharing run, precise, by rate, and
# adaptive; TSan.
# A figure is the ratio of the least CPU times of the process.  Programs of one thread
# get a second one that sleeps, in all builds but TSan's, or they would be spared the bursts.
#
#   sharing.sh [NAME...]   only these, as the table names them (lua-sort array-O3)
#   BENCH_ROUNDS=N         runs of each (5); TSan has N/2, at least 1
#   BENCH_VALGRIND=1       also ratios of executed instructions (callgrind), which
#                          no load on the machine can move; takes long
#   BENCH_NO_TSAN=1        without the peer
. tests/bench/lib.sh
. tests/bench/programs.sh
VARIANTS="plain all"
[ -n "$BENCH_NO_TSAN" ] || VARIANTS="$VARIANTS tsan"
# Bounded by what it is, not by the program: taken off before memory is compared.
TABLE_KB=8192
only=$*
load_note
plugin_line
rounds=${BENCH_ROUNDS:-5}
peer_rounds=$((rounds / 2 > 0 ? rounds / 2 : 1))
gcc -O2 -o "$T/cputime" tests/bench/cputime.c || exit 3
mkdir "$T/live" "$T/runs"

flags() {
	case $1 in
	all) plugin_flags calls,memory ;;
	tsan) echo -fsanitize=thread ;;
	esac
}

# shellcheck disable=SC2046
for v in plain all; do gcc -O2 -fPIC -shared -pthread $(flags $v) -o "$T/idle-$v.so" tests/bench/sharing/idle.c || exit 3; done

# starter FILE PROGRAM LINE: a script that makes a run directory, does LINE, and becomes the program
starter() {
	printf '#!/bin/sh\nd=%s/runs/$$\nmkdir "$d"\n%s\nexec %s "$@"\n' "$T" "$3" "$2" >"$T/live/$1"
	chmod +x "$T/live/$1"
}
starters() {
	rt=$O/lib/libperseus-rt.so
	starter plain "$T/plain/$1" "export LD_PRELOAD=$T/idle-plain.so"
	starter dormant "$T/all/$1" "export LD_PRELOAD=$T/idle-all.so"
	for m in precise rate adaptive; do
		starter $m "$T/all/$1" "export PERSEUS_RUN_DIR=\$d PERSEUS_PURPOSE=sharing PERSEUS_SHARING=$m LD_PRELOAD=$rt:$T/idle-all.so"
	done
	starter tsan "$T/tsan/$1" "export TSAN_OPTIONS=report_bugs=0:exitcode=0"
}

# text VARIANT PROGRAM: bytes of machine code
text() { size -A "$T/$1/$2" | awk '/^\.text/ { n += $2 } END { print n }'; }

# instructions VARIANT ARGUMENT...
instructions() {
	v=$1
	shift
	valgrind --tool=callgrind --callgrind-out-file=/dev/null --smc-check=all "$T/live/$v" "$@" 2>&1 >/dev/null |
		sed -n 's/.*Collected : \([0-9]*\).*/\1/p' | tail -n 1
}
count_instructions() {
	[ -n "$BENCH_VALGRIND" ] || return
	p=$(instructions plain "$@")
	for m in dormant precise rate adaptive; do instructions $m "$@"; done | awk -v p="$p" '{ printf " %.2f", $1 / p }' |
		awk '{ print "            instructions: at rest " $1 "  precise " $2 "  rate " $3 "  adaptive " $4 }'
}

# recorded: every sharing run left what it saw
recorded() { for d in "$T"/runs/*; do [ "$(ls "$d")" ] && echo; done | wc -l; }

# measure NAME PROGRAM ARGUMENT...; its class is in $class
measure() {
	name=$1 program=$2
	shift 2
	case " $only " in "  " | *" $name "*) ;; *) return ;; esac
	starters "$program"
	rm -rf "$T/runs"
	mkdir "$T/runs"
	tsan="- - -"
	if [ -z "$BENCH_NO_TSAN" ]; then
		tsan=$("$T/cputime" -a "$peer_rounds" "$T/live/tsan" -- x "$@" 2>"$T/log")
		[ -n "$tsan" ] || { echo "note: $name under TSan: $(tail -n 1 "$T/log")"; tsan="- - -"; }
	fi
	live="$T/live/plain $T/live/dormant $T/live/precise $T/live/rate $T/live/adaptive"
	# shellcheck disable=SC2086
	"$T/cputime" -a "$rounds" $live -- x "$@" >"$T/times" 2>"$T/log"
	[ "$(wc -l <"$T/times")" = 5 ] || { echo "note: $name: $(tail -n 1 "$T/log")"; return; }
	[ "$(recorded)" = $((3 * rounds)) ] || { echo "note: $name: $(recorded) of $((3 * rounds)) sharing runs recorded something"; return; }
	{
		echo "$name $class" $(cat "$T/times") "$tsan $(text plain "$program") $(text all "$program")"
	} | awk -v table=$TABLE_KB '{
		memory = ($11 - table) / $5
		if (memory < 1) memory = 1
		printf "%s %s %.3f %.3f %.3f %s %.2f %.2f %.3f %d %d %.3f\n", $1, $2, $6 / $3, $9 / $3, $12 / $3, $18 == "-" ? "-" : sprintf("%.1f", $18 / $3),
			memory, $22 / $21, $3, $5, $11, $15 / $3 }' >>"$T/all.txt"
	tail -n 1 "$T/all.txt" | awk '{ printf "%-15s %-8s plain %.3f s  at rest %.2f  precise %.2f  adaptive %.2f  rate %.2f  TSan %s  memory %d -> %d kB  text x%s\n",
		$1, $2, $9, $3, $4, $12, $5, $6, $10, $11, $8 }'
	count_instructions "$@"
}

# own NAME SOURCE FLAGS: builds a program of tests/bench/sharing
own() {
	case $2 in *.cc) c=g++ ;; *) c=gcc ;; esac
	(only='' && build "$1" "$c \$F $3 -pthread -o \$B/$1 $2")
}
picked() { # one of these
	[ -n "$only" ] || return 0
	for w in $only; do for n; do case $n in $w) return 0 ;; esac; done; done
	return 1
}

echo "CPU time to that of the plain build; memory as it is, the table of $TABLE_KB kB in it"
D=$(pwd)/tests/bench/sharing
for l in 2 3; do
	picked array-O$l histogram-O$l multiply-O$l blocked-O$l chase-O$l regression-O$l stencil-O$l quicksort-O$l zero-O$l || continue
	own kernels$l kernels.c "-O$l" || continue
	[ $l = 2 ] && class=loop || class=loop3
	for k in array multiply blocked regression stencil zero; do measure $k-O$l kernels$l $k; done
	class=scatter
	measure histogram-O$l kernels$l histogram
	class=other
	for k in chase quicksort; do measure $k-O$l kernels$l $k; done
done
class=program
seq 1 2000000 | awk '{ print $1 * 7919 % 100003, "perseus" }' >"$T/large"
picked sums-O2 && own regression regression.c && measure sums-O2 regression
picked sums-O1 && own regression1 regression.c -O1 && measure sums-O1 regression1
picked colours && own histogram histogram.c && measure colours histogram "$T/large"
picked blocked-lu && own lu lu.c && measure blocked-lu lu
picked string-match && own string-match string-match.c && measure string-match string-match "$T/large"
picked k-means && own k-means k-means.c && measure k-means k-means
picked cluster && own cluster cluster.cc && measure cluster cluster
if picked zstd-3-T2 zstd-9-T2 && tree libzstd &&
	(only='' && build zstd-mt 'gcc $F -pthread -DZSTD_MULTITHREAD -DZSTD_DISABLE_ASM -DZSTD_LEGACY_SUPPORT=0 -Ilib -Ilib/common -o $B/zstd-mt lib/common/*.c lib/compress/*.c lib/decompress/*.c lib/dictBuilder/*.c programs/*.c'); then
	measure zstd-3-T2 zstd-mt -q -3 -T2 -B1MiB -c "$T/large"
	measure zstd-9-T2 zstd-mt -q -9 -T2 -B1MiB -c "$T/input"
fi
picked lua-fib lua-sort lua-string lua-table lz4 bzip2 zlib minisat2 zstd imgapp signal && each_program

# column N CLASS...: of the programs of these classes
column() {
	c=$1
	shift
	awk -v c="$c" -v k=" $* " 'index(k, " " $2 " ") && $c != "-" { print $c }' "$T/all.txt" 2>/dev/null
}
most() { sort -g | tail -n 1; }
# goal_min NAME VALUE GOAL [NOTE]: a figure that must not be below GOAL
goal_min() {
	figures=$((figures + 1))
	if [ -n "$2" ] && awk -v v="$2" -v g="$3" 'BEGIN { exit !(v >= g) }'; then word=ok
	else word=short short=$((short + 1)); fi
	echo "figure $1 value=${2:-absent} goal>=$3 $word${4:+  ($4)}"
}
# faster: TSan's ratio to ours, one a program
faster() { awk '$2 == "program" && $6 != "-" { print $6 / $4 }' "$T/all.txt" 2>/dev/null; }
some() { [ -n "$(column 4 "$@")" ]; }
gcc_version="gcc $(gcc -dumpfullversion) -fsanitize=thread"
if some program; then
	figure sharing.precise.median "$(column 4 program | median)" 1.5 "$(column 4 program | wc -l) programs"
	figure sharing.precise.max "$(column 4 program loop loop3 scatter other | most)" 3
fi
if some program; then
	figure sharing.adaptive.median "$(column 12 program | median)" 1.5 "works of $(column 9 program | sort -g | head -n 1) to $(column 9 program | most) s, of which the first 0.1 s are precise"
	figure sharing.adaptive.max "$(column 12 program loop loop3 scatter other | most)" 3
fi
some loop && figure sharing.loops.max "$(column 4 loop | most)" 1.3 "-O2, median $(column 4 loop | median)"
some loop3 && figure sharing.loops_O3.max "$(column 4 loop3 | most)" 1.5 "-O3, median $(column 4 loop3 | median)"
some scatter && figure sharing.scatter.max "$(column 4 scatter | most)" 2.2
if some program; then
	figure sharing.rate.median "$(column 5 program | median)" 1.10
	figure sharing.rate.max "$(column 5 program | most)" 1.25
	figure sharing.rate.kernels.max "$(column 5 loop loop3 scatter other | most)" ""
	figure sharing.dormant.median "$(column 3 program | median)" 1.05
	figure sharing.dormant.max "$(column 3 program | most)" 1.15
fi
if [ -n "$(faster)" ]; then
	goal_min sharing.vs_tsan.geomean "$(faster | awk '{ s += log($1) } END { printf "%.1f", exp(s / NR) }')" 8 \
		"peer $gcc_version value=$(column 6 program | awk '{ s += log($1) } END { printf "%.1f", exp(s / NR) }')"
	goal_min sharing.vs_tsan.least "$(faster | sort -g | awk 'NR == 1 { printf "%.1f", $1 }')" 4
fi
figure sharing.memory.max "$(column 7 program loop loop3 scatter other | most)" 1.3 "without the table of $TABLE_KB kB"
figure sharing.text.max "$(column 8 program loop loop3 scatter other | most)" 2.5 "median $(column 8 program loop loop3 scatter other | median)"
finish_bench
