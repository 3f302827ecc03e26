#!/bin/sh
# SPDX-License-Identifier: MIT
# make bench-trace: what it costs to have every call on the disk.  The recorder
# drains to memory; E as in record.sh, median over code offsets and workloads.
. tests/bench/lib.sh
load_note
plugin_line
rounds=${BENCH_ROUNDS:-3}
offsets="0 16 32 48"
for o in $offsets; do
	# shellcheck disable=SC2046
	{
		gcc -O2 -pthread -DOFFSET="$o" -o "$T/plain-$o" tests/bench/calls.c || exit 3
		gcc -O2 -pthread -DOFFSET="$o" $(plugin_flags calls) -o "$T/probed-$o" tests/bench/calls.c || exit 3
	}
done
gcc -O2 -o "$T/cputime" tests/bench/cputime.c || exit 3
# A file system in memory, so that the disk is not what is measured.
M=$(mktemp -d /dev/shm/perseus-bench.XXXXXX) || exit 3
trap 'rm -rf "$T" "$M"' EXIT

# goal_min NAME VALUE GOAL [NOTE]: a figure that must not be below GOAL
goal_min() {
	figures=$((figures + 1))
	if [ -n "$2" ] && awk -v v="$2" -v g="$3" 'BEGIN { exit !(v >= g) }'; then word=ok
	else word=short short=$((short + 1)); fi
	echo "figure $1 value=${2:-absent} goal>=$3 $word${4:+  ($4)}"
}
# field KEY: of the JSON of the trace in $M/run
field() { sed -n "s/^  \"$1\": \([0-9]*\),*$/\1/p" "$M/json"; }

lost=0
missing=0
calls=0
for i in $(seq "$rounds"); do
	for o in $offsets; do
		"$T/plain-$o" >>"$T/plain.txt"
		PERSEUS_PERIOD=1 perseus record -q -o "$M/timed" -- "$T/probed-$o" >>"$T/timed.txt" 2>/dev/null
		rm -rf "$M/timed" "$M/run"
		perseus record -q --trace -o "$M/run" -- "$T/probed-$o" >>"$T/trace.txt" 2>/dev/null
		perseus report --trace --json "$M/run" >"$M/json" 2>/dev/null
		calls=$((calls + $(field calls)))
		lost=$((lost + $(field lost)))
		missing=$((missing + $(field calls_missing)))
	done
done
# efficiency FILE: the clock is that of the same process
efficiency() {
	paste -d' ' "$T/plain.txt" "$T/$1" | awk '{
		n = NF / 2
		for (k = 2; k <= n; k++)
			print ($(k + n) - $k) / (2 * $(n + 1))
	}' | median
}
figure record.E.trace "$(efficiency trace.txt)" 1.05 "every call timed, without a trace: $(efficiency timed.txt)"
# Two events a call, of the workload that does nothing else.
goal_min record.events_per_s "$(awk '{print int(2e9 / $3)}' "$T/trace.txt" | median | awk '{printf "%.0f", $1}')" 50000000 "one thread, drained to memory; L"
figure record.trace.lost_share "$(awk -v l=$lost -v c=$calls 'BEGIN {printf "%.6f", l / (l + c)}')" "" \
  "$lost of $((lost + calls)) calls; the record knows of $missing"
figure record.trace.bytes_a_call "$(awk -v b="$(field bytes)" -v c="$(field calls)" 'BEGIN {printf "%.2f", b / c}')" 16.1

printf '#!/bin/sh\nexec perseus report --trace "$@"\n' >"$T/read"
chmod +x "$T/read"
t=$("$T/cputime" 5 "$T/read" -- x "$M/run" 2>/dev/null)
goal_min record.read_per_s "$(awk -v t="$t" -v c="$(field calls)" 'BEGIN {if (t > 0) print int(2 * c / t)}')" 20000000 \
  "perseus report --trace, $(field calls) calls"
if command -v babeltrace2 >/dev/null; then
	printf '#!/bin/sh\nexec babeltrace2 "$1/trace"\n' >"$T/theirs"
	chmod +x "$T/theirs"
	t=$("$T/cputime" 1 "$T/theirs" -- x "$M/run" 2>/dev/null)
	figure record.read_per_s.babeltrace2 "$(awk -v t="$t" -v c="$(field calls)" 'BEGIN {if (t > 0) print int(2 * c / t)}')" "" "peer, to text"
fi
finish_bench
