#!/bin/sh
# SPDX-License-Identifier: MIT
# Layouts of a plan: fields lie where it says, in C and C++, in every unit; what cannot be followed stops
# the build with its reason.
. tests/lib.sh
. tests/plugin/helpers
inc=$PWD/tests/plugin/layouts.inc
cd "$T" || exit 1
. "$inc"

# ---- fields ------------------------------------------------------------------------
cat >t.c <<'X'
struct pair { long left, right; };
typedef struct { char a; long b; } named;
struct outer { int x; struct { long in; }; struct pair pair; char z; };
struct bits { unsigned a : 3, b : 30; char c; unsigned d : 5; long e; };
struct wide { char a; long b; } __attribute__((aligned(32)));
struct list { struct list *next; long n; } *head;
struct pair pairs[3] = {{1, 2}, {3, 4}, {.right = 6}};
X
R="layout field struct%20pair right t.c 1 64 16 8 128 64"
lies "a field" gcc -- 'sizeof(struct pair) == 128 && offsetof(struct pair, right) == 64 && _Alignof(struct pair) == 64' "$R"
lies "a field, and what holds it" gcc -- 'offsetof(struct outer, pair) == 64 && sizeof(pairs) == 384' "$R"
lies "... by the name without a word" gcc -- 'sizeof(struct pair) == 128' "layout field pair right t.c 1 64 16 8 128 64"
lies "both fields" gcc -- 'sizeof(struct pair) == 256 && offsetof(struct pair, right) == 128' \
	"layout field pair left t.c 1 128 16 0 256 0" "layout field pair right t.c 1 128 16 8 256 128"
lies "a type named by typedef" gcc -- 'sizeof(named) == 128 && offsetof(named, b) == 64' "layout field named b t.c 2 64 16 8 128 64"
lies "a field of a struct without a name" gcc -- 'offsetof(struct outer, in) == 64 && sizeof(struct outer) == 192' \
	"layout field outer in t.c 3 64 40 8 192 64"
lies "behind a type that is changed, too" gcc -- 'offsetof(struct outer, z) == 192 && sizeof(struct outer) == 256' \
	"$R" "layout field outer z t.c 3 64 40 32 256 192"
lies "beside bit-fields" gcc -- 'offsetof(struct bits, c) == 64 && sizeof(struct bits) == 128' "layout field bits c t.c 4 64 24 8 128 64"
lies "in a type that is aligned already" gcc -- 'sizeof(struct wide) == 128' "layout field wide b t.c 5 64 32 8 128 64"
lies "by less than a line" gcc -- 'sizeof(struct pair) == 32 && offsetof(struct pair, right) == 16' "layout field pair right t.c 1 16 16 8 32 16"
for o in -O0 "-O2 -g" -std=gnu89 -std=gnu2x "-O2 -flto -ffat-lto-objects"; do
	lies "a field, $o" gcc $o -- 'sizeof(struct pair) == 128' "$R"
done

cat >t.cc <<'X'
struct pair { long left, right; };
namespace app { struct outer { struct inner { char a; long b; } in; long z; }; typedef struct { long x, y; } named; }
struct derived : pair { long more; };
class secret { long a = 1; long b = 2; public: virtual ~secret() {} long sum() const { return a + b; } friend struct look; };
struct empty {};
struct on_empty : empty { char a; long b; };
template <class T> struct box { T left; T right; long n; };
template <class T> struct box<T *> { T *left; T *right; };
template <class T> struct nest { struct in { T a; T b; }; in i; };
template <class T> long local() { struct here { T a; long b; }; return sizeof(here); }
struct look { static constexpr bool ok() { return sizeof(secret) == 128; } };
X
R2="layout field pair right t.cc 1 64 16 8 128 64"
for std in "" -std=c++11 -std=c++17 -std=c++20; do
	lies "C++: a field, $std" g++ $std -- 'sizeof(pair) == 128 && offsetof(pair, right) == 64 && alignof(pair) == 64' "$R2"
