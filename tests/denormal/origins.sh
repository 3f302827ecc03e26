#!/bin/sh
# SPDX-License-Identifier: MIT
# Denormals are followed through memory to their birth, whatever the optimisation, the language or the number of threads.
. tests/lib.sh

. tests/denormal/common.inc

jacobi() {
  tell
  as_plain "$1"
  same "$1: the births explain all stores" "$2:4477184" "$(told born)"
  same "$1: loads that went into denormal stores, by arrays" "8396648 8418120" "$(told ways)"
  same "$1: nothing is unknown, the maps have all" "0 0 0 0 True" "$(told unknown) $(told mapped)"
}

line=$(grep -n 'a\[i \* n + j + 1\]) \*$' $P/jacobi.c | cut -d: -f1)
for o in -O0 -O1 -O2 -O3 ${native:+"-O3 -march=native"} "-O2 -flto"; do
  build origin gcc $o $P/jacobi.c && run
  jacobi "C $o" "$line"
done
run 512 768 0 4
jacobi "four threads" "$line"
run 512 100 0.1
tell
same "without denormals there is no origin" "born |ways |unknown 0 0 0 0" "$(grep -E '^(born|ways|unknown)' "$T/told" | tr '\n' '|' | sed 's/|$//')"
build origin g++ -O2 -x c++ $P/jacobi.c && run
jacobi "C++" "$line"
for how in loops whole; do
  build origin gfortran -O3 $P/jacobi.f90 && run $how
  tell
  as_plain "Fortran, $how"
  same "Fortran, $how: stores and loads" "4477184 8396648 8418120" "$(told born | cut -d: -f2) $(told ways)"
done

# The picture.
mkdir "$T/maps"
build origin gcc -O2 $P/jacobi.c
cd "$T/maps" || exit 1
perseus record -q --purpose=denormal ../prog 512 100 >out 2>err
exits 0 "the maps are drawn" perseus denormals --map=a.png
says '^map       line 8: .*lines of 2,048 bytes, 64 x 64 tiles; beside it [0-9]+' "... with a legend"
it "... as a picture" sh -c 'head -c 8 a.png | od -An -tx1 | grep -q "89 50 4e 47 0d 0a 1a 0a"'
exits 2 "a picture is not told as JSON" perseus denormals --map=a.png --json
exits 3 "a place that cannot be written" perseus denormals --map=/nosuch/a.png
perseus denormals >out
says 'births    1,532 at jacobi.c:[0-9]+ in sweep\(\), the only place; they explain 220 k of$' "births are told with what they explain" out
says '^ +220 k stores, as followed through memory$' "... as it was counted" out
says '^origins   .* -> .*loads that denormals were stored by$' "... and the ways" out
perseus record -q --purpose=denormal ../prog 512 50 >out 2>err
exits 4 "a run without denormals has no maps" perseus denormals --map=b.png
says 'no denormals were stored' "... and says so"
it "... nor a picture" test ! -e b.png
cd - >/dev/null || exit 1
build full gcc -O2 $P/jacobi.c
cd "$T/maps" || exit 1
perseus record -q --purpose=denormal ../prog 512 100 >out 2>err
exits 4 "mode full has no maps" perseus denormals --map=b.png
says 'denormal:origin' "... and says which has"
cd - >/dev/null || exit 1

finish
