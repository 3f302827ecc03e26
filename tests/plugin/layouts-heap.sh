#!/bin/sh
# SPDX-License-Identifier: MIT
# Objects of a planned type on the heap, where malloc() and operator new align to 16 bytes: no access
# through a pointer counts on more, nor does what a function returns.  A variable of the type has the plan's
# alignment, and may be used so.
. tests/lib.sh
. tests/plugin/helpers
inc=$PWD/tests/plugin/layouts.inc
cd "$T" || exit 1
. "$inc"

cat >t.c <<'X'
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
struct stats { long rx, tx; };
struct cell { double d[16]; long n; };
struct grid { struct cell cell[4]; };
typedef struct grid grids[2];
struct stats zero;
struct cell out;
static struct cell in;
void through(struct stats *s) { *s = zero; }
void both(struct stats *d, const struct stats *s) { *d = *s; }
void inside(struct grid *g, int i) { g->cell[i] = out; }
void rows(grids *g, double x) { for (int i = 0; i < 16; i++) (*g)[1].cell[2].d[i] = x * (*g)[0].cell[1].d[i]; }
void loop(struct cell *c, double x) { for (int i = 0; i < 16; i++) c->d[i] *= x; }
void member(struct cell *c) { memset(c->d, 0, sizeof(c->d)); }
void variable(void) { out = in; }
#ifdef MAIN
#include <stdio.h>
/* A block that begins 16 bytes behind a line, as malloc() may give it. */
static void *block(size_t size)
{
	char *p = aligned_alloc(64, (size + 16 + 63) / 64 * 64);

	memset(p, 0, size + 16);
	return p + 16;
}
int main(void)
{
	struct stats *s = block(sizeof(*s)), *t = block(sizeof(*t));
	grids *g = block(sizeof(*g));
	struct cell *c = block(sizeof(*c));

	s->tx = 3;
	both(t, s);
	through(s);
	for (int i = 0; i < 16; i++)
		(*g)[0].cell[1].d[i] = c->d[i] = i;
	rows(g, 2);
	loop(c, 3);
	printf("%ld %ld %g %g ", s->tx, t->tx, (*g)[1].cell[2].d[5], c->d[7]);
	member(c);
	out.n = 9;
	inside(&(*g)[1], 3);
	in = out;
	variable();
	printf("%g %ld %ld\n", c->d[7], (*g)[1].cell[3].n, out.n);
	return 0;
}
#endif
X
plan "layout field struct%20stats tx t.c 4 64 16 8 128 64" "layout field struct%20cell n t.c 5 64 136 128 192 128"

# aligned FUNCTION: moves of 32 or 64 bytes in it that need an address of so many, to or from variables, or not
moves() { objdump -d --no-show-raw-insn t.o | sed -n "/<$1>:/,/^\$/p" | grep -E 'vmov(dqa|ap)[a-z0-9]* .*%[yz]mm' | grep '('; }
aligned() { moves "$1" | grep -vc '(%rip)'; }
wide=-mmove-max=256
gcc -mmove-max=256 -E -x c /dev/null >/dev/null 2>&1 || wide= # from GCC 12 on
for flags in "-O2 -mavx2 $wide" "-O3 -mavx2 $wide" "-O3 -mavx512f" "-O3 -mavx2 $wide -flto -ffat-lto-objects"; do
	it "compiles, $flags" gcc $flags $P -c t.c -o t.o
	for f in through both inside rows loop member; do
		[ "$(aligned $f)" = 0 ] && ok "$flags: $f() counts on no alignment" || not_ok "$flags: $f() counts on no alignment" "$(objdump -d t.o | sed -n "/<$f>:/,/^\$/p")"
	done
done
it "compiles for the twin" gcc -O3 -mavx512f $P -c t.c -o t.o
[ "$(moves variable | wc -l)" -gt 0 ] && ok "a variable's alignment is used (the test can see it)" || not_ok "a variable's alignment is used (the test can see it)" "$(objdump -d t.o | sed -n '/<variable>:/,/^$/p')"