done
lies "C++: what is derived" g++ -w -- 'sizeof(derived) == 192' "$R2"
lies "C++: of what is derived" g++ -w -- 'sizeof(derived) == 128' "layout field derived more t.cc 3 64 24 16 128 64"
lies "C++: a class in a class" g++ -- 'offsetof(app::outer::inner, b) == 64 && sizeof(app::outer) == 192' \
	"layout field app::outer::inner b t.cc 2 64 16 8 128 64"
lies "C++: a type named by typedef" g++ -- 'offsetof(app::named, y) == 64' "layout field app::named y t.cc 2 64 16 8 128 64"
lies "C++: a private field behind a pointer to virtual functions" g++ -- 'look::ok()' "layout field secret b t.cc 4 64 24 16 128 64"
lies "C++: behind an empty base" g++ -- 'sizeof(on_empty) == 128' "layout field on_empty b t.cc 6 64 16 8 128 64"
lies "C++: a template's field, of the type of its argument" g++ -- 'offsetof(box<int>, right) == 64 && sizeof(box<int>) == 128' \
	"layout field box<int> right t.cc 7 64 16 4 128 64"
lies "C++: ... of a type of its own" g++ -- 'offsetof(box<char>, n) == 64' "layout field box<char> n t.cc 7 64 16 8 128 64"
lies "C++: ... in another instance" g++ -- 'offsetof(box<char>, right) == 64 && sizeof(box<int>) == 128' \
	"layout field box<int> right t.cc 7 64 16 4 128 64"
lies "C++: ... of all instances" g++ -- 'sizeof(box<long>) == 128' "layout field box right t.cc 7 64 24 8 128 64"
lies "C++: ... of a partial specialisation" g++ -- 'sizeof(box<int *>) == 128 && sizeof(box<int>) == 16' \
	"layout field box<int%20*> right t.cc 8 64 16 8 128 64"
lies "C++: ... of a class in a template" g++ -- 'sizeof(nest<long>::in) == 128' "layout field nest<long%20int>::in b t.cc 9 64 16 8 128 64"
cat >t.cc <<'X'
template <class T> constexpr long local() { struct here { T a; long b; }; return sizeof(here); }
X
lies "C++: ... of a class in a function template" g++ -- 'local<char>() == 128' "layout field local()::here b t.cc 1 64 16 8 128 64"

# ---- what cannot be followed ---------------------------------------------------------
echo 'long work(int n) { auto add = [n](long m) { return n + m; }; volatile long v = add(n); return v; }' >t.cc
refused "what a lambda has captured" "it is what a lambda has captured" g++ -- "layout field work(int)::<lambda(long%20int)> __n t.cc 1 64 4 0 64 0"
cat >t.c <<'X'
union u { long a; char b[16]; };
struct packed { char a; long b; } __attribute__((packed));
struct member { char a; long b __attribute__((packed)); };
struct bits { long a; unsigned b : 3; };
struct open { long a, b; char rest[]; };
struct zero { long a, b; char rest[0]; };
struct __attribute__((scalar_storage_order("big-endian"))) big { long a, b; };
struct one { long a, b; };
#pragma pack(push, 4)
struct pragma { char a; long b; };
#pragma pack(pop)
struct x { long f, g; }; struct y { long f, h; };
struct deep { long a; struct { long b; } in; };
union u u; struct packed p; struct member m; struct bits b; struct open o; struct zero z; struct big g; struct one n; struct pragma r;
X
refused "a member of a union" "it is a member of a union" gcc -- "layout field u a t.c 1 64 16 0 64 0"
refused "a packed type" "it is packed" gcc -- "layout field packed b t.c 2 64 9 1 128 64"
refused "a packed member" "it is packed" gcc -- "layout field member b t.c 3 64 9 1 128 64"
refused "a bit-field" "it is a bit-field" gcc -- "layout field bits b t.c 4 64 16 8 128 64"
refused "a flexible array member behind it" "ends with an array without a bound" gcc -- "layout field open b t.c 5 64 16 8 128 64"
refused "an array of none behind it" "ends with an array without a bound" gcc -- "layout field zero b t.c 6 64 16 8 128 64"
refused "a scalar storage order" "explicit scalar storage order" gcc -- "layout field big b t.c 7 64 16 8 128 64"
refused "#pragma pack" "its alignment is limited" gcc -- "layout field pragma b t.c 10 64 12 4 128 64"
refused "another line" "the field is declared at line 8 now" gcc -- "layout field one b t.c 9 64 16 8 128 64"
refused "no such field" "the type has no such field" gcc -- "layout field one c t.c 8 64 16 8 128 64"
refused "no such type" "this unit has no such type and field" gcc -- "layout field two b t.c 99 64 16 8 128 64"
refused "a type of another name" "the field here is one of .struct one" gcc -- "layout field two b t.c 8 64 16 8 128 64"
refused "two fields of one name in a line" "the field here is one of .struct [xy]" gcc -- "layout field x f t.c 12 64 16 0 64 0"
refused "a field of a member" "the struct that it is in has no name" gcc -- "layout field deep b t.c 13 64 16 8 128 64"
for figures in "24 8 128 64" "16 0 128 64"; do
	refused "other figures before: $figures" "without it the type has 16 bytes and the field is at 8" gcc -- "layout field one b t.c 8 64 $figures"
