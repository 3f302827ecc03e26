#!/bin/sh
# SPDX-License-Identifier: MIT
# make bench-accuracy: times of the recorder beside those of the same blocks in a
# program without probes.  The least time of each kind over interleaved runs, since
# whatever else the machine does can only add to it.  Then the size of a long run.
. tests/bench/lib.sh
load_note
plugin_line
rounds=${BENCH_ROUNDS:-7}
# shellcheck disable=SC2046
{
	gcc -O2 -fno-optimize-sibling-calls -o "$T/plain" tests/bench/accuracy.c || exit 3
	gcc -O2 -fno-optimize-sibling-calls $(plugin_flags calls) -o "$T/probed" tests/bench/accuracy.c || exit 3
}
judge=$(pwd)/tests/bench/accuracy.py
cd "$T" || exit 3
turns=$(./plain -c)
i=0
while [ $i -lt "$rounds" ]; do
	block=$((i % 2 ? 20 : 10000000)) # the growth of the log would lie between the program's clock and ours
	./plain 4 "$turns" >"plain-$i.txt"
	perseus record -q -o "run-$i" --block-us="$block" ./probed 4 "$turns" >"own-$i.txt" 2>/dev/null
	perseus report --json --calls 1000 "run-$i" >"report-$i.json"
	python3 "$judge" "report-$i.json" plain-*.txt >>all.txt
	[ $block = 20 ] || python3 "$judge" "report-$i.json" "own-$i.txt" >>own.txt
	i=$((i + 1))
done

# error KIND: of the least recorded time against the least plain one, percent
error() { awk -v k="$1" '$1 == k {p = $6; if (!r || $7 < r) r = $7} END {e = 100 * (r / p - 1); printf "%.2f\n", e < 0 ? -e : e}' all.txt; }
for k in block_10us block_30us block_100us block_1ms block_10ms nested; do
	figure "accuracy.$k.error_percent" "$(error $k)" 2 "least of $rounds runs: $(awk -v k=$k '$1 == k {if (!r || $7 < r) r = $7; p = $6} END {printf "%.0f ns recorded, %.0f ns plain", r, p}' all.txt)"
done
figure accuracy.counts_wrong "$(awk 'NF == 7 {bad += $2 != $3} END {print bad + 0}' all.txt)" 0
# The median over the runs of each kind's error, and of these the worst.
figure accuracy.own_sum.error_percent "$(for k in block_10us block_30us block_100us block_1ms block_10ms nested; do
	awk -v k=$k '$1 == k {e = 100 * ($5 / $4 - 1); printf "%.2f\n", e < 0 ? -e : e}' own.txt | median
done | sort -g | tail -1)" 2 "sums of times against the program's own clock round the same calls, which has the probes in it, too"

# An hour of examples/signal, from runs of up to some minutes: the block log keeps a
# fixed room and then as much for each doubling of the time, so the size grows by a
# fixed step per doubling.  The last two runs log each call of a microsecond.
if [ -n "$BENCH_LONG" ]; then
	cd - >/dev/null || exit 3
	make -s -C examples/signal O="$T/signal" CFLAGS="-O2 -g $(plugin_flags calls)" || exit 3
	cd "$T" || exit 3
	mb() { du -k "$1"/*.prec | awk '{n += $1} END {printf "%.2f", n / 1024}'; }
	seconds() { sed -n 's/^wall_ns: *//p' "$1/manifest.yaml" | awk '{printf "%.0f", $1 / 1e9}'; }
	# run NAME SIZE OPTION...
	run() {
		name=$1 size=$2
		shift 2
		perseus record -q "$@" -o "signal-$name" ./signal/signal "$size" >/dev/null 2>&1
		echo "record of signal $size $*: $(mb "signal-$name") MB after $(seconds "signal-$name") s"
	}
	run quarter "$(awk -v n="$BENCH_LONG" 'BEGIN {print n / 4}')"
	run whole "$BENCH_LONG"
	run dense-quarter "$(awk -v n="$BENCH_LONG" 'BEGIN {print n / 4}')" --block-us=1
	run dense "$BENCH_LONG" --block-us=1
	# hour A B: size after an hour, from two runs
	hour() {
		awk -v a="$(mb "$1")" -v s="$(seconds "$1")" -v b="$(mb "$2")" -v t="$(seconds "$2")" 'BEGIN {
			per = t > s && b > a ? (b - a) / log(t / s) : 0
			printf "%.2f\n", b + per * log(3600 / t) }'
	}
	figure record.hour_mb "$(hour signal-quarter signal-whole)" 20 "signal, from $(seconds signal-quarter) s to $(seconds signal-whole) s and on by what a doubling of the time adds"
	figure record.hour_mb.dense "$(hour signal-dense-quarter signal-dense)" 20 "the same with every call of a microsecond in the log"
fi
finish_bench
