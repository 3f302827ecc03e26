#!/bin/sh
# SPDX-License-Identifier: MIT
# perseus-verify on planned variables: those that are not aligned, that share their lines or that the linker
# has copied are named, their twins are shown to lie as planned.
. tests/lib.sh
. tests/codegen/plan.inc
. tests/verify/layouts.inc
cd "$T" || exit 1
cat >v.c <<'X2'
long before = 1; long hits; long behind; static long own = 3; static long next = 4; const long fixed = 5;
long list[9]; long list_next;
static long *calls(void) { static long calls; static long more; more++; return &calls; }
long touch(void);
long touch(void) { long *c = calls(); (*c)++; next += own++; return before + ++hits + ++behind + own + next + fixed + ++list[8] + ++list_next; }
X2
cat >w.cc <<'X2'
namespace app { long hits = 2; long near_hits; struct table { static long n; static long m; }; long table::n = 1; long table::m = 2;
inline long shared_one = 7; template <class T> struct per { static T count; static T rest; }; template <class T> T per<T>::count = 3; template <class T> T per<T>::rest; }
static long own;
extern "C" long touch_too(void);
long touch_too(void) { app::per<long>::rest++; own++; return ++app::hits + ++app::near_hits + ++app::table::n + app::table::m + ++app::shared_one + ++app::per<long>::count + own; }
X2
cat >main.c <<'X2'
long touch(void), touch_too(void);
int main(void) { return touch() + touch_too() == 0; }
X2
{
	variable hits - v.c 1 64 8 64
	variable own v.c v.c 1 64 8 64
	variable fixed - v.c 1 64 8 64
	variable list - v.c 2 128 72 128
	variable calls v.c v.c 3 64 8 64
	variable app::hits - w.cc 1 64 8 64
	variable app::table::n - w.cc 1 64 8 64
	variable app::shared_one - w.cc 2 64 8 64
	variable "app::per<long>::count" - w.cc 2 64 8 64
} | layouts_plan >plan.yaml
generated "nine variables"
# built FLAGS [V-FLAGS]: planned; with a second argument v.c has these and no plan
built() {
	it "builds, $1${2:+, v.c: $2}" sh -c "gcc $1 $P -c -o main.o main.c && gcc ${2:-$1 $P} -c -o v.o v.c && g++ -std=c++17 $1 $P -c -o w.o w.cc && g++ -std=c++17 $1 $P -o planned main.o v.o w.o $G -pthread"
}
for o in "-g -O0" "-g -O2" "-g -O2 -fPIC -fdata-sections" "-gdwarf-4 -O2 -fno-pie -no-pie" "-g -O1 -gsplit-dwarf"; do
	built "$o"
	case $o in
	*split*) blank "-gsplit-dwarf" planned "layouts in main.dwo, v.dwo, w.dwo: its debug information is in another file" ;;
	*) shown "equal: $o" 9 planned ;;
	esac
done
built "-g -O2 -flto"
exits 0 "equal: -flto" perseus-verify plan.yaml planned
says "^8 of 9 layouts lie as planned" "equal: -flto: but what is not there any more"
says "^not shown: layout of fixed .v.c:1.: no debug information has it" "equal: -flto: which is said"

