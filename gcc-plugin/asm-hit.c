/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A memory probe that is awake counts the access and compares the directory's
 * word of the line with what a hit looks like (perseus/abi.h).  It only reads,
 * unless it misses.
 *
 * The test is 75 bytes long.  In the loops that exist twice (loops.c) each
 * probe has its own, which costs some three cycles when it hits, and keeps two
 * more registers free for it.  Elsewhere, where the code with probes is also
 * the one that runs while nobody watches, a probe may not ask for a register;
 * its cold part saves rax for the address, and all probes of the object call
 * one copy of the test, which saves the two others it needs.
 */
#include "gcc-common.h"
#include "perseus/abi.h"
#include "gcc-plugin/asm-hit.h"
#include "gcc-plugin/asm-stubs.h"

static bool used[2];

static const char *label_of(bool load)
{
	return load ? ".LprsHL" : ".LprsHS";
}

const char *hit_name(bool load)
{
	used[load] = true;
	stub_name(STUB_MEM, AX_REG);
	return label_of(load);
}

/* b: desc.tls, then the thread's block; count; t = the directory's word. */
static void write_look_up(struct text *x, const char *a, const char *b, const char *t, const char *t32,
			  const char *no, unsigned label)
{
	text_add(x, "\tmovq\t%%fs:(%s), %s\n", b, b);
	text_add(x, "\ttestq\t%s, %s\n\tje\t%s%u\n", b, b, no, label);
	text_add(x, "\tleaq\t(%s,%s,8), %s\n\taddq\t" STUB_DESC "+%d(%%rip), %s\n\tincq\t(%s)\n", b, t, t,
		 PRS_DESC_MEM_BASE, t, t);
	/* The line number, modulo the directory's size, times 8. */
	text_add(x, "\tmovq\t%s, %s\n\tshrq\t$%d, %s\n\tandl\t$%u, %s\n", a, t, PRS_LINE_SHIFT - 3, t,
		 (PRS_DIR_WORDS - 1) * 8, t32);
	text_add(x, "\taddq\t" STUB_DESC "+%d(%%rip), %s\n\tmovq\t(%s), %s\n", PRS_DESC_DIR, t, t, t);
}

void hit_write_test(struct text *x, const struct hit *h, const char *yes, const char *no, unsigned label)
{
	const char *a = stub_register(h->a, true), *b = stub_register(h->b, true);
	const char *t = stub_register(h->t, true), *t32 = stub_register(h->t, false);

	write_look_up(x, a, b, t, t32, no, label);
	if (h->load)
		text_add(x, "\ttestq\t%s, %d(%s)\n\tje\t%s%u\n", t, PRS_BLOCK_LOAD_BIT, b, no, label);
	else
		text_add(x, "\txorq\t%d(%s), %s\n\ttestl\t$%u, %s\n\tjne\t%s%u\n", PRS_BLOCK_STORE_WORD, b, t,
			 (1u << PRS_DIR_TAG) - 1, t32, no, label);
	/* With the line number where the address has it, the two may differ below it only. */
	text_add(x, "\tshrq\t$%d, %s\n\txorq\t%s, %s\n\tshrq\t$%d, %s\n\tje\t%s%u\n",
		 PRS_DIR_TAG - PRS_LINE_SHIFT, t, a, t, PRS_LINE_SHIFT, t, yes, label);
}

static void push(struct text *x, const char *reg, int cfa)
{
	text_add(x, "\tpushq\t%s\n\t.cfi_def_cfa_offset %d\n", reg, cfa);
}

static void restore(struct text *x)
{
	text_str(x, "\tpopq\t%rcx\n\t.cfi_def_cfa_offset 16\n\tpopq\t%rdx\n\t.cfi_def_cfa_offset 8\n");
}

/* On a miss the stub takes the place of the test: it returns to the probe, and
   finds the site behind the call as if it had been called itself. */
static void write_hit(struct text *x, bool load)
{
	struct hit h = {load, AX_REG, DX_REG, CX_REG};

	text_add(x, "\t.p2align\t4\n%s:\n\t.cfi_startproc\n", label_of(load));
	push(x, "%rdx", 16);
	push(x, "%rcx", 24);
	text_str(x, "\tmovq\t" STUB_DESC "(%rip), %rdx\n\tmovq\t16(%rsp), %rcx\n");
	text_add(x, "\ttestq\t%%rdx, %%rdx\n\tje\t.LprsY%u\n\tmovl\t1(%%rcx), %%ecx\n", load);
	hit_write_test(x, &h, ".LprsY", ".LprsN", load);
	text_add(x, ".LprsN%u:\n\t.cfi_remember_state\n", load);
	restore(x);
	text_add(x, "\tjmp\t%s\n.LprsY%u:\n\t.cfi_restore_state\n", stub_name(STUB_MEM, AX_REG), load);
	restore(x);
	text_str(x, "\tret\n\t.cfi_endproc\n");
}

void hit_write_all(FILE *f)
{
	struct text x = {NULL, 0, 0};

	for (int load = 0; load < 2; load++)
		if (used[load])
			write_hit(&x, load);
	fputs(text_get(&x), f);
	text_release(&x);
}
