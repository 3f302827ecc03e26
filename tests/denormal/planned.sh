#!/bin/sh
# SPDX-License-Identifier: MIT
# A flush of a plan and counters in one build: zeros of what was flushed are not believed, and the report says who set it.
. tests/lib.sh
. tests/codegen/plan.inc
. tests/codegen/flush.inc
cd "$T" || exit 1
cat >bear.c <<'X'
#include <stdio.h>
float a[64], b[64];
__attribute__((noinline)) void bear(float x)
{
	for (int i = 0; i < 64; i++)
		a[i] = x * (float)(64 - i);
}
__attribute__((noinline)) void other(float x)
{
	for (int i = 0; i < 64; i++)
		b[i] = x + (float)i;
}
int main(int n, char **v)
{
	bear(n > 1 ? 1e-40f : 1);
	other(1);
	printf("%a %a\n", a[5], b[5]);
	return 0;
}
X
counted() { gcc -O2 -g $(perseus flags --probe=denormal:full) "$@" -c -o bear.o bear.c; }
both() {
	counted -fplugin-arg-perseus-plan=gen/perseus_triggers.plan && gcc -O2 -c -o t.o gen/perseus_triggers.c &&
		gcc -O2 -c -o p.o gen/perseus_platform_linux.c && gcc -pthread -o both bear.o t.o p.o
}
seen() {
	rm -rf run
	perseus record -q --purpose=denormal -o run ./both 1 >got 2>&1
	perseus denormals run >out 2>err
}
flush_plan bear.c ftz-daz bear >plan.yaml
exits 0 "a plan that flushes" perseus codegen plan.yaml -o gen
it "counters and the flush in one build" both
seen
says '^trust     none: flush-to-zero or denormals-are-zero was on in 1 thread, not' "its zeros are not believed" out
says 'set in bear\(\)' "... since it is on in bear()" out
flush_plan bear.c ftz-daz other >plan.yaml
exits 0 "the twin: a plan that flushes where no denormals are" perseus codegen plan.yaml -o gen
it "... in one build" both
seen
says 'set in other\(\)' "... is named, too" out
says '64 results' "... beside what was counted before" out
it "without a plan" sh -c "gcc -O2 -g $(perseus flags --probe=denormal:full) -o both bear.c"
seen
says '^trust     good' "... nothing is said of a flush" out
silent 'flush-to-zero or' "... at all" out
finish
