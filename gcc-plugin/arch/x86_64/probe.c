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
 *   depth: T = calls open + 1, or 0
 *   memory: no-op                        cold: the hit test (mem.c)    
 *   note: no-op                          cold: push operands; call .LprsNA
 *   range: push operands; call .LprsH
 *   rows: push operands; call .LprsRR
 *   entry: nothing, or little (entry.c)
 *
 * The runtime turns the no-ops into jumps (perseus/abi.h); a table of them is
 * the last thing in a function.  In loops that exist twice (loops.c) the probes
 * of the copy that is watched have their hit test in place.
 *
 * The cold part lies in the function's section (so COMDAT and --gc-sections
 * keep them together) and inside its unwind record (cfi.h).  Where the function
 * keeps data below the stack pointer the cold part steps over it first.
 */
#include "gcc-plugin/base/gcc-common.h"
#include "builtins.h"
#include "perseus/abi.h"
#include "gcc-plugin/arch/x86_64/cold.h"
#include "gcc-plugin/arch/x86_64/mem.h"
#include "gcc-plugin/arch/x86_64/stubs.h"
#include "gcc-plugin/arch/probe.h"
#include "gcc-plugin/arch/x86_64/cfi.h"
#include "gcc-plugin/arch/x86_64/entry.h"
#include "gcc-plugin/arch/x86_64/scratch.h"
#include "gcc-plugin/arch/x86_64/spare.h"

#define MARK 0x7072735f61736d00ll /* no user writes this constant into an empty asm */

enum probe {
	PROBE_ENTER = 1,    /* token, target, [values computed before], mark, site */
	PROBE_ENTER_DIRECT, /* token, [values], mark, site */
	PROBE_LEAVE,        /* token, mark, site */
	PROBE_MEM,          /* memory, access, mark, site */
	PROBE_MEM_BURST,    /* the same */
	PROBE_MEM_INLINE,   /* a, t, sharer, memory, access, mark, site */
	PROBE_BLOCK,        /* address, access, mark, site */
	PROBE_RANGE,        /* first, bytes, count, access, mark, site */
	PROBE_SPAN,         /* first, bytes, access, mark, site */
	PROBE_ROWS,         /* first, bytes, count, pitch, rows, access, mark, site */
	PROBE_ALLOC,        /* ptr, bytes, mark, site */
	PROBE_STRDUP,       /* ptr, mark, site */
	PROBE_MEMALIGN,     /* ptr, bytes, status, mark, site */
	PROBE_FREE,         /* ptr, mark, site */
	PROBE_ENABLED,      /* result, mark, offset in the descriptor */
	PROBE_SHARER,       /* result, mark, 0 */
	PROBE_KEEP,         /* result, token, mark, 0 */
	PROBE_DEPTH,        /* result, mark, 0 */
	PROBE_ENTRY,        /* 0, mark, what goes in front of the first instruction */
};

static void (*old_postscan)(FILE *, rtx_insn *, rtx *, int);
static void (*old_epilogue)(FILE *);
static void (*old_patch_area)(FILE *, unsigned HOST_WIDE_INT, bool);

/* ---- building the statements ---- */

static tree operand(const char *constraint, tree value)
{
	return build_tree_list(
		build_tree_list(NULL_TREE, build_string((int)strlen(constraint) + 1, constraint)), value);
}

/*
 * Any general register but the stack pointer, which is what "r" gives for the
 * first thing in a frame: cold parts move it before they print operands.
 */
#define ADDRESS "l"

static void push(vec<tree, va_gc> **list, const char *constraint, tree value)
{
	vec_safe_push(*list, operand(constraint, value));
}

