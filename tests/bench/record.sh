#!/bin/sh
# SPDX-License-Identifier: MIT
# make bench-record: cost of call probes.  E = net ns per call / (2 x clock read).
. tests/bench/lib.sh
load_note
gcc -O2 -fno-inline -fno-optimize-sibling-calls -o "$T/plain" tests/bench/calls.c || exit 3
gcc -O2 -fno-inline -fno-optimize-sibling-calls -fplugin="$PLUGIN" \
  -fplugin-arg-perseus-probe=calls -o "$T/probed" tests/bench/calls.c || exit 3
cd "$T" || exit 3
rounds=${BENCH_ROUNDS:-5}
i=0
while [ $i -lt "$rounds" ]; do
	./plain >>plain.txt
	./probed >>dormant.txt
	for level in 1 64 1073741824; do
		PERSEUS_PERIOD=$level perseus record -o "run-$i-$level" -- ./probed >>"level-$level.txt" 2>/dev/null
	done
	perseus record -o "run-$i" -- ./probed >>default.txt 2>/dev/null
	i=$((i + 1))
done
# efficiency FILE: median E over rounds and workloads
efficiency() {
	paste -d' ' plain.txt "$1" | awk '{for (k = 2; k <= 4; k++) print ($(k + 4) - $k) / (2 * $5)}' | median
}
figure record.E.timed "$(efficiency level-1.txt)" 1.0 "peers: Tracy 1.5, uftrace 3.8"
figure record.E.sampled "$(efficiency level-64.txt)" 0.04
figure record.E.count "$(efficiency level-1073741824.txt)" 0.02
figure record.E.default "$(efficiency default.txt)" "" "automatic back-off"
figure record.E.dormant "$(efficiency dormant.txt)" 0.02
figure record.runtime_text_bytes "$(size -A "$O/lib/libperseus-rt.so" | awk '$1 == ".text" {print $2}')" 65536
finish_bench
