# SPDX-License-Identifier: MIT
# make bench-schedule: gap and seconds of seeded workflows of 1,000 tasks on 64 nodes, and of such with a known optimum;
# and local search beside FIFO, backfill, HEFT and the genetic algorithm in a made-up cluster, over 30 workloads, with
# predictions that are off by 20 % on average; and 10,000 jobs on 1,000 nodes.
# WORKLOADS, WORKFLOWS: fewer; ROUNDS of a search; EFFORT: rounds at each event of a simulation.
. tests/bench/lib.sh
workloads=${WORKLOADS:-30}
workflows=${WORKFLOWS:-5}
effort=${EFFORT:-10}
rounds=${ROUNDS:-1000}
# one KIND GAPS: seeded workflows, each scheduled and checked
one() {
	for seed in $(seq "$workflows"); do
		python3 tests/bench/schedule.py "$1" "$seed" 1000 64 >"$T/work.yaml"
		/usr/bin/env time -f '%e' -o "$T/seconds" perseus schedule --effort="$rounds" --timeout=9 --json -o "$T/plan.yaml" "$T/work.yaml" >"$T/out" || exit 3
		perseus schedule check "$T/work.yaml" "$T/plan.yaml" >/dev/null || { echo "# seed $seed: the schedule is wrong"; exit 1; }
		cat "$T/seconds" >>"$T/all-seconds"
		cat "$T/out" >>"$T/$2"
	done
}
one workflow gaps
one planted planted-gaps
for error in 20 0; do
	for seed in $(seq "$workloads"); do
		perseus schedule simulate --seed="$seed" --error="$error" --effort="$effort" --json >>"$T/simulated-$error" || exit 3
	done
done
python3 tests/bench/schedule.py swf 1 10000 1000 >"$T/log.swf"
for policy in fifo backfill heft; do
	/usr/bin/env time -f "10,000 jobs on 1,000 nodes, $policy: %e s, %M KiB" -o "$T/swf-$policy" \
		perseus schedule simulate --policy=$policy --swf="$T/log.swf" --tasks=10000 --nodes=1000 >"$T/out" || exit 3
	sed 's/^/# /' "$T/out" "$T/swf-$policy"
done
python3 tests/bench/schedule.py figures "$T" >"$T/figures"
grep '^#' "$T/figures"
of="percent of its makespan, mean of $workloads workloads, predictions 20 % off"
figure schedule.gap_percent "$(value schedule.gap_percent)" 1 "to the bound, worst of $workflows, 1,000 tasks on 64 nodes"
figure schedule.planted_gap_percent "$(value schedule.planted_gap_percent)" 1 "to the known optimum, worst of $workflows"
figure schedule.seconds "$(value schedule.seconds)" 10 "worst"
figure schedule.vs_fifo "$(value schedule.vs_fifo)" -22 "$of"
figure schedule.vs_backfill "$(value schedule.vs_backfill)" 0 "$of"
figure schedule.vs_heft "$(value schedule.vs_heft)" 0 "$of"
finish_bench
