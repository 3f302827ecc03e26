/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A memory probe that is enabled compares the line of its address with a tag of the
 * thread's (perseus/abi.h):
 *
 *   ror $6, a; movl a, t; andl $TAGS - 1, t; cmpl a, tags(sharer, t, 4)
 *
 * Where the program often comes by, and registers are free (scratch.c), the cold
 * part has the test in it: 40 bytes.  Elsewhere it goes on in a routine of the
 * object that is shared by all probes with the same registers, and the same number
 * of bytes if they may lie in two lines.
 */
#include "gcc-plugin/base/gcc-common.h"
#include "perseus/abi.h"
#include "gcc-plugin/arch/x86_64/hit.h"
#include "gcc-plugin/arch/x86_64/stubs.h"

#define SHARE_MIN  12 /* a routine for certain registers is one for at least a 12th of the probes */
#define RANGE_MORE 2  /* lines behind the first */

enum what { SHARED, WIDE, RANGE };

struct routine {
	enum what what;
	enum hit_from from;
	struct hit hit;
	unsigned bytes; /* SHARED: at least those of an access that may lie in two lines, else 0;
			   WIDE: 0: at most a line, see the table of accesses */
	unsigned uses;
	bool hot; /* of probes that the program often comes by, too */
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

void hit_write_sharer(struct text *x, unsigned reg)
{
	text_add(x,
		 "\tmovq\t" STUB_DESC "+%d(%%rip), %s\n\tmovq\t%%fs:(%s), %s\n"
		 "\taddq\t" STUB_DESC "+%d(%%rip), %s\n",
		 PRS_DESC_MEM_TLS, wide(reg), wide(reg), wide(reg), PRS_DESC_SHARER, wide(reg));
}

/* Is @line the tag in its place?  @t is changed. */
static void write_compare(struct text *x, bool load, unsigned line, unsigned sharer, unsigned t)
{
	text_add(x, "\tmovl\t%s, %s\n\tandl\t$%u, %s\n\tcmpl\t%s, %d(%s,%s,4)\n", narrow(line), narrow(t),
		 PRS_TAGS - 1, narrow(t), narrow(line), load ? PRS_SHARER_LOAD_TAG : PRS_SHARER_STORE_TAG,
		 wide(sharer), wide(t));
}

void hit_write_test_by(struct text *x, const struct hit *h)
{
	text_add(x, "\trorq\t$%d, %s\n", PRS_LINE_SHIFT, wide(h->a));
	write_compare(x, h->load, h->a, h->b, h->t);
}

void hit_write_test(struct text *x, const struct hit *h)
{
	hit_write_sharer(x, h->b);
	hit_write_test_by(x, h);
}

void hit_write_address(struct text *x, const struct hit *h)
{
	text_add(x, "\trolq\t$%d, %s\n", PRS_LINE_SHIFT, wide(h->a));
}

void hit_write_crosses(struct text *x, const struct hit *h, unsigned bytes)
{
	text_add(x, "\tmovl\t%s, %s\n\tandl\t$%u, %s\n\tcmpl\t$%u, %s\n", narrow(h->a), narrow(h->t),
		 HIT_LINE - 1, narrow(h->t), HIT_LINE - bytes, narrow(h->t));
}

/* ---- routines ---- */

static unsigned ask_for(enum what what, enum hit_from from, const struct hit *h, unsigned bytes)
{
	for (unsigned i = 0; i < routines.length(); i++) {
		const struct routine *r = &routines[i];

		if (r->what == what && r->from == from && r->bytes == bytes && r->hit.load == h->load &&
		    r->hit.a == h->a && r->hit.b == h->b && r->hit.t == h->t)
			return i;
	}
	routines.safe_push(routine{what, from, *h, bytes, 0, false});
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

const char *hit_wide(bool load, unsigned a, unsigned bytes, enum hit_from from)
{
	struct hit h = {load, a, HIT_NONE, HIT_NONE};

	hit_miss(a, from);
	return label_of(ask_for(WIDE, from, &h, bytes > HIT_LINE ? bytes : 0));
}

const char *hit_shared(const struct hit *h, unsigned bytes, enum hit_from from, bool hot)
{
	unsigned i;

	if (bytes > HIT_LINE)
		return hit_wide(h->load, h->a, bytes, from);
	/* A few routines for all: what seems to cross goes on in one that knows the bytes. */
	i = ask_for(SHARED, from, h,
		    bytes <= 1    ? bytes
		    : bytes <= 8  ? 8
		    : bytes <= 16 ? 16
		    : bytes <= 32 ? 32
				  : HIT_LINE);
	hit_miss(h->a, from);
	routines[i].uses++;
	routines[i].hot |= hot;
	uses++;
	return label_of(i);
}

const char *hit_range(bool load)
{
	struct hit h = {load, HIT_NONE, HIT_NONE, HIT_NONE};

	stub_name(STUB_RANGE, 0);
	return label_of(ask_for(RANGE, HIT_FROM_JUMPED, &h, 0));
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
static void hit_choose(unsigned *into, unsigned n, const struct hit *not_these)
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

/* The place of the routine is taken by another, or by a stub: it returns to the
   probe, and finds the site there as if it had been called itself. */
static void go_on(struct text *x, const unsigned *saved, unsigned n, const char *where)
{
	char jump[64];

	snprintf(jump, sizeof(jump), "jmp\t%s", where);
	leave(x, saved, n, jump);
}

static void write_shared(struct text *x, const struct routine *r)
{
	const char *remember = "", *restore = "";
	struct hit h = r->hit;
	unsigned saved[2], n = (h.b == HIT_NONE) + (h.t == HIT_NONE);

	hit_choose(saved, n, &h);
	if (n)
		h.t = saved[0], remember = "\t.cfi_remember_state\n", restore = "\t.cfi_restore_state\n";
	if (n == 2)
		h.b = saved[1];
	for (unsigned i = 0; i < n; i++)
		push(x, saved[i]);
	if (r->bytes) {
		hit_write_crosses(x, &h, r->bytes);
		text_str(x, "\tja\t2f\n");
	}
	hit_write_test(x, &h);
	text_add(x, "\tjne\t1f\n%s", remember);
	leave(x, saved, n, "ret");
	text_add(x, "%s1:", restore);
	hit_write_address(x, &h);
	text_str(x, remember);
	go_on(x, saved, n, hit_miss(h.a, r->from));
	if (!r->bytes)
		return;
	text_add(x, "%s2:", restore);
	go_on(x, saved, n, hit_wide(h.load, h.a, r->bytes, r->from));
}

/* Go on to 2: if the lines from @line to @last are not all hits. */
static void write_lines(struct text *x, bool load, unsigned line, unsigned last, unsigned sharer, unsigned t)
{
	hit_write_sharer(x, sharer);
	text_str(x, "1:");
	write_compare(x, load, line, sharer, t);
	text_add(x, "\tjne\t2f\n\tincq\t%s\n\tcmpq\t%s, %s\n\tjbe\t1b\n", wide(line), wide(last), wide(line));
}

static void write_wide(struct text *x, const struct routine *r)
{
	unsigned reg[4], line, last, sharer, t;

	hit_choose(reg, 4, &r->hit);
	line = reg[0], last = reg[1], sharer = reg[2], t = reg[3];
	for (unsigned i = 0; i < 4; i++)
		push(x, reg[i]);
	if (r->bytes) {
		text_add(x, "\tleaq\t%u(%s), %s\n", r->bytes - 1, wide(r->hit.a), wide(last));
	} else {
		stub_load_site(x, "32(%rsp)", last, t, r->from == HIT_FROM_CALLED);
		text_add(x, "\tleaq\t" STUB_ACCESSES "(%%rip), %s\n\tmovl\t(%s,%s,4), %s\n\tandl\t$%u, %s\n",
			 wide(t), wide(t), wide(last), narrow(last), PRS_PARTS_BYTES(~0u), narrow(last));
		text_add(x, "\tleaq\t-1(%s,%s), %s\n", wide(r->hit.a), wide(last), wide(last));
	}
	text_add(x, "\tshrq\t$%d, %s\n", PRS_LINE_SHIFT, wide(last));
	text_add(x, "\tmovq\t%s, %s\n\tshrq\t$%d, %s\n", wide(r->hit.a), wide(line), PRS_LINE_SHIFT,
		 wide(line));
	write_lines(x, r->hit.load, line, last, sharer, t);
	text_str(x, "\t.cfi_remember_state\n");
	leave(x, reg, 4, "ret");
	text_str(x, "2:\t.cfi_restore_state\n");
	go_on(x, reg, 4, hit_miss(r->hit.a, r->from));
}

static void write_range(struct text *x, const struct routine *r)
{
	static const unsigned reg[4] = {AX_REG, CX_REG, DX_REG, SI_REG};

	for (unsigned i = 0; i < 4; i++)
		push(x, reg[i]);
	/* 0 times is "not known"; of no bytes the runtime may make what it likes. */
	text_add(x, "\tmovq\t56(%%rsp), %%rsi\n\tdecq\t%%rsi\n\tcmpq\t$%d, %%rsi\n\tjae\t2f\n",
		 PRS_RANGE_FEW);
	text_add(x,
		 "\tmovq\t40(%%rsp), %%rax\n\tmovq\t48(%%rsp), %%rcx\n\tleaq\t-1(%%rax,%%rcx), %%rcx\n"
		 "\tshrq\t$%d, %%rax\n\tshrq\t$%d, %%rcx\n",
		 PRS_LINE_SHIFT, PRS_LINE_SHIFT);
	text_add(x, "\tmovq\t%%rcx, %%rdx\n\tsubq\t%%rax, %%rdx\n\tcmpq\t$%d, %%rdx\n\tja\t2f\n", RANGE_MORE);
	write_lines(x, r->hit.load, AX_REG, CX_REG, DX_REG, SI_REG);
	text_str(x, "\t.cfi_remember_state\n");
	leave(x, reg, 4, "ret");
	text_str(x, "2:\t.cfi_restore_state\n");
	go_on(x, reg, 4, stub_name(STUB_RANGE, 0));
}

/* Too few probes use it: they go to one that saves what it uses.  That may be a new one. */
static bool stands_for_another(struct text *x, unsigned i)
{
	struct hit any = {routines[i].hit.load, routines[i].hit.a, HIT_NONE, HIT_NONE};
	unsigned other;

	if (routines[i].what != SHARED || routines[i].hot || routines[i].uses >= uses / SHARE_MIN ||
	    routines[i].hit.b == HIT_NONE)
		return false;
	other = ask_for(SHARED, routines[i].from, &any, routines[i].bytes);
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
