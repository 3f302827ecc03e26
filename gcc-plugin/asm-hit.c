/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A memory probe that is awake compares the directory's word of the line with
 * what a hit looks like (perseus/abi.h).  It only reads, unless it misses:
 *
 *   store:  w = dir[line % WORDS];  w == (line << 22 | store_word)
 *   load:   ((w ^ (line << 22 | load_bit)) & load_mask) == 0
 *
 * Where the program often comes by, and registers are free (scratch.c), the cold
 * part has the test in it: 50 to 60 bytes.  Elsewhere it calls a routine of the
 * object that is shared by all probes with the same registers.
 */
#include "gcc-common.h"
#include "perseus/abi.h"
#include "gcc-plugin/asm-hit.h"
#include "gcc-plugin/asm-stubs.h"

#define LINE_MASK  (PRS_DIR_WORDS - 1)
#define SHARE_MIN  12 /* a routine for certain registers is one for at least a 12th of the probes */
#define RANGE_MAX  63 /* times */
#define RANGE_MORE 2  /* lines behind the first */

enum what { SHARED, WIDE, RANGE };

struct routine {
	enum what what;
	enum hit_from from;
	struct hit hit;
	unsigned uses;
};

static vec<routine> routines;
static unsigned uses; /* of all shared ones */

static const char *wide(unsigned reg)
{
	return stub_register(reg, true);
}

static const char *narrow(unsigned reg)
{
	return stub_register(reg, false);
}

/* ---- the test ---- */

static void write_sharer(struct text *x, unsigned reg)
{
	text_add(x, "\tmovq\t" STUB_DESC "+%d(%%rip), %s\n\tmovq\t%%fs:(%s), %s\n", PRS_DESC_MEM_TLS,
		 wide(reg), wide(reg), wide(reg));
}

/* @to: address of the directory's word for the line of the address in @to. */
static void write_index(struct text *x, unsigned to, unsigned shift)
{
	text_add(x, "\tshrq\t$%u, %s\n\tandl\t$%u, %s\n\taddq\t" STUB_DESC "+%d(%%rip), %s\n", shift,
		 wide(to), LINE_MASK * 8, narrow(to), PRS_DESC_DIR, wide(to));
}

/* @a: what the word of its line is if the access hits, as @field of the sharer in @b says. */
static void write_expected(struct text *x, unsigned a, unsigned b, int field)
{
	text_add(x, "\tshrq\t$%d, %s\n\tshlq\t$%d, %s\n\torq\t%d(%s), %s\n", PRS_LINE_SHIFT, wide(a),
		 PRS_DIR_TAG, wide(a), field, wide(b), wide(a));
}

static void write_store_test(struct text *x, const struct hit *h)
{
	const char *a = wide(h->a), *b = wide(h->b);

	write_sharer(x, h->b);
	if (h->t == HIT_NONE) {
		write_expected(x, h->a, h->b, PRS_SHARER_STORE_WORD);
		text_add(x, "\tmovq\t%s, %s\n", a, b);
		write_index(x, h->b, PRS_DIR_TAG - 3);
		text_add(x, "\tcmpq\t%s, (%s)\n", a, b);
		return;
	}
	text_add(x, "\tshrq\t$%d, %s\n\tmovl\t%s, %s\n\tandl\t$%u, %s\n", PRS_LINE_SHIFT, a, narrow(h->a),
		 narrow(h->t), LINE_MASK, narrow(h->t));
	text_add(x, "\tshlq\t$%d, %s\n\torq\t%d(%s), %s\n", PRS_DIR_TAG, a, PRS_SHARER_STORE_WORD, b, a);
	text_add(x, "\tmovq\t" STUB_DESC "+%d(%%rip), %s\n\tcmpq\t%s, (%s,%s,8)\n", PRS_DESC_DIR, b, a, b,
		 wide(h->t));
}

static void write_load_test(struct text *x, const struct hit *h)
{
	unsigned t = h->t == HIT_NONE ? h->b : h->t;

	text_add(x, "\tmovq\t%s, %s\n", wide(h->a), wide(t));
	write_index(x, t, PRS_LINE_SHIFT - 3);
	if (t == h->b) {
		text_add(x, "\tmovq\t(%s), %s\n\tshrq\t$%d, %s\n\tshlq\t$%d, %s\n\txorq\t%s, %s\n", wide(t),
			 wide(t), PRS_LINE_SHIFT, wide(h->a), PRS_DIR_TAG, wide(h->a), wide(t), wide(h->a));
		write_sharer(x, h->b);
		text_add(x, "\txorq\t%d(%s), %s\n", PRS_SHARER_LOAD_BIT, wide(h->b), wide(h->a));
	} else {
		write_sharer(x, h->b);
		write_expected(x, h->a, h->b, PRS_SHARER_LOAD_BIT);
		text_add(x, "\txorq\t(%s), %s\n", wide(t), wide(h->a));
	}
	text_add(x, "\ttestq\t%s, %d(%s)\n", wide(h->a), PRS_SHARER_LOAD_MASK, wide(h->b));
}

