#!/bin/sh
# SPDX-License-Identifier: MIT
# Denormals are followed through memory to their birth, whatever the optimisation, the language or the number of threads.
. tests/lib.sh

. tests/denormal/common.inc

# facts of the run: births by line with the stores they explain, ways between arrays, and what is not known
cat >"$T/tell.py" <<'X'
import collections, json, sys
d = json.load(sys.stdin)
o = d["origins"]
born = collections.Counter()
for b in o["births"]:
    born[b["line"]] += b["stores"]
print("born", " ".join("%d:%d" % b for b in sorted(born.items())))
print("ways", " ".join(str(n) for n in sorted(e["loads"] for e in o["edges"] if e["from"] != e["to"])))
print("unknown", o["brought"], o["integers"], o["handed"], o["guessed"])
mapped = sum(int(t.split(":")[1]) for m in d["maps"] for e in m["epochs"] for t in e.split())
print("mapped", mapped + sum(m["outside"] for m in d["maps"]) == d["total"]["stores"])
for s in d["states"]:
    print("state", s["line"], s["denormal"], s["last_equal"], "stuck" if s["stuck"] else "changing", "%.3g" % s["value"])
X
tell() {
  mkdir -p "$T/as"
  rm -f "$T"/as/*.pden
  cp "$T"/run/*.pden "$T/as/"
  perseus denormals --json "$T/as" 2>"$T/err" | python3 "$T/tell.py" >"$T/told"
}
told() { sed -n "s/^$1 //p" "$T/told"; }
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

for o in -O0 -O1 -O2 -O3 ${native:+"-O3 -march=native"} "-O2 -fno-strict-aliasing"; do
  build origin gcc $o $P/kernels.c && run
  as_plain "kernels $o"
  tell
  grep '^born' "$T/told" >"$T/born$o"
  [ "$o" = "-O3 -march=native" ] || it "kernels $o: the origins are those of -O0" cmp "$T/born-O0" "$T/born$o"
done
finish
