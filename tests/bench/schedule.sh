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
# The seed's case study: 16, 32 and 64 registrations of an atlas with perfect predictions (table G.1); 40, 80 and 160
# that wait for one another with probes, at what they cost there and at ten times as much (table G.2).
cases=${CASES:-5}
for seed in $(seq "$cases"); do
	for tasks in 16 32 64; do
		perseus schedule simulate --load=atlas --tasks=$tasks --seed="$seed" --json >"$T/out" || exit 3
		sed "1s/{/{ \"group\": \"atlas $tasks 4\",/" "$T/out" >>"$T/cases"
	done
	for tasks in 40 80 160; do
		for cost in 4 40; do
			perseus schedule simulate --load=registrations --tasks=$tasks --probe-cost=$cost --seed="$seed" --json >"$T/out" || exit 3
			sed "1s/{/{ \"group\": \"registrations $tasks $cost\",/" "$T/out" >>"$T/cases"
		done
	done
done
python3 tests/bench/schedule.py figures "$T" >"$T/figures"
grep '^#' "$T/figures"
of="percent of its makespan, mean of $workloads workloads, predictions 20 % off"
figure schedule.gap_percent "$(value schedule.gap_percent)" 1 "to the bound, worst of $workflows, 1,000 tasks on 64 nodes"
figure schedule.planted_gap_percent "$(value schedule.planted_gap_percent)" 1 "to the known optimum, worst of $workflows"
figure schedule.seconds "$(value schedule.seconds)" 10 "worst"
figure schedule.vs_fifo "$(value schedule.vs_fifo)" -22 "$of"
figure schedule.vs_backfill "$(value schedule.vs_backfill)" 0 "$of"
figure schedule.atlas_percent "$(value schedule.atlas_percent)" -22 "planned beside the better of FIFO on one node and on all, worst of 16, 32 and 64 registrations; table G.1 has -22 to -24"
figure schedule.choice_loss_percent "$(value schedule.choice_loss_percent)" 2 "what is chosen (probes, or none) beside the best that could be, worst of nine groups of $cases loads"
figure schedule.vs_heft "$(value schedule.vs_heft)" 0 "$of"
finish_bench
