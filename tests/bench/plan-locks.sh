# SPDX-License-Identifier: MIT
# Part of plan.sh, and all of make bench-locks: programs whose threads hold each
# other up, for known parts of their work.  What the model says that a placement
# takes, against what it takes when threads are held on their cores: each on a
# core of its own, all on one, those that share a lock apart or together.
#
#   two, even, uneven   two and four threads and one mutex, held for about 1 ms
#   often               even, with holds of about 0.1 ms
#   stream              a bounded buffer between two threads: no term in the model
#   turns               a buffer without room: one after the other
lock_bench() {
	judge=$(pwd)/tests/bench/predict.py
	flags="-O2 -g -falign-functions=64 -pthread"
	mkdir -p "$T/locks/plain" "$T/locks/calls"
	gcc -O2 -shared -fPIC -o "$T/locks/pin.so" tests/bench/pin.c -ldl || return 3
	# shellcheck disable=SC2046,SC2086
	gcc $flags -o "$T/locks/plain/two" tests/bench/locked.c &&
		gcc $flags $(plugin_flags calls) -o "$T/locks/calls/two" tests/bench/locked.c || return 3
	for copy in even uneven often stream turns; do
		for kind in plain calls; do cp "$T/locks/$kind/two" "$T/locks/$kind/$copy"; done
	done
	fours=0,1,0,1:0,0,1,1:0,0,0,1:0,1,1,1:0
	(cd "$T/locks" && python3 "$judge" "${BENCH_RUNS:-5}" "${BENCH_ROUNDS:-15}" \
		two:lock,50,2000,1200,2000,1200:0,1:0 \
		even:lock,30,1000,800,1000,800,1000,100,1000,100:$fours \
		uneven:lock,20,3000,600,2000,1200,1000,900,2000,200:$fours \
		often:lock,300,100,80,100,80,100,10,100,10:$fours \
		stream:stream,80,1000,1500,16:0,1:0 \
		turns:turns,60,1000,1500:0,1:0) >"$T/locks.txt"
}

if [ "$(nproc)" -lt 2 ]; then
	echo "note: one core only: no placements to distinguish"
else
	[ "$(id -u)" = 0 ] || echo "note: only root can put these runs before all others; on a busy machine figures are off"
	before=$(cut -d' ' -f1 /proc/loadavg)
	lock_bench || exit 3
	awk '$1 == "place" {printf "%-7s %-8s predicted %6s ms   measured %6s ms (%s to %s)   %s %%\n", $2, $3, $4, $5, $6, $7, $8}' "$T/locks.txt"
	lock_value() { awk -v n="$1" '$1 == "all" {print $n}' "$T/locks.txt"; }
	echo "plan.locks.tau $(lock_value 4)" >"$T/figures"
	at_least plan.locks.tau 0.8 "Kendall's tau-b over $(lock_value 3) pairs of the $(lock_value 2) placements whose intervals do not overlap"
	figure plan.locks.median_error "$(lock_value 5)" 10 "percent, over all placements; load average $before before, $(cut -d' ' -f1 /proc/loadavg) behind"
fi
