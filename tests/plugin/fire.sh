#!/bin/sh
# SPDX-License-Identifier: MIT
# The probes deliver what they should: counted by a test-only runtime.
. tests/lib.sh
. tests/plugin/helpers
it "the test runtime compiles" fake_runtime

# run PROGRAM: under the test runtime, sharing on; sums in $T/sums
run() { FAKE_SHARING=1 FAKE_OUT=$T/sums LD_PRELOAD=$FAKE "$@" >"$T/out" 2>"$T/err"; }

# slot PROGRAM CALLEE: calls counted at the sites of that callee
slot() {
	sites "$1" | awk -F'\t' -v c="$2" '$1 == "U" { u = $3 } $1 == "C" && $6 == c { print u, $2 }' >"$T/slots"
	awk 'NR == FNR { want[$1 " " $2] = 1; next } $1 == "site" && ($2 " " $3) in want { n += $4 } END { print n + 0 }' \
		"$T/slots" "$T/sums"
}

# touched PROGRAM BASE KIND: memory counter of the sites of that base
touched() {
	sites "$1" | awk -F'\t' -v b="$2" -v k="$3" '$1 == "U" { u = $3 } $1 == "M" && $11 == b && $6 == k { print u, $2 }' >"$T/slots"
	awk 'NR == FNR { want[$1 " " $2] = 1; next } $1 == "access" && ($2 " " $3) in want { n += $4 } END { print n + 0 }' \
		"$T/slots" "$T/sums"
}

cat >"$T/a.c" <<'X'
#include <setjmp.h>
#include <stdlib.h>
struct pair { long a, b; };
struct pair shared;
static long total;
static const int table[4] = { 1, 2, 3, 4 };
static jmp_buf back;
__attribute__((noinline)) static long one(struct pair *p) { p->a++; return p->b; }
__attribute__((noinline)) static long two(struct pair *p) { __atomic_fetch_add(&p->b, 1, __ATOMIC_RELAXED); return 1; }
__attribute__((noinline)) static void jump(int n) { if (n == 0) longjmp(back, 1); jump(n - 1); total++; }
__attribute__((noinline, perseus_no_probe)) static long quiet(struct pair *p) { p->a += 0; return one(p); }
__attribute__((noinline)) static long sum(const long *v, int n) { long s = 0; for (int i = 0; i < n; i++) s += v[i]; return s; }
long (*volatile fn)(struct pair *) = two;
int main(void)
{
	long local[4] = { 1, 2, 3, 4 }, *heap = malloc(80);
	for (int i = 0; i < 100; i++)
		total += one(&shared) + fn(&shared);
	if (!setjmp(back))
		jump(5);
	for (int i = 0; i < 10; i++)
		heap[i] = i + table[i & 3];
	total += quiet(&shared) + sum(heap, 10) + local[total & 3];
	heap = realloc(heap, 160);
	free(heap);
	exit(shared.a == 101 && shared.b == 100 ? 0 : 1);
}
X
for o in "-O0" "-O1" "-O2" "-O3 -no-pie" "-O2 -flto" "-O2 -masm=intel" "-Os -fno-asynchronous-unwind-tables"; do
	it "$o: the program compiles" probed gcc $o "$T/a.c" -o "$T/a"
	it "$o: runs alike under the runtime" run "$T/a"
	it "$o: every call is counted, those inside an unprobed function are not" \
		test "$(slot "$T/a" one) $(slot "$T/a" indirect) $(slot "$T/a" jump)" = "100 100 6"
	it "$o: a call that does not return has an enter and no leave" sh -c "
		awk 'NR == 1 { exit \$2 - \$4 != 8 }' '$T/sums'"
	it "$o: no leave met the wrong enter, no note was wrong" sh -c "awk 'NR == 1 { exit \$6 + \$14 }' '$T/sums'"
	it "$o: a read and a write of one place are one access" test "$(touched "$T/a" "p->a" R)" = 101
	it "$o: atomic operations are seen" test "$(touched "$T/a" "p->b" A)" = 100
	it "$o: allocations and releases are noted" sh -c "awk 'NR == 1 { exit \$10 != 2 || \$12 != 2 }' '$T/sums'"
	sites "$T/a" >"$T/t"
	it "$o: what got no probe is listed" sh -c "
		grep -q '^S	call	returns-twice' '$T/t' && grep -q '^S	call	attribute' '$T/t'"
	it "$o: constants have no probe" sh -c "! grep -q '^M.*	table\[\]	' '$T/t'"
	[ "$o" = -O0 ] || it "$o: nor have locals that nobody else sees" sh -c "! grep -q '^M.*	local\[\]	' '$T/t'"
done
it "heap accesses in a loop are counted" test "$(touched "$T/a" "v[]" L)" -ge 10

it "dormant without the runtime" "$T/a"
probed gcc -O2 -static "$T/a.c" -o "$T/static"
it "dormant in a static program" run "$T/static"
probed gcc -O2 -fplugin-arg-perseus-probe=none "$T/a.c" -o "$T/none"
run "$T/none"
it "probe=none: nothing fires" grep -q "^enter 0 leave 0 depth-errors 0 mem 0 note-alloc 0 " "$T/sums"
it "... and no symbol is left" sh -c "! nm '$T/none' | grep -q __prs"
probed gcc -O2 -fplugin-arg-perseus-probe=calls "$T/a.c" -o "$T/calls"
run "$T/calls"
it "probe=calls: calls fire, memory does not" sh -c "awk 'NR == 1 { exit !(\$2 > 200 && \$8 == 0 && \$10 == 0) }' '$T/sums'"
probed gcc -O2 -fplugin-arg-perseus-probe=memory "$T/a.c" -o "$T/memory"
run "$T/memory"
it "probe=memory: memory and heap notes fire, calls do not" sh -c "awk 'NR == 1 { exit !(\$2 == 0 && \$8 > 0 && \$10 == 2) }' '$T/sums'"

cat >"$T/lib.c" <<'X'
int twice(int x);
static int calls;
int count(int n) { int s = 0; for (int i = 0; i < n; i++) s += twice(i); calls += n; return s; }
int twice(int x) { return 2 * x; }
X
cat >"$T/main.c" <<'X'
#include <dlfcn.h>
int main(int argc, char **argv)
{
	int s = 0;
	for (int i = 0; i < 3; i++) {
		void *h = dlopen(argv[1], RTLD_NOW);
		int (*count)(int) = (int (*)(int))dlsym(h, "count");
		s += count(10);
		dlclose(h);
	}
	return s == 270 ? 0 : 1 + argc;
}
X
probed gcc -O2 -fPIC -shared "$T/lib.c" -o "$T/lib.so"
probed gcc -O2 "$T/main.c" -o "$T/main"
it "a library loaded and unloaded three times attaches each time" run "$T/main" "$T/lib.so"
it "... and its calls are counted" sh -c "awk 'NR == 1 { exit \$2 < 39 }' '$T/sums'"

for o in "-O0" "-O2" "-O2 -fno-omit-frame-pointer" "-O3 -mstackrealign" "-O2 -freorder-blocks-and-partition"; do
	probed gcc $o -rdynamic -fno-builtin -mgeneral-regs-only "$T/a.c" -o "$T/u"
	FAKE_UNWIND=1 run "$T/u"
	it "$o: the stack can be walked from inside every probe" sh -c "awk '/^unwound/ { exit !(\$2 > 400 && \$4 == 0) }' '$T/sums'"
done
finish