# ---- faults ------------------------------------------------------------------------------
built "-g -O2" "-g -O2 -fdata-sections"
fault "a unit compiled without the plan" planned "layout of (hits|own|list|calls|fixed) \(v.c:[0-9]\) of v.c lies at 0x[0-9a-f]+, (not aligned|and .* of the same lines)"
silent "of w.cc lies" "... and w.cc is not blamed"
built "-g -O2"
# edited NAME SED FILE: planned from an edited assembler text of v.c
edited() {
	gcc -g -O2 $P -S -o good.s v.c
	sed "$2" good.s >bad.s
	if cmp -s good.s bad.s; then not_ok "$1: nothing was edited"; fi
	it "$1 is assembled" g++ -o bad main.o bad.s w.o $G -pthread
}
edited "a variable one word behind its line" '/^hits:/i\	.zero 8'
fault "a variable that is not aligned" bad "layout of hits \(v.c:1\) of v.c lies at 0x[0-9a-f]+8, not aligned to 64"
edited "another variable in the line" '/\.size	hits, /a\	.globl	guest\n	.type	guest, @object\n	.size	guest, 8'
sed -i '/^hits:/,/\.zero/s/\(\.zero\)	8/\1	8\nguest:\n	.zero	8/' bad.s
it "another variable in the line is assembled" g++ -o bad main.o bad.s w.o $G -pthread
fault "a variable with a neighbour" bad "layout of hits \(v.c:1\) of v.c lies at 0x[0-9a-f]+, and .guest. at 0x[0-9a-f]+8 of the same lines"
sed '/^hits:/,/\.zero/s/\(\.zero\)	8/\1	8\n.Lguest:\n	.zero	8/' good.s >bad.s
it "a label of the assembler is no variable" g++ -o bad main.o bad.s w.o $G -pthread
shown "the twin: nobody there has a name" 9 bad
edited "a variable of another size" 's/\.size	hits, 8/.size	hits, 16/'
fault "a variable of another size" bad "layout of hits \(v.c:1\) of v.c has 16 bytes, the plan says 8"
# moved PROGRAM: behind lies in the line of hits
awk '/^behind:/ { skip = 1; next } skip { skip = 0; next } { print } /^hits:/ { own = 1; next } own { own = 0; print "behind:\n\t.zero\t8" }' good.s >bad.s
it "a variable that was moved is assembled" g++ -o bad main.o bad.s w.o $G -pthread
fault "a variable moved into the line" bad "layout of hits .v.c:1. of v.c lies at 0x[0-9a-f]+, and .behind. at 0x[0-9a-f]+8 of the same lines"
it "... and its symbol removed" objcopy --strip-symbol=behind bad hidden
fault "a neighbour without a symbol" hidden "layout of hits .v.c:1. of v.c lies at 0x[0-9a-f]+, and .behind. at 0x[0-9a-f]+8 of the same lines"
it "a place that the linker is told of" gcc -c -x c -o evil.o - <<'X3'
extern long evil;
long take_evil(void);
long take_evil(void) { return evil; }
X3
it "... in the line of a variable" g++ -g -O2 -o bad main.o v.o w.o evil.o $G -pthread -Wl,--defsym=evil=hits+16
open "a neighbour by the linker's words" bad "layout of hits .v.c:1. of v.c: the linker was told of a number .evil., 0x[0-9a-f]+, which is in the same lines"
it "... and behind them" g++ -g -O2 -o bad main.o v.o w.o $G -pthread -Wl,--defsym=evil=hits+64
shown "the twin: behind the lines" 9 bad
# named NAME SYMBOL VALUE SIZE: with one symbol more, and room in front of hits
named() {
	{ sed '/\.section	\.bss\.hits,/a\	.zero	64' good.s; printf '\t.globl %s\n\t.type %s, @object\n\t.size %s, %s\n\t.set %s, %s\n' "$2" "$2" "$2" "$4" "$2" "$3"; } >bad.s
	it "$1 is assembled" g++ -o bad main.o bad.s w.o $G -pthread
}
named "another name of another size" guest hits 16
fault "another name of another size" bad "layout of hits .v.c:1. of v.c: .guest. has 16 bytes there, the plan says 8"
named "the twin: another name of the same size" guest hits 8
shown "the twin: another name of the same size" 9 bad
named "a variable that reaches into the line" guest hits-8 16
fault "a variable that reaches into the line" bad "layout of hits .v.c:1. of v.c lies at 0x[0-9a-f]+, and .guest. at 0x[0-9a-f]+8 of the same lines"
named "the twin: a variable that ends in front of it" guest hits-8 8
open "the twin: a variable that ends in front of it" bad "the plan.s layouts in .guest. at 0x[0-9a-f]+8: no debug information tells what this data is"
says "^9 of 9 layouts lie as planned" "... which says what it is not"
it "the variable of one unit only" sh -c "gcc -c -o local.o good.s && objcopy --localize-symbol=hits local.o"
echo 'static long one; long hits = 7; long *two(void); long *two(void) { one++; return &hits; }' >strong.c
it "... and another unit's" sh -c "gcc -g $P -c -o strong.o strong.c && g++ -o bad main.o local.o w.o strong.o $G -pthread"
fault "another unit's variable of the name" bad "layout of hits .v.c:1. of v.c lies at 0x[0-9a-f]+, and the program's .hits. at 0x"
it "the twin: the other one is static" sh -c "sed 's/long hits/static &/' strong.c >static.c && gcc -g $P -c -o strong.o static.c && g++ -o bad main.o local.o w.o strong.o $G -pthread"
shown "the twin: the other one is static" 9 bad
it "a copy without the variable's symbol" objcopy --strip-symbol=hits planned hidden
open "a planned variable without a symbol" hidden "layout of hits .v.c:1. of v.c: no symbol tells its size at 0x"
it "a copy without the list" objcopy -R .perseus.layouts planned unlisted
blank "the list is gone" unlisted "layout of hits .*: no object lists it as applied"
it "a copy without debug information" strip -g -o stripped planned
blank "strip -g" stripped "every unit of .stripped. was compiled with the plan.s 9 layouts: there is no debug information"

