/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The assembler text of the probes; offsets are those of perseus/abi.h.
 *
 * in place                             at the end of the function
 *   enter: T = desc.tls
 *          if (!T) goto back             cold: call .LprsE_T, whose return
 *          T = the thread's block              address shows the site as the
 *          if (!T) goto cold                   immediate of a harmless test
 *          T += desc.base                      goto back
 *          if (--slot(site) < 0) goto cold
 *          T = 0
 *   back:
 *   leave: if (T) goto cold              cold: call .LprsL_T; goto back
 *   memory: no-op                        cold: save rax; rax = address;
 *   back:                                      call .LprsHL, the hit test
 *                                              (asm-hit.c); goto back
 *   note: no-op                          cold: push operands; call .LprsNA
 *
 * The runtime turns the no-ops into jumps (perseus/abi.h); a table of them is
 * the last thing in a function.  In loops that exist twice (loops.c) the probes
 * of the copy that is watched test desc.tls in place and hit in line.
 *
 * The cold part lies in the function's section (so COMDAT and --gc-sections
 * keep them together) and inside its unwind record (cfi.h).  Where the function
 * keeps data below the stack pointer the cold part steps over it first.
 */
#include "gcc-common.h"
#include "perseus/abi.h"
#include "gcc-plugin/asm-hit.h"
#include "gcc-plugin/asm-stubs.h"
#include "gcc-plugin/asm-x86.h"
#include "gcc-plugin/cfi.h"
#include "gcc-plugin/text.h"

#define MARK 0x7072735f61736d00ll /* no user writes this constant into an empty asm */

enum probe {
	PROBE_ENTER = 1,    /* token, target, [values computed before], mark, site */
	PROBE_ENTER_DIRECT, /* token, [values], mark, site */
	PROBE_LEAVE,        /* token, mark, site */
	PROBE_MEM,          /* memory, access, mark, site */
	PROBE_MEM_LOOP,     /* a, b, t, memory, access, mark, site: hit test in line */
	PROBE_ALLOC,        /* ptr, bytes, mark, site */
	PROBE_STRDUP,       /* ptr, mark, site */
	PROBE_MEMALIGN,     /* ptr, bytes, status, mark, site */
	PROBE_FREE,         /* ptr, mark, site */
	PROBE_AWAKE,        /* result, mark, site */
};

struct cold {
	struct text body;
	struct cfi_row row;
};

static vec<cold> colds;
static vec<unsigned> nops; /* labels of the no-ops of this function */
static unsigned next_label;
static void (*old_postscan)(FILE *, rtx_insn *, rtx *, int);
static void (*old_epilogue)(FILE *);

/* ---- building the statements ---- */

static tree operand(const char *constraint, tree value)
{
	return build_tree_list(
		build_tree_list(NULL_TREE, build_string((int)strlen(constraint) + 1, constraint)), value);
}

static void push(vec<tree, va_gc> **list, const char *constraint, tree value)
{
	vec_safe_push(*list, operand(constraint, value));
}

/* What a call probe's stub changes (perseus/abi.h): registers that are free there as a rule. */
static vec<tree, va_gc> *clobbers(enum probe what)
{
	static const char *const enter[] = {"rax", "r10", "r11", NULL};
	static const char *const leave[] = {"rcx", "rsi", "rdi", "r8", "r9", "r10", "r11", NULL};
	vec<tree, va_gc> *list = NULL;

	if (what != PROBE_ENTER && what != PROBE_ENTER_DIRECT && what != PROBE_LEAVE)
		return NULL;
	for (const char *const *r = what == PROBE_LEAVE ? leave : enter; *r; r++)
		vec_safe_push(list, build_tree_list(NULL_TREE, build_string((int)strlen(*r) + 1, *r)));
	return list;
}

