# SPDX-License-Identifier: MIT
# make bench-tune: the search of perseus tune on eight landscapes whose best setting is known, beside random search,
# the heuristic of the 2008 paper, differential evolution and simulated annealing, SEEDS seeds each (30), all with as
# many runs; and NOTHING tunings (100) over settings that do nothing.
. tests/bench/lib.sh
seeds=${SEEDS:-30}
nothing=${NOTHING:-100}
"$O/tests/bench/tune/tune" "$seeds" >"$T/all" || exit 3
wins=0
for name in $(cut -d' ' -f1 "$T/all" | uniq); do
	regret() { awk -v n="$name" -v w="$1" '$1 == n && $2 == w { print $3 }' "$T/all"; }
	best=$(awk -v n="$name" '$1 == n && $2 != "perseus" { print $3 }' "$T/all" | sort -g | head -1)
	# Equal: within half a percent of the best setting's time, which is below the noise of each landscape.
	awk -v a="$(regret perseus)" -v b="$best" 'BEGIN { exit !(a <= b + 0.5) }' && wins=$((wins + 1))
	figure "tune.regret.$name" "$(regret perseus)" "" "percent above the best setting, median of $seeds seeds, at most $(awk -v n="$name" '$1 == n && $2 == "perseus" { print $5 " runs of " $7 " settings" }' "$T/all"); random $(regret random), seed 001 $(regret seed001), evolution $(regret evolution), annealing $(regret annealing)"
done
echo "tune.best_or_equal_of_8 $wins" >"$T/figures"
at_least tune.best_or_equal_of_8 6 "landscapes on which no other has a median more than 0.5 points lower"
"$O/tests/bench/tune/tune" noise "$nothing" >"$T/noise" || exit 3
figure tune.crowned_noise_percent "$(awk -v n="$nothing" '{ printf "%.1f", 100 * $2 / n }' "$T/noise")" 5 "of $nothing tunings over settings that do nothing, noise of 1 to 10 %, drift and outliers"
finish_bench
