#!/bin/sh
# SPDX-License-Identifier: MIT
# A constant is an operand like others: one that is denormal makes a propagation or a death, no birth.
. tests/lib.sh
. tests/denormal/common.inc

# of FUNCTION KIND ROLE: that count of all its sites of a kind
of() { awk -v f="$1()" -v kind="$2" -v role="$3=" '$1 == "site" && $3 == kind && $5 == f { for (i = 6; i <= NF; i++) if (index($i, role) == 1) s += substr($i, length(role) + 1) } END { print s + 0 }' "$T/facts"; }

for o in "-O0" "-O1" "-O2" "-O3" ${native:+"-O3 -march=native"} "-O2 -flto"; do
  build full gcc -ffp-contract=off $o $P/constants.c && run
  as_plain "$o"
  same "$o: a denormal factor: 100 results, no births" "100 0 100" "$(of propagates mul result) $(of propagates mul birth) $(of propagates mul operand1)"
  same "$o: ... a normal one: 100 births" "100 100 0" "$(of bears mul result) $(of bears mul birth) $(of bears mul operand1)"
  same "$o: a denormal summand dies 100 times" "0 0 100" "$(of ends add result) $(of ends add birth) $(of ends add death)"
  same "$o: ... a normal one does not" "0 0 0" "$(of none add result) $(of none add birth) $(of none add death)"
  same "$o: one that the loop does not change is born once" "101 1" "$(of invariant mul result) $(of invariant mul birth)"
  same "$o: lanes have their own" "200 100 100" "$(of lanes mul result) $(of lanes mul birth) $(of lanes mul operand1)"
  same "$o: a comparison with one" "100" "$(of compares compare operand1)"
  same "$o: outside of loops" "1 0 1" "$(of once mul result) $(of once mul birth) $(of once mul operand1)"
done
build results gcc -O2 $P/constants.c && run
as_plain "results"
same "results: those that are stored" "100 100 0" "$(of propagates mul result) $(of bears mul result) $(of ends add result)"
finish
