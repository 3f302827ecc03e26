# SPDX-License-Identifier: MIT
# Part of plan.sh: the block simulator, and a log of ten million blocks from end to end.
"$O/tests/bench/sim" >"$T/sim.figures" && "$O/tests/bench/sim" --write "$T" || exit 3
sim_value() { awk -v n="$1" '$1 == n {print $2}' "$T/sim.figures"; }
# cpu_of COMMAND...: its CPU time, s
cpu_of() { (
	"$@" >/dev/null 2>&1
	times
) | awk 'NR == 2 { n = 0
	for (i = 1; i <= 2; i++) { split($i, t, /[ms]/); n += 60 * t[1] + t[2] }
	print n }'; }
floor=$(sim_value plan.sim.read_ns_per_block)
figure plan.sim.ns_per_block "$(sim_value plan.sim.ns_per_block)" 15 "threads on cores of their own; floor: reading them, $floor ns"
figure plan.sim.barriers_ns_per_block "$(sim_value plan.sim.barriers_ns_per_block)" 15 "and a barrier of all threads every 10 blocks"
figure plan.sim.turns_ns_per_block "$(sim_value plan.sim.turns_ns_per_block)" 15 "and two threads to a core"
figure plan.sim.events_ns_per_block "$(sim_value plan.sim.events_ns_per_block)" "" "a barrier of all threads behind every block"
figure plan.sim.bytes_per_thread "$(sim_value plan.sim.bytes_per_thread)" 1024 "state, however many blocks"
big="perseus plan $T/big.yaml -p xeon-e5320 --objective=energy -o $T/big.plan"
without=$(cpu_of $big)
figure plan.sim.ten_million_s "$(cpu_of $big --blocks="$T/big.blocks")" 60 "CPU time of perseus plan on 10 million blocks; without them $without s"
