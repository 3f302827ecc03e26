#!/bin/sh
# SPDX-License-Identifier: MIT
# make bench-compile: what the plugin costs the compiler (compile and assemble) on
# real preprocessed sources (tests/bench/sources.sh), and what the probes of the
# same build cost a program that nobody watches (tests/bench/dormant.sh).
#
#   BENCH_SOURCES="a.i b.ii"  preprocessed files to measure instead
#   BENCH_COUNTER=perf|valgrind|time   instead of the best that works here
#   BENCH_JOBS=N              so many compilations at once (counting only)
#
# compile.sh one FOLDER FILE VARIANT appends one measurement to FOLDER/FILE.VARIANT:
# count, bytes of text, call sites, memory sites.
. tests/bench/lib.sh
. tests/bench/sources.sh

# flags VARIANT
flags() {
	case ${1%@*} in
	plain) ;;
	instrument) echo -finstrument-functions ;;
	tsan) echo -fsanitize=thread ;;
	*) plugin_flags "${1%@*}" ;;
	esac
}

# count COMMAND...: what the command and its children need, by $BENCH_COUNTER
count() {
	case $BENCH_COUNTER in
	perf)
		perf stat -x, -e instructions:u -o "$T/stat" "$@" && awk -F, '/instructions/ { print $1 }' "$T/stat"
		;;
	valgrind)
		valgrind --trace-children=yes --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null \
		  --log-file="$T/log.%p" "$@" && cat "$T"/log.* |
		  awk '/I +refs:/ { gsub(",", ""); n += $NF } END { printf "%.0f\n", n }'
		rm -f "$T"/log.*
		;;
	*)
		perf stat -x, -e task-clock -o "$T/stat" "$@" && awk -F, '/task-clock/ { print $1 }' "$T/stat"
		;;
	esac
}

measure() {
	level=-O2
	case $3 in *@*) level=${3#*@} ;; esac
	# shellcheck disable=SC2046
	n=$(count gcc "$level" -w $(flags "$3") -c -o "$T/x.o" "$2" 2>"$T/err")
	[ -n "$n" ] || { echo "$2 does not compile ($3): $(tail -n 1 "$T/err")" >&2; return 1; }
	: >"$T/sites"
	objcopy --dump-section .perseus.sites="$T/sites" "$T/x.o" 2>/dev/null
	sites=$(awk -F '\t' '$1 == "U" { c += $4; m += $5 } END { print c + 0, m + 0 }' "$T/sites")
	text=$(size -A "$T/x.o" | awk '$1 ~ /^\.text/ { n += $2 } END { print n }')
	echo "$n $text $sites" >>"$1/$(basename "$2").$3"
}

if [ "${1:-}" = one ]; then
	shift
	measure "$@"
	exit
fi

# got FILE VARIANT COLUMN: of the cheapest measurement
got() { sort -g "$T/res/$1.$2" 2>/dev/null | awk -v c="$3" 'NR == 1 { print $c }'; }
# ratio FILE VARIANT PLAIN: of counts
ratio() { echo "$(got "$1" "$2" 1) $(got "$1" "$3" 1)" | awk 'NF == 2 { printf "%.4f\n", $1 / $2 }'; }
# density FILE VARIANT BASE COLUMN: sites, bytes of text that each adds, text ratio to plain
density() {
	echo "$(got "$1" "$2" "$4") $(got "$1" "$2" 2) $(got "$1" "$3" 2) $(got "$1" plain 2)" |
	  awk 'NF == 4 && $1 { printf "%d %.0f %.2f\n", $1, ($2 - $3) / $1, $2 / $4 }'
}

