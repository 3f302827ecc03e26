#!/bin/sh
# SPDX-License-Identifier: MIT
# Warnings with names: when they come, how they are turned off and into errors,
# and that a build never breaks because of one.
. tests/lib.sh
. tests/plugin/helpers
A=-fplugin-arg-perseus
cc() { gcc -O2 -fplugin="$PLUGIN" "$@"; }

cat >"$T/naked.c" <<'C'
int ext(int);
__attribute__((naked)) void first(void) { __asm__("ret"); }
__attribute__((naked)) void second(void) { __asm__("ret"); }
int tail(int x) { return ext(x); }
C
echo 'int ext(int); int plain(int x) { return ext(x) + 1; }' >"$T/plain.c"

# unprobed
exits 0 "functions that cannot be probed" cc -c "$T/naked.c" -o "$T/n.o"
says "naked.c:2:.*warning: perseus: .first. and 1 more carry no probes \(naked\) \[-Wperseus-unprobed\]" "... are named, once per reason"
silent "tail call" "cleared tail flags are not, unless asked for"
it "... but both stand in the object" sh -c "perseus sites --skipped '$T/n.o' | grep -q '^skipped 2 functions: naked' &&
	perseus sites --skipped '$T/n.o' | grep -q '^changed 1 call: tail'"
cat >"$T/resolver.c" <<'C'
int ext(int);
__attribute__((target_clones("avx2", "default"))) int cloned(int x) { return ext(x) + 1; }
static int chosen(int x) { return ext(x); }
static int (*pick(void))(int) { return chosen; }
int picked(int) __attribute__((ifunc("pick")));
C
exits 0 "resolvers of ifuncs, the compiler's and the user's" cc -c "$T/resolver.c" -o "$T/r.o"
silent "Wperseus-unprobed" "... are no loss, so no warning"
it "... and stand in the object" sh -c "perseus sites --skipped '$T/r.o' | grep -q '^skipped [12] functions*: ifunc-resolver'"
exits 0 "a unit without such functions" cc -c "$T/plain.c" -o "$T/p.o"
it "... gets no warning" test ! -s "$T/err"
for off in $A-warn=no-unprobed $A-warn=none -Wno-perseus-unprobed -w; do
	exits 0 "with $off" cc $off -c "$T/naked.c" -o "$T/n.o"
	it "... it is silent" test ! -s "$T/err"
done
exits 0 "-Werror makes no error of it" cc -Werror -c "$T/naked.c" -o "$T/n.o"
says "warning: perseus.*Wperseus-unprobed" "... it stays a warning"
exits 1 "error= does" cc $A-warn=error=unprobed -c "$T/naked.c" -o "$T/n.o"
says "error: perseus.*\[-Werror=perseus-unprobed\]" "... and says by which name"
exits 0 "later words win" cc $A-warn=error=unprobed,no-unprobed -c "$T/naked.c" -o "$T/n.o"
exits 0 "other names do not touch it" cc -Wno-perseus-rules $A-warn=no-lto-link -c "$T/naked.c" -o "$T/n.o"
says "Wperseus-unprobed" "... it still comes"
for bad in '' unknown no-such error= error=x all,,none; do
	exits 1 "warn=$bad is an error" cc "$A-warn=$bad" -c "$T/plain.c" -o "$T/p.o"
done
says "names are lto-link, tail-call, unprobed, duplicate, rules" "... that names the names"

# tail-call
exits 0 "tail calls on request" cc $A-warn=tail-call -c "$T/naked.c" -o "$T/n.o"
says "warning: perseus: 1 tail call is made .*\[-Wperseus-tail-call\]" "... are counted, a line a unit"
exits 0 "warn=all holds them, too" cc $A-warn=all -c "$T/naked.c" -o "$T/n.o"
says "Wperseus-tail-call" "... and says so"
exits 0 "a unit without them" cc $A-warn=all -c "$T/plain.c" -o "$T/p.o"
it "... is silent" test ! -s "$T/err"

