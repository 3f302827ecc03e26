# SPDX-License-Identifier: MIT
# Part of plan.sh: the islands against one population of the same effort.
gcc -std=gnu11 -O2 -I. -Iinclude -D_GNU_SOURCE -o "$T/islands" tests/bench/islands.c "$O/planner.a" "$O/record.a" "$O/yaml.a" \
  "$O/lib.a" -lyaml -lelf -lm -lz -lpthread || exit 3
"$T/islands" >"$T/islands.figures" || exit 3
island_value() { awk -v n="$1" '$1 == n {print $2}' "$T/islands.figures"; }
one=$(island_value one_above_percent)
figure plan.islands.above_percent "$(island_value above_percent)" "$one" \
  "above the planted optimum from the baseline, mean of 8 seeds; peer: one population of the same effort, $one"
