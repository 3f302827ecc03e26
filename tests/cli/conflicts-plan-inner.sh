#!/bin/sh
# SPDX-License-Identifier: MIT
# perseus conflicts --plan where threads meet inside of a struct in a struct, or in what a base class
# declares: the layout is one of that type.  What it is made of otherwise is refused by name.
. tests/lib.sh
prices=$(pwd)/tests/sharing/platform.yaml inc=$(pwd)/tests/cli/conflicts/plan.inc
cd "$T" || exit 1
[ "$(nproc)" -ge 2 ] || { skip "layouts of structs in structs" "one core only"; finish; exit; }
. "$inc"
cat >nest.c <<'X'
#include "crew.h"
struct in { int k; volatile long up, down; };
struct out { int id; struct in in; long last; };
static struct out out __attribute__((aligned(64))) = {1, {2, 3, 4}, 5};
static void first(long n) { out.in.up += n; }
static void second(long n) { out.in.down += n; }
int main(void) { crew(); printf("%d %d %ld %ld %ld\n", out.id, out.in.k, out.in.up, out.in.down, out.last); return 0; }
X
cat >lanes.c <<'X'
#include "crew.h"
struct lane { volatile long n; int kind; };
struct road { int id; struct lane lanes[2]; long last; };
static struct road road __attribute__((aligned(64))) = {1, {{2, 3}, {4, 5}}, 6};
static void first(long n) { road.lanes[0].n += n; }
static void second(long n) { road.lanes[1].n += n; }
int main(void) { crew(); printf("%d %ld %d %ld %d %ld\n", road.id, road.lanes[0].n, road.lanes[0].kind, road.lanes[1].n, road.lanes[1].kind, road.last); return 0; }
X
cat >base.cc <<'X'
#include "crew.h"
struct tag {};
struct counts { int id = 1; volatile long in = 0, out = 0; };
struct port : tag, counts { char name[4] = "ab"; long total = 3; };
static port p __attribute__((aligned(64)));
static void first(long n) { p.in = p.in + n; }
static void second(long n) { p.out = p.out + n; }
int main() { crew(); printf("%d %ld %ld %s %ld\n", p.id, p.in, p.out, p.name, p.total); }
X
way nest.c 'out\.in\.up/in\.down' 'type: "struct in" field: "down" file: "nest.c" line: 2 align: 64 size: 24 offset: 16 size_after: 128 offset_after: 64 bytes: 216'
way lanes.c 'road\.lanes' 'type: "struct lane" field: "n" file: "lanes.c" line: 2 align: 64 size: 16 offset: 0 size_after: 64 offset_after: 0 bytes: 208'
way base.cc 'p\.in/out' 'type: "counts" field: "out" file: "base.cc" line: 3 align: 64 size: 24 offset: 16 size_after: 128 offset_after: 64 bytes: 104'

# ---- twins ------------------------------------------------------------------------------------
refused unnamed 's[.]a/b' 'a plan names types, and the struct of .s. has no name' '#   by hand: use perseus conflicts --patch share-[0-9]+, which changes the sources' <<'X'
#include "crew.h"
#define G
static struct { long id; volatile long a G; volatile long b G; } s __attribute__((aligned(64))) = {7, 0, 0};
static void first(long n) { s.a += n; }
static void second(long n) { s.b += n; }
int main(void) { crew(); printf("%ld %ld %ld\n", s.id, s.a, s.b); return 0; }
X
refused nameless 'box' 'a plan names types, and the struct that .in. is has no name' '#   by hand: use perseus conflicts --patch share-[0-9]+, which changes the sources' <<'X'
#include "crew.h"
static struct box { int id; struct { volatile long a, b; } in; } box __attribute__((aligned(64)));
static void first(long n) { box.in.a += n; }
static void second(long n) { box.in.b += n; }
int main(void) { crew(); printf("%d %ld %ld\n", box.id, box.in.a, box.in.b); return 0; }
X
refused asserted 'box' 'a static assertion at asserted.c:3 fixes the size of .box.' <<'X'
#include "crew.h"
static struct box { int id; struct in { volatile long a, b; } in; } box __attribute__((aligned(64)));
_Static_assert(sizeof(struct box) == 24, "as it is sent");
static void first(long n) { box.in.a += n; }
static void second(long n) { box.in.b += n; }
int main(void) { crew(); printf("%d %ld %ld\n", box.id, box.in.a, box.in.b); return 0; }
X
refused both 'trio' 'members of other classes that it is made of' '' cc <<'X'
#include "crew.h"
struct counts { volatile long in = 0, out = 0; };
struct all : counts { volatile long more = 0; };
static all trio __attribute__((aligned(64)));
static void first(long n) { trio.in = trio.in + n; trio.more = trio.more + 1; }
static void second(long n) { trio.out = trio.out + n; }
int main() { crew(); printf("%ld %ld %ld\n", trio.in, trio.out, trio.more); }
X
finish
