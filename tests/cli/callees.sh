#!/bin/sh
# SPDX-License-Identifier: MIT
# Functions of libraries without probes that are called by a pointer have their names.
. tests/lib.sh
cd "$T" || exit 1
cat >pointers.c <<'C'
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((noipa)) static size_t own(const char *s)
{
	return (size_t)s[0];
}
static size_t (*volatile length[2])(const char *) = {strlen, own};
static double (*volatile root)(double) = cbrt;
static void *(*volatile take)(size_t) = malloc;
static void (*volatile give)(void *) = free;

int main(void)
{
	double x = 0;

	for (int i = 0; i < 1000; i++) {
		give(take(10 + length[i % 2]("four")));
		x += root(i);
	}
	printf("%f\n", x);
	return 0;
}
C
it "a program that calls libraries by pointers" gcc -O2 $(perseus flags) -o pointers pointers.c -lm
it "is recorded" perseus record -q -o run ./pointers
if grep -q '^samples:' run/manifest.yaml || [ -e run/callees ]; then
	it "and reported" sh -c 'perseus report --calls 20 run >out'
	for f in strlen cbrt malloc free; do
		says "[ ~][0-9,]+ .* $f( |\$)" "$f is called by its name" out
	done
	says '[ ~][0-9]+ .* own \(pointers\.c:6\)' "a function of the program's own, too" out
	it "no address is left" sh -c '! grep " 0x[0-9a-f]" out'
	printf 'x\n' >>run/callees
	exits 4 "a damaged list" perseus report run
	says 'expected .pid address name' "is named" err
else
	skip "names of libraries" "the recorder may not see what is mapped"
fi
finish
