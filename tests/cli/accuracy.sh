#!/bin/sh
# SPDX-License-Identifier: MIT
# Counts are exact, and times are those that the program measures round the same blocks.
. tests/lib.sh
command -v python3 >/dev/null || { skip "counts and times" "no python3"; finish; }

it "the program builds" gcc -O2 -fno-optimize-sibling-calls -fplugin="$PLUGIN" -o "$T/accuracy" tests/bench/accuracy.c
turns=$("$T/accuracy" -c)
judge=$(pwd)/tests/bench/accuracy.py
cd "$T" || exit 1
# No block log: its growth would lie between the program's clock and ours.
exits 0 "it is recorded" perseus record -q --block-us=10000000 -o run-1 ./accuracy 3 "$turns"
mv out own-1
exits 0 "and reported" perseus report --json --calls 1000 run-1
python3 "$judge" out own-1 >table
cp table tables

count() { awk -v k="$1" '$1 == k {print $NF}' table; }
for k in block_10us:1200 block_30us:600 block_100us:180 block_1ms:24 block_10ms:3 nested:600; do
	it "the ${k#*:} calls of ${k%:*} are counted" \
	  awk -v k="${k%:*}" -v n="${k#*:}" '$1 == k {ok = $2 == n && $3 == n} END {exit !ok}' table
done

# The program's two readings enclose the probes, so what these cost is missing in
# ours, and whatever interrupts the program is in both unless it falls into the
# moment between them.  That may happen; it does not happen to all of three runs.
for i in 2 3; do
	perseus record -q --block-us=10000000 -o run-$i ./accuracy 3 "$turns" >own-$i 2>/dev/null
	perseus report --json --calls 1000 run-$i >out
	python3 "$judge" out own-$i >>tables
done
for k in block_10us block_30us block_100us block_1ms block_10ms nested; do
	it "the times of $k are those of the program, to 2 % and 0.3 us a call" awk -v k=$k \
	  '$1 == k {d = $4 - $5; d = d < 0 ? -d : d; ok += d < 0.02 * $4 + 300 * $2; print} END {exit !ok}' tables
done
[ "$(count fib)" = 8361 ] && ok "recursion is counted exactly" || not_ok "recursion is counted exactly" "$(count fib), expected 8361"
[ $(($(count even) + $(count odd))) = 3000 ] && ok "so are calls through a pointer, both callees together" || not_ok "so are calls through a pointer, both callees together" "$(count even) $(count odd)"
[ "$(count tiny)" = 120000 ] && ok "and short calls, of which few are timed" || not_ok "and short calls, of which few are timed" "$(count tiny)"
finish