static gimple *finish(vec<tree, va_gc> *in, vec<tree, va_gc> *out, enum probe what, unsigned site)
{
	push(&in, "n", build_int_cst(long_long_integer_type_node, MARK | what));
	push(&in, "n", build_int_cst(unsigned_type_node, site));

	gasm *stmt = gimple_build_asm_vec("", in, out, clobbers(what), NULL);
	gimple_asm_set_volatile(stmt, true);
	if (out)
		for (unsigned i = 0; i < out->length(); i++)
			SSA_NAME_DEF_STMT(TREE_VALUE((*out)[i])) = stmt;
	return stmt;
}

static tree fresh_word(void)
{
	return make_ssa_name(long_unsigned_type_node);
}

/* Constraint for a value of @type that may be anywhere. */
static const char *where_it_lies(tree type)
{
	if (TYPE_MODE(type) == XFmode)
		return "fm";
	return SCALAR_FLOAT_TYPE_P(type) || VECTOR_TYPE_P(type) ? "xm" : "rm";
}

gimple *asm_enter(unsigned site, tree target, const tree *before, unsigned n, tree *token)
{
	vec<tree, va_gc> *in = NULL, *out = NULL;

	*token = fresh_word();
	push(&out, "=&r", *token);
	if (target)
		push(&in, "r", target);
	for (unsigned i = 0; i < n; i++)
		push(&in, where_it_lies(TREE_TYPE(before[i])), before[i]);
	return finish(in, out, target ? PROBE_ENTER : PROBE_ENTER_DIRECT, site);
}

gimple *asm_leave(unsigned site, tree token)
{
	vec<tree, va_gc> *in = NULL;

	push(&in, "r", token);
	return finish(in, NULL, PROBE_LEAVE, site);
}

gimple *asm_mem(unsigned site, tree ref, unsigned access, bool in_loop)
{
	vec<tree, va_gc> *in = NULL, *out = NULL;

	for (int i = 0; in_loop && i < 3; i++)
		push(&out, "=&r", fresh_word());
	push(&in, "m", ref);
	push(&in, "n", build_int_cst(unsigned_type_node, access));
	return finish(in, out, in_loop ? PROBE_MEM_LOOP : PROBE_MEM, site);
}

gimple *asm_awake(tree *awake)
{
	vec<tree, va_gc> *in = NULL, *out = NULL;

	*awake = fresh_word();
	push(&out, "=r", *awake);
	return finish(in, out, PROBE_AWAKE, 0);
}

gimple *asm_note_alloc(unsigned site, tree ptr, tree bytes, tree status)
{
	vec<tree, va_gc> *in = NULL;

	push(&in, "rm", ptr);
	if (!bytes)
		return finish(in, NULL, PROBE_STRDUP, site);
	push(&in, "rme", bytes);
	if (!status)
		return finish(in, NULL, PROBE_ALLOC, site);
	push(&in, "rm", status);
	return finish(in, NULL, PROBE_MEMALIGN, site);
}

gimple *asm_note_free(unsigned site, tree ptr)
{
	vec<tree, va_gc> *in = NULL;

	push(&in, "rm", ptr);
	return finish(in, NULL, PROBE_FREE, site);
}

/* ---- printing operands ---- */

/* Operand as AT&T text; up to four live at once. */
static const char *show(rtx x)
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

/* The same where the stack pointer is @below bytes lower than at the probe. */
static const char *show_below(rtx x, unsigned below)
{
	static char text[4][256];
	static unsigned turn;
	const char *s = show(x);
	char *out = text[turn++ & 3];

	if (!MEM_P(x) || !strstr(s, "(%rsp"))
		return s;
	snprintf(out, sizeof(text[0]), *s == '(' ? "%u%s" : "%u+%s", below, s);
	return out;
}

/* ---- cold parts ---- */

static bool red_zone(void)
{
	return cfun->machine->frame.red_zone_size > 0;
}

