#!/bin/sh
# SPDX-License-Identifier: MIT
# perseus-verify on planned fields: units that have them elsewhere are named, their twins are shown to be
# equal, and what the debug information does not tell is said not to be shown.
. tests/lib.sh
. tests/codegen/plan.inc
. tests/verify/layouts.inc
cd "$T" || exit 1
cat >net.h <<'X2'
struct stats {
	long rx;
	long tx;
};
typedef struct {
	long a, b;
} named;
struct outer { int x; struct { long in; }; char z; };
struct wide { char fill[64]; long w; char rest[56]; };
struct other { long q; };
X2
cat >main.c <<'X2'
#include "net.h"
struct stats stats = {1, 2};
named pair;
struct outer outer;
struct wide wide;
long more(struct stats *s, named *n, struct outer *o, struct wide *w);
int main(void) { return more(&stats, &pair, &outer, &wide) != 3; }
X2
cat >more.cc <<'X2'
#include "net.h"
template <class T> struct box { T left; T right; };
struct shut { private: long a; public: long b; virtual long get(); };
long shut::get() { return b; }
box<int> ints;
box<long> longs;
shut s2;
extern "C" long more(stats *s, named *n, outer *o, wide *w);
long more(stats *s, named *n, outer *o, wide *w) { return s->rx + s->tx + n->b + o->in + w->w + ints.right + longs.left; }
X2
{
	field "struct stats" tx net.h 3 64 16 8 128 64
	field named b net.h 6 64 16 8 128 64
	field outer in net.h 8 64 24 8 192 64
	field "struct wide" w net.h 9 64 128 64 128 64
	field "box<int>" right more.cc 2 64 8 4 128 64
	field shut b more.cc 3 64 24 16 128 64
} | layouts_plan >plan.yaml
generated "six fields"
# built FLAGS [UNPLANNED-FLAGS]: planned from main.c and more.cc; with a second argument more.cc has these and no plan
built() {
	it "builds, ${3:-$1}" sh -c "gcc $1 $P -c -o main.o main.c && g++ ${2:-$1 $P} -c -o more.o more.cc && g++ $1 $P -o planned main.o more.o $G -pthread"
}
for o in "-g -O0" "-g -O2" "-g -O2 -flto" "-gdwarf-4 -O1" "-gdwarf-3 -O2" "-gdwarf-5 -gdwarf64 -O2" "-g -fdebug-types-section -O2" "-gdwarf-4 -fdebug-types-section -O2" "-g -fno-pie -no-pie"; do
	built "$o"
	shown "equal: $o" 6 planned
done
built "-g -O2"
for how in gold lld mold; do
	if ! command -v ld.$how >/dev/null; then skip "equal: $how" "not installed"; continue; fi
	it "links, $how" g++ -g -fuse-ld=$how -o planned main.o more.o $G -pthread
	shown "equal: $how" 6 planned
done

# ---- units that have another layout --------------------------------------------------
for o in "-g -O0" "-g -O2 -flto" "-gdwarf-4 -fdebug-types-section -O2" "-gdwarf-2 -gstrict-dwarf -O2"; do
	built "-g -O2" "$o" "more.cc without the plan, $o"
	fault "a unit compiled without the plan, $o" planned "layout of struct stats.tx \(net.h:3\): in (more.cc|a unit for one type) the type has 16 bytes and the field is at 8, the plan says 128 and 64: it was compiled without the plan"
	says "layout of named.b .*: in (more.cc|a unit for one type)" "... a type named by typedef"
	says "layout of outer.in .*: in (more.cc|a unit for one type)" "... a member without a name"
	says "layout of box<int>.right .*: in (more.cc|a unit for one type)" "... a template"
	says "layout of shut.b .*: in (more.cc|a unit for one type)" "... a class"
	silent "in main.c" "... and main.c is not blamed"
