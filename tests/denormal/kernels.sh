#!/bin/sh
# SPDX-License-Identifier: MIT
# Values of all types, loops of all kinds: counts are those of -O0, output and flags those of the plain build.
. tests/lib.sh
. tests/denormal/common.inc

for mode in full results; do
  for o in -O0 -O1 -O2 -O3; do
    build $mode gcc $o $P/kernels.c && run
    as_plain "$mode $o"
    grep '^site' "$T/facts" >"$T/sites$o"
    it "$mode $o: each count is that of -O0" cmp "$T/sites-O0" "$T/sites$o"
  done
  # Products are contracted there, so sites differ.
  if [ -n "$native" ]; then
    build $mode gcc -O3 $native $P/kernels.c && run
    as_plain "$mode -O3 $native"
    build $mode gcc -O2 $native -flto $P/kernels.c && run
    as_plain "$mode -O2 $native -flto"
  else
    skip "$mode -march=native" "no AVX2"
  fi
done
half=$(echo __FLT16_MANT_DIG__ | gcc -E -P -x c - | grep '^[0-9]')
for type in 0 1 2 3; do
  if [ $type = 0 ] && [ -z "$half" ]; then skip "denormals of type $type" "no _Float16 in this compiler"; continue; fi
  it "denormals of type $type are found" grep -Eq "type=$type .*result=[1-9]" "$T/sites-O0"
done
exits 1 "a mode that is not there is refused" gcc -c -o "$T/a.o" -fplugin="$PLUGIN" -fplugin-arg-perseus-probe=denormal:birth $P/kernels.c
says "denormal:birth.*expected.*denormal:origin" "... with those that are there"
gcc -O2 -ffast-math -c -o "$T/a.o" -fplugin="$PLUGIN" -fplugin-arg-perseus-probe=denormal $P/kernels.c 2>"$T/err"
says "denormals of this unit are not counted" "-ffast-math is named"
gcc -O2 -mfpmath=387 -c -o "$T/a.o" -fplugin="$PLUGIN" -fplugin-arg-perseus-probe=denormal $P/kernels.c 2>"$T/err"
says "denormals of this unit are not counted: with -mfpmath=387" "... and -mfpmath=387, whose values have more bits until they are looked at"
gcc -O2 -c -o "$T/a.o" -fplugin="$PLUGIN" -fplugin-arg-perseus-probe=denormal $P/kernels.c 2>"$T/err"
silent "not counted" "... and nothing else" "$T/err"
finish
