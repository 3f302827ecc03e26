/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gcc-plugin/base/gcc-common.h"
#include "perseus/abi.h"
#include "gcc-plugin/arch/x86_64/cold.h"
#include "gcc-plugin/arch/x86_64/stubs.h"

static vec<cold> colds;
static vec<unsigned> nops[NOP_CLASSES]; /* labels of this function's */
static unsigned next_label;

unsigned cold_label(void)
{
	return next_label++;
}

/* ---- operands ---- */

const char *cold_operand(rtx x)
{
	static char *text[4];
	static size_t size[4];
	static FILE *stream[4];
	static unsigned turn;
	unsigned i = turn++ & 3;
	FILE *out = asm_out_file;
	enum asm_dialect dialect = ix86_asm_dialect;

	if (REG_P(x))
		return stub_register(REGNO(x), true);
	if (!stream[i])
		stream[i] = open_memstream(&text[i], &size[i]);
	rewind(stream[i]);
	asm_out_file = stream[i];
	ix86_asm_dialect = ASM_ATT;
	if (MEM_P(x))
		output_address(GET_MODE(x), XEXP(x, 0));
	else
		targetm.asm_out.print_operand(stream[i], x, 0);
	ix86_asm_dialect = dialect;
	asm_out_file = out;
	putc(0, stream[i]);
	fflush(stream[i]);
	return text[i];
}

const char *cold_operand_below(rtx x, unsigned below)
{
	static char text[4][256];
	static unsigned turn;
	const char *s = cold_operand(x);
	char *out = text[turn++ & 3];

	if (!below || !MEM_P(x) || !strstr(s, "(%rsp"))
		return s;
	snprintf(out, sizeof(text[0]), *s == '(' ? "%u%s" : "%u+%s", below, s);
	return out;
}

/* ---- the parts of a cold part ---- */

bool cold_red_zone(void)
{
	return cfun->machine->frame.red_zone_size > 0;
}

static void adjust(struct cold *c, int bytes)
{
	if (cfi_used() && cfi_by_stack(&c->row))
		text_add(&c->body, "\t.cfi_adjust_cfa_offset %d\n", bytes);
}

void cold_step(struct cold *c, int bytes)
{
	/* Of 128 and -128 only one fits a byte. */
	text_add(&c->body, bytes > 0 ? "\taddq\t$%d, %%rsp\n" : "\tsubq\t$%d, %%rsp\n",
		 bytes > 0 ? -bytes : bytes);
	adjust(c, bytes);
}

void cold_push(struct cold *c, const char *value)
{
	text_add(&c->body, "\tpushq\t%s\n", value);
	adjust(c, 8);
}

void cold_push_operand(struct cold *c, rtx x, unsigned below)
{
	if (!REG_P(x) || REGNO(x) != SP_REG) {
		cold_push(c, cold_operand(x));
		return;
	}
	/* The address of an array of variable length: what we pushed lies between. */
	cold_push(c, "%rsp");
	if (below)
		text_add(&c->body, "\taddq\t$%u, (%%rsp)\n", below);
}

void cold_pop(struct cold *c, const char *value)
{
	text_add(&c->body, "\tpopq\t%s\n", value);
	adjust(c, -8);
}

void cold_move(struct cold *c, const char *from, const char *to)
{
	text_add(&c->body, "\tmovq\t%s, %s\n", from, to);
}

void cold_call(struct cold *c, const char *name, unsigned data)
{
	text_add(&c->body, "\tcall\t%s\n\t.byte\t0xa9\n\t.long\t%u\n", name, data);
}

struct cold *cold_begin(rtx_insn *insn, unsigned label)
{
	struct cold c;

	memset(&c, 0, sizeof(c));
	c.row = *cfi_at(insn);
	colds.safe_push(c);
	text_add(&colds.last().body, COLD_PART "%u:\n", label);
	return &colds.last();
}

struct cold *cold_begin_called(rtx_insn *insn, unsigned label, unsigned site)
{
	struct cold *c = cold_begin(insn, label);

	text_clear(&c->body);
	text_add(&c->body, "\t.long\t%u\n" COLD_PART "%u:\n", site, label);
	cfi_entry(&c->row);
	return c;
}

void cold_end(struct cold *c, unsigned label)
{
	text_add(&c->body, "\tjmp\t" COLD_BACK "%u\n", label);
}

void cold_print_nop(FILE *f, unsigned label, enum nop_class what)
{
	cold_print_nop_to(f, label, what, what == NOP_NOTE ? PRS_JUMP_OPCODE : PRS_CALL_OPCODE);
}

void cold_print_nop_to(FILE *f, unsigned label, enum nop_class what, unsigned opcode)
{
	fprintf(f, "\t.byte\t%d, 31, %d, %u\n", PRS_NOP_OPCODE, PRS_NOP_DISABLED, opcode);
	fprintf(f, "\t.long\t" COLD_PART "%u-" COLD_BACK "%u\n" COLD_BACK "%u:\n", label, label, label);
	nops[what].safe_push(label);
}

/* ---- the function's end ---- */

static void print_colds(FILE *f)
{
	struct cfi_row row = *cfi_at_end();

	for (unsigned i = 0; i < colds.length(); i++) {
		struct cold *c = &colds[i];

		if (cfi_used())
			cfi_print_change(f, &row, &c->row);
		row = c->row;
		fputs(text_get(&c->body), f);
		text_release(&c->body);
	}
	colds.truncate(0);
}

/* The table of no-ops; data, but nothing flows into it: the last cold part ends in a jump. */
static void print_table(FILE *f)
{
	unsigned t = next_label++, notes = nops[NOP_NOTE].length(), direct = nops[NOP_DIRECT].length();

	fprintf(f, "\t.balign\t8\n.LprsT%u:\n\t.quad\t0x%llx\n\t.long\t%u, " STUB_DESC "-.LprsT%u, %u, %u\n",
		t, PRS_NOPS_MAGIC, notes + direct + nops[NOP_BURST].length(), t, notes + direct, notes);
	for (int what = 0; what < NOP_CLASSES; what++) {
		for (unsigned i = 0; i < nops[what].length(); i++)
			fprintf(f, "\t.long\t" COLD_BACK "%u-%d-.LprsT%u\n", nops[what][i], PRS_NOP_BYTES, t);
		nops[what].truncate(0);
	}
}

bool cold_any(void)
{
	return colds.length() > 0;
}

void cold_print_all(FILE *f)
{
	bool any = false;

	for (int what = 0; what < NOP_CLASSES; what++)
		any |= nops[what].length() > 0;
	print_colds(f);
	if (any)
		print_table(f);
}
