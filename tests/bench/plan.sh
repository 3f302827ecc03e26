#!/bin/sh
# SPDX-License-Identifier: MIT
# make bench-plan: the planner on the five gate tests of the 2008 report.
. tests/bench/lib.sh
load_note
gcc -std=gnu11 -O2 -I. -Iinclude -D_GNU_SOURCE -o "$T/plan" tests/bench/plan.c "$O/planner.a" "$O/yaml.a" \
  "$O/lib.a" -lyaml -lelf -lm || exit 3
"$T/plan" >"$T/figures" || exit 3
value() { awk -v n="$1" '$1 == n {print $2}' "$T/figures"; }
# at_least NAME GOAL: more is better, which figure() does not know
at_least() {
	figures=$((figures + 1))
	if awk -v v="$(value "$1")" -v g="$2" 'BEGIN { exit !(v >= g) }'; then word=ok
	else word=short short=$((short + 1)); fi
	echo "figure $1 value=$(value "$1") goal>=$2 $word${3:+  ($3)}"
}
figure plan.gate.points_off "$(value plan.gate.points_off)" 0.1 "bound against the known optimum, proven"
figure plan.gate.seconds "$(value plan.gate.seconds)" 1 "all cases; peer: the 2008 report, 2.6 min to 4 h each"
figure plan.gate.price_points "$(value plan.gate.price_points)" "" "what the prices of changes take from the optimum"
at_least plan.haltstate.saved_percent 23 "the 2008 report: 22.6"
at_least plan.float.saved_percent 19.5 "the 2008 report: 20.7"
at_least plan.pairs.saved_percent 18 "the 2008 report: 18.4"
figure plan.noexact.points_off "$(value plan.noexact.points_off)" "" "genetic algorithm and local search, worst of 5 seeds"
at_least plan.evals_per_s 5000000 "phases, in runs of three phases and nine threads"
finish_bench
