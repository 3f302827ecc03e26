#!/bin/sh
# SPDX-License-Identifier: MIT
# What lands in the object files: the same bytes each time, and through strip,
# section collection, partial links, COMDAT and archives.
. tests/lib.sh
. tests/plugin/helpers
P=$PWD/tests/plugin/programs
cd "$T" || exit 1
mkdir one two
for d in one two; do cp "$P"/*.c "$P"/*.cc $d; done

for s in loops.c values.c throws.cc; do
	for o in "-O2" "-O2 -g -gno-record-gcc-switches -ffile-prefix-map=$T/one=. -ffile-prefix-map=$T/two=." "-O0" "-O2 -flto -ffat-lto-objects -frandom-seed=1"; do
		compiler=gcc
		[ "$s" != throws.cc ] || compiler=g++
		(cd one && probed $compiler $o -c $s -o x.o)
		cp one/x.o one/first.o
		folder=two
		case $o in *flto*) folder=one ;; esac # the plain compiler writes the folder into LTO data
		(cd $folder && probed $compiler $o -c $s -o x.o)
		it "$s ${o%% -ffile*}: two builds give the same bytes" cmp one/first.o $folder/x.o
	done
done
probed gcc -O2 -flto -frandom-seed=1 one/loops.c -o l1
probed gcc -O2 -flto -frandom-seed=1 one/loops.c -o l2
it "two LTO links have the same site table" sh -c "objcopy -O binary --set-section-flags .perseus.sites=alloc -j .perseus.sites l1 b1 &&
	objcopy -O binary --set-section-flags .perseus.sites=alloc -j .perseus.sites l2 b2 && cmp b1 b2"
probed gcc -O2 -S one/loops.c -o loops.s
gcc -c loops.s -o from-s.o
probed gcc -O2 -c one/loops.c -o direct.o
it "assembling the -S output gives the object" cmp from-s.o direct.o

probed gcc -O2 one/loops.c -o prog
sites prog >before
cp prog stripped && strip stripped
sites stripped >after
it "the site table survives strip" cmp before after
it "... and takes no memory" sh -c "! readelf -lW prog | grep -q perseus.sites"
it "the table is one contribution, opened and closed by one id" sh -c "
	awk -F'\t' '\$1 == \"U\" { u++; id = \$3 } \$1 == \"Z\" { z++; bad += id != \$2 } END { exit !(u == 1 && z == 1 && !bad) }' before"
it "the counts of the U line are those of the lines" sh -c "
	awk -F'\t' '\$1 == \"U\" { c = \$4; m = \$5 } \$1 == \"C\" { c-- } \$1 == \"M\" { m-- } END { exit c != 0 || m != 0 }' before"

cat >a.cc <<'X'
int work(int);
template <class T> __attribute__((noinline)) T shared(T x) { return work((int)x) + x; }
int a(int x) { return shared(x) + shared((long)x); }
X
sed 's/int a(/int b(/' a.cc >b.cc
printf 'int a(int), b(int);\nint work(int x) { return x + 1; }\nint unused(int x) { return work(x); }\nint main() { return a(1) + b(2) == 16 ? 0 : 1; }\n' >m.cc
for o in "-O0" "-O2 -ffunction-sections -fdata-sections"; do
	for f in a b m; do probed g++ $o -c $f.cc -o $f.o; done
	it "$o: COMDAT copies link" g++ a.o b.o m.o -o comdat
	it "$o: ... and run" ./comdat
	it "$o: with section collection" g++ -Wl,--gc-sections a.o b.o m.o -o gc
	it "$o: ... and run" ./gc
	it "$o: no table refers to a symbol" sh -c "! readelf -rW a.o | grep -A3 'rela.perseus.sites' | grep -q ."
	it "$o: a partial link works" ld -r a.o b.o m.o -o all.o
	it "$o: ... and the program made of it" sh -c "g++ all.o -o part && ./part"
	sites part >t
	it "$o: ... with the tables of all three units" sh -c "grep -c '^U' t | grep -qx 3"
done
rm -f lib.a && ar rcs lib.a a.o b.o
it "out of an archive" sh -c "g++ m.o lib.a -o ar && ./ar"
for l in bfd gold lld; do
	if ! command -v ld.$l >/dev/null; then skip "linked by ld.$l" "ld.$l is not installed"; continue; fi
	it "linked by ld.$l" sh -c "g++ -fuse-ld=$l a.o b.o m.o -o by-$l && ./by-$l"
done
echo 'int x = 3;' >e.c
probed gcc -c e.c -o e.o
sites e.o >t
it "a unit without calls and accesses has a table of its own" grep -q '^U	1	[0-9a-f]*	0	0	' t
it "... and no probe data" sh -c "! nm e.o | grep -q prs"
probed gcc -O2 -flto -c e.c -o e.o
sites e.o >t
it "a unit compiled for LTO says so" grep -q '^U.*	lto	c[0-9][0-9]$' t
it "link-time optimisation without the plugin at the link leaves no descriptor" sh -c "
	gcc -w -O2 -flto -fplugin='$PLUGIN' -c one/loops.c -o slim.o && gcc -O2 -flto slim.o -o slim && ! nm slim | grep -q __prs_desc"
# A scope keeps variables for the debugger that have no place any more: none is named in front of a call that starts a thread.
cat >async.cc <<'E2'
#include <future>
int main() { auto f = std::async(std::launch::async, [] { return 1; }); return f.get() - 1; }
E2
for flags in "-O0 -g" "-O1 -g" "-O1 -g -fPIC" "-O2 -g" "-Os -g"; do
	it "std::async compiles with $flags" probed g++ $flags -c async.cc -o async.o
done
finish
