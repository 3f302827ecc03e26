#!/bin/sh
# SPDX-License-Identifier: MIT
# perseus conflicts --plan and --patch where threads meet two structs deep: the innermost one that all of them
# use is laid out.  Members of a union are refused by both.
. tests/lib.sh
prices=$(pwd)/tests/sharing/platform.yaml inc=$(pwd)/tests/cli/conflicts/plan.inc
cd "$T" || exit 1
[ "$(nproc)" -ge 2 ] || { skip "layouts of structs in structs" "one core only"; finish; exit; }
. "$inc"
cat >deep.c <<'X'
#include "crew.h"
struct c { volatile long x, y; };
struct b { int kind; struct c c; };
struct a { int id; struct b b; long last; };
static struct a a __attribute__((aligned(64))) = {1, {2, {3, 4}}, 5};
static void first(long n) { a.b.c.x += n; }
static void second(long n) { a.b.c.y += n; }
int main(void) { crew(); printf("%d %d %ld %ld %ld\n", a.id, a.b.kind, a.b.c.x, a.b.c.y, a.last); return 0; }
X
id=
way deep.c 'a\.b' 'type: "struct c" field: "y" file: "deep.c" line: 2 align: 64 size: 16 offset: 8 size_after: 128 offset_after: 64 '
if [ -n "$id" ]; then
	exits 0 "... and a patch of the same" perseus conflicts --all -p "$prices" --patch "$id" deep.run
	says '^-struct c \{ volatile long x, y; \};' "... changes the innermost struct"
	says '^\+.*Alignas\(64\) volatile long y' "... and parts its members"
fi

# ---- twins ------------------------------------------------------------------------------------
refused united 'event' 'is a union, whose members stay together' '' <<'X'
#include "crew.h"
union any { struct { volatile long a, b; } both; double d[2]; };
static struct event { int kind; union any u; } event __attribute__((aligned(64)));
static void first(long n) { event.u.both.a += n; }
static void second(long n) { event.u.both.b += n; }
int main(void) { crew(); printf("%d %ld %ld\n", event.kind, event.u.both.a, event.u.both.b); return 0; }
X
silent 'by hand: use perseus conflicts --patch' "... and no patch is offered"
id=$(grep -Eo "^share-[0-9]+ false-sharing" united.said | head -1 | cut -d' ' -f1)
if [ -n "$id" ]; then
	exits 6 "... nor made" perseus conflicts --all -p "$prices" --patch "$id" united.run
	says '.u. is a union, whose members stay together' "... for the same reason"
fi
finish
