#!/bin/sh
# SPDX-License-Identifier: MIT
# Loops over every second, third and fourth element, which the compiler vectorises by
# loads that take in those between: the runtime is told the bytes that the loop uses.
. tests/lib.sh
. tests/plugin/helpers
it "the test runtime compiles" fake_runtime

cat >"$T/loops.h" <<'X'
#define N 192
struct cell { float t, flux; };
#define LOOP(name, type, step, text) \
	type name##_at[N] __attribute__((aligned(64))); \
	void name(type *p, long first, long n) { for (long i = first; i < n; i += step) { text; } } \
	TELL(name, type, step)
X
cat >"$T/loops.c" <<'X'
#include "loops.h"
#define TELL(name, type, step)
LOOP(floats, float, 2, p[i] = p[i] * 0.5f + 1)
LOOP(doubles, double, 2, p[i] = p[i] * 0.5 + 1)
LOOP(ints, int, 2, p[i] += 3)
LOOP(longs, long, 2, p[i] ^= 5)
LOOP(thirds, int, 3, p[i] += 7)
LOOP(fourths, float, 4, p[i] += 2)
LOOP(shorts, short, 2, p[i] += 3)
LOOP(chars, unsigned char, 4, p[i] += 3)
LOOP(all, int, 1, p[i] += 3)
LOOP(cells, struct cell, 2, p[i].t = p[i].t * 0.99f + p[i].flux; p[i].flux *= 0.5f)
LOOP(halves, struct cell, 1, p[i].t *= 0.5f)
float sum;
void sums(float *p, long first, long n) { float s = 0; for (long i = first; i < n; i += 2) s += p[i]; sum = s; }
float sums_at[N] __attribute__((aligned(64)));
X
cat >"$T/main.c" <<'X'
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "perseus/abi.h"
#include "loops.h"
static unsigned char told[N * 8];
static const char *base;
static uint64_t bytes;
void prs_seen(uint32_t access, const void *at, uint64_t n, uint64_t count)
{
	uint64_t from = (uint64_t)((const char *)at - base);

	if (from + n > bytes)
		return;
	for (uint64_t i = 0; i < n; i++)
		told[from + i] |= PRS_ACCESS_KIND(access) == PRS_KIND_LOAD ? 1 : PRS_ACCESS_KIND(access) == PRS_KIND_STORE ? 2 : 3;
}
/* Bytes @low to @high of each element that the loop comes to are told, and no others. */
static void check(const char *name, uint64_t size, long step, uint64_t low, uint64_t high, int how)
{
	int odd = 0, missing = 0;

	for (uint64_t i = 0; i < N * size; i++) {
		long e = (long)(i / size);
		int want = e % step == 1 % step && i % size >= low && i % size < high ? how : 0;

		odd += told[i] & ~want ? 1 : 0;
		missing += want & ~told[i] ? 1 : 0;
	}
	printf("%s %s\n", name, odd ? "too-much" : missing ? "too-little" : "right");
}
#define RUN(name, type, step, low, high, how) { \
	extern type name##_at[N]; extern void name(type *, long, long); \
	base = (const char *)name##_at; bytes = sizeof(name##_at); memset(told, 0, sizeof(told)); \
	name(name##_at, 1 % step, N); base = NULL; bytes = 0; check(#name, sizeof(type), step, low, high, how); }
int main(void)
{
	RUN(floats, float, 2, 0, 4, 3) RUN(doubles, double, 2, 0, 8, 3) RUN(ints, int, 2, 0, 4, 3)
	RUN(longs, long, 2, 0, 8, 3) RUN(thirds, int, 3, 0, 4, 3) RUN(fourths, float, 4, 0, 4, 3)
	RUN(shorts, short, 2, 0, 2, 3) RUN(chars, unsigned char, 4, 0, 1, 3) RUN(all, int, 1, 0, 4, 3)
	RUN(cells, struct cell, 2, 0, 8, 3) RUN(halves, struct cell, 1, 0, 4, 3) RUN(sums, float, 2, 0, 4, 1)
	return 0;
}
X
gcc -O1 -w -fPIE -mgeneral-regs-only -Iinclude -I"$T" -c "$T/main.c" -o "$T/main.o" || exit 1
set -- -O2 -O3 "-O3 -ffast-math" "-O3 -flto" "-O3 -fno-tree-slp-vectorize"
for cpu in sse4_2:2 avx2:3; do grep -qw "${cpu%:*}" /proc/cpuinfo && set -- "$@" "-O3 -march=x86-64-v${cpu#*:}"; done
for how; do
	# shellcheck disable=SC2086
	probed gcc $how -fplugin-arg-perseus-probe=memory -fplugin-arg-perseus-mem=nohoist "$T/loops.c" "$T/main.o" \
		-rdynamic -o "$T/run" 2>"$T/err" || { not_ok "$how: builds" "$(cat "$T/err")"; continue; }
	FAKE_SHARING=1 LD_PRELOAD=$FAKE "$T/run" >"$T/got" 2>&1
	while read -r name said; do it "$how, $name: $said" test "$said" = right; done <"$T/got"
	it "$how: all loops were looked at" test "$(wc -l <"$T/got")" = 12
done
finish
