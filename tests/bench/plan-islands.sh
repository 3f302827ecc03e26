# SPDX-License-Identifier: MIT
# Part of plan.sh: the islands against one population of the same effort.
"$O/tests/bench/islands" >"$T/islands.figures" || exit 3
island_value() { awk -v n="$1" '$1 == n {print $2}' "$T/islands.figures"; }
one=$(island_value one_above_percent)
figure plan.islands.above_percent "$(island_value above_percent)" "$one" \
  "above the planted optimum from the baseline, mean of 8 seeds; peer: one population of the same effort, $one"
