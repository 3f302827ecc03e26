# SPDX-License-Identifier: MIT
# make bench-schedule: gap and seconds of seeded workflows of 1,000 tasks on 64 nodes; and the genetic algorithm beside
# FIFO, backfill and HEFT in a made-up cluster, over 30 workloads, with predictions that are off by 20 % on average.
# WORKLOADS, WORKFLOWS: fewer; EFFORT: rounds of the genetic algorithm at each event of a simulation.
. tests/bench/lib.sh
workloads=${WORKLOADS:-30}
workflows=${WORKFLOWS:-5}
effort=${EFFORT:-10}
for seed in $(seq "$workflows"); do
	python3 tests/bench/schedule.py workflow "$seed" 1000 64 >"$T/work.yaml"
	/usr/bin/env time -f '%e' -o "$T/seconds" perseus schedule --effort=100 --json -o "$T/plan.yaml" "$T/work.yaml" >"$T/out" || exit 3
	perseus schedule check "$T/work.yaml" "$T/plan.yaml" >/dev/null || { echo "# seed $seed: the schedule is wrong"; exit 1; }
	cat "$T/seconds" >>"$T/all-seconds"
	cat "$T/out" >>"$T/gaps"
done
for error in 20 0; do
	for seed in $(seq "$workloads"); do
		perseus schedule simulate --seed="$seed" --error="$error" --effort="$effort" --json >>"$T/simulated-$error" || exit 3
	done
done
python3 tests/bench/schedule.py figures "$T" >"$T/figures"
grep '^#' "$T/figures"
of="percent of its makespan, mean of $workloads workloads, predictions 20 % off"
figure schedule.gap_percent "$(value schedule.gap_percent)" 1 "to the bound, worst of $workflows, 1,000 tasks on 64 nodes"
figure schedule.seconds "$(value schedule.seconds)" 10 "worst"
figure schedule.vs_fifo "$(value schedule.vs_fifo)" -22 "$of"
figure schedule.vs_backfill "$(value schedule.vs_backfill)" 0 "$of"
figure schedule.vs_heft "$(value schedule.vs_heft)" 0 "$of"
finish_bench