# ---- a variable of a library ----------------------------------------------------------------
mkdir -p lib && cd lib || exit 1
cat >v.c <<'X2'
long hits; long behind;
X2
cat >w.cc <<'X2'
namespace app { long hits; long behind; }
X2
cat >main.c <<'X2'
extern long hits;
extern long also __asm__("_ZN3app4hitsE");
long quiet;
int main(void) { return (hits + also + ++quiet) == 0; }
X2
{
	variable hits - v.c 1 64 8 64
	variable app::hits - w.cc 1 64 8 64
} | layouts_plan >plan.yaml
generated "variables of a library"
it "a library" sh -c "gcc -g -O2 -fPIC $P -c v.c && g++ -g -O2 -fPIC $P -c w.cc && gcc -shared -o libv.so v.o w.o"
it "a program that has them copied" gcc -g -O2 -fno-pie -no-pie $P -o copied main.c $G ./libv.so -pthread
it "... by the linker" sh -c 'readelf -rW copied | grep -q "R_X86_64_COPY.* hits"'
fault "a copy of a library's variable" copied "layout of hits \(v.c:1\) of a library, copied into the program by the linker .build what uses it with -fPIC., lies at 0x[0-9a-f]+, (not aligned|and .* of the same lines)"
sed 's/hits + also/also/' main.c >other.c
it "a program that has that of C++ copied" gcc -g -O2 -fno-pie -no-pie $P -o copied other.c $G ./libv.so -pthread
fault "a copy of a library's variable of C++" copied "layout of app::hits \(w.cc:1\) of a library, copied into the program by the linker"
it "the twin: with -fPIC" gcc -g -O2 -fPIC $P -o uncopied main.c $G ./libv.so -pthread
blank "the twin: with -fPIC, without its library" uncopied "the plan.s layouts in ./libv.so: libraries of the program that were not looked at"
exits 0 "the twin, with its library" perseus-verify plan.yaml uncopied --libraries ./libv.so
says "^2 of 2 layouts lie as planned" "the twin, with its library: both are shown"
it "a library without the plan" sh -c "gcc -g -O2 -fPIC -c v.c && gcc -shared -o libv.so v.o w.o"
exits 1 "a library without the plan" perseus-verify plan.yaml uncopied --libraries ./libv.so
says "layout of hits \(v.c:1\) of v.c lies at 0x[0-9a-f]+, (not aligned|and .* of the same lines)" "a library without the plan: is named"
finish