static void adjust(struct cold *c, int bytes)
{
	if (cfi_used() && cfi_by_stack(&c->row))
		text_add(&c->body, "\t.cfi_adjust_cfa_offset %d\n", bytes);
}

static void step(struct cold *c, int bytes)
{
	/* Of 128 and -128 only one fits a byte. */
	text_add(&c->body, bytes > 0 ? "\taddq\t$%d, %%rsp\n" : "\tsubq\t$%d, %%rsp\n",
		 bytes > 0 ? -bytes : bytes);
	adjust(c, bytes);
}

static void push_value(struct cold *c, const char *value)
{
	text_add(&c->body, "\tpushq\t%s\n", value);
	adjust(c, 8);
}

static void pop_value(struct cold *c, const char *value)
{
	text_add(&c->body, "\tpopq\t%s\n", value);
	adjust(c, -8);
}

/* Call stub @name.  What follows the call is `test $data, %eax`: nothing to the
   processor, but the stub reads the number through its return address. */
static void call_stub(struct cold *c, const char *name, unsigned data)
{
	text_add(&c->body, "\tcall\t%s\n\t.byte\t0xa9\n\t.long\t%u\n", name, data);
}

static struct cold *cold_begin(rtx_insn *insn, unsigned label)
{
	struct cold c;

	memset(&c, 0, sizeof(c));
	c.row = *cfi_at(insn);
	colds.safe_push(c);
	text_add(&colds.last().body, ".LprsC%u:\n", label);
	return &colds.last();
}

static void print_nop(FILE *f, unsigned label)
{
	fprintf(f, "\t.byte\t%d, 31, 68, 0, 0\n.LprsB%u:\n", PRS_NOP_OPCODE, label);
	nops.safe_push(label);
}

static void cold_end(struct cold *c, unsigned label)
{
	text_add(&c->body, "\tjmp\t.LprsB%u\n", label);
}

static void print_enter(FILE *f, rtx_insn *insn, rtx *ops, bool direct, unsigned site, unsigned label)
{
	unsigned reg = REGNO(ops[0]);
	const char *r = stub_register(reg, true);
	struct cold *c = cold_begin(insn, label);
	bool red = red_zone();

	fprintf(f, "\tmovq\t" STUB_DESC "(%%rip), %s\n\ttestq\t%s, %s\n\tje\t.LprsB%u\n", r, r, r, label);
	fprintf(f, "\tmovq\t%%fs:(%s), %s\n\ttestq\t%s, %s\n\tje\t.LprsC%u\n", r, r, r, r, label);
	fprintf(f, "\taddq\t" STUB_DESC "+%d(%%rip), %s\n\tsubl\t$1, %u(%s)\n\tjs\t.LprsC%u\n", PRS_DESC_BASE,
		r, 8 * site, r, label);
	fprintf(f, "\txorl\t%s, %s\n.LprsB%u:\n", stub_register(reg, false), stub_register(reg, false),
		label);
	if (red)
		step(c, 128);
	if (!direct)
		push_value(c, stub_register(REGNO(ops[1]), true));
	call_stub(c, stub_name(direct ? STUB_ENTER : STUB_ENTER_INDIRECT, reg), site);
	if (!direct)
		step(c, -8);
	if (red)
		step(c, -128);
	cold_end(c, label);
}

static void print_leave(FILE *f, rtx_insn *insn, rtx *ops, unsigned site, unsigned label)
{
	struct cold *c = cold_begin(insn, label);
	const char *token = stub_register(REGNO(ops[0]), true);
	bool red = red_zone();

	fprintf(f, "\ttestq\t%s, %s\n\tjne\t.LprsC%u\n.LprsB%u:\n", token, token, label, label);
	if (red)
		step(c, 128);
	call_stub(c, stub_name(STUB_LEAVE, REGNO(ops[0])), site);
	if (red)
		step(c, -128);
	cold_end(c, label);
}