# build systems that try the compiler out
cp "$T/naked.c" "$T/conftest.c"
exits 0 "a probe of autoconf" cc -c "$T/conftest.c" -o "$T/c.o"
it "... sees no word" test ! -s "$T/err"
for dir in CMakeFiles/CMakeScratch/TryCompile-x CMakeFiles/CMakeTmp CMakeFiles/3.25.1/CompilerIdC meson-private/tmpx; do
	mkdir -p "$T/$dir"
	cp "$T/naked.c" "$T/$dir/testfile.c"
	exits 0 "a probe in $dir" cc -c "$T/$dir/testfile.c" -o "$T/c.o"
	it "... sees no word" test ! -s "$T/err"
	exits 0 "... nor from inside the folder" sh -c "cd '$T/$dir' && gcc -O2 -fplugin='$PLUGIN' -c testfile.c -o x.o"
	it "... (no word)" test ! -s "$T/err"
done
exits 0 "source from a pipe" sh -c "gcc -O2 -fplugin='$PLUGIN' -x c -c -o '$T/c.o' - <'$T/naked.c'"
it "... sees no word" test ! -s "$T/err"
exits 0 "what was asked for is said there, too" cc $A-warn=unprobed -c "$T/conftest.c" -o "$T/c.o"
says "Wperseus-unprobed" "... (asked for)"

# duplicate
mkdir "$T/other"
cp "$PLUGIN" "$T/other/second.so"
cp "$(dirname "$PLUGIN")"/perseus-gcc*.so "$T/other/"
exits 0 "two copies of the plugin" cc -Werror -fplugin="$T/other/second.so" -c "$T/plain.c" -o "$T/two.o"
says "warning: perseus: loaded a second time, as .second. from $T/other/second.so.*\[-Wperseus-duplicate\]" "... are named"
it "... and stand in the object" sh -c "perseus sites --json '$T/two.o' | grep -q '\"flags\": *\"duplicate\"'"
exits 0 "... until turned off" cc -Wno-perseus-duplicate -fplugin="$T/other/second.so" -c "$T/plain.c" -o "$T/two.o"
it "... (silent)" test ! -s "$T/err"
exits 0 "the same file twice under one name" cc -fplugin="$PLUGIN" -c "$T/plain.c" -o "$T/two.o"
it "... is one" test ! -s "$T/err"

# rules
rules() { printf 'perseus-rules 1\nrun x\nbudget 3\ncost 1 1\nbefore 4\nafter 3\nkept 99\n%s\nend 1\n' "$1"; }
rules "call 0123456789abcdef 10 1 0.5 20 $T/plain.c p.c:3 was gone short" >"$T/stale"
exits 0 "a rule whose site went" cc -Werror $A-rules="$T/stale" -c "$T/plain.c" -o "$T/p.o"
says "warning: perseus: 1 rule for sites that .*plain.c no longer has \(was -> gone\).*\[-Wperseus-rules\]" "... is named"
exits 0 "... not in another unit" cc $A-rules="$T/stale" -c "$T/naked.c" -Wno-perseus-unprobed -o "$T/n.o"
it "... (silent)" test ! -s "$T/err"
exits 1 "... and is an error on request" cc $A-rules="$T/stale" $A-warn=error=rules -c "$T/plain.c" -o "$T/p.o"
cc -c "$T/plain.c" -o "$T/p.o"
rules "call $(ids "$T/p.o") 10 1 0.5 20 $T/plain.c p.c:3 plain ext short" >"$T/good"
exits 0 "a rule whose site is there" cc $A-rules="$T/good" -c "$T/plain.c" -o "$T/p.o"
it "... is silent" test ! -s "$T/err"

