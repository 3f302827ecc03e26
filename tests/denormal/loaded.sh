#!/bin/sh
# SPDX-License-Identifier: MIT
# A unit is known from when it is loaded: a program without denormals has a run
# that says so, and what the constructors of a library compute is counted.
. tests/lib.sh
. tests/compiler.sh
flags=$(perseus flags --probe=denormal:full)
cd "$T" || exit 1

cat >none.c <<'X'
#include <stdio.h>
volatile float x = 2;
int main(void)
{
	float s = 0;
	for (int i = 0; i < 10; i++)
		s += x * x;
	printf("%a\n", s);
	return 3;
}
X
cat >lib.c <<'X'
volatile float tiny = 1e-30f;
float made;
__attribute__((constructor)) static void early(void)
{
	for (int i = 0; i < 5; i++)
		made += tiny * 1e-10f; /* 5 births */
}
float times(float a, float b) { return a * b; }
X
cat >use.c <<'X'
#include <stdio.h>
float times(float, float);
extern float made;
volatile float k = 1e-30f;
int main(void)
{
	float s = 0;
	for (int i = 0; i < 7; i++)
		s += times(k, 1e-10f); /* 7 births in times() */
	printf("%a %a\n", s, made);
	return 0;
}
X
for level in -O0 -O2 -O3; do
	it "$level: builds" gcc $level -g $flags none.c -o none
	exits 3 "$level: a program without denormals is recorded, with its status" perseus record --purpose=denormal -o "none$level" ./none
	exits 0 "$level: ... and reported" perseus denormals "none$level"
	says '^trust     no denormals: 1 unit with counters loaded' "$level: ... as one without"
	it "$level: a library" gcc $level -g $flags -shared -fPIC lib.c -o libl.so
	it "$level: ... and its program" gcc $level -g $flags use.c -o use -L. -ll -Wl,-rpath,"$T"
	it "$level: ... built plain, too" sh -c "gcc $level -shared -fPIC lib.c -o plain.so && gcc $level use.c ./plain.so -o plain && ./plain >want"
	./use >got
	it "$level: ... prints the same alone" cmp want got
	exits 0 "$level: ... is recorded" perseus record -q --purpose=denormal -o "use$level" ./use
	it "$level: ... prints the same recorded" cmp want out
	exits 0 "$level: ... and reported" perseus denormals "use$level"
	says 'trust     good: 2 units with counters loaded' "$level: ... with both units"
	says '12 births' "$level: ... and the births of the constructor"
done
it "a static program runs by itself" sh -c "gcc -O2 $flags -static use.c lib.c -o static && ./static >got && cmp want got"
it "... and one whose sections are collected" sh -c "gcc -O2 $flags -Wl,--gc-sections -ffunction-sections use.c lib.c -o collected && ./collected >got && cmp want got"
finish
