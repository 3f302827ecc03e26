#!/bin/sh
# SPDX-License-Identifier: MIT
# Denormals that are moved as bytes or integers are copies, no operations; integers in arrays of integers are nothing.
. tests/lib.sh
. tests/denormal/common.inc

# of FUNCTION KIND: denormals of its sites of a kind, in the order of the source
of() { awk -v f="$1()" -v kind="$2" '$1 == "site" && $3 == kind && $5 == f { for (i = 6; i <= NF; i++) if (index($i, "result=") == 1) printf "%s%d", s, substr($i, 8); s = " " }' "$T/facts"; }

for o in "-O0" "-O1" "-O2" "-O3" ${native:+"-O3 -march=native"} "-O2 -flto" "-O2 -fPIC"; do
  build full gcc -fno-strict-aliasing $o $P/copies.c && run
  as_plain "$o"
  same "$o: memcpy, memmove, long double, a structure" "20 19 20 20" "$(of by_memcpy copy) $(of by_memmove copy) $(of wide copy) $(of by_struct copy)"
  same "$o: integers, one by one, out and in" "20 20, 20 20" "$(of by_integers copy), $(of longs copy)"
  same "$o: small integers that come into floats" "199" "$(of factors copy)"
  same "$o: integers are none" "" "$(of integers copy)$(of integers load)"
  same "$o: a copy is no load and no store" "" "$(of by_memcpy load)$(of by_integers load)$(of by_integers store)$(of factors store)"
done
run nothing
same "without denormals there are no copies of them" "0 0 0" "$(of by_memcpy copy) $(of by_integers copy)"
perseus record -q --purpose=denormal -o "$T/perseus.run" "$T/prog" >"$T/want"
exits 0 "the report" perseus denormals --all "$T/perseus.run"
says '^(arrays|  ) +w  variable, 800B, 199 loads, 0 stores, 199 copied in, 0 out: copied$' "tells integers in an array of floats from results"
exits 0 "... and as JSON" perseus denormals --json "$T/perseus.run"
it "... with its counts" python3 -c "
import json; a = {x['name']: x for x in json.load(open('$T/out'))['arrays']}
assert a['w']['copied_in'] == 199 and a['w']['part'] == 'copied in', a['w']
assert a['m']['copied_in'] == 20 and 'i2' not in a, a"
build results gcc -O2 $P/copies.c && run
as_plain "results"
same "results: copies are not counted" "" "$(grep -c ' copy ' "$T/facts" | grep -v '^0')"
finish
