#!/bin/sh
# SPDX-License-Identifier: MIT
# Denormals of several births keep their origin through transposes, exchanges, copies and filters; others are said to have none.
. tests/lib.sh
. tests/denormal/common.inc

# Two birthplaces, which meet: the first explains six arrays, the second three.
one=$(grep -n '/\* ONE' $P/origins.c | cut -d: -f1)
two=$(grep -n '/\* TWO' $P/origins.c | cut -d: -f1)
pole=$(grep -n 'state = state \* 0.999' $P/origins.c | cut -d: -f1)
for o in -O0 -O1 -O2 -O3 ${native:+"-O3 -march=native"}; do
  build origin gcc $o -ffp-contract=off $P/origins.c && run 1e-20
  tell
  as_plain "origins $o"
  same "origins $o: a transpose, an exchange and copies keep them" "$one:15000 $two:7500" "$(told born | cut -d' ' -f1,2)"
  same "origins $o: what read() brought, integers, and what a function returned" "2500 2500 2500 0" "$(told unknown)"
  same "origins $o: a one-pole filter is stuck at 500 ulp" "state $pole 381702 372096 stuck 7.01e-43" "$(grep "^state $pole " "$T/told")"
  same "origins $o: ... and two others, in memory" "stuck stuck" "$(grep '^state' "$T/told" | grep -v "^state $pole " | awk '{ print $2, $5 }' | sort -u | awk '{ printf "%s%s", s, $2; s = " " }')"
  run 1
  tell
  as_plain "origins $o, the twin"
  same "origins $o: its twin has none of it" "born |ways |unknown 0 0 0 0" "$(grep -E '^(born|ways|unknown|state)' "$T/told" | tr '\n' '|' | sed 's/|$//')"
done
run 1e-20 kill
tell
same "killed: what was counted is there" "$one:15000 $two:7500 / 2500 2500 2500 0" "$(told born) / $(told unknown)"

run 1e-20 huge
tell
as_plain "an array of 10^9 elements"
same "... has the origins of those that are denormal" 1000 "$(told born | cut -d: -f2)"
says 'little memory$' "... and takes memory for them only" "$T/got"

# GCC from 13 on stores the parts of a complex number one by one.
for o in -O0 -O2 -O3; do
  build origin gcc $o $P/complex.c && run 1e-320
  tell
  as_plain "complex $o"
  same "complex $o: all that was stored has a place, and came from what it was computed of" "True / 999" "$(told mapped) / $(told ways)"
  run 1
  tell
  same "complex $o: its twin has none of it" "True / " "$(told mapped) / $(told ways)"
done

for o in -O0 -O1 -O2 -O3 ${native:+"-O3 -march=native"} "-O2 -fno-strict-aliasing"; do
  build origin gcc $o $P/kernels.c && run
  as_plain "kernels $o"
  tell
  grep '^born' "$T/told" >"$T/born$o"
  [ "$o" = "-O3 -march=native" ] || it "kernels $o: the origins are those of -O0" cmp "$T/born-O0" "$T/born$o"
done
finish