static gimple *probe_finish(vec<tree, va_gc> *in, vec<tree, va_gc> *out, enum probe what, unsigned site)
{
	push(&in, "n", build_int_cst(long_long_integer_type_node, MARK | what));
	push(&in, "n", build_int_cst(unsigned_type_node, site));

	gasm *stmt = gimple_build_asm_vec("", in, out, NULL, NULL);
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

/*
 * Constraint for a value of @type that may be anywhere.  A class that this
 * function has no register of (-mno-sse, -mno-80387, the attribute target) would
 * leave memory alone, and a value that lives in no memory then has no place.
 */
static const char *where_it_lies(tree type)
{
	machine_mode mode = TYPE_MODE(type);

	if (!SCALAR_FLOAT_TYPE_P(type) && !VECTOR_TYPE_P(type))
		return "rm";
	if (mode == XFmode)
		return TARGET_80387 ? "fm" : "rm";
	if (TARGET_SSE)
		return "xm";
	return TARGET_80387 && mode != TFmode ? "fm" : "rm";
}

gimple *asm_enter(unsigned site, tree target, const tree *before, unsigned n, tree *token)
{
	vec<tree, va_gc> *in = NULL, *out = NULL;

	*token = fresh_word();
	push(&out, "=&r", *token);
	if (target)
		push(&in, ADDRESS, target);
	for (unsigned i = 0; i < n; i++)
		push(&in, where_it_lies(TREE_TYPE(before[i])), before[i]);
	return probe_finish(in, out, target ? PROBE_ENTER : PROBE_ENTER_DIRECT, site);
}

gimple *asm_leave(unsigned site, tree token)
{
	vec<tree, va_gc> *in = NULL;

	push(&in, "r", token);
	return probe_finish(in, NULL, PROBE_LEAVE, site);
}

tree asm_token(const gimple *enter)
{
	return TREE_VALUE(gimple_asm_output_op(as_a<const gasm *>(enter), 0));
}

gimple *asm_keep(gimple *leave)
{
	vec<tree, va_gc> *in = NULL, *out = NULL;
	gasm *probe = as_a<gasm *>(leave);
	tree link = gimple_asm_input_op(probe, 0), kept = fresh_word();
	gimple *copy;

	push(&in, "r", TREE_VALUE(link));
	push(&out, "=r", kept);
	copy = probe_finish(in, out, PROBE_KEEP, 0);
	TREE_VALUE(link) = kept;
	update_stmt(leave);
	return copy;
}

/* Can an access of @bytes at @ref touch two lines, for all that is known of its address? */
static bool may_straddle(tree ref, unsigned bytes)
{
	unsigned HOST_WIDE_INT bit;
	unsigned align;

	get_object_alignment_1(ref, &align, &bit);
	align = MIN(align / BITS_PER_UNIT, 1u << PRS_LINE_SHIFT);
	return !align || bit / BITS_PER_UNIT % align + bytes > align;
}

static gimple *build_mem(unsigned site, tree ref, tree access, enum mem_form form, tree sharer)
{
	vec<tree, va_gc> *in = NULL, *out = NULL;

	for (int i = 0; form == MEM_INLINE && i < 2; i++)
		push(&out, "=&r", fresh_word());
	if (form == MEM_INLINE)
		push(&in, "r", sharer);
	push(&in, "m", ref);
	push(&in, "n", access);
	return probe_finish(in, out, (enum probe)(PROBE_MEM + form), site);
}

gimple *asm_mem(unsigned site, tree ref, unsigned access, enum mem_form form)
{
	if (may_straddle(ref, PRS_ACCESS_BYTES(access)))
		access |= MEM_STRADDLES;
	return build_mem(site, ref, build_int_cst(unsigned_type_node, access), form, NULL_TREE);
}

gimple *asm_block(unsigned site, tree first, unsigned access, bool straddles)
{
	vec<tree, va_gc> *in = NULL;

	push(&in, ADDRESS, first);
	push(&in, "n", build_int_cst(unsigned_type_node, straddles ? access | MEM_STRADDLES : access));
	return probe_finish(in, NULL, PROBE_BLOCK, site);
}

gimple *asm_range(unsigned site, tree first, tree bytes, tree count, unsigned access)
{
	vec<tree, va_gc> *in = NULL;

	push(&in, ADDRESS, first);
	push(&in, "re", bytes);
	push(&in, "re", count);
	push(&in, "n", build_int_cst(unsigned_type_node, access));
	return probe_finish(in, NULL, PROBE_RANGE, site);
}

gimple *asm_span(unsigned site, tree first, tree bytes, unsigned access)
{
	vec<tree, va_gc> *in = NULL;

	push(&in, ADDRESS, first);
	push(&in, "re", bytes);
	push(&in, "n", build_int_cst(unsigned_type_node, access));
	return probe_finish(in, NULL, PROBE_SPAN, site);
}

gimple *asm_rows(unsigned site, tree first, tree bytes, tree count, tree pitch, tree rows, unsigned access)
{
	vec<tree, va_gc> *in = NULL;
	tree values[] = {bytes, count, pitch, rows};

	push(&in, ADDRESS, first);
	for (tree v : values)
		push(&in, "re", v);
	push(&in, "n", build_int_cst(unsigned_type_node, access));
	return probe_finish(in, NULL, PROBE_ROWS, site);
}

/* Operand @from_end of the probe @stmt, counted from its last; NULL_TREE: it is none of ours. */
static tree probe_operand(const gimple *stmt, unsigned from_end)
{
	const gasm *probe = dyn_cast<const gasm *>(stmt);
	unsigned n = probe ? gimple_asm_ninputs(probe) : 0;
	tree mark = n >= 2 ? TREE_VALUE(gimple_asm_input_op(probe, n - 2)) : NULL_TREE;

	if (!mark || TREE_CODE(mark) != INTEGER_CST || !tree_fits_shwi_p(mark) ||
	    (tree_to_shwi(mark) & ~0xffll) != MARK || from_end >= n)
		return NULL_TREE;
	return TREE_VALUE(gimple_asm_input_op(probe, n - 1 - from_end));
}

bool asm_is_probe(const gimple *stmt)
{
	return probe_operand(stmt, 1) != NULL_TREE;
}

tree asm_mem_form(const gimple *stmt, enum mem_form *form)
{
	tree mark = probe_operand(stmt, 1);
	unsigned what = mark ? (unsigned)(tree_to_shwi(mark) & 0xff) : 0;

	if (what < PROBE_MEM || what > PROBE_MEM_INLINE)
		return NULL_TREE;
	*form = (enum mem_form)(what - PROBE_MEM);
	return probe_operand(stmt, 3);
}

gimple *asm_mem_reform(const gimple *stmt, enum mem_form form, tree sharer)
{
	gimple *probe = build_mem((unsigned)tree_to_uhwi(probe_operand(stmt, 0)),
				  unshare_expr(probe_operand(stmt, 3)), probe_operand(stmt, 2), form, sharer);

	gimple_set_location(probe, gimple_location(stmt));
	gimple_set_block(probe, gimple_block(stmt));
	if (gimple_vuse(stmt))
		gimple_set_vuse(probe, gimple_vuse(stmt));
	return probe;
}

gimple *asm_enabled(unsigned word, tree *enabled)
{
	vec<tree, va_gc> *in = NULL, *out = NULL;

	*enabled = fresh_word();
	push(&out, "=r", *enabled);
	return probe_finish(in, out, PROBE_ENABLED, word);
}

gimple *asm_sharer(tree *sharer)
{
	vec<tree, va_gc> *in = NULL, *out = NULL;

	*sharer = fresh_word();
	push(&out, "=r", *sharer);
	return probe_finish(in, out, PROBE_SHARER, 0);
}

gimple *asm_depth(tree *depth)
{
	vec<tree, va_gc> *in = NULL, *out = NULL;

	*depth = fresh_word();
	push(&out, "=r", *depth);
	return probe_finish(in, out, PROBE_DEPTH, 0);
}

gimple *asm_ranges_on(tree *on)
{
	return asm_enabled(PRS_DESC_RANGES, on);
}

gimple *asm_note_alloc(unsigned site, tree ptr, tree bytes, tree status)
{
	vec<tree, va_gc> *in = NULL;

	push(&in, ADDRESS "m", ptr);
	if (!bytes)
		return probe_finish(in, NULL, PROBE_STRDUP, site);
	push(&in, "rme", bytes);
	if (!status)
		return probe_finish(in, NULL, PROBE_ALLOC, site);
	push(&in, "rm", status);
	return probe_finish(in, NULL, PROBE_MEMALIGN, site);
}

gimple *asm_note_free(unsigned site, tree ptr)
{
	vec<tree, va_gc> *in = NULL;

	push(&in, ADDRESS "m", ptr);
	return probe_finish(in, NULL, PROBE_FREE, site);
}

rtx asm_entry(unsigned first)
{
	rtvec ops = rtvec_alloc(3), constraints = rtvec_alloc(3);
	rtx body;

	for (int i = 0; i < 3; i++) {
		RTVEC_ELT(ops, i) = GEN_INT(i == 1 ? MARK | PROBE_ENTRY : i == 2 ? first : 0);
		RTVEC_ELT(constraints, i) = gen_rtx_ASM_INPUT(VOIDmode, "n");
	}
	body = gen_rtx_ASM_OPERANDS(VOIDmode, "", "", 0, ops, constraints, rtvec_alloc(0), UNKNOWN_LOCATION);
	MEM_VOLATILE_P(body) = 1;
	return body;
}

/* ---- printing ---- */

/* Around the stub: what it changes and somebody needs; @token is the probe's result. */
static void save_live(struct cold *c, rtx_insn *insn, bool enter, unsigned token, bool back)
{
	unsigned n;
	const unsigned *regs = spare_changed(enter, &n);

	for (unsigned i = 0; i < n; i++) {
		unsigned k = back ? n - 1 - i : i;

		if ((enter && regs[k] == token) || !spare_must_save(insn, k))
			continue;
		if (back)
			cold_pop(c, stub_register(regs[k], true));
		else
			cold_push(c, stub_register(regs[k], true));
	}
}

static void print_enter(FILE *f, rtx_insn *insn, rtx *ops, bool direct, unsigned site, unsigned label)
{
	unsigned reg = REGNO(ops[0]);
	const char *r = stub_register(reg, true);
	struct cold *c = cold_begin(insn, label);
	bool red = cold_red_zone();

	fprintf(f, "\tmovq\t" STUB_DESC "(%%rip), %s\n\ttestq\t%s, %s\n\tje\t.LprsB%u\n", r, r, r, label);
	fprintf(f, "\tmovq\t%%fs:(%s), %s\n\ttestq\t%s, %s\n\tje\t.LprsC%u\n", r, r, r, r, label);
	fprintf(f, "\taddq\t" STUB_DESC "+%d(%%rip), %s\n\tsubl\t$1, %u(%s)\n\tjs\t.LprsC%u\n", PRS_DESC_BASE,
		r, 8 * site, r, label);
	fprintf(f, "\txorl\t%s, %s\n.LprsB%u:\n", stub_register(reg, false), stub_register(reg, false),
		label);
	if (red)
		cold_step(c, 128);
	save_live(c, insn, true, reg, false);
	if (!direct)
		cold_push(c, stub_register(REGNO(ops[1]), true));
	cold_call(c, stub_name(direct ? STUB_ENTER : STUB_ENTER_INDIRECT, AX_REG), site);
	if (!direct)
		cold_step(c, -8);
	if (reg != AX_REG)
		cold_move(c, stub_register(AX_REG, true), r);
	save_live(c, insn, true, reg, true);
	if (red)
		cold_step(c, -128);
	cold_end(c, label);
}

static void print_leave(FILE *f, rtx_insn *insn, rtx *ops, unsigned site, unsigned label)
{
	struct cold *c = cold_begin(insn, label);
	const char *token = stub_register(REGNO(ops[0]), true);
	bool red = cold_red_zone();

	fprintf(f, "\ttestq\t%s, %s\n\tjne\t.LprsC%u\n.LprsB%u:\n", token, token, label, label);
	if (red)
		cold_step(c, 128);
	save_live(c, insn, false, 0, false);
	cold_call(c, stub_name(STUB_LEAVE, REGNO(ops[0])), site);
	save_live(c, insn, false, 0, true);
	if (red)
		cold_step(c, -128);
	cold_end(c, label);
}

static void print_depth(FILE *f, rtx reg, unsigned label)
{
	const char *r = stub_register(REGNO(reg), true);

	fprintf(f, "\tmovq\t" STUB_DESC "(%%rip), %s\n\ttestq\t%s, %s\n\tje\t.LprsB%u\n", r, r, r, label);
	fprintf(f, "\tmovq\t%%fs:(%s), %s\n\ttestq\t%s, %s\n\tje\t.LprsB%u\n", r, r, r, r, label);
	fprintf(f, "\tmovl\t%u(%s), %s\n\taddl\t$1, %s\n.LprsB%u:\n", PRS_BLOCK_DEPTH, r,
		stub_register(REGNO(reg), false), stub_register(REGNO(reg), false), label);
}

static void print_note(FILE *f, rtx_insn *insn, rtx *ops, enum probe what, unsigned site)
{
	bool sized = what == PROBE_ALLOC || what == PROBE_MEMALIGN;
	enum stub_kind stub = what == PROBE_FREE       ? STUB_NOTE_FREE
			      : what == PROBE_STRDUP   ? STUB_NOTE_STRDUP
			      : what == PROBE_MEMALIGN ? STUB_NOTE_MEMALIGN
						       : STUB_NOTE_ALLOC;

	mem_print_note(f, insn, ops[0], sized ? ops[1] : NULL, what == PROBE_MEMALIGN ? ops[2] : NULL, stub,
		       site);
}

static void print_probe(FILE *f, rtx_insn *insn, rtx *ops, enum probe what, unsigned site)
{
	switch (what) {
	case PROBE_ENTER:
	case PROBE_ENTER_DIRECT:
		print_enter(f, insn, ops, what == PROBE_ENTER_DIRECT, site, cold_label());
		break;
	case PROBE_LEAVE:
		print_leave(f, insn, ops, site, cold_label());
		break;
	case PROBE_MEM:
	case PROBE_MEM_BURST:
		mem_print(f, insn, ops[0], (unsigned)INTVAL(ops[1]), site, what == PROBE_MEM_BURST);
		break;
	case PROBE_MEM_INLINE:
		mem_print_inline(f, insn, ops, ops[3], (unsigned)INTVAL(ops[4]), site);
		break;
	case PROBE_BLOCK:
		mem_print(f, insn, gen_rtx_MEM(QImode, ops[0]), (unsigned)INTVAL(ops[1]), site, false);
		break;
	case PROBE_RANGE:
		mem_print_range(f, insn, ops, 3, (unsigned)INTVAL(ops[3]), site);
		break;
	case PROBE_SPAN:
		mem_print_span(f, insn, ops, (unsigned)INTVAL(ops[2]), site);
		break;
	case PROBE_ROWS:
		mem_print_range(f, insn, ops, 5, (unsigned)INTVAL(ops[5]), site);
		break;
	case PROBE_KEEP:
		fprintf(f, "\tmovq\t%s, %s\n", cold_operand(ops[1]), cold_operand(ops[0]));
		break;
	case PROBE_DEPTH:
		print_depth(f, ops[0], cold_label());
		break;
	case PROBE_SHARER:
		mem_print_sharer(f, ops[0]);
		break;
	case PROBE_ENTRY:
		entry_print(f, (enum entry_first)site);
		break;
	case PROBE_ENABLED:
		fprintf(f, "\tmovq\t" STUB_DESC "+%u(%%rip), %s\n", site, cold_operand(ops[0]));
		break;
	default:
		print_note(f, insn, ops, what, site);
		break;
	}
}

bool asm_call_probe(rtx_insn *insn, bool *enter)
{
	rtx asm_operands = extract_asm_operands(PATTERN(insn)), mark;
	int n = asm_operands ? ASM_OPERANDS_INPUT_LENGTH(asm_operands) : 0;
	enum probe what;

	if (n < 2)
		return false;
	mark = ASM_OPERANDS_INPUT(asm_operands, n - 2);
	if (!CONST_INT_P(mark) || (INTVAL(mark) & ~0xffll) != MARK)
		return false;
	what = (enum probe)(INTVAL(mark) & 0xff);
	*enter = what != PROBE_LEAVE;
	return what == PROBE_ENTER || what == PROBE_ENTER_DIRECT || what == PROBE_LEAVE;
}

unsigned asm_mem_sites(rtx_insn *insn, unsigned *sites)
{
	rtx body = asm_is_mem(insn) ? extract_asm_operands(PATTERN(insn)) : NULL;
	int n = body ? ASM_OPERANDS_INPUT_LENGTH(body) : 0;

	return n ? stub_sites((unsigned)INTVAL(ASM_OPERANDS_INPUT(body, n - 1)), sites) : 0;
}

bool asm_is_mem(rtx_insn *insn)
{
	rtx body = extract_asm_operands(PATTERN(insn)), mark;
	int n = body ? ASM_OPERANDS_INPUT_LENGTH(body) : 0;

	if (n < 4)
		return false;
	mark = ASM_OPERANDS_INPUT(body, n - 2);
	return CONST_INT_P(mark) &&
	       (INTVAL(mark) == (MARK | PROBE_MEM) || INTVAL(mark) == (MARK | PROBE_MEM_BURST) ||
		INTVAL(mark) == (MARK | PROBE_BLOCK));
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

static void epilogue(FILE *f)
{
	if (old_epilogue)
		old_epilogue(f);
	if (cold_any()) {
		if (intel())
			fputs("\t.att_syntax prefix\n", f);
		cold_print_all(f);
		if (intel())
			fputs("\t.intel_syntax noprefix\n", f);
	}
	entry_print_end(f);
	scratch_reset();
	cfi_reset();
}

static void patch_area(FILE *f, unsigned HOST_WIDE_INT n, bool record)
{
	if (!entry_print_front(f))
		old_patch_area(f, n, record);
}

void asm_install(void)
{
	old_patch_area = targetm.asm_out.print_patchable_function_entry;
	targetm.asm_out.print_patchable_function_entry = patch_area;
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