void hit_write_test(struct text *x, const struct hit *h)
{
	if (h->load)
		write_load_test(x, h);
	else
		write_store_test(x, h);
}

/* ---- routines ---- */

static unsigned ask_for(enum what what, enum hit_from from, const struct hit *h)
{
	for (unsigned i = 0; i < routines.length(); i++) {
		const struct routine *r = &routines[i];

		if (r->what == what && r->from == from && r->hit.load == h->load && r->hit.a == h->a &&
		    r->hit.b == h->b && r->hit.t == h->t)
			return i;
	}
	routines.safe_push(routine{what, from, *h, 0});
	return routines.length() - 1;
}

static const char *label_of(unsigned i)
{
	static char text[32];

	snprintf(text, sizeof(text), ".LprsH%u", i);
	return text;
}

const char *hit_miss(unsigned a, enum hit_from from)
{
	return stub_name(from == HIT_FROM_CALLED ? STUB_MEM_CALLED : STUB_MEM, a);
}

const char *hit_shared(const struct hit *h, enum hit_from from)
{
	unsigned i = ask_for(SHARED, from, h);

	hit_miss(h->a, from);
	routines[i].uses++;
	uses++;
	return label_of(i);
}

const char *hit_wide(bool load, unsigned a, enum hit_from from)
{
	struct hit h = {load, a, HIT_NONE, HIT_NONE};

	hit_miss(a, from);
	return label_of(ask_for(WIDE, from, &h));
}

const char *hit_range(bool load)
{
	struct hit h = {load, HIT_NONE, HIT_NONE, HIT_NONE};

	stub_name(STUB_RANGE, 0);
	return label_of(ask_for(RANGE, HIT_FROM_JUMPED, &h));
}

static void push(struct text *x, unsigned reg)
{
	text_add(x, "\tpushq\t%s\n\t.cfi_adjust_cfa_offset 8\n", wide(reg));
}

static void pop(struct text *x, unsigned reg)
{
	text_add(x, "\tpopq\t%s\n\t.cfi_adjust_cfa_offset -8\n", wide(reg));
}

/* The @n first of rax, rcx, rdx, rsi, rdi, r8 that are none of @not. */
static void choose(unsigned *into, unsigned n, const struct hit *not_these)
{
	static const unsigned from[] = {AX_REG, CX_REG, DX_REG, SI_REG, DI_REG, R8_REG};

	for (unsigned i = 0, got = 0; got < n; i++)
		if (from[i] != not_these->a && from[i] != not_these->b && from[i] != not_these->t)
			into[got++] = from[i];
}

static void leave(struct text *x, const unsigned *saved, unsigned n, const char *how)
{
	for (unsigned i = n; i-- > 0;)
		pop(x, saved[i]);
	text_add(x, "\t%s\n", how);
}

/* On a miss the stub takes the place of the routine: it returns to the probe,
   and finds the site behind the call as if it had been called itself. */
static void miss(struct text *x, const unsigned *saved, unsigned n, const char *stub)
{
	char jump[64];

	snprintf(jump, sizeof(jump), "jmp\t%s", stub);
	leave(x, saved, n, jump);
}

/* The address is still needed: a copy of it is tested. */
static void write_shared(struct text *x, const struct routine *r)
{
	struct hit h = r->hit;
	unsigned saved[2], n = (h.b == HIT_NONE) + (h.t == HIT_NONE);

	choose(saved, n, &h);
	if (n)
		h.t = saved[0];
	if (n == 2)
		h.b = saved[1];
	for (unsigned i = 0; i < n; i++)
		push(x, saved[i]);
	h.a = h.t;
	h.t = HIT_NONE;
	text_add(x, "\tmovq\t%s, %s\n", wide(r->hit.a), wide(h.a));
	hit_write_test(x, &h);
	text_str(x, "\tjne\t1f\n");
	if (n)
		text_str(x, "\t.cfi_remember_state\n");
	leave(x, saved, n, "ret");
	text_str(x, n ? "\t.cfi_restore_state\n1:" : "1:");
	miss(x, saved, n, hit_miss(r->hit.a, r->from));
}

/* Go on to 2: if the lines from @line to @last are not all hits. */
static void write_lines(struct text *x, bool load, unsigned line, unsigned last, unsigned sharer, unsigned t)
{
	write_sharer(x, sharer);
	text_add(x,
		 "1:\tmovl\t%s, %s\n\tandl\t$%u, %s\n\tshll\t$3, %s\n\taddq\t" STUB_DESC "+%d(%%rip), %s\n",
		 narrow(line), narrow(t), LINE_MASK, narrow(t), narrow(t), PRS_DESC_DIR, wide(t));
	text_add(x, "\tmovq\t(%s), %s\n\txorq\t%d(%s), %s\n", wide(t), wide(t),
		 load ? PRS_SHARER_LOAD_BIT : PRS_SHARER_STORE_WORD, wide(sharer), wide(t));
	if (load)
		text_add(x, "\tandq\t%d(%s), %s\n", PRS_SHARER_LOAD_MASK, wide(sharer), wide(t));
	/* What is left below the line number goes to the top of the word. */
	text_add(x, "\trorq\t$%d, %s\n\tcmpq\t%s, %s\n\tjne\t2f\n", PRS_DIR_TAG, wide(t), wide(line),
		 wide(t));
	text_add(x, "\tincq\t%s\n\tcmpq\t%s, %s\n\tjbe\t1b\n", wide(line), wide(last), wide(line));
}

