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
finish_bench
