#!/bin/sh
# SPDX-License-Identifier: MIT
# What goes round in loops, in registers, through stores that GCC moves, and out of loops keeps its birth; no source is made up.
. tests/lib.sh
. tests/denormal/common.inc

g++ -O1 -ffp-contract=off -DTRUTH -x c++ $P/filters.c -o "$T/truth"
"$T/truth" 1e-20 >"$T/true"
"$T/truth" 1 >"$T/none"
for o in -O0 -O1 -O2 -O3 -Os ${native:+"-O3 -march=native"} "-O2 -flto" "-O2 -fPIC -fno-inline"; do
  build origin gcc -ffp-contract=off $o $P/filters.c && run 1e-20
  tell
  as_plain "$o"
  it "$o: births and what is not known are those that the numbers themselves carry" sh -c "grep -E '^(born|unknown)' '$T/told' | cmp - '$T/true'"
  same "$o: of all it is known where they come from" 0 "$(told lost)"
done
run 1
tell
as_plain "the twin"
it "the twin has none of it" sh -c "grep -E '^(born|unknown)' '$T/told' | sed 's/ \$//' | cmp - '$T/none'"
finish
