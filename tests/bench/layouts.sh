#!/bin/sh
# SPDX-License-Identifier: MIT
# make bench-layouts: programs whose remedy is a layout.  What `perseus plan --layouts`
# says that it saves against what the compiler's layout saves, measured in pairs; of
# those that gain more than 20 % the error is held to the goal.  NAMES chooses programs,
# BENCH_PAIRS how often each is measured.  Where it may, all runs at real-time priority.
. tests/bench/lib.sh
load_note
[ "$(nproc)" -ge 2 ] || { echo "note: one core only"; finish_bench; exit 0; }
judge=$(pwd)/tests/bench/layouts.py
cd "$T" || exit 3
# shellcheck disable=SC2086
O=$O python3 "$judge" "${BENCH_PAIRS:-10}" $NAMES >cases.txt || exit 3
awk '$3 == "mended" {printf "%-10s predicted %5s %%   measured %5s %% (%s to %s)   padded by hand %5s %%   %s\n", $2, $4, $5, $6, $7, $8, $9} $3 != "mended"' cases.txt
# What was disturbed, or whose cores moved, says nothing about the prediction.
errors() { awk '$3 == "mended" && $9 == "quiet" && $5 > 20 {e = $4 / $5 - 1; printf "%.1f\n", 100 * (e < 0 ? -e : e)}' cases.txt; }
awk '$3 == "mended" && $9 != "quiet" {n++} END {if (n) printf "note: %d measured beside other load, or on cores that moved: they do not count\n", n}' cases.txt
figure layout.gain_error_median "$([ -z "$(errors)" ] || errors | median)" 25 "percent, over $(errors | wc -l) programs that gain above 20 %"
figure layout.mended "$(grep -c ' mended ' cases.txt)" "" "of $(wc -l <cases.txt): output equal, finding gone, built by the flag alone"
figure layout.refused "$(grep -c ' refused ' cases.txt)" "" "with a reason"
figure layout.failed "$(grep -c ' failed ' cases.txt)" 0
finish_bench
