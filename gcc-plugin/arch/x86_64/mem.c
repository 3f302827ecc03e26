/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Memory probes as text.  In place there is a no-op.  The runtime turns it into a
 * call of the cold part, which is one of
 *
 *   shared test                       own test
 *     site                              site
 *     lea  access, a                    lea  access, a
 *     jmp  .LprsH: the test             [may straddle: if it does, goto wide]
 *          (hit.c),     returns         the test; return if it hits
 *                                       a = the address again
 *                                       jmp  .LprsP_a: the runtime
 *                                     wide:
 *                                       jmp  .LprsH: all lines that it touches
 *
 * Own tests are three times as long and stand where the program often comes by
 * and registers are free (scratch.c).  A function with memory probes keeps nothing
 * below its stack pointer, where a call would destroy it (mem_no_red_zone()).
 */
#include "gcc-plugin/base/gcc-common.h"
#include "perseus/abi.h"
#include "gcc-plugin/arch/x86_64/cold.h"
#include "gcc-plugin/arch/x86_64/hit.h"
#include "gcc-plugin/arch/x86_64/mem.h"
#include "gcc-plugin/arch/x86_64/stubs.h"
#include "gcc-plugin/arch/x86_64/scratch.h"

struct probe {
	rtx mem;
	unsigned site, label;
	unsigned bytes;
	bool load, straddles;
	enum hit_from from;
	unsigned sharer; /* register that holds it for a whole loop, or HIT_NONE */
};

static struct probe mem_describe(rtx mem, unsigned access, unsigned site)
{
	struct probe p = {mem,
			  site,
			  cold_label(),
			  PRS_ACCESS_BYTES(access & ~MEM_STRADDLES),
			  PRS_ACCESS_KIND(access) == PRS_KIND_LOAD,
			  (access & MEM_STRADDLES) != 0,
			  HIT_FROM_JUMPED,
			  HIT_NONE};

	stub_access(site, access & ~MEM_STRADDLES);
	return p;
}

/* An address in a segment cannot be taken, but of thread-local data: there the first word has that of the segment. */
static bool in_segment(rtx mem)
{
	return MEM_ADDR_SPACE(mem) == ADDR_SPACE_SEG_GS || strstr(cold_operand(mem), "%gs:");
}

static void take_address(struct text *x, const struct probe *p, unsigned a, unsigned below)
{
	const char *operand, *local;

	if (p->from == HIT_FROM_CALLED)
		below += UNITS_PER_WORD;
	operand = cold_operand_below(p->mem, below);
	local = strstr(operand, "%fs:");
	text_add(x, "\tleaq\t%s, %s\n", local ? local + 4 : operand, stub_register(a, true));
	if (local || MEM_ADDR_SPACE(p->mem) == ADDR_SPACE_SEG_FS)
		text_add(x, "\taddq\t%%fs:0, %s\n", stub_register(a, true));
}

/* Go on at @routine, with the address in a register of ours. */
static void go_on(struct cold *c, const struct probe *p, const char *routine)
{
	if (p->from == HIT_FROM_CALLED) {
		text_add(&c->body, "\tjmp\t%s\n", routine);
		return;
	}
	cold_call(c, routine, p->site);
	/* A thread that was new has one of its own now; until then it had nobody's, by which nothing hits. */
	if (p->sharer != HIT_NONE)
		hit_write_sharer(&c->body, p->sharer);
	cold_end(c, p->label);
}

/* Goto .LprsW if the access at @a touches a second line. */
static void look_for_second_line(struct text *x, const struct probe *p, const struct hit *hit)
{
	hit_write_crosses(x, hit, p->bytes);
	text_add(x, "\tja\t.LprsW%u\n", p->label);
}

/* Behind a test that did not hit: the runtime; and what .LprsW is. */
static void write_miss(struct cold *c, const struct probe *p, const struct hit *hit)
{
	hit_write_address(&c->body, hit);
	go_on(c, p, hit_miss(hit->a, p->from));
	if (!p->straddles)
		return;
	text_add(&c->body, ".LprsW%u:\n", p->label);
	go_on(c, p, hit_wide(p->load, hit->a, p->bytes, p->from));
}

static void write_own(struct cold *c, const struct probe *p, const struct scratch *s)
{
	struct hit hit = {p->load, s->reg[0], s->reg[1], s->reg[2]};

	take_address(&c->body, p, hit.a, 0);
	if (p->straddles)
		look_for_second_line(&c->body, p, &hit);
	hit_write_test(&c->body, &hit);
	text_add(&c->body, "\tjne\t.LprsD%u\n\tret\n.LprsD%u:\n", p->label, p->label);
	write_miss(c, p, &hit);
}

static const char *routine(const struct probe *p, const struct scratch *s, unsigned a, enum hit_from from)
{
	struct hit hit = {p->load, a, s->n > 1 ? s->reg[1] : HIT_NONE, s->n > 2 ? s->reg[2] : HIT_NONE};

	return hit_shared(&hit, p->straddles ? p->bytes : 0, from, s->hot);
}

