#!/bin/sh
# SPDX-License-Identifier: MIT
# Loops that store where they load have a version without counters, too: what they stored over is put back before the one that counts.
. tests/lib.sh
. tests/denormal/common.inc

for mode in full origin; do
  for o in -O0 -O1 -O2 -O3 ${native:+"-O3 -march=native"} "-O2 -flto" "-O2 -fPIC"; do
    build $mode gcc -ffp-contract=off $o $P/place.c && run
    as_plain "$mode $o"
    grep '^site' "$T/facts" >"$T/sites"
    [ "$o" != -O0 ] || cp "$T/sites" "$T/wanted"
    it "$mode $o: each count is that of -O0, which has no gates" cmp "$T/wanted" "$T/sites"
  done
  run clean
  as_plain "$mode clean"
  same "$mode: without denormals there are none" "" "$(grep -E '(birth|death|result|operand.)=[1-9]' "$T/facts")"
done
it "there are births, deaths and operands" sh -c "grep -q 'birth=[1-9]' '$T/wanted' && grep -q 'death=[1-9]' '$T/wanted' && grep -q 'operand1=[1-9]' '$T/wanted'"

# Of what is stored in place the origin is that of -O0, where it is told one by one.
for o in -O0 -O1 -O2 -O3 ${native:+"-O3 -march=native"}; do
  build origin gcc -ffp-contract=off -DORIGINS $o $P/place.c && run
  tell
  [ "$o" != -O0 ] || cp "$T/told" "$T/wanted"
  same "$o: the origins are those of -O0" "$(grep -E '^(born|ways|mapped)' "$T/wanted")" "$(grep -E '^(born|ways|mapped)' "$T/told")"
done

# That there is a second version is seen by what the one that counts calls.  In mode origin two stores that meet are told in the loop.
for f in scales shifts backwards rotates exchanges adds bears; do
  sed '/^int main/,$d' $P/place.c >"$T/one.c"
  case $f in
  scales | bears) call="$f(a, 0.5f, N * n)" ;;
  shifts) call="$f(x, N * n)" ;;
  backwards) call="$f(y, x, N * n)" ;;
  exchanges) call="$f(a, sums, N * n)" ;;
  adds) call="$f(rows, y, x)" ;;
  *) call="$f(pairs, N * n)" ;;
  esac
  printf 'int main(int n, char **v)\n{\n\tfill(0, 1e-40f);\n\tcounted = 0;\n\t%s;\n\treturn !counted;\n}\n' "$call" >>"$T/one.c"
  case $f in rotates | exchanges) modes=full ;; *) modes="full origin" ;; esac
  for m in $modes; do
    gcc -w -ffp-contract=off -DCALM -O2 -fplugin="$PLUGIN" -fplugin-arg-perseus-probe=denormal:$m -o "$T/one" "$T/one.c" -lpthread
    it "$m: $f() has a version without counters" "$T/one"
  done
done
sed '/^int main/,$d' $P/place.c >"$T/one.c"
printf 'int main(void)\n{\n\tfill(0, 1e-40f);\n\tcounted = 0;\n\thalves(pairs, N);\n\treturn counted;\n}\n' >>"$T/one.c"
gcc -w -ffp-contract=off -DCALM -O2 -fplugin="$PLUGIN" -fplugin-arg-perseus-probe=denormal:full -o "$T/one" "$T/one.c" -lpthread
it "what is not all written by the loop is never put back" "$T/one"
finish