it "the program without a plan" gcc -O2 -w -DMAIN t.c -o plain
./plain >plain.out
for flags in -O0 -O2 -O3 "-O2 -march=native" "-O3 -march=native" "-O3 -march=native -flto" "-O2 -march=native -fsanitize=alignment -fno-sanitize-recover=all"; do
	it "the program, $flags" gcc $flags -w -DMAIN $P t.c -o t
	it "... does the same as without the plan" sh -c './t >t.out 2>&1 && cmp plain.out t.out'
done

# What is returned in memory goes straight to where a pointer leads: a pool of the program's own that gives
# what the type needs without the plan, malloc(), operator new below C++17.
cat >t.c <<'X'
#include <stdio.h>
#include <stdlib.h>
struct stats { long rx, tx; };
struct wide { double d[8]; long n; };
static struct stats base = {5, 6};
static struct wide first = {{1, 2, 3}, 4};
__attribute__((noinline)) struct stats snapshot(void) { return base; }
__attribute__((noinline)) struct stats none(void) { struct stats z = {0}; return z; }
__attribute__((noinline)) struct stats sum(const struct stats *a, struct stats b) { b.rx += a->rx; b.tx += a->tx; return b; }
__attribute__((noinline)) struct wide twice(const struct wide *w) { struct wide r; for (int i = 0; i < 8; i++) r.d[i] = 2 * w->d[i]; r.n = w->n; return r; }
static char *pool;
static void *get(size_t n) { void *p = pool; pool += (n + 15) / 16 * 16 + 8; return p; }
int main(void)
{
	long h = 0;
	char *all = pool = malloc(1 << 16);

	for (int i = 0; i < 9; i++) {
		struct stats *s = get(sizeof(*s)), *t = malloc(2 * sizeof(*t));
		struct wide *w = get(sizeof(*w));

		*s = i % 2 ? none() : snapshot();
		t[0] = snapshot();
		t[1] = sum(s, t[0]);
		*w = first;
		*w = twice(w);
		h = h * 3 + t[1].tx + s->rx + (long)w->d[2] + w->n;
		free(t);
	}
	free(all);
	printf("%ld\n", h);
	return 0;
}
X
plan "layout field struct%20stats tx t.c 3 64 16 8 128 64" "layout field struct%20wide n t.c 4 64 72 64 128 64"
it "functions that return one, without a plan" gcc -O2 t.c -o plain
./plain >plain.out
for flags in -O0 -O1 -O2 -O3 -Os "-O2 -march=native" "-O3 -march=native" "-O3 -march=native -flto"; do
	it "... with it, $flags" gcc $flags $P t.c -o t
	it "... do the same, $flags" sh -c './t >t.out 2>&1 && cmp plain.out t.out'
done
it "for any processor" gcc -O2 -mavx512f $P -c t.c -o t.o
for f in snapshot none sum twice; do
	[ "$(moves $f | grep -vc '(%r[isb]p)')" = 0 ] && ok "$f() counts on no alignment of what it returns" || not_ok "$f() counts on no alignment of what it returns" "$(moves $f)"
done

cat >t.cc <<'X'
#include <cstdio>
#include <map>
#include <memory>
#include <vector>
struct stats { long rx; long tx; };
stats zero;
__attribute__((noinline)) void set(stats &s) { s = zero; }
int main()
{
	long n = 0;
	std::vector<std::unique_ptr<std::vector<stats>>> all;
	std::map<int, stats> m;

	for (int i = 1; i < 20; i++) {
		all.emplace_back(new std::vector<stats>(i));
		for (auto &s : *all.back())
			set(s);
		set(m[i]);
		auto p = std::make_shared<stats>();
		set(*p);
		p->tx = i;
		n += p->tx + m[i].rx;
	}
	std::printf("%ld\n", n);
}
X
plan "layout field stats tx t.cc 5 64 16 8 128 64"
for flags in -std=c++11 -std=c++14 -std=c++17; do
	it "containers, $flags" g++ $flags -O2 -march=native -w $P t.cc -o t
	it "... do what they do" sh -c '[ "$(./t)" = 190 ]'
done
finish