/* No register is free: one is saved. */
static void write_saving(struct cold *c, const struct probe *p, const struct scratch *s)
{
	cold_push(c, stub_register(AX_REG, true));
	take_address(&c->body, p, AX_REG, UNITS_PER_WORD);
	cold_call(c, routine(p, s, AX_REG, HIT_FROM_JUMPED), p->site);
	cold_pop(c, stub_register(AX_REG, true));
	text_str(&c->body, "\tret\n");
}

static void write_shared(struct cold *c, const struct probe *p, const struct scratch *s)
{
	if (!s->n) {
		write_saving(c, p, s);
		return;
	}
	take_address(&c->body, p, s->reg[0], 0);
	go_on(c, p, routine(p, s, s->reg[0], p->from));
}

void mem_print(FILE *f, rtx_insn *insn, rtx mem, unsigned access, unsigned site, bool burst)
{
	struct scratch s = scratch_of(insn);
	struct probe p;
	struct cold *c;

	if (in_segment(mem))
		return;
	gcc_assert(!cold_red_zone()); /* mem_no_red_zone(): the call would overwrite it */
	p = mem_describe(mem, access, site);
	p.from = HIT_FROM_CALLED;
	cold_print_nop(f, p.label, burst ? NOP_BURST : NOP_DIRECT);
	c = cold_begin_called(insn, p.label, site);
	if (s.hot && !burst && s.n > 2 && (!p.straddles || p.bytes <= HIT_LINE))
		write_own(c, &p, &s);
	else
		write_shared(c, &p, &s);
}

void mem_print_inline(FILE *f, rtx_insn *insn, rtx *regs, rtx mem, unsigned access, unsigned site)
{
	struct text x = {NULL, 0, 0};
	struct probe p;
	struct hit hit;
	struct cold *c;

	if (in_segment(mem))
		return;
	p = mem_describe(mem, access, site);
	p.sharer = REGNO(regs[2]);
	hit = {p.load, REGNO(regs[0]), p.sharer, REGNO(regs[1])};
	take_address(&x, &p, hit.a, 0);
	c = cold_begin(insn, p.label);
	if (p.straddles && p.bytes > HIT_LINE) {
		text_add(&x, "\tjmp\t.LprsW%u\n", p.label);
	} else {
		if (p.straddles)
			look_for_second_line(&x, &p, &hit);
		hit_write_test_by(&x, &hit);
		text_add(&x, "\tjne\t" COLD_PART "%u\n", p.label);
	}
	fprintf(f, "%s" COLD_BACK "%u:\n", text_get(&x), p.label);
	text_release(&x);
	write_miss(c, &p, &hit);
}

void mem_print_sharer(FILE *f, rtx reg)
{
	struct text x = {NULL, 0, 0};

	hit_write_sharer(&x, REGNO(reg));
	fputs(text_get(&x), f);
	text_release(&x);
}

void mem_print_range(FILE *f, rtx_insn *insn, rtx *ops, int n, unsigned access, unsigned site)
{
	struct cold c = {{NULL, 0, 0}, *cfi_at(insn)};

	/* In place: the block is a cold one already.  The operands are registers or numbers. */
	gcc_assert(!cold_red_zone());
	stub_access(site, access);
	for (int i = n; i-- > 0;)
		cold_push_operand(&c, ops[i], UNITS_PER_WORD * (unsigned)(n - 1 - i));
	cold_call(&c, n > 3 ? stub_name(STUB_ROWS, 0) : hit_range(PRS_ACCESS_KIND(access) == PRS_KIND_LOAD),
		  site);
	cold_step(&c, -8 * n);
	fputs(text_get(&c.body), f);
	text_release(&c.body);
}

void mem_print_span(FILE *f, rtx_insn *insn, rtx *ops, unsigned access, unsigned site)
{
	unsigned label = cold_label();
	struct cold *c = cold_begin(insn, label);

	gcc_assert(!cold_red_zone());
	stub_access(site, access);
	cold_print_nop_to(f, label, NOP_DIRECT, PRS_JUMP_OPCODE);
	cold_push(c, "$1"); /* once */
	cold_push_operand(c, ops[1], UNITS_PER_WORD);
	cold_push_operand(c, ops[0], 2 * UNITS_PER_WORD);
	cold_call(c, hit_range(PRS_ACCESS_KIND(access) == PRS_KIND_LOAD), site);
	cold_step(c, -3 * UNITS_PER_WORD);
	cold_end(c, label);
}

void mem_print_note(FILE *f, rtx_insn *insn, rtx ptr, rtx bytes, rtx status, int stub, unsigned site)
{
	unsigned red = cold_red_zone() ? 128 : 0, label = cold_label();
	struct cold *c = cold_begin(insn, label);

	cold_print_nop(f, label, NOP_NOTE);
	if (status)
		text_add(&c->body, "\tcmpl\t$0, %s\n\tjne\t" COLD_BACK "%u\n",
			 REG_P(status) ? stub_register(REGNO(status), false) : cold_operand(status), label);
	if (red)
		cold_step(c, red);
	cold_push(c, bytes ? cold_operand_below(bytes, red) : "$0");
	cold_push(c, cold_operand_below(ptr, red + 8));
	cold_call(c, stub_name((enum stub_kind)stub, 0), site);
	cold_step(c, -16);
	if (red)
		cold_step(c, -(int)red);
	cold_end(c, label);
}
