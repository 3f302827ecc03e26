#!/bin/sh
# SPDX-License-Identifier: MIT
# Static variables of one name in several functions and units, which the compiler numbers: a finding names, and a plan
# or patch aligns, the one that the threads meet in.
. tests/lib.sh
prices=$(pwd)/tests/sharing/platform.yaml inc=$(pwd)/tests/cli/conflicts/plan.inc
cd "$T" || exit 1
[ "$(nproc)" -ge 2 ] || { skip "static variables of one name" "one core only"; finish; exit; }
. "$inc"
cat >a.c <<'X'
struct pair { volatile long x, y; };
struct pair *quiet(void);
struct pair *loud(void);
struct pair *quiet(void) { static struct pair n __attribute__((aligned(64))); return &n; }
struct pair *loud(void)
{
	static struct pair n __attribute__((aligned(64)));
	return &n;
}
X
sed 's/quiet/still/; s/loud/alone/; 4,$s/quiet/still/; 4,$s/loud/alone/' a.c >b.c
cat >use.c <<'X'
#include "crew.h"
struct pair { volatile long x, y; };
struct pair *quiet(void), *loud(void), *still(void), *alone(void);
static void first(long n) { loud()->x += n; }
static void second(long n) { loud()->y += n; }
int main(void)
{
	quiet()->x = still()->x = alone()->x = 1;
	crew();
	printf("%ld %ld\n", loud()->x, loud()->y);
	return 0;
}
X
# met TEXT HOW SOURCE...: a run of them has a finding, which names no other function and changes no other declaration
met() {
	text="$1, $2" how=$2
	shift 2
	it "$text: builds" perseus build -- sh -c "for f in $* use.c; do gcc -g $how -c \$f || exit 1; done; gcc -g $how -o use $(echo "$@" | sed 's/\.c/.o/g') use.o -pthread"
	found use '(loud\(\)::)?n\.' || return
	silent '^share-[0-9]+ false-sharing (quiet|still|alone)' "... no other function is named" use.said
	perseus conflicts --all -p "$prices" --patch use.run >use.patch 2>/dev/null
	silent '^[+].*(b\.c|quiet|still|alone)' "... nor another one's declaration changed" use.patch
}
for how in "-O0" "-O2" "-O2 -flto" "-O2 -flto -flto-partition=max"; do
	met "two units" "$how" a.c b.c
	met "two units, the other one first" "$how" b.c a.c
done
sed -i 's/, \*still(void), \*alone(void)//; s/still()->x = alone()->x = //' use.c
for how in "-O0" "-O2" "-O2 -flto"; do
	met "one unit" "$how" a.c
	says '^share-[0-9]+ false-sharing loud\(\)::n\.' "... and it is named by its function" use.said
done
finish
