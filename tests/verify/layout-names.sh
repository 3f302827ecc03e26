#!/bin/sh
# SPDX-License-Identifier: MIT
# perseus-verify on types, headers and units whose names look alike: those of other namespaces, classes, functions
# and folders are not taken for the planned ones, and the planned ones are known by all of their name.
. tests/lib.sh
. tests/codegen/plan.inc
. tests/verify/layouts.inc
cd "$T" || exit 1
mkdir -p a b
cat >a/net.h <<'X2'
struct stats { long rx; long tx; };
X2
cat >main.c <<'X2'
#include "a/net.h"
struct stats stats = {1, 2};
long more(struct stats *s);
int main(void) { return more(&stats) != 7; }
X2
cat >more.cc <<'X2'
#include "a/net.h"
namespace app { struct stats { long rx; long tx; } one; }
struct outer { struct stats { long rx; long tx; } in; } two;
namespace { struct hidden { long rx; long tx; } three; }
namespace app { namespace { struct hidden { long rx; long tx; } four; } }
struct late { struct inner; inner *p; } five;
struct late::inner { long rx; long tx; } six;
long by_lambda(long n);
long by_lambda(long n) { auto add = [n]() { struct here { long rx; long tx; }; static here h; return h.tx += n; }; return add(); }
extern "C" long more(stats *s);
long more(stats *s) { return s->rx + s->tx + app::one.tx + two.in.tx + three.tx + app::four.tx + six.tx + (five.p != nullptr) + by_lambda(4); }
X2
# built MORE-FLAGS [UNIT..]: planned from main.c, more.cc with these flags, and the units with those of $flags
flags="-g -O1" others=
built() {
	others=
	more=$1
	shift
	for u; do
		case $u in *.c) cc=gcc ;; *) cc=g++ ;; esac
		it "compiles $u" $cc $flags ${other_plan-$P} -c -o "${u%.*}.o" "$u"
		others="$others ${u%.*}.o"
	done
	it "builds" sh -c "gcc $flags $P -c -o main.o main.c && g++ $flags $more -c -o more.o more.cc && g++ $flags $P -o planned main.o more.o $others $G -pthread"
}
{
	field "struct stats" tx a/net.h 1 64 16 8 128 64
	field app::stats tx more.cc 2 64 16 8 128 64
	field "{anonymous}::hidden" tx more.cc 4 64 16 8 128 64
	field "app::{anonymous}::hidden" tx more.cc 5 64 16 8 128 64
	field late::inner tx more.cc 7 64 16 8 128 64
	field "by_lambda(long int)::<lambda()>::here" tx more.cc 9 64 16 8 128 64
} | layouts_plan >plan.yaml
generated "six types"
for flags in "-g -O0" "-g -O2" "-gdwarf-4 -O1" "-g -fdebug-types-section -O2" "-g -O2 -flto"; do
	built "$P"
	shown "types of one name in other scopes, $flags" 6 planned
done
flags="-gdwarf-2 -O1"
built "$P"
exits 0 "types of one name in other scopes, $flags" perseus-verify plan.yaml planned
flags="-gdwarf-2 -gstrict-dwarf -O1"
built "$P"
open "debug information without namespaces" planned "whether layout of app::stats.tx .more.cc:2. is what more.cc has: its debug information tells no scope for it"
flags="-g -O1"
built ""
fault "a type of a namespace, without the plan" planned "layout of app::stats.tx .more.cc:2.: in more.cc the type has 16 bytes"
says "layout of .anonymous.::hidden.tx .*: in more.cc the type has 16 bytes" "... of one without a name"
says "layout of app::.anonymous.::hidden.tx .*: in more.cc the type has 16 bytes" "... in another one"
says "layout of late::inner.tx .*: in more.cc the type has 16 bytes" "... of a class, defined outside"
says "layout of by_lambda.long int.::<lambda..>::here.tx .*: in more.cc the type has 16 bytes" "... of a lambda"
if command -v clang++ >/dev/null; then
	it "more.cc by clang" sh -c "clang++ -g -c -o more.o more.cc && g++ -o planned main.o more.o $G -pthread"
	fault "types of clang" planned "layout of app::stats.tx .more.cc:2.: in more.cc the type has 16 bytes"
	says "layout of app::.anonymous.::hidden.tx .*: in more.cc the type has 16 bytes" "... of a namespace without a name"
