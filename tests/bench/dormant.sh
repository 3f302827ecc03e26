#!/bin/sh
# SPDX-License-Identifier: MIT
# make bench-dormant: what programs cost that were built with probes and run
# without the runtime, against the plain build.
#
# Where the linker happens to put a hot loop moves the time of a short program by
# as much as the probes do, so that a single build tells little.  Each program of
# tests/bench/programs.sh is compiled once for each variant and linked in five
# layouts: as it is, and with its code moved by so many bytes that it lies
# differently in cache lines and in pages, the later ones with the objects in
# another order.  The plain build gets the same layouts.  A layout's figure is the
# ratio of the least CPU times of interleaved runs, the program's figure is the
# median over its layouts, with the smallest and the largest beside it.
#
#   dormant.sh [PROGRAM...]   only these, as the table names them (lua-sort zlib)
#   BENCH_ROUNDS=N            runs of each program (7)
. tests/bench/lib.sh
. tests/bench/programs.sh
VARIANTS="plain calls calls,memory"
LAYOUTS="0 1 2 3 4"
only=$*
load_note
plugin_line
rounds=${BENCH_ROUNDS:-7}
gcc -O2 -o "$T/cputime" tests/bench/cputime.c || exit 3

# All variants are linked by this in the place of ld: OUTPUT as asked for, and
# OUTPUT.1 to OUTPUT.4.
mkdir "$T/ld"
for i in $LAYOUTS; do
	echo ".text; .skip $((1 + i * 1040)); .section .note.GNU-stack" >"$T/ld/pad$i.s"
	gcc -c -o "$T/ld/pad$i.o" "$T/ld/pad$i.s" || exit 3
done
{
	echo '#!/bin/bash'
	echo "ld=$(gcc -print-prog-name=ld)"
	cat <<'X'
# objects of the program go last to first in layouts 3 and 4
args=("$@") out=a.out objects=()
for ((i = 0; i < $#; i++)); do
	case ${args[i]} in
	-o) out=${args[i + 1]} ;;
	*/crt*.o | */?crt*.o) ;;
	*.o) objects+=($i) ;;
	esac
done
for n in 1 2 3 4; do
	other=("$@") m=${#objects[@]}
	for ((i = 0; i < m && n > 2; i++)); do other[objects[i]]=${args[objects[m - 1 - i]]}; done
	"$ld" "${0%/*}/pad$n.o" "${other[@]}" -o "$out.$n" || exit
done
exec "$ld" "$@"
X
} >"$T/ld/ld"
chmod +x "$T/ld/ld"

flags() {
	echo "-B$T/ld/"
	[ "$1" = plain ] || plugin_flags "$1"
}

# ratios COLUMN: of a variant to plain, one a layout
ratios() { awk -v c="$1" '{ printf "%.3f\n", $c / $1 }' "$T/times" | sort -g; }
# summary: of the ratios on stdin "median smallest largest"
summary() { awk '{ a[NR] = $1 } END { print a[(NR + 1) / 2], a[1], a[NR] }'; }

# measure NAME PROGRAM ARGUMENT...
measure() {
	name=$1 program=$2
	shift 2
	case " $only " in "  " | *" $name "*) ;; *) return ;; esac
	list=
	for i in $LAYOUTS; do
		i=.$i
		[ "$i" = .0 ] && i=
		for v in $VARIANTS; do list="$list $T/$v/$program$i"; done
	done
	# shellcheck disable=SC2086
	"$T/cputime" "$rounds" $list -- x "$@" 2>"$T/log" | xargs -n 3 >"$T/times"
	[ -s "$T/times" ] || { echo "note: $name: $(tail -n 1 "$T/log")"; return; }
	text=$(for v in plain calls calls,memory; do size -A "$T/$v/$program" | awk '/^\.text/ { n += $2 } END { print n }'; done | tr '\n' ' ')
	echo "$name $(ratios 2 | summary) $(ratios 3 | summary)" >>"$T/all"
	echo "$(tail -n 1 "$T/all") $(awk '{ print $1 }' "$T/times" | median) $text" |
		awk '{ printf "%-11s plain %6.3f s   calls %.3f (%.3f to %.3f)   all %.3f (%.3f to %.3f)   text %7d x%.2f x%.2f\n",
			$1, $8, $2, $3, $4, $5, $6, $7, $9, $10 / $9, $11 / $9 }'
}

echo "CPU time to that of the plain build: median over $(echo $LAYOUTS | wc -w) layouts (smallest to largest)"
each_program

# column N: of the programs
column() { awk -v n="$1" '{ print $n }' "$T/all" 2>/dev/null; }
n=$(wc -l 2>/dev/null <"$T/all")
echo "${n:-0} programs"
figure dormant.calls.median "$(column 2 | median)" 1.02
figure dormant.calls.max "$(column 2 | sort -g | tail -n 1)" ""
figure dormant.calls.worst_layout "$(column 4 | sort -g | tail -n 1)" ""
figure dormant.all.median "$(column 5 | median)" 1.05
figure dormant.all.max "$(column 5 | sort -g | tail -n 1)" 1.15
figure dormant.all.worst_layout "$(column 7 | sort -g | tail -n 1)" ""
finish_bench