done
built "-g -O2" "-g -O2" "more.cc without the plan"
fault "a type of which the plan changes the alignment alone" planned "layout of struct wide.w \(net.h:9\) is not aligned to 64 bytes in more.cc"
mkdir -p other
sed '0,/align: 64/s//align: 128/; 0,/size_after: 128/s//size_after: 256/; 0,/offset_after: 64/s//offset_after: 128/' plan.yaml >other/plan.yaml
perseus codegen other/plan.yaml -o other/gen >out
built "-g -O2" "-g -O2 -fplugin=$PLUGIN -fplugin-arg-perseus-plan=other/gen/perseus_triggers.plan" "more.cc by another plan"
fault "a field at another offset" planned "layout of struct stats.tx .*: in more.cc the type has 256 bytes and the field is at 128, the plan says 128 and 64$"
says "a layout of struct stats.tx \(net.h:3, to 128 bytes\) was applied in more.cc, the plan has it not" "a layout that the plan has not"
if command -v clang++ >/dev/null; then
	it "more.cc by clang" sh -c "clang++ -g -c -o more.o more.cc && g++ -o planned main.o more.o $G -pthread"
	fault "a unit of clang" planned "layout of struct stats.tx .*: in more.cc .*compiled without the plan"
else skip "a unit of clang" "not installed"; fi

# ---- second definitions --------------------------------------------------------------
built "-g -O2"
# third FLAGS FILE: planned with a third unit
third() { it "$2 is linked, too" sh -c "g++ -g -O2 ${third_plan-$P} $1 -c -o third.o $2 && g++ -g -O2 -o third main.o more.o third.o $G -pthread"; }
mkdir -p old
sed 's/struct other/struct another/' net.h | sed '1i /* copied */' >old/copy.h
printf '#include "old/copy.h"\nstruct stats old;\n' >third.c
third "-x c" third.c
fault "a second definition in another header" third "layout of struct stats.tx \(net.h:3\): third.c has a second definition of the type, with the field in line 4 of copy.h"
sed '1i /* older */' net.h >old/net.h
printf '#include "old/net.h"\nstruct stats old;\n' >third.c
third_plan=
third "-x c" third.c
unset third_plan
fault "an older version of the header" third "third.c has a second definition of the type, with the field in line 4 of net.h"
printf 'struct stats { char c; long tx; long v; } old;\n' >third.c
third "-x c" third.c
shown "a type of another source that has the same name" 6 third
printf 'struct stats { char c; long tx; long v; }; stats old;\n' >third.cc
third "" third.cc
fault "a second definition in C++, where a name is one type" third "third.cc has a second definition of the type, with the field in line 1 of third.cc"
printf 'namespace { struct stats { long rx; long tx; } old; } long third() { struct stats { long rx, tx; }; stats s = {1, old.tx}; volatile stats v = s; return v.tx; }\n' >third.cc
third "" third.cc
shown "types of a function and of a namespace without a name" 6 third
printf 'struct stats; long third(struct stats *s) { return s != 0; }\n' >third.c
third "-x c" third.c
shown "a declaration alone" 6 third