done
for figures in "16 8 192 64" "16 8 128 128"; do
	refused "other figures behind: $figures" "with it the type has 128 bytes and the field is at 64" gcc -- "layout field one b t.c 8 64 $figures"
done
plan "layout field one b t.c 8 64 16 8 128 64"
exits 0 "the twin: figures that are right" gcc -w $P -c t.c -o t.o
plan "layout field elsewhere b far/other.h 8 64 16 8 128 64" "layout variable v - far/other.c 3 64 8 64"
gcc -w -c t.c -o plain.o
exits 0 "a unit that has nothing of the plan" gcc -w $P -c t.c -o t.o
it "... is the plain one" cmp plain.o t.o
cat >t.cc <<'X'
struct a { long x; }; struct v : virtual a { long y, z; };
template <class T> struct early { T x; long y; long f() { return sizeof(early<char>); } };
v i; early<int> j; long k = j.f();
X
refused "a type needed inside of its template" "needed before all of its template was read" g++ -- "layout field early<int> y t.cc 2 64 16 8 128 64"

# ---- one header, all units -----------------------------------------------------------
mkdir -p src/c src/cc inc
cat >inc/shared.h <<'X'
struct stats {
	long rx;
	long tx;
};
X
cat >src/c/a.c <<'X'
#include <stddef.h>
#include <stdio.h>
#include "../../inc/shared.h"
struct stats stats = {1, 2};
#ifdef CHECK
_Static_assert(sizeof(struct stats) == 128, "as planned");
#endif
void other(struct stats *s);
int main(void)
{
	printf("%zu %zu %ld %ld\n", sizeof(stats), offsetof(struct stats, tx), stats.rx, stats.tx);
	other(&stats);
	return 0;
}
X
cat >src/cc/b.cc <<'X'
#include <stddef.h>
#include <stdio.h>
#include <shared.h>
extern "C" void other(struct stats *s);
void other(struct stats *s)
{
	stats *p = new stats[2];
	printf("%zu %zu %ld %ld %d\n", sizeof(*s), offsetof(stats, tx), s->rx, s->tx, (int)((size_t)&p[1].tx % 64));
	delete[] p;
}
X
plan "layout field stats tx inc/shared.h 3 64 16 8 128 64"
mv p.plan shared.plan
printf '128 64 1 2\n128 64 1 2 0\n' >want
for o in -O0 -O2 "-O2 -flto" "-O3 -g -fno-pie -no-pie"; do
	Q="-fplugin=$PLUGIN -fplugin-arg-perseus-plan=$PWD/shared.plan"
	it "$o: three folders, two languages" sh -c "(cd src/c && gcc -w $o $Q -c a.c -o ../../a.o) && (cd src && g++ -w -std=c++17 $o $Q -I../inc -c cc/b.cc -o ../b.o)"
	it "... are linked" g++ $o $Q a.o b.o -o program
	it "... and run alike" sh -c './program >got && cmp got want'
	it "... and list what they have" sh -c 'objcopy -O binary -j .perseus.layouts --set-section-flags .perseus.layouts=alloc program list && grep -v "^link 2\$" list | sort >got && printf "layout field stats tx inc/shared.h 3 64 16 8 128 64 %s\n" a.c cc/b.cc | cmp got -'
