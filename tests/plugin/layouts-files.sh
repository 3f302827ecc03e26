#!/bin/sh
# SPDX-License-Identifier: MIT
# Which file a layout of a plan means: headers and sources of one name in several folders, compiled from wherever.
. tests/lib.sh
. tests/plugin/helpers
inc=$PWD/tests/plugin/layouts.inc
cd "$T" || exit 1
. "$inc"
mkdir -p a b
for d in a b; do
	printf 'struct t { long x; long b; };\n' >$d/t.h
	printf '#include "t.h"\nstruct t o;\n_Static_assert(sizeof(o) == SIZE, "as planned");\n' >$d/use.c
	printf 'static long v;\nlong *%s(void);\nlong *%s(void) { v++; return &v; }\n' $d $d >$d/v.c
done
printf 'struct u { long x; long b; } u;\n' >a/u.c
printf 'long other;\n' >b/u.c
Q="-fplugin=$PLUGIN -fplugin-arg-perseus-plan=$PWD/p.plan"

plan 'layout field t b a/t.h 1 64 16 8 128 64'
it "the planned header, from its own folder" sh -c "cd a && gcc $Q -DSIZE=128 -c use.c -o ../a.o"
it "... from above" gcc $Q -DSIZE=128 -c a/use.c -o a.o
it "... from another folder" sh -c "cd b && gcc $Q -DSIZE=128 -c ../a/use.c -o ../a.o"
it "... by its path from the root" gcc $Q -DSIZE=128 -c "$PWD/a/use.c" -o a.o
it "... where the build's paths are mapped" gcc $Q -DSIZE=128 -ffile-prefix-map="$PWD=/gone" -c "$PWD/a/use.c" -o a.o
it "another folder's header of that name, from its own folder" sh -c "cd b && gcc $Q -DSIZE=16 -c use.c -o ../b.o"
it "... from above" gcc $Q -DSIZE=16 -c b/use.c -o b.o
it "... from another folder" sh -c "cd a && gcc $Q -DSIZE=16 -c ../b/use.c -o ../b.o"
plan "layout field t b $PWD/a/t.h 1 64 16 8 128 64"
it "a path from the root" sh -c "cd a && gcc $Q -DSIZE=128 -c use.c -o ../a.o"
it "... is not that of another folder" sh -c "cd b && gcc $Q -DSIZE=16 -c use.c -o ../b.o"
plan 'layout field t b /gone/a/t.h 1 64 16 8 128 64'
it "a tree that has moved since" gcc $Q -DSIZE=128 -c a/use.c -o a.o

plan 'layout field u b a/u.c 1 64 16 8 128 64'
it "a source of another folder need not have what the plan's has" sh -c "cd b && gcc $Q -c u.c -o ../b.o"
plan 'layout field w b a/u.c 1 64 16 8 128 64'
exits 1 "the plan's has to" sh -c "cd a && gcc $Q -c u.c -o ../a.o"
plan 'layout variable v a/v.c a/v.c 1 64 8 64'
aligned() { objdump -h "$1" | awk '$2 ~ /^\.bss/ { if ($7 == "2**6") n++ } END { print n + 0 }'; }
it "a variable of the planned unit" sh -c "cd a && gcc -O1 $Q -c v.c -o ../a.o"
it "... is aligned" test "$(aligned a.o)" = 1
it "one of another folder's unit" sh -c "cd b && gcc -O1 $Q -c v.c -o ../b.o"
it "... is not" test "$(aligned b.o)" = 0
finish
