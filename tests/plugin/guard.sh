#!/bin/sh
# SPDX-License-Identifier: MIT
# guard=: types and variables that were found to share lines falsely are warned of where they do so, and
# nowhere else; the object is the plain one.
. tests/lib.sh
. tests/plugin/helpers
A=-fplugin-arg-perseus
cd "$T" || exit 1
# guarded FILE LINE...: compile it with a guard of these lines
guarded() {
	file=$1
	shift
	{ echo "perseus-guard 1"; printf '%s\n' "$@"; } >guard
	case $file in *.cc) cc="g++ -std=c++17" ;; *) cc=gcc ;; esac
	$cc -O1 -fplugin="$PLUGIN" $A-guard=guard ${more-} -c "$file" -o out.o
}
# warns NAME PATTERN FILE LINE...; quiet NAME FILE LINE...
warns() {
	name=$1 pattern=$2
	shift 2
	exits 0 "$name" guarded "$@"
	says "warning: perseus: .*$pattern.*\[-Wperseus-sharing\]" "... is warned of"
}
quiet() {
	name=$1
	shift
	exits 0 "$name" guarded "$@"
	it "... is not warned of" test ! -s "$T/err"
}

# ---- members -----------------------------------------------------------------------
cat >t.c <<'X'
struct near { long rx, tx; };
struct apart { long rx; char room[56]; long tx; };
struct loose { long rx; char room[40]; long tx; } ;
struct aligned { long rx; _Alignas(64) long tx; };
struct fits { _Alignas(64) long rx; char room[48]; long tx; };
struct in { long up, down; };
struct out { int id; struct in in; struct { long left, right; }; };
struct rows { long n[3]; _Alignas(64) long m[9]; long last; };
typedef struct { int a, b; } named;
struct packs { struct { long a, b; } s[3]; };
struct lines { struct { _Alignas(64) long a; _Alignas(64) long b; } s[3]; struct { _Alignas(64) long n; } m[4]; };
struct packs packs; struct lines lines;
union both { struct { int a, b; } one; long other; };
struct bits { unsigned a : 3, b : 4; };
struct near n; struct apart p; struct loose l; struct aligned g; struct fits f; struct out o; struct rows r; named m; union both u; struct bits b;
X
P="writes a rx" Q="writes b tx"
warns "two members on a line" "t.c|.rx. \(used by a\) and .tx. \(used by b\) of .(struct )?near. share a line of 64 bytes.*share-000001" \
	t.c "members struct%20near 64 share-000001" "$P" "$Q"
says "t.c:1:[0-9]+: warning" "... where it is declared"
says "note: 'tx' is here" "... and the other one"
quiet "members 64 bytes apart" t.c "members struct%20apart 64 share-1" "$P" "$Q"
warns "... which share one of 128" "where the object begins at byte 0 of one" t.c "members struct%20apart 128 share-1" "$P" "$Q"
warns "members 48 bytes apart, wherever the object begins" "share a line of 64 bytes where the object begins at byte 0" t.c "members struct%20loose 64 share-1" "$P" "$Q"
quiet "an aligned member" t.c "members struct%20aligned 64 share-1" "$P" "$Q"
warns "members on one line of an aligned struct" "share a line of 64 bytes: false" t.c "members struct%20fits 64 share-1" "$P" "$Q"
quiet "members that one thread uses" t.c "members struct%20near 64 share-1" "writes a rx tx"
quiet "members that are read only" t.c "members struct%20near 64 share-1" "reads a rx" "reads b tx"
warns "one that is read" "rx" t.c "members struct%20near 64 share-1" "$P" "reads b tx"
warns "members of a member" "in.up. \(used by a\) and .in.down" t.c "members struct%20out 64 share-1" "writes a in.up" "writes b in.down"
warns "members of a struct without a name" "left" t.c "members struct%20out 64 share-1" "writes a left" "writes b right"
warns "an array in it" "n\[\].*|m\[8\]" t.c "members struct%20rows 64 share-1" "writes a m[8]" "writes b last"
quiet "an array apart" t.c "members struct%20rows 64 share-1" "writes a n[]" "writes b m[0]"
warns "a type named by typedef" "named" t.c "members named 64 share-1" "writes a a" "writes b b"
warns "bit-fields" "bits" t.c "members struct%20bits 64 share-1" "writes a a" "writes b b"
quiet "a type that is not there" t.c "members struct%20none 64 share-1" "$P" "$Q"
quiet "another type of that name" t.c "members struct%20near 64 share-1" "writes a up" "writes b down"
warns "a member that is gone" "has no member .gone.: if it is the one that share-1 was found in, it is guarded in part" t.c "members struct%20aligned 64 share-1" "$P" "writes b gone"
warns "an array of structs in a struct" ".s\[\].a. .*and .s\[\].b." t.c "members struct%20packs 64 share-1" "writes a s[].a" "writes b s[].b"
quiet "... whose members begin lines" t.c "members struct%20lines 64 share-1" "writes a s[].a" "writes b s[].b"
quiet "... of one element" t.c "members struct%20lines 64 share-1" "writes a s[1].a" "writes b s[1].b"
warns "elements of numbers" "m\[2\]" t.c "members struct%20rows 64 share-1" "writes a m[2]" "writes b m[7]"
quiet "elements that are lines" t.c "members struct%20lines 64 share-1" "writes a m[2].n" "writes b m[3].n"
quiet "what nobody wants to be warned of" t.c "ignore share-1"
quiet "no more than the lines say" t.c "# members struct%20near 64 share-1" ""

