#!/bin/sh
# SPDX-License-Identifier: MIT
# make bench-plan: the planner on the five gate tests of the 2008 report, on
# instances with a planted optimum, and beside pagmo2.  Seconds are CPU time
# unless a figure says otherwise.
. tests/bench/lib.sh
load_note
# field NAME: of a line "name value name value ..." on stdin
field() { awk -v n="$1" '{for (i = 1; i < NF; i += 2) if ($i == n) print $(i + 1)}'; }

# ---- the gate tests ----
"$O/tests/bench/plan" >"$T/figures" || exit 3
figure plan.gate.points_off "$(value plan.gate.points_off)" 0.1 "bound against the known optimum, proven"
figure plan.gate.seconds "$(value plan.gate.seconds)" 1 \
  "all eleven cases, one thread; peer: the 2008 report, 2.6 min to 4 h each"
figure plan.gate.price_points "$(value plan.gate.price_points)" "" "what the prices of changes take from the optimum"
at_least plan.haltstate.saved_percent 23 "the 2008 report: 22.6"
at_least plan.float.saved_percent 19.5 "the 2008 report: 20.7"
at_least plan.pairs.saved_percent 18 "the 2008 report: 18.4"
figure plan.noexact.points_off "$(value plan.noexact.points_off)" 0.1 \
  "nothing enumerated, worst of 30 seeds, against the plan with enumeration"
figure plan.noexact.seconds "$(value plan.noexact.seconds)" 5 "all eleven cases, the slowest of 30 seeds"

# ---- rates ----
"$O/tests/bench/rates" >"$T/figures" 2>/dev/null || exit 3
for name in pairs imgapp signal; do
	at_least plan.$name.distinct_per_s 5000000 "different placements of a phase, each added up from nothing"
	figure plan.$name.delta_per_s "$(value plan.$name.delta_per_s)" "" "one member moved, the rest kept"
done
figure plan.large.distinct_per_s "$(value plan.large.distinct_per_s)" "" "64 threads on 64 cores, 16 conflicts"
figure plan.large.delta_per_s "$(value plan.large.delta_per_s)" "" "the same, one member moved"

# ---- planted optimum: 64 cores, 64 threads, 100 phases ----
# planted NAME KEY=VALUE...
planted() {
	name=$1
	shift
	"$O/tests/bench/planted" workers=2 "$@" >"$T/line" || exit 3
	figure "plan.planted.$name.gap_percent" "$(field gap_percent <"$T/line")" 1 \
	  "above the bound, which is the planted optimum; baseline $(field baseline_percent <"$T/line") % above"
	figure "plan.planted.$name.seconds" "$(field cpu_seconds <"$T/line")" 10 \
	  "CPU of both threads; $(field seconds <"$T/line") s went by"
	figure "plan.planted.$name.rss_mb" "$(field rss_mb <"$T/line")" 256
	echo "note: $name: $(field phases_added_up <"$T/line") phases added up from nothing, $(
		field members_moved <"$T/line") members moved, islands not counted"
}
planted movable
planted core_clocks clocks=0 seed=2
planted static_quarter static_percent=25 seed=3

# ---- time to target beside pagmo2 ----
pagmo() {
	archives="$O/planner.a $O/analyzer.a $O/record.a $O/planner.a $O/yaml.a $O/lib.a"
	gcc -std=gnu11 -O2 -I. -Iinclude -D_GNU_SOURCE -c -o "$T/target.o" tests/bench/target.c || exit 3
	# shellcheck disable=SC2086
	g++ -std=c++17 -O2 -I. -o "$T/pagmo" tests/bench/pagmo.cc "$T/target.o" $archives \
	  -lyaml -lelf -lm -lpthread -lpagmo -ltbb -lboost_serialization || exit 3
	"$T/pagmo" >"$T/race" || exit 3
	for name in signal planted; do
		peer=$(awk -v n="pagmo.$name" '$1 == n {printf "pagmo2 sga: %d of 30 there, quartiles %s %s %s s", $2, $3, $4, $5}' "$T/race")
		ours=$(awk -v n="planner.$name" '$1 == n {printf "%d of 30 there, quartiles %s %s %s s", $2, $3, $4, $5}' "$T/race")
		figure "plan.target.$name.seconds" "$(awk -v n="planner.$name" '$1 == n {print $4}' "$T/race")" \
		  "$(awk -v n="pagmo.$name" '$1 == n {print $4}' "$T/race")" "median to within 1 % of the best known; $ours; $peer"
	done
}
if echo '#include <pagmo/problem.hpp>' | g++ -std=c++17 -E -x c++ - >/dev/null 2>&1; then pagmo
else echo "note: libpagmo-dev is not installed: no race against pagmo2"; fi

# ---- fronts ----

# ---- the block simulator ----
. tests/bench/plan-sim.sh

# ---- locks ----
. tests/bench/plan-locks.sh

# ---- islands ----
. tests/bench/plan-islands.sh
finish_bench