# lto-link
echo 'int work(int); int main(void) { int s = 0; for (int i = 0; i < 10; i++) s += work(i); return s != 55; }' >"$T/m1.c"
echo 'int work2(int); __attribute__((noipa)) int work(int x) { return work2(x) + 1; } __asm__(".globl mine; mine:");' >"$T/m2.c"
echo '__attribute__((noipa)) int work2(int x) { return x; }' >"$T/m3.c"
build() { # FLAGS...: m1 to m3 as slim and as fat objects
	for f in m1 m2 m3; do
		cc -flto "$@" -c "$T/$f.c" -o "$T/$f.o"
		cc -flto -ffat-lto-objects "$@" -c "$T/$f.c" -o "$T/$f.fat.o"
	done
}
slim="$T/m1.o $T/m2.o $T/m3.o" fat="$T/m1.fat.o $T/m2.fat.o $T/m3.fat.o"
build
W='\[-Wperseus-lto-link\]'
forgotten() { # TEXT ARGS...: a link without the plugin
	text=$1
	shift
	exits 0 "without the plugin: $text" gcc -O2 "$@" -o "$T/prog"
	it "... one warning, whatever the number of units" test "$(grep -c "Warning: perseus: .*$W" "$T/err")" -eq 1
	it "... and the program holds what was lost" test "$(sites "$T/prog" | grep -c '^L	0000000[0-9]	')" -eq 3
}
correct() { # TEXT ARGS...: a link with it
	text=$1
	shift
	exits 0 "with the plugin: $text" cc "$@" -o "$T/prog"
	it "... no word" test ! -s "$T/err"
	it "... and no trace" test "$(sites "$T/prog" | grep -c '^L')" -eq 0
	it "... probes, and what the program itself says to the assembler" sh -c "perseus sites '$T/prog' | grep -q 'main -> work' && nm '$T/prog' | grep -q ' mine$'"
}
gcc-ar rcs "$T/l.a" "$T/m2.o" "$T/m3.o"
for way in "slim objects -flto $slim" "fat objects -flto $fat" "an archive -flto $T/m1.o $T/l.a" "one partition -flto -flto-partition=none $slim" \
	"in the order of the source -flto -fno-toplevel-reorder $slim" "fatal warnings of the linker -flto -Werror -Wl,--fatal-warnings $slim"; do
	forgotten "${way%% -flto*}" -flto ${way#* -flto}
	correct "${way%% -flto*}" -flto ${way#* -flto}
done
for ld in gold; do
	command -v ld.$ld >/dev/null || { skip "the $ld linker" "not installed"; continue; }
	forgotten "$ld" -flto -fuse-ld=$ld $slim
	correct "$ld" -flto -fuse-ld=$ld $slim
done
gcc -O2 -flto -r $slim -o "$T/r.o"
forgotten "linked in two steps" -flto "$T/r.o"
correct "linked in two steps, the first without it" -flto "$T/r.o"
cc -flto -r $slim -o "$T/r.o"
correct "linked in two steps" -flto "$T/r.o"
correct "fat objects, no LTO at the link" -fno-lto $fat
if command -v ld.lld >/dev/null; then correct "fat objects and lld" -fuse-ld=lld $fat; else skip "lld" "not installed"; fi
exits 0 "fat objects without LTO need no plugin at the link" gcc -fno-lto $fat -o "$T/prog"
it "... no word" test ! -s "$T/err"
it "... and no trace" test "$(sites "$T/prog" | grep -c '^L')" -eq 0
exits 0 "probe=none at the link is no mistake" cc -flto $A-probe=none $slim -o "$T/prog"
it "... no word" test ! -s "$T/err"

gcc -O2 -flto $slim -o "$T/prog" 2>/dev/null
exits 0 "perseus sites names the units" perseus sites "$T/prog"
says "3 units compiled with -flto and the plugin but linked without it" "... and how many"
says "add -fplugin=perseus.so to the link step" "... and the remedy"
exits 125 "perseus record says why there is nothing" perseus record "$T/prog"
says "3 units were|3 units of .*compiled with -flto and the plugin" "... and the remedy"
cc -c "$T/m1.c" -o "$T/m1.nolto.o"
gcc -O2 -flto "$T/m1.nolto.o" "$T/m2.o" "$T/m3.o" -o "$T/prog" 2>/dev/null
exits 0 "a program of which a part was lost" perseus record -o "$T/run" "$T/prog"
says "trust     limited: 1 of 1 sites registered" "... is not trusted"
says "2 units compiled with -flto and the plugin but linked without it" "... and says why"
it "... in JSON, too" sh -c "perseus report --json '$T/run' | grep -q '\"units_unlinked\": *2'"

build -Wno-perseus-lto-link
exits 0 "turned off where it is compiled" gcc -O2 -flto $slim -o "$T/prog"
it "... it is silent at the link" test ! -s "$T/err"
it "... but the program still says it" test "$(sites "$T/prog" | grep -c '^L')" -eq 3
build $A-warn=error=lto-link
exits 1 "as an error" gcc -O2 -flto $slim -o "$T/prog"
says "Error: perseus: .*\[-Werror=perseus-lto-link\]" "... the link fails"
correct "as an error, when all is well" -flto $slim
cp "$T/m3.c" "$T/conftest.c"
cc -flto -c "$T/conftest.c" -o "$T/conftest.o"
echo 'int main(void) { return 0; }' >"$T/e.c"
exits 0 "a probe of autoconf that links without it" gcc -flto "$T/e.c" "$T/conftest.o" -o "$T/prog"
it "... sees no word" test ! -s "$T/err"
finish