/* An address in a segment cannot be taken: thread-local data reached through its address. */
static bool in_segment(rtx mem)
{
	const char *s = show(mem);

	return strstr(s, "%fs:") || strstr(s, "%gs:");
}

static void print_mem(FILE *f, rtx_insn *insn, rtx *ops, unsigned site, unsigned label)
{
	unsigned access = (unsigned)INTVAL(ops[1]), red = red_zone() ? 128 : 0;
	struct cold *c;

	if (in_segment(ops[0]))
		return;
	print_nop(f, label);
	c = cold_begin(insn, label);
	if (red)
		step(c, 128);
	push_value(c, "%rax");
	text_add(&c->body, "\tleaq\t%s, %%rax\n", show_below(ops[0], red + 8));
	stub_access(site, access);
	call_stub(c, hit_name(PRS_ACCESS_KIND(access) == PRS_KIND_LOAD), site);
	pop_value(c, "%rax");
	if (red)
		step(c, -128);
	cold_end(c, label);
}

static void print_mem_loop(FILE *f, rtx_insn *insn, rtx *ops, unsigned site, unsigned label)
{
	unsigned access = (unsigned)INTVAL(ops[4]), a = REGNO(ops[0]);
	struct hit hit = {PRS_ACCESS_KIND(access) == PRS_KIND_LOAD, a, REGNO(ops[1]), REGNO(ops[2])};
	const char *b = stub_register(hit.b, true);
	bool red = red_zone();
	struct cold *c;

	if (in_segment(ops[3]))
		return;
	c = cold_begin(insn, label);
	fprintf(f, "\tmovq\t" STUB_DESC "(%%rip), %s\n\ttestq\t%s, %s\n\tjne\t.LprsC%u\n.LprsB%u:\n", b, b, b,
		label, label);
	text_add(&c->body, "\tleaq\t%s, %s\n\tmovl\t$%u, %s\n", show(ops[3]), stub_register(a, true), site,
		 stub_register(hit.t, false));
	hit_write_test(&c->body, &hit, ".LprsB", ".LprsD", label);
	text_add(&c->body, ".LprsD%u:\n", label);
	if (red)
		step(c, 128);
	stub_access(site, access);
	call_stub(c, stub_name(STUB_MEM, a), site);
	if (red)
		step(c, -128);
	cold_end(c, label);
}

static void print_note(FILE *f, rtx_insn *insn, rtx *ops, enum probe what, unsigned site, unsigned label)
{
	struct cold *c = cold_begin(insn, label);
	unsigned red = red_zone() ? 128 : 0;
	bool sized = what == PROBE_ALLOC || what == PROBE_MEMALIGN;
	enum stub_kind stub = what == PROBE_FREE       ? STUB_NOTE_FREE
			      : what == PROBE_STRDUP   ? STUB_NOTE_STRDUP
			      : what == PROBE_MEMALIGN ? STUB_NOTE_MEMALIGN
						       : STUB_NOTE_ALLOC;

	print_nop(f, label);
	if (what == PROBE_MEMALIGN)
		text_add(&c->body, "\tcmpl\t$0, %s\n\tjne\t.LprsB%u\n",
			 REG_P(ops[2]) ? stub_register(REGNO(ops[2]), false) : show(ops[2]), label);
	if (red)
		step(c, 128);
	push_value(c, sized ? show_below(ops[1], red) : "$0");
	push_value(c, show_below(ops[0], red + 8));
	call_stub(c, stub_name(stub, 0), site);
	step(c, -16);
	if (red)
		step(c, -128);
	cold_end(c, label);
}

