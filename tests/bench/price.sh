#!/bin/sh
# SPDX-License-Identifier: MIT
# make bench-price: what `perseus conflicts` says that false sharing costs, against
# what the padded twin saves, and what `perseus plan` promises against what its
# placement saves; two pinned threads, kinds of access and amounts of other work
# between them.  Cases of more than 20 % are held to the goal.
. tests/bench/lib.sh
load_note
[ "$(nproc)" -ge 2 ] || { echo "note: one core only"; finish_bench; exit 0; }
judge=$(pwd)/tests/bench/price.py
src=$(pwd)/tests/bench/price.c
gcc -O2 -g -pthread -fplugin="$PLUGIN" -o "$T/probed" "$src" &&
	gcc -O2 -pthread -o "$T/packed" "$src" &&
	gcc -O2 -pthread -DPADDED -o "$T/padded" "$src" || exit 3
cd "$T" || exit 3
cases=${*:-"store:0:0 store:8:8 store:100:100 rmw:0:0 rmw:2:2 rmw:8:8 rmw:32:32 rmw:100:100 rmw:350:350 rmw:8:100
	atomic:0:0 atomic:2:2 atomic:8:8 atomic:32:32 atomic:100:100 atomic:350:350 atomic:2:32
	read:2:2 read:8:8 read:32:32 read:100:100"}
# shellcheck disable=SC2086
python3 "$judge" "${BENCH_ROUNDS:-3}" $cases >cases.txt 2>turns.txt
awk '$1 == "case" {printf "%-8s work %4s %4s   predicted %5s %%   measured %5s %%   planned %5s %%   placed %5s %%   of %d runs\n", $2, $3, $4, $5, $6, $7, $8, $9}' cases.txt
awk '/dropped/ {n++} END {if (n) printf "note: %d runs dropped, since the distance of the cores changed\n", n}' turns.txt
# errors SAID TRUE; factor SAID TRUE: columns of cases.txt
errors() { awk -v s="$1" -v t="$2" '$1 == "case" && $t + 0 > 20 {e = $s / $t - 1; printf "%.1f\n", 100 * (e < 0 ? -e : e)}' cases.txt; }
factor() { awk -v s="$1" -v t="$2" '$1 == "case" && $t + 0 > 20 {f = $s > $t ? $s / $t : $t / ($s > 0 ? $s : 0.01); if (f > m) m = f} END {if (m) printf "%.2f\n", m}' cases.txt; }
figure sharing.price.median_error "$(errors 5 6 | median)" 25 "percent, over $(errors 5 6 | wc -l) cases that cost more than 20 %"
figure sharing.price.max_factor "$(factor 5 6)" 2
figure sharing.price.free_points "$(awk '$1 == "case" && $6 != "absent" && $6 < 2 {if ($5 > m) m = $5} END {printf "%.1f\n", m + 0}' cases.txt)" 10 "highest cost said of what costs less than 2 %"
figure sharing.price.plan_median_error "$(errors 7 8 | median)" 25 "percent, over $(errors 7 8 | wc -l) cases in which one core for both saves more than 20 %"
figure sharing.price.plan_max_factor "$(factor 7 8)" 2
figure sharing.price.plan_free_points "$(awk '$1 == "case" && $8 != "absent" && $8 < 2 {if ($7 > m) m = $7} END {printf "%.1f\n", m + 0}' cases.txt)" 10 "highest gain promised where one core for both saves less than 2 %"

# Programs made by chance, each with its padded twin: 60 of them, of which those count
# that were neither disturbed nor moved.
PLUGIN=$PLUGIN python3 "$OLDPWD/tests/bench/twins.py" "${BENCH_SEED:-1}" 0 "${BENCH_TWINS:-60}" >twins.txt 2>&1
cat twins.txt
# share COLUMN: percent of the programs that gain more than 10 % of which the cost is right within 1.5
share() { awk -v c="$1" '$1 == "twin" && $7 == "timed" && $NF > 10 {n++; if ($c > 0 && $c <= 1.5 * $NF && $NF <= 1.5 * $c) r++} END {if (n) printf "%.0f\n", 100 * r / n}' twins.txt; }
# inside LOW HIGH: percent of all programs whose gain lies in the interval, give or take 2 %
inside() { awk -v l="$1" -v h="$2" '$1 == "twin" && $7 == "timed" {n++; if ($NF >= $l - 2 && $NF <= $h + 2) r++} END {if (n) printf "%.0f\n", 100 * r / n}' twins.txt; }
gains=$(awk '$7 == "timed" && $NF > 10' twins.txt | wc -l)
for how in "timed 8 9 10" "alone 12 13 14"; do
	# shellcheck disable=SC2086
	set -- $how
	echo "sharing.price.twins_factor.$1 $(share "$2")"
	echo "sharing.price.twins_interval.$1 $(inside "$3" "$4")"
done >"$T/figures"
for how in timed alone; do
	at_least sharing.price.twins_factor.$how 90 "percent right within 1.5, of $gains programs that gain more than 10 %; timed: with, alone: without a timing run"
	at_least sharing.price.twins_interval.$how 90 "percent of $(awk '$7 == "timed"' twins.txt | wc -l) programs whose interval holds the gain"
done
finish_bench