static void write_wide(struct text *x, const struct routine *r)
{
	unsigned reg[4], line, last, sharer, t;

	choose(reg, 4, &r->hit);
	line = reg[0], last = reg[1], sharer = reg[2], t = reg[3];
	for (unsigned i = 0; i < 4; i++)
		push(x, reg[i]);
	stub_load_site(x, "32(%rsp)", last, t, r->from == HIT_FROM_CALLED);
	text_add(x, "\tleaq\t" STUB_ACCESSES "(%%rip), %s\n\tmovl\t(%s,%s,4), %s\n\tandl\t$%u, %s\n", wide(t),
		 wide(t), wide(last), narrow(last), PRS_ACCESS_BYTES(~0u), narrow(last));
	text_add(x, "\tleaq\t-1(%s,%s), %s\n\tshrq\t$%d, %s\n", wide(r->hit.a), wide(last), wide(last),
		 PRS_LINE_SHIFT, wide(last));
	text_add(x, "\tmovq\t%s, %s\n\tshrq\t$%d, %s\n", wide(r->hit.a), wide(line), PRS_LINE_SHIFT,
		 wide(line));
	write_lines(x, r->hit.load, line, last, sharer, t);
	text_str(x, "\t.cfi_remember_state\n");
	leave(x, reg, 4, "ret");
	text_str(x, "2:\t.cfi_restore_state\n");
	miss(x, reg, 4, hit_miss(r->hit.a, r->from));
}

static void write_range(struct text *x, const struct routine *r)
{
	static const unsigned reg[4] = {AX_REG, CX_REG, DX_REG, SI_REG};

	for (unsigned i = 0; i < 4; i++)
		push(x, reg[i]);
	/* 0 times is "not known"; of no bytes the runtime may make what it likes. */
	text_add(x, "\tmovq\t56(%%rsp), %%rsi\n\tdecq\t%%rsi\n\tcmpq\t$%d, %%rsi\n\tjae\t2f\n", RANGE_MAX);
	text_add(x,
		 "\tmovq\t40(%%rsp), %%rax\n\tmovq\t48(%%rsp), %%rcx\n\tleaq\t-1(%%rax,%%rcx), %%rcx\n"
		 "\tshrq\t$%d, %%rax\n\tshrq\t$%d, %%rcx\n",
		 PRS_LINE_SHIFT, PRS_LINE_SHIFT);
	text_add(x, "\tmovq\t%%rcx, %%rdx\n\tsubq\t%%rax, %%rdx\n\tcmpq\t$%d, %%rdx\n\tja\t2f\n", RANGE_MORE);
	write_lines(x, r->hit.load, AX_REG, CX_REG, DX_REG, SI_REG);
	text_str(x, "\t.cfi_remember_state\n");
	leave(x, reg, 4, "ret");
	text_str(x, "2:\t.cfi_restore_state\n");
	miss(x, reg, 4, stub_name(STUB_RANGE, 0));
}

/* Too few probes use it: they go to one that saves what it uses.  That may be a new one. */
static bool stands_for_another(struct text *x, unsigned i)
{
	struct hit any = {routines[i].hit.load, routines[i].hit.a, HIT_NONE, HIT_NONE};
	unsigned other;

	if (routines[i].what != SHARED || routines[i].uses >= uses / SHARE_MIN ||
	    routines[i].hit.b == HIT_NONE)
		return false;
	other = ask_for(SHARED, routines[i].from, &any);
	text_add(x, "\t.set\t%s, ", label_of(i));
	text_add(x, "%s\n", label_of(other));
	return true;
}

static void write_routine(struct text *x, unsigned i)
{
	const struct routine r = routines[i];

	if (stands_for_another(x, i))
		return;
	text_add(x, "\t.p2align\t3\n%s:\n\t.cfi_startproc\n", label_of(i));
	if (r.what == SHARED)
		write_shared(x, &r);
	else if (r.what == WIDE)
		write_wide(x, &r);
	else
		write_range(x, &r);
	text_str(x, "\t.cfi_endproc\n");
}

void hit_write_all(FILE *f)
{
	struct text x = {NULL, 0, 0};

	/* One may ask for another at the end. */
	for (unsigned i = 0; i < routines.length(); i++)
		write_routine(&x, i);
	fputs(text_get(&x), f);
	text_release(&x);
}
