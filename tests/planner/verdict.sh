#!/bin/sh
# SPDX-License-Identifier: MIT
# When there is no plan although something was found: the system's own placement needs no more, or the two
# evaluators contradict each other.
. tests/lib.sh
cat >"$T/two.yaml" <<'P'
perseus: platform
version: 1
name: "two"
cores:
  - {id: 0, package: 0, cache_group: 0, physical: 0, domain: 0, usable: true}
  - {id: 1, package: 0, cache_group: 0, physical: 1, domain: 0, usable: true}
steps:
  - {khz: 2600000, busy_mw: 8000, idle_mw: 3000}
energy_known: true
can_halt: false
slice_ns: 4000000
trigger_ns: 8
affinity_ns: 700
frequency_ns: 0
migrate_ns: {cache: 4000}
price:
  atomic: {alone_ps: 2000, shared_ps: {cache: 90000}}
P
sed 's/^  - {id: 1.*/&\n  - {id: 2, package: 1, cache_group: 1, physical: 2, domain: 1, usable: true}\n  - {id: 3, package: 1, cache_group: 1, physical: 3, domain: 1, usable: true}/
	s/{cache: 4000}/{cache: 4000, remote: 9000}/; s/can_halt: false/can_halt: true/; s/slice_ns/package_halt_mw: 100\n&/' "$T/two.yaml" >"$T/halting.yaml"
# program RATE CYCLES...: threads that work CYCLES, each pair on one line with RATE; $gap: each with the next only,
# and so many cycles from one access to the next while a thread is at the line
program() {
	rate=$1
	shift
	awk -v rate="$rate" -v gap="$gap" -v list="$*" 'BEGIN {
		n = split(list, c, " ")
		print "perseus: model\nversion: 2\nprogram: \"made\"\nbuild_id: \"00ff\"\nclock: \"made\"\nhz: 2600000000\nwall_ns: 400000000"
		print "outside: 0\nthreads:\n  - {index: 0, name: \"main\", ordinal: 0, plannable: true}"
		for (t = 1; t <= n; t++)
			printf "  - {index: %d, name: \"w\", creator: 0, create_site: 0, ordinal: %d, plannable: true}\n", t, t - 1
		print "sites:\n  - {index: 0, id: \"0000000000000001\", instance: \"00000000\", unit: \"n.c\", function: \"f\", callee: \"pthread_create\", file: \"n.c\", line: 1}"
		printf "phases:\n  - {index: 0, name: \"phase-000001\", opened_by: start, repeats: 1, wall_ns: 1, accepted: true, work: [{thread: 0, cycles: 1000}"
		for (t = 1; t <= n; t++)
			printf ", {thread: %d, cycles: %s, starts: true}", t, c[t]
		print "]}"
		if (rate > 0)
			print "conflicts:"
		for (a = 1; a <= n && rate > 0; a++)
			for (b = a + 1; b <= n && (!gap || (b == a + 1 && a % 2)); b++) {
				side = "kind: atomic, accesses_per_kcycle: " rate (gap ? ", visits_per_kcycle: " rate ", gap_cycles: " gap : "") "}"
				printf "  - {evidence: \"share-%06d\", false_sharing: true, object: \"o\", a: {thread: %d, field: \"x\", %s, b: {thread: %d, field: \"y\", %s}\n", 10 * a + b, a, side, b, side
			}
	}' >"$T/model.yaml"
}
plan() { perseus plan "$T/model.yaml" -p "$T/$1.yaml" -o "$T/plan.yaml" --objective="$2"; }

# Spread has 2 + 1 and 1, a fair scheduler 2 and 1 + 1, which no plan can beat.
program 0 260000000 130000000 130000000 0
program 0 130000000 130000000 260000000
exits 0 "a program for which spread is bad" plan two energy
says '^no plan +the baseline .os., a fair scheduler' "gets no plan for energy that os is better than"
says '^kinds +start -[0-9.]+ % .sets [1-9]' "what would be set is in the table of kinds"
it "no thread is placed" sh -c '! grep -q "^    core:" "$1"' - "$T/plan.yaml"
exits 0 "nor one for energy x delay" plan two edp
says '^no plan +the baseline .os., .*' "by the same reason"
exits 0 "nor one for time" plan two time
says 'ideal that never waits' "and it is said that the scheduler that it is compared with is an ideal"
program 0 260000000 260000000
exits 0 "where a package can halt there is a plan for energy" plan halting energy
silent '^no plan' "which os does not reach"
says '^saving +[1-9]' "and it saves"

# Two pairs of mates on two cores, at their line in bursts: the fluid model takes bursts to be longer than turns, the
# simulator accesses to be evenly spread.
gap=6
program 30 260000000 260000000 260000000 260000000
gap=
exits 0 "a program whose baseline the evaluators contradict each other about" plan two time
says '^no plan +what is expected of the baseline is not known: the fluid model' "gets no plan"
says 'factor of (1\.[5-9]|[2-9]\.[0-9]) apart' "by how much is said"
silent 'leave it to the system' "nor is it left to the system"
exits 0 "in JSON, too" perseus plan "$T/model.yaml" -p "$T/two.yaml" -o "$T/plan.yaml" --json
says '"verdict": "apart"' "by name"
says '"simulated_apart": (1\.[5-9]|[2-9])' "and factor"
program 20 260000000 260000000 260000000 260000000
exits 0 "where each meets all others, whoever has the turn, they agree" plan two time
silent 'is not known' "and there is a verdict"
gap=100
program 5 260000000 260000000 260000000 260000000
exits 0 "where they are a fifth apart" plan two time
silent 'is not known' "the verdict stands"
finish
