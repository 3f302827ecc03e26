#!/bin/sh
# SPDX-License-Identifier: MIT
# make bench-waits: what it costs to see waits where there are none.  Thread
# CPU time per operation in ns, the least of interleaved runs; net = recorded - plain.
. tests/bench/lib.sh
load_note
# shellcheck disable=SC2046
{
	gcc -O2 -pthread -o "$T/plain" tests/bench/waits.c || exit 3
	gcc -O2 -pthread $(plugin_flags calls) -o "$T/probed" tests/bench/waits.c || exit 3
}
i=0
while [ $i -lt "${BENCH_ROUNDS:-5}" ]; do
	"$T/plain" >>"$T/plain.txt"
	(cd "$T" && perseus record -q -o "run-$i" ./probed >>recorded.txt)
	i=$((i + 1))
done
# least FILE COLUMN
least() { awk -v c="$2" 'NR == 1 || $c < m { m = $c } END { print m }' "$T/$1.txt"; }
column=0
for what in mutex semaphore signal pipe; do
	column=$((column + 1))
	plain=$(least plain $column)
	seen=$(least recorded $column)
	figure record.wait.$what.net_ns "$(awk -v a="$seen" -v b="$plain" 'BEGIN { printf "%.1f", a - b }')" "" "plain $plain, recorded $seen"
done
figure record.wait.mutex.ratio "$(awk -v a="$(least recorded 1)" -v b="$(least plain 1)" 'BEGIN { printf "%.2f", a / b }')" 2
finish_bench
