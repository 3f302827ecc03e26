#!/bin/sh
# SPDX-License-Identifier: MIT
# Where there is much to count, a call counts: the counts are those that the program makes by itself, in all modes.
. tests/lib.sh
. tests/denormal/common.inc

# sums: of each kind results, births, deaths and operands, as the program prints them
sums() {
  for kind in load store add sub mul; do
    echo "$kind $(total $kind result) $(total $kind birth) $(total $kind death) $(($(total $kind operand0) + $(total $kind operand1)))"
  done
}
for type in "" -DT=double; do
  gcc -O1 -ffp-contract=off -DTRUTH $type $P/long.c -o "$T/truth" -lm
  for mode in full origin; do
    # Most of the time of this test is the compiler's.
    for o in -O0 -O2 "-O3 -fPIC $native"; do
      case $type$o in -DT=double-O2 | -O0 | -O3*) ;; *) continue ;; esac
      build $mode gcc -ffp-contract=off $type $o $P/long.c
      for scale in 0.02 1e9; do
        run $scale
        sed -i '/ fill() /d' "$T/facts"
        as_plain "$mode $type $o $scale"
        "$T/truth" $scale | sed 1d >"$T/true"
        [ $scale != 0.02 ] || cp "$T/true" "$T/small"
        sums >"$T/sums"
        it "$mode $type $o $scale: the counts are true" diff "$T/true" "$T/sums"
      done
      "$T/prog" 0.02 >"$T/got"
      same "$mode $type $o: without the library it is the same" "$("$T/plain" 0.02)" "$(cat "$T/got")"
    done
  done
  it "denormals there are some" grep -q "sub [1-9][0-9]* [1-9][0-9]* [1-9][0-9]* [1-9]" "$T/small"
done
finish