# ---- what is not told -----------------------------------------------------------------
built "-O2"
blank "no debug information" planned "that every unit of .planned. was compiled with the plan.s 6 layouts: there is no debug information"
built "-g -gz -O2"
blank "compressed" planned "that every unit of .planned. was compiled with the plan.s 6 layouts: the debug information is compressed"
built "-g -gsplit-dwarf -O2"
blank "-gsplit-dwarf" planned "layouts in main.dwo, more.dwo: its debug information is in another file"
built "-g -O2"
it "a copy without debug information" strip -g -o stripped planned
blank "strip -g" stripped "there is no debug information"
it "a copy without symbols" strip -o stripped planned
exits 4 "a stripped program cannot be judged" perseus-verify plan.yaml stripped
it "a copy without the list" objcopy -R .perseus.layouts planned unlisted
blank "the list of what was applied is gone" unlisted "layout of struct stats.tx .*: no object lists it as applied"
printf '#include "net.h"\nlong third(struct stats *s) { return s->tx; }\n' >third.c
third "-x c -g0" third.c
open "a unit without debug information" third "the plan.s layouts in third: there is no debug information of this code"
it "its debug information is renamed" sh -c "gcc -g -O2 $P -c third.c && objcopy --rename-section .debug_info=.debug_other third.o && g++ -g -O2 -o third main.o more.o third.o $G -pthread"
open "code whose debug information was renamed" third "the plan.s layouts in third: there is no debug information of this code"
third "-x c -g1" third.c
open "a unit with lines alone" third "the plan.s layouts in third.c: the debug information has no types there"
third "-x c -g2" third.c
shown "the twin: a unit with all of it" 6 third
printf '#include <stdlib.h>\n#include "net.h"\nvoid *third(void) { return malloc(sizeof(struct stats)); }\n' >third.c
third_plan=
third "-x c" third.c
open "the size alone, without a plan" third "the plan.s layouts in third.c: it was compiled without a plan"
printf '#include "net.h"\nlong third(struct stats *s) { return s->tx; }\n' >third.c
third "-x c -femit-struct-debug-baseonly" third.c
open "declarations alone" third "the plan.s layouts in third.c: it was compiled without a plan"
printf '#include <stdlib.h>\n#include "net.h"\nvoid *third(void) { return malloc(sizeof(struct stats)); }\n' >third.c
third_plan=$BY_PATH
third "-x c" third.c
open "with some plan" third "the plan.s layouts in third.c: it was compiled with a plan whose hash it does not tell"
sed 's/^perseus: plan/# an older one\n&/' plan.yaml >older.yaml
exits 0 "the code of another plan" perseus codegen older.yaml -o older
third_plan="-fplugin=$PLUGIN -fplugin-arg-perseus-plan=older/perseus_triggers.plan -fplugin-arg-perseus-plan-hash=$(sha256sum older.yaml | cut -c 1-64)"
third "-x c" third.c
open "with another plan" third "the plan.s layouts in third.c: it was compiled with another plan"
unset third_plan
third "-x c" third.c
shown "the twin: with the plan" 6 third
printf '#include "net.h"\nlong third(struct stats *s) { return s->tx; }\n' >third.c
third "-x c" third.c
shown "the twin: a type that it tells" 6 third
printf '#include "net.h"\nstruct stats third = {3, 4};\n' >third.c
third "-x c -g0" third.c
open "data without debug information" third "the plan.s layouts in third.c: there is no debug information of this source"
printf '\t.globl third\n\t.type third, @function\nthird:\tmovq 64(%%rdi), %%rax\n\tret\n\t.size third, .-third\n' >third.s
third "-Wa,-g" third.s
open "assembler" third "the plan.s layouts in third.s: the debug information has no types there"
printf '#include "net.h"\nlong third(struct stats *s) { return s->tx; }\n' >third.c
it "an -flto link with -g of a unit without" sh -c "g++ -x c -O2 -flto $P -c -o third.o third.c && gcc -O2 -g -flto $P -c -o lmain.o main.c && g++ -O2 -g -flto $P -c -o lmore.o more.cc && g++ -O2 -g -flto $P -Wl,-u,third -o third lmain.o lmore.o third.o $G -pthread"
open "-flto without -g" third "the plan.s layouts in code that was compiled with -flto and without -g"
if command -v clang++ >/dev/null; then
	printf 'struct stats; namespace n { long third(stats *s) { return s != nullptr; } }\n' >third.cc
	it "a unit of clang that declares the type" sh -c "clang++ -g -c -o third.o third.cc && g++ -g -O2 -o third main.o more.o third.o $G -pthread"
	open "declared by clang" third "the plan.s layouts in third.cc: it was compiled without a plan"
else skip "declared by clang" "not installed"; fi
it "a report is written" sh -c 'perseus-verify plan.yaml planned --report report.md >out; grep -q "layouts of the plan; .* | 6; 6; [2-9] |" report.md'
finish