else skip "types of clang" "not installed"; fi
printf 'namespace app { struct stats { char c; long tx; } old; }\n' >third.cc
built "$P" third.cc
fault "a second definition in the same namespace" planned "layout of app::stats.tx .*: third.cc has a second definition of the type, with the field in line 1 of third.cc"
silent "layout of struct stats.tx" "... and of that one only"
printf 'struct other { struct inner { long tx; } in; struct stats { char c; long tx; }; stats s; }; namespace net { other one; struct stats { long tx; } two; namespace { struct hidden { long tx; } three; } long third() { return three.tx; } }\n' >third.cc
built "$P" third.cc
shown "the twin: in other classes and namespaces" 6 planned

# ---- units of the same name ---------------------------------------------------------------
mkdir -p units/b && cd units || exit 1
printf 'static long own; long *get_a(void); long *get_a(void) { return &own; }\n' >a.c
printf 'static long own; static long next; long *get_b(void); long *get_b(void) { next++; return &own; }\n' >b/a.c
printf 'long *get_a(void), *get_b(void); int main(void) { return *get_a() + *get_b() != 0; }\n' >main.c
variable own units/a.c units/a.c 1 64 8 64 | layouts_plan >plan.yaml
generated "a static variable"
# linked NAME-OF-A: from units/a.c by this name
linked() { it "builds, $1" sh -c "gcc -g -O1 $P -c -o main.o main.c && gcc -g -O1 $P -c -o a.o $1 && gcc -g -O1 $P -c -o b.o b/a.c && gcc -o planned main.o a.o b.o $G -pthread"; }
for name in "$PWD/a.c" ../units/a.c; do
	linked "$name"
	shown "its unit by another path: ${name#"$T"}" 1 planned
done
variable own - units/a.c 1 64 8 64 | layouts_plan >plan.yaml
generated "a static variable without its unit"
sed -i 's/static long own; static/long own; static/' b/a.c
linked "$PWD/a.c"
shown "a static variable, and another unit's public one" 1 planned
variable own units/a.c units/a.c 1 64 8 64 | layouts_plan >plan.yaml
sed 's,units/a.c,gone/a.c,' plan.yaml >gone.yaml && mv gone.yaml plan.yaml
generated "a unit that is not there"
linked "$PWD/a.c"
blank "a unit that is not there" planned "layout of own .gone/a.c:1.: no object lists it as applied"
says "^0 of 1 layouts lie as planned" "... and is not counted"
cd .. || exit 1
planned_flags

# ---- headers of the same name -------------------------------------------------------------
printf '/* disks */\nstruct stats { char z[3]; int tx; };\n' >b/net.h
printf '#include "b/net.h"\nstruct stats disk;\n' >third.c
built "$P" third.c
shown "a header of the same name in another folder" 6 planned
printf 'struct stats { char z[3]; int tx; };\n' >b/net.h
built "$P" third.c
shown "... with the type in the same line" 6 planned
printf 'struct stats { int rx; int tx; };\n' >b/net.h
built "$P" third.c
shown "... and members of the same names and other types" 6 planned
printf '/* copied */\nstruct stats { long rx; long tx; };\n' >b/net.h
built "$P" third.c
fault "a copy of the header in another folder" planned "layout of struct stats.tx .a/net.h:1.: third.c has a second definition of the type, with the field in line 2 of net.h"
printf '#include "b/net.h"\nstats disk;\n' >third.cc
printf 'struct stats { char z[3]; int tx; };\n' >b/net.h
built "$P" third.cc
fault "another type of the name in C++, where it is one" planned "layout of struct stats.tx .a/net.h:1.: third.cc has a second definition of the type, with the field in line 1 of net.h"

# A plan that has less of the path than it takes.
sed 's,a/net.h,net.h,' plan.yaml >short.yaml
mv short.yaml plan.yaml
generated "six types, and the last part of a path"
printf '/* disks */\nstruct stats { char z[3]; int tx; };\n' >b/net.h
exits 1 "a unit that the plan may mean, too, is refused" gcc $flags $P -c -o third.o third.c
says "layout of field .tx. of .struct stats. .net.h:1.: the field is declared at line 2 now" "... for its reason"
other_plan=
built "$P" third.c
open "without the plan" planned "whether .stats. in third.c is the type of the layout of struct stats.tx .net.h:1.: it is declared in /.*/b/net.h, line 2, and has other members"
printf 'struct stats { char z[3]; int tx; };\n' >b/net.h
built "$P" third.c
open "... and the type in the same line" planned "whether .stats. in third.c is the type of the layout of struct stats.tx .*: it is declared in /.*/b/net.h, line 1, and has other members"
cp a/net.h b/net.h
built "$P" third.c
fault "the header by another path, without the plan" planned "layout of struct stats.tx .net.h:1.: in third.c the type has 16 bytes and the field is at 8, the plan says 128 and 64: it was compiled without the plan"
finish
