#!/bin/sh
# SPDX-License-Identifier: MIT
# Each denormal that is loaded or stored lies in its array, or the report says that it lies in none.
. tests/lib.sh
. tests/denormal/common.inc

cat >"$T/check.py" <<'X2'
import json, sys
d = json.load(open(sys.argv[1]))
truth = sorted(tuple(line.split()) for line in open(sys.argv[2]) if line.split()[1:] != ["0", "0"])
arrays = sorted((a["name"], str(a["loads"]), str(a["stores"])) for a in d["arrays"] if a["name"] != "seed")
for what in "loads", "stores":
    nowhere = sum(line[what] for line in d["in_no_array"])
    assert sum(a[what] for a in d["arrays"]) + nowhere == d["total"][what], (what, nowhere, d["total"])
for a in d["arrays"]:
    assert a["part"] != "brought in", a
assert arrays == truth, (arrays, truth)
X2
record() {
  rm -rf "$T/recorded"
  perseus record -q --purpose=denormal -o "$T/recorded" "$T/prog" "$@" >"$T/out"
  perseus denormals --json "$T/recorded" >"$T/json"
}
for seed in 1 2 3 4; do
  python3 $P/make-loops.py $seed >"$T/loops.c"
  gcc -O1 -ffp-contract=off -DTRUTH -o "$T/truth" "$T/loops.c" -lm && "$T/truth" >"$T/counted"
  it "$seed: there are denormals" grep -q ' [1-9]' "$T/counted"
  for as in full:-O1 full:-O3 origin:-O2; do
    gcc -g -ffp-contract=off ${as#*:} -fplugin="$PLUGIN" -fplugin-arg-perseus-probe=denormal:${as%:*} -o "$T/prog" "$T/loops.c"
    record
    it "$seed $as: each lies in its array" python3 "$T/check.py" "$T/json" "$T/counted"
  done
done
record normal
it "of normal numbers none lies anywhere" grep -q '"arrays": *\[\]' "$T/json"
it "... nor in no array" grep -q '"in_no_array": *\[\]' "$T/json"

# What has no place at all is told, with its line.
gcc -g -O1 -fplugin="$PLUGIN" -fplugin-arg-perseus-probe=denormal:full -o "$T/prog" $P/unplaced.c
record
exits 0 "the report tells what lies in no array" perseus denormals "$T/recorded"
says "in none of them .in a register, or their place is not known" "... with its reason"
says "unplaced.c:8 in main\(\) 10 loads, 10 stores," "... its number, and its line"
finish