# ---- C++ -----------------------------------------------------------------------------
cat >t.cc <<'X'
#include <atomic>
#include <mutex>
#include <vector>
struct counts { std::atomic<long> rx{0};
	std::atomic<long> tx{0}; };
struct locked { std::mutex m; long data, other; };
struct lists { std::vector<int> v; long n; };
counts cs; locked lk; lists ls;
namespace app { struct base { long rx; }; struct derived : base { long tx; }; }
template <class T> struct pair { T rx, tx; };
template <class T> struct wide { alignas(64) T rx; alignas(64) T tx; };
class hidden { long rx, tx; public: long sum() { return rx + tx; } };
app::derived d; pair<long> p; pair<int> q; wide<long> w; hidden h;
X
warns "a member and one of a base class" "app::derived" t.cc "members app::derived 64 share-1" "$P" "$Q"
warns "an instance of a template" "pair<long" t.cc "members pair<long%20int> 64 share-1" "$P" "$Q"
it "... and of no other one" sh -c "[ \$(grep -c warning '$T/err') = 1 ]"
quiet "an instance that is aligned" t.cc "members wide<long%20int> 64 share-1" "$P" "$Q"
warns "private members" "hidden" t.cc "members hidden 64 share-1" "$P" "$Q"

warns "members of the library's types" ".rx. \(used by a\) and .tx. \(used by b\) of .counts. share a line" \
	t.cc "members counts 64 share-1" "writes a rx._M_i" "writes b tx._M_i"
says "^t.cc:4:[0-9]+: warning" "... at the line of the member"
silent "_M_i" "... by its own name"
warns "a lock and what lies behind it" ".m. \(used by a\) and .data." t.cc "members locked 64 share-1" "writes a m._M_mutex.__size[]" "writes b data"
warns "a vector beside a number" ".v. \(used by a\) and .n." t.cc "members lists 64 share-1" "reads a v._M_impl._M_start" "writes b n"

# ---- elements and arrays -------------------------------------------------------------
cat >e.c <<'X'
struct small { long done; int kind; };
struct line { _Alignas(64) long done; int kind; };
struct big { long done; char room[56]; long last; };
struct small s[4]; struct line l[4]; struct big b[4];
long counters[8];
struct line lines[8];
static long rows[4][8];
long begun[4][8] __attribute__((aligned(64)));
long (*use(void))[8] { return rows; }
X
warns "elements smaller than a line" ".done. of an element of .(struct )?small. and .done. of the next one share a line" e.c "elements struct%20small 64 share-1" "writes a,%20b done"
quiet "elements of whole lines" e.c "elements struct%20line 64 share-1" "writes a,%20b done"
quiet "what lies far enough from the next one" e.c "elements struct%20big 64 share-1" "writes a,%20b done"
warns "the end of one and the begin of the next" ".last. of an element" e.c "elements struct%20big 64 share-1" "writes a done" "writes b last"
warns "an array of numbers" "elements of .counters. have 8 bytes" e.c "array counters e.c 64 share-1"
quiet "an array of lines" e.c "array lines e.c 64 share-1"
warns "rows of a line that begin anywhere" "whole lines of 64 bytes, but need not begin one" e.c "array rows e.c 64 share-1"
quiet "rows that begin lines" e.c "array begun e.c 64 share-1"
quiet "an array of another file" e.c "array counters other.c 64 share-1"

