#!/bin/sh
# SPDX-License-Identifier: MIT
# Which products are contracted with their sums does not hang on whether something is counted.
. tests/lib.sh
. tests/denormal/common.inc

if ! { echo 'int main(void){return __builtin_cpu_supports("fma") ? 0 : 1;}' | gcc -o "$T/fma" -x c - && "$T/fma"; }; then
  skip "contracted products" "no FMA"
  finish
  exit
fi
for o in "-O2 -mfma" ${native:+"-O3 $native"}; do
  gcc -o "$T/apart" -ffp-contract=off $o $P/fused.c && "$T/apart" >"$T/not"
  echo "status 0" >>"$T/not"
  for mode in results full origin; do
    build $mode gcc $o $P/fused.c && run
    as_plain "$mode $o"
  done
  it "$o: it matters to the last bits" sh -c "! cmp -s '$T/want' '$T/not'"
done
finish
