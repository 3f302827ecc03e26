#!/bin/sh
# SPDX-License-Identifier: MIT
# make bench-predict: what a model says that a placement takes, against what it
# takes when threads are held on their cores: who sits with whom on two cores in
# pairs, imgapp and signal.  Models are recorded where the system places the
# threads, so none of these placements is in them.
. tests/bench/lib.sh
load_note
[ "$(nproc)" -ge 2 ] || { echo "note: one core only"; finish_bench; exit 0; }
judge=$(pwd)/tests/bench/predict.py
[ "$(id -u)" = 0 ] || echo "note: only root can put these runs before all others; on a busy machine figures are off"
flags="-O2 -g $(perseus flags --cflags)"
for name in pairs imgapp signal; do
	make -s -C "examples/$name" O="$T/plain" || exit 3
done
make -s -C examples/pairs O="$T/probed" CFLAGS="$flags" || exit 3
for name in imgapp signal; do
	make -s -C "examples/$name" O="$T/calls" CFLAGS="$flags -fplugin-arg-perseus-probe=calls" || exit 3
done
gcc -O2 -shared -fPIC -o "$T/pin.so" tests/bench/pin.c -ldl || exit 3
cd "$T" || exit 3
set -- \
	pairs:0.6:0,0,1,1,0,0,1,1:0,1,0,1,0,1,0,1:0,0,1,1,0,1,0,1:0,0,0,0,0,0,1,1:0,1,0,1,0,1,0,0:0 \
	imgapp:0.6:0,1:0,1,1,1,1:0,0,1,1,1:0,0,0,1,1:0 \
	signal:0.6:0,1:0,0,1,1,1,1:0,0,0,0,0,1:0,0,0,1,1,1:0
python3 "$judge" "${BENCH_RUNS:-6}" "${BENCH_ROUNDS:-9}" "$@" >all.txt || exit 3
awk '$1 == "place" {printf "%-7s %-16s predicted %7s ms   measured %7s ms (%s to %s)   %s %%\n", $2, $3, $4, $5, $6, $7, $8}' all.txt
value() { awk -v n="$1" '$1 == "all" {print $n}' all.txt; }
at_least() {
	figures=$((figures + 1))
	if awk -v v="$2" -v g="$3" 'BEGIN { exit !(v >= g) }'; then word=ok
	else word=short short=$((short + 1)); fi
	echo "figure $1 value=$2 goal>=$3 $word${4:+  ($4)}"
}
at_least predict.classes "$(value 2)" 8 "placements whose intervals do not overlap"
at_least predict.tau_b "$(value 4)" 0.8 "over $(value 3) pairs of classes, of one program each"
figure predict.median_error "$(value 5)" 10 "percent, over all placements"
finish_bench