# ---- variables -----------------------------------------------------------------------
cat >v.c <<'X'
long hits, misses; static long local = 1;
_Alignas(64) long first; _Alignas(64) long second;
_Alignas(64) struct { long n; char room[56]; } whole;
extern long elsewhere; _Thread_local long own;
long *one(void) { static long mine; static long yours; yours++; return &mine; }
long *two(void) { static _Alignas(64) long mine; static _Alignas(64) long yours; yours++; return &mine; }
long *use(void) { elsewhere++; own++; return &local; }
X
warns "two variables" ".hits. \(used by a\) and .misses. \(used by b\) may lie on one line" v.c "variables 64 share-1" "writes a hits@v.c" "writes b misses@v.c"
warns "a static one" "local" v.c "variables 64 share-1" "writes a hits@v.c" "writes b local@v.c"
warns "one that begins a line beside one that does not" "first" v.c "variables 64 share-1" "writes a hits@v.c" "writes b first@v.c"
quiet "two that begin lines" v.c "variables 64 share-1" "writes a first@v.c" "writes b second@v.c"
quiet "one of whole lines" v.c "variables 64 share-1" "writes a hits@v.c" "writes b whole@v.c"
quiet "one that another unit defines" v.c "variables 64 share-1" "writes a hits@v.c" "writes b elsewhere@v.c"
quiet "one that each thread has" v.c "variables 64 share-1" "writes a hits@v.c" "writes b own@v.c"

warns "static variables of a function" "one\(\)::mine" v.c "variables 64 share-1" "writes a one()::mine@v.c" "writes b one()::yours@v.c"
quiet "those of another one, which begin lines" v.c "variables 64 share-1" "writes a two()::mine@v.c" "writes b two()::yours@v.c"
quiet "those of a function that is not there" v.c "variables 64 share-1" "writes a three()::mine@v.c" "writes b three()::yours@v.c"
quiet "a static variable is none of the file" v.c "variables 64 share-1" "writes a mine@v.c" "writes b hits@v.c"

# ---- the build -------------------------------------------------------------------------
N="members struct%20near 64 share-1"
for off in $A-warn=no-sharing $A-warn=none -Wno-perseus-sharing -w; do
	more=$off
	quiet "with $off" t.c "$N" "$P" "$Q"
done
more=-Werror
warns "-Werror makes no error of it" "near" t.c "$N" "$P" "$Q"
more=$A-warn=error=sharing
exits 1 "warn=error=sharing does" guarded t.c "$N" "$P" "$Q"
says "error: perseus.*\[-Werror=perseus-sharing\]" "... and says by which name"
more=
for o in -O0 "-O2 -g" -flto "-flto -ffat-lto-objects"; do
	more=$o
	warns "with $o" "near" t.c "$N" "$P" "$Q"
done
more=
guarded t.c "$N" "$P" "$Q" 2>/dev/null && gcc -O1 -c t.c -o plain.o
it "the object is the plain one" cmp out.o plain.o
more=$A-probe=memory
guarded v.c "$N" "$P" "$Q" 2>/dev/null
it "... and has probes if they are asked for" sh -c "readelf -SW out.o | grep -q perseus.sites"
more=
for bad in "members near 64" "members near 60 share-1" "members near 65536 share-1" "writes a" "nothing" "members  64 share-1" "array counters e.c 64" "members n%zz 64 share-1" "members n%00 64 share-1"; do
	exits 1 "'$bad' is an error" guarded t.c "$bad"
	says "'guard' line 2: " "... that names its line"
done
exits 1 "writes below nothing" guarded t.c "writes a rx"
exits 1 "writes below an array" guarded t.c "array counters e.c 64 share-1" "writes a rx"
exits 1 "a variable without its file" guarded t.c "variables 64 share-1" "writes a rx"
cc() { gcc -fplugin="$PLUGIN" "$@" -c t.c -o out.o; }
printf 'perseus-guard 1\nmembers struct%%20near 64 share-1\nwrites x%%0aerror%%1b[31m rx\nwrites b tx\n' >guard
exits 0 "names with control characters" cc $A-guard=guard
says "used by x.error.\[31m" "... do not reach the terminal"
{ echo "perseus-guard 1"; echo "members struct%20near 64 share-1"; for i in $(seq 5000); do echo "writes t$i rx"; done; } >many
exits 1 "thousands of members of one finding" cc $A-guard=many
says "more than 4096" "... are refused"
cp guard other
exits 1 "two guards" cc $A-guard=guard $A-guard=other
says "it was .guard=guard. before, and only one is read" "... are refused"
exits 0 "one guard twice" cc $A-guard=guard $A-guard=guard
printf 'perseus-guard 1\r\nmembers x 64 share-1\r\n' >returns
exits 1 "line ends of another system" cc $A-guard=returns
says "carriage return" "... are named"
exits 1 "no such file" cc $A-guard=none
printf 'perseus-guard 1\nmembers near 64 s' >cut
exits 1 "a file that was cut" cc $A-guard=cut
: >empty
exits 1 "an empty file" cc $A-guard=empty
exits 1 "a file of something else" cc $A-guard=t.c
head -c 3000 /dev/urandom >noise
exits 1 "noise" cc $A-guard=noise
exits 1 "a hash that is not its own" cc $A-guard=guard $A-guard-hash=$(printf %064d 1)
says "guard-hash" "... is named"
exits 1 "a hash without a file" cc $A-guard-hash=$(printf %064d 1)
finish
