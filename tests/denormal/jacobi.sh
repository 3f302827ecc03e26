#!/bin/sh
# SPDX-License-Identifier: MIT
# Denormals of a relaxation are counted exactly, whatever the optimisation, the language or the number of threads.
. tests/lib.sh

. tests/denormal/common.inc

# The published counts; all births lie in one sweep.
truth() {
  as_plain "$1"
  same "$1: 4,477,168 loads for each of four operands" "4477168 4477168 4477168 4477168" "$(each load result)"
  same "$1: results" "4306412 4252566 4216460 / 4477184" "$(each add result) / $(each mul result)"
  same "$1: operands, whatever else counts their values" "4477168 4306412 4252566 / 4477168 4477168 4477168 / 4216460" \
    "$(each add operand0) / $(each add operand1) / $(each mul operand0)"
  same "$1: stores, births" "4477184 / 1532 / 0" "$(each store result) / $(total mul birth) / $(total add birth)"
  same "$1: arrays" "8914864/2228716 8993808/2248468 " "$(arrays)"
}

for o in -O0 -O1 -O2 -O3 ${native:+"-O3 -march=native"} "-O2 -flto"; do
  build full gcc $o $P/jacobi.c && run
  truth "C $o"
done
run 512 768 0 4
truth "four threads"
run 512 64
same "all births are in sweep 64" "1532" "$(total mul birth)"
run 512 63
same "... and none before" "0" "$(total mul birth)"
run 512 100
same "after 100 sweeps there are 219,852 stores" 219852 "$(total store result)"
run 512 768 0.1
same "without denormals there are none" "" "$(grep -E '=[1-9]' "$T/facts" | sed 's/type=1//' | grep -E '=[1-9]')"
# Doubles against a program that counts by itself.
double="-DREAL=double -DEDGE=0x1p-900"
gcc -O1 $double -DREFERENCE -o "$T/reference" $P/jacobi.c -lm -lpthread
want=$("$T/reference" 200 400 | tail -1)
for o in -O0 -O3 ${native:+"-O3 -march=native"}; do
  build full gcc $o $double $P/jacobi.c && run 200 400
  as_plain "double $o"
  same "double $o: as an independent count" "$want" "$(each load result) $(each add result) $(each mul result) $(total mul birth)"
done
build full g++ -O2 -x c++ $P/jacobi.c && run
truth "C++"
for o in -O0 -O3; do
  for how in loops whole; do
    build full gfortran $o $P/jacobi.f90 && run $how
    as_plain "Fortran $o, $how"
    same "Fortran $o, $how: loads, stores, births" "17908672 4477184 1532" \
      "$(($(total load result) - 32)) $(total store result) $(total mul birth)"
  done
done
for o in -O0 -O3; do
  build results gcc $o $P/jacobi.c && run
  as_plain "results $o"
  same "results $o: those that are stored, and no others" "4477184//" "$(each mul result)/$(each load result)/$(each add result)"
done
finish