static void print_probe(FILE *f, rtx_insn *insn, rtx *ops, enum probe what, unsigned site)
{
	unsigned label = next_label++;

	switch (what) {
	case PROBE_ENTER:
	case PROBE_ENTER_DIRECT:
		print_enter(f, insn, ops, what == PROBE_ENTER_DIRECT, site, label);
		break;
	case PROBE_LEAVE:
		print_leave(f, insn, ops, site, label);
		break;
	case PROBE_MEM:
		print_mem(f, insn, ops, site, label);
		break;
	case PROBE_MEM_LOOP:
		print_mem_loop(f, insn, ops, site, label);
		break;
	case PROBE_AWAKE:
		fprintf(f, "\tmovq\t" STUB_DESC "+%d(%%rip), %s\n", PRS_DESC_DIR, show(ops[0]));
		break;
	default:
		print_note(f, insn, ops, what, site, label);
		break;
	}
}

static bool intel(void)
{
	return ASSEMBLER_DIALECT == ASM_INTEL;
}

/* The compiler has just printed an instruction; if it was an asm of ours (which
   prints as nothing), print the probe. */
static void postscan(FILE *f, rtx_insn *insn, rtx *ops, int n)
{
	if (n >= 3 && CONST_INT_P(ops[n - 2]) && (INTVAL(ops[n - 2]) & ~0xffll) == MARK) {
		if (intel())
			fputs("\t.att_syntax prefix\n", f);
		print_probe(f, insn, ops, (enum probe)(INTVAL(ops[n - 2]) & 0xff),
			    (unsigned)INTVAL(ops[n - 1]));
		if (intel())
			fputs("\t.intel_syntax noprefix\n", f);
		return;
	}
	if (old_postscan)
		old_postscan(f, insn, ops, n);
}

static void print_colds(FILE *f)
{
	struct cfi_row row = *cfi_at_end();

	for (unsigned i = 0; i < colds.length(); i++) {
		struct cold *c = &colds[i];

		if (cfi_used())
			cfi_print_change(f, &row, &c->row);
		row = c->row;
		fputs(c->body.s, f);
		text_release(&c->body);
	}
	colds.truncate(0);
}

/* The table of no-ops; data, but nothing flows into it: the last cold part ends in a jump. */
static void print_table(FILE *f)
{
	unsigned t = next_label++;

	fprintf(f, "\t.balign\t8\n.LprsT%u:\n\t.quad\t0x%llx\n\t.long\t%u, " STUB_DESC "-.LprsT%u\n", t,
		PRS_NOPS_MAGIC, nops.length(), t);
	for (unsigned i = 0; i < nops.length(); i++)
		fprintf(f, "\t.long\t.LprsB%u-%d-.LprsT%u, .LprsC%u-.LprsT%u\n", nops[i], PRS_NOP_BYTES, t,
			nops[i], t);
	nops.truncate(0);
}

static void epilogue(FILE *f)
{
	if (old_epilogue)
		old_epilogue(f);
	if (colds.length()) {
		if (intel())
			fputs("\t.att_syntax prefix\n", f);
		print_colds(f);
		if (nops.length())
			print_table(f);
		if (intel())
			fputs("\t.intel_syntax noprefix\n", f);
	}
	cfi_reset();
}

void asm_install(void)
{
	old_postscan = targetm.asm_out.final_postscan_insn;
	old_epilogue = targetm.asm_out.function_epilogue;
	targetm.asm_out.final_postscan_insn = postscan;
	targetm.asm_out.function_epilogue = epilogue;
}

const char *asm_unsupported(void)
{
	if (!TARGET_64BIT || TARGET_X32)
		return "only the 64-bit x86-64 target is supported; compile without -m32 "
		       "and -mx32";
	if (ix86_cmodel == CM_LARGE || ix86_cmodel == CM_LARGE_PIC)
		return "the code model large is not supported; compile without "
		       "-mcmodel=large";
	return NULL;
}

void asm_write_object(unsigned n_calls, unsigned n_mems, uint64_t unit_id)
{
	if (intel())
		fputs("\t.att_syntax prefix\n", asm_out_file);
	stub_write_all(asm_out_file, n_calls, n_mems, unit_id);
	if (intel())
		fputs("\t.intel_syntax noprefix\n", asm_out_file);
}
