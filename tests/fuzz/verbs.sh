#!/bin/sh
# SPDX-License-Identifier: MIT
# Each verb that reads files, built under the address and undefined-behaviour sanitizers, with one of them spoilt.
. tests/lib.sh
san=$O/fuzz-build
times=${FUZZ_TIMES:-1} seed=${FUZZ_SEED:-1}
export PYTHONDONTWRITEBYTECODE=1
if [ -n "$SAN" ]; then
	skip "spoilt files do no harm" "the plugin is not built with a sanitizer"
	finish
fi
it "the verbs build with sanitizers" make -s -j2 O="$san" SAN=address,undefined perseus verify
it "there is something to read" tests/faults/prepare "$T/inputs"
PATH=$san/bin:$PATH
export ASAN_OPTIONS=max_allocation_size_mb=1024:detect_leaks=0
cat tests/faults/cases tests/fuzz/cases >"$T/cases"
exits 0 "$((400 * times)) spoilt files do no harm" tests/fuzz/verbs.py --seed "$seed" --count $((400 * times)) "$T/cases" "$T/inputs"
echo "# $(tail -n 1 "$T/out")"
says ' [1-9][0-9]* read, [1-9][0-9]* refused, ' "some are read, some refused"
# The twin: a reader that believes what it reads.
cat >"$T/believes.c" <<'X'
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv)
{
	char line[8];
	FILE *f = argc > 1 ? fopen(argv[1], "r") : NULL;
	int c, n = 0;

	while (f && (c = getc(f)) != EOF && c != '\n')
		line[n++] = (char)c;
	return f ? memchr(line, '9', (size_t)n) != NULL : 4;
}
X
it "a reader with a buffer builds" gcc -g -fsanitize=address -o "$T/inputs/believes" "$T/believes.c"
echo "1234567" >"$T/inputs/line.txt"
echo "believes - ./believes line.txt" >"$T/cases"
exits 1 "its overflow is found" tests/fuzz/verbs.py --seed "$seed" --count 200 "$T/cases" "$T/inputs"
says "^WRONG believes, round [0-9]+ \(line.txt\): .*AddressSanitizer" "... and named"
finish