done
it "mapped paths" gcc -w -ffile-prefix-map="$PWD"=/gone -fplugin="$PLUGIN" -fplugin-arg-perseus-plan="$PWD/shared.plan" -DCHECK -c "$PWD/src/c/a.c" -o a.o

# ---- precompiled headers ---------------------------------------------------------------
mkdir pch
printf 'struct stats {\n\tlong rx;\n\tlong tx;\n};\n' >pch/net.h
printf '#include "net.h"\n#include <stdlib.h>\nvoid *stats_new(int n) { return calloc(n, sizeof(struct stats)); }\n' >pch/alloc.c
cp pch/alloc.c pch/alloc.cc
printf '#include "net.h"\nchar as_planned[sizeof(struct stats) == 128 ? 1 : -1];\n' >pch/size.c
cp pch/size.c pch/size.cc
plan "layout field stats tx net.h 3 64 16 8 128 64"
for cc in "gcc c c-header" "g++ cc c++-header"; do
	set -- $cc
	rm -f pch/*.gch
	it "$1: a header that is precompiled without the plan" $1 -O2 -x $3 pch/net.h -o pch/net.h.gch
	exits 1 "$1: ... is refused where only its size is used" $1 -O2 $P -c pch/alloc.$2 -o t.o
	says "error: perseus: layout of .*'net.h' from a precompiled header" "$1: ... for its reason"
	it "$1: one with the plan" $1 -O2 $P -x $3 pch/net.h -o pch/net.h.gch
	it "$1: ... is read" sh -c "$1 -O2 -Winvalid-pch -H $P -c pch/size.$2 -o t.o 2>&1 | grep -q '^! pch/net.h.gch'"
	it "$1: ... and has the layout" $1 -O2 -Werror=invalid-pch $P -c pch/size.$2 -o t.o
	printf 'struct other { long a; };\n' >pch/other.h
	rm -f pch/net.h.gch
	it "$1: one without a planned field" $1 -O2 -x $3 pch/other.h -o pch/other.h.gch
	printf "#include \"other.h\"\n#include \"size.$2\"\n" >pch/both.$2
	it "$1: ... may be older" $1 -O2 -Werror=invalid-pch $P -c pch/both.$2 -o t.o
done

cat >t.c <<'X'
long common;
X
# ---- the file ------------------------------------------------------------------------
unread() {
	plan "$2"
	exits 1 "a plan file with $1" gcc -w $P -c t.c -o t.o
	says "p.plan' line 3: " "... is refused with its line"
}
unread "an alignment of 3" "layout field a b t.c 1 3 16 8 128 64"
unread "an alignment of 8192" "layout field a b t.c 1 8192 16 8 16384 8192"
unread "a layout of a kind that is none" "layout element a b t.c 1 64 16 8 128 64"
unread "a field too few" "layout field a b t.c 1 64 16 8 128"
unread "a field too many of a variable" "layout variable a - t.c 1 64 8 64 share-1 0"
unread "a size that is none" "layout variable a - t.c 1 64 x 64"
plan "layout variable common - t.c 1 64 8 64" "start"
exits 1 "start behind a layout" gcc -w $P -c t.c -o t.o
finish