row() {
	for v in none calls calls,memory instrument tsan; do ratio "$1" $v plain >>"$T/$v.txt"; done
	echo "$(ratio "$1" calls plain) $(ratio "$1" instrument plain)" >>"$T/beside.txt"
	printf '%-23s %6.0f %s %7s %7s %7s %7s %7s\n' "${1%.*}" \
	  "$(got "$1" plain 1 | awk -v k="$scale" '{ print $1 / k }')" "$scale_name" \
	  "$(ratio "$1" none plain)" "$(ratio "$1" calls plain)" "$(ratio "$1" calls,memory plain)" \
	  "$(ratio "$1" instrument plain)" "$(ratio "$1" tsan plain)"
	density "$1" calls plain 3 >"$T/d.calls"
	density "$1" calls,memory calls 4 >"$T/d.memory"
	cat "$T/d.calls" >>"$T/density.calls"
	cat "$T/d.memory" >>"$T/density.memory"
	awk '{ printf "    %d call sites, %d bytes of text each, text %s", $1, $2, $3 }' "$T/d.calls"
	awk '{ printf "; %d memory sites, %d bytes each, text %s\n", $1, $2, $3 }' "$T/d.memory"
}

if [ -z "${BENCH_COUNTER:-}" ]; then
	BENCH_COUNTER=time
	if perf stat -x, -e instructions:u true 2>&1 | grep -q '^[0-9]'; then BENCH_COUNTER=perf
	elif command -v valgrind >/dev/null; then BENCH_COUNTER=valgrind; fi
fi
export BENCH_COUNTER O
rounds=1 jobs=${BENCH_JOBS:-$(nproc)} scale=1e6 scale_name=M
case $BENCH_COUNTER in
perf) how="user instructions of gcc, cc1 and as, by perf" ;;
valgrind) how="user instructions of gcc, cc1 and as, by valgrind" ;;
*) how="least CPU time of ${BENCH_ROUNDS:-7}: no instruction counter here" rounds=${BENCH_ROUNDS:-7} jobs=1 scale=1 scale_name=ms ;;
esac
mkdir -p "$T/res"
files=${BENCH_SOURCES:-}
if [ -z "$files" ]; then
	for f in $BENCH_FILES; do
		if have_source "$f"; then files="$files $BENCH_SRC/$f"
		else echo "note: no source for $f, left out"; fi
	done
fi
one_file=$(echo $files | awk '{ print $1 }')
i=0
while [ $i -lt "$rounds" ]; do
	for f in $files; do
		for v in plain none calls calls,memory instrument tsan; do echo "$f $v"; done
	done
	for v in plain calls calls,memory; do echo "$one_file $v@-O0"; echo "$one_file $v@-O3"; done
	i=$((i + 1))
done | xargs -P "$jobs" -L 1 sh "$0" one "$T/res"

echo "compile and assemble at -O2, ratio to plain ($how)"
plugin_line
printf '%-23s %8s %7s %7s %7s %7s %7s\n' file plain none calls +memory -finstr tsan
for f in $files; do row "$(basename "$f")"; done
f=$(basename "$one_file")
for v in -O0 -O3; do
	echo "${f%.*} at $v: calls $(ratio "$f" "calls@$v" "plain@$v"), +memory $(ratio "$f" "calls,memory@$v" "plain@$v")"
done
gccv="gcc $(gcc -dumpfullversion)"
figure compile.none "$(sort -g "$T/none.txt" | tail -n 1)" 1.005 "largest; $how"
figure compile.calls.median "$(median <"$T/calls.txt")" 1.12 "peer -finstrument-functions $gccv value=$(median <"$T/instrument.txt")"
figure compile.calls.max "$(sort -g "$T/calls.txt" | tail -n 1)" 1.20 "peer -finstrument-functions $gccv value=$(sort -g "$T/instrument.txt" | tail -n 1)"
figure compile.calls.above_instrument "$(awk 'NF != 2 || $1 >= $2 { n++ } END { print n + 0 }' "$T/beside.txt")" 0 "files on which -finstrument-functions is not more costly"
figure compile.memory.median "$(median <"$T/calls,memory.txt")" 1.40 "peer -fsanitize=thread $gccv value=$(median <"$T/tsan.txt")"
figure compile.calls.site_bytes "$(awk '{ print $2 }' "$T/density.calls" | median)" "" "median over the files"
figure compile.memory.site_bytes "$(awk '{ print $2 }' "$T/density.memory" | median)" "" "median over the files"
finish_bench
if [ -e tests/bench/dormant.sh ]; then sh tests/bench/dormant.sh; fi
