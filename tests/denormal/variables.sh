#!/bin/sh
# SPDX-License-Identifier: MIT
# Denormals lie in variables whose address nobody takes, too.
. tests/lib.sh
. tests/denormal/common.inc

for o in -O0 -O1 -O2 -O3 "-O2 -flto" "-O2 -fPIC"; do
  build full gcc $o $P/variables.c && run
  as_plain "$o"
  # 14 stores of each; 13 loads by the next turn, and one to print it.
  same "$o: each variable has its loads and stores" "14/14 14/14 14/14 " "$(arrays)"
  run 1
  same "$o: the twin has none" "" "$(arrays)"
done
build origin gcc -O2 $P/variables.c
perseus record -q --purpose=denormal -o "$T/recorded" "$T/prog" >"$T/out"
exits 0 "the report knows them" perseus denormals "$T/recorded"
for name in shared own alone; do
  says "^(arrays)? +$name  variable, .*, 14 loads, 14 stores: passes on" "... $name is listed"
  says "^(origins)? +$name -> $name  13 loads" "... and its ways are known"
done
finish
