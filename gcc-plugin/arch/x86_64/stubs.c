/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A stub is called from a cold part, keeps every general register but its
 * result, and calls the runtime through the descriptor.  The runtime promises
 * to use general registers only, so nothing else is saved.  There is one stub
 * for each register that a probe of this object really uses.
 *
 *   frame:  32 to 16 values pushed by the probe, 8 return address
 *            0 rbp; below it the nine registers that a call may destroy
 *
 * The runtime's functions for calls look for the site on their own and change
 * few registers, which the probe saves if they are live (spare.c), so their
 * stubs are short.
 */
#include "gcc-plugin/base/gcc-common.h"
#include "perseus/abi.h"
#include "gcc-plugin/base/bodies.h"
#include "perseus/sites.h"
#include "gcc-plugin/arch/x86_64/hit.h"
#include "gcc-plugin/arch/x86_64/stubs.h"

static const struct {
	const char *wide, *narrow;
	int slot; /* place below rbp where the stub saves it, 0: it does not */
} regs[] = {
	{"%rax", "%eax", -8},   {"%rcx", "%ecx", -16}, {"%rdx", "%edx", -24}, {"%rsi", "%esi", -32},
	{"%rdi", "%edi", -40},  {"%r8", "%r8d", -48},  {"%r9", "%r9d", -56},  {"%r10", "%r10d", -64},
	{"%r11", "%r11d", -72}, {"%rbx", "%ebx", 0},   {"%rbp", "%ebp", 0},   {"%r12", "%r12d", 0},
	{"%r13", "%r13d", 0},   {"%r14", "%r14d", 0},  {"%r15", "%r15d", 0},
};
#define SAVED 9
#define CX    1

static bool used[STUB_KINDS][ARRAY_SIZE(regs)];

/* What the memory sites do, for the slow path: a table is shorter than saying it at each probe. */
static vec<unsigned> accesses;

/* Groups of accesses that are one probe: number ~i stands for the i-th, at index -1 - i of the table. */
struct group {
	unsigned first; /* its index */
	unsigned bytes;
};
static vec<group> groups;
static vec<unsigned> parts;
static hash_map<int_hash<uint64_t, 0, 1>, unsigned> *group_numbers;

unsigned stub_parts(const uint32_t *list, unsigned n, unsigned bytes)
{
	uint64_t key = prs_fnv64(PRS_FNV_INIT, list, n * sizeof(*list)) | 2;
	bool existed;

	if (!group_numbers)
		group_numbers = new hash_map<int_hash<uint64_t, 0, 1>, unsigned>;
	unsigned &at = group_numbers->get_or_insert(key, &existed);
	if (!existed) {
		at = groups.length();
		groups.safe_push(group{parts.length(), bytes});
		for (unsigned i = 0; i < n; i++)
			parts.safe_push(list[i]);
	}
	return ~at;
}

unsigned stub_sites(unsigned site, unsigned *sites)
{
	unsigned n = 0;

	if ((int)site >= 0) {
		*sites = site;
		return 1;
	}
	for (unsigned i = groups[~site].first; n < STUB_PARTS_MAX; i++) {
		sites[n++] = PRS_PART_SITE(parts[i]);
		if (PRS_PART_LAST(parts[i]))
			break;
	}
	return n;
}

void stub_access(unsigned site, unsigned access)
{
	if ((int)site < 0)
		return;
	if (accesses.length() <= site)
		accesses.safe_grow_cleared(site + 1, false);
	accesses[site] = access;
}

static unsigned index_of(unsigned regno)
{
	switch (regno) {
	case AX_REG:
		return 0;
	case CX_REG:
		return 1;
	case DX_REG:
		return 2;
	case SI_REG:
		return 3;
	case DI_REG:
		return 4;
	case BX_REG:
		return 9;
	case BP_REG:
		return 10;
	default:
		gcc_assert(regno >= R8_REG && regno <= R15_REG);
		return regno <= R11_REG ? 5 + (regno - R8_REG) : 11 + (regno - R12_REG);
	}
}

const char *stub_register(unsigned regno, bool wide)
{
	unsigned i = index_of(regno);

	return wide ? regs[i].wide : regs[i].narrow;
}

static const char *label_of(enum stub_kind kind, unsigned i)
{
	static const char *const names[STUB_KINDS] = {"E",  "I",  "L",  "M",  "P", "R",
						      "RR", "NA", "NS", "NM", "NF"};
	static char text[32];

	snprintf(text, sizeof(text), ".Lprs%s_%s", names[kind], regs[i].wide + 1);
	return text;
}

const char *stub_name(enum stub_kind kind, unsigned regno)
{
	unsigned i = index_of(regno);

	used[kind][i] = true;
	return label_of(kind, i);
}

static void write_prologue(FILE *f, const char *label)
{
	fprintf(f,
		"%s:\n\t.cfi_startproc\n\tpushq\t%%rbp\n\t.cfi_def_cfa_offset "
		"16\n\t.cfi_offset 6, -16\n",
		label);
	fputs("\tmovq\t%rsp, %rbp\n\t.cfi_def_cfa_register 6\n", f);
	for (int i = 0; i < SAVED; i++)
		fprintf(f, "\tpushq\t%s\n", regs[i].wide);
	fputs("\tandq\t$-16, %rsp\n", f);
}

static void write_epilogue(FILE *f)
{
	fprintf(f, "\tleaq\t%d(%%rbp), %%rsp\n", -8 * SAVED);
	for (int i = SAVED - 1; i >= 0; i--)
		fprintf(f, "\tpopq\t%s\n", regs[i].wide);
	fputs("\tpopq\t%rbp\n\t.cfi_def_cfa 7, 8\n\tret\n\t.cfi_endproc\n", f);
}

/* Call through the descriptor; skipped if the runtime has just left. */
static void write_pointer_call(FILE *f, unsigned pointer)
{
	fputs("\tleaq\t" STUB_DESC "(%rip), %rdi\n", f);
	fprintf(f,
		"\tmovq\t%u(%%rdi), %%rax\n\ttestq\t%%rax, "
		"%%rax\n\tje\t1f\n\tcall\t*%%rax\n1:\n",
		pointer);
}

void stub_load_site(struct text *x, const char *stack, unsigned to, unsigned scratch, bool called)
{
	const char *wide = stub_register(to, true);
	const char *s = stub_register(scratch, true);

	text_add(x, "\tmovq\t%s, %s\n", stack, wide);
	if (!called) {
		text_add(x, "\tmovslq\t1(%s), %s\n", wide, wide);
		return;
	}
	/* What the call says of its target is relative to the return address. */
	text_add(x, "\tmovslq\t-4(%s), %s\n\tmovslq\t-4(%s,%s), %s\n", wide, s, wide, s, wide);
}

static void write_site(FILE *f, bool called)
{
	struct text x = {NULL, 0, 0};

	stub_load_site(&x, "8(%rbp)", SI_REG, CX_REG, called);
	fputs(text_get(&x), f);
	text_release(&x);
}

static void write_call(FILE *f, unsigned pointer)
{
	write_site(f, false);
	write_pointer_call(f, pointer);
}

static void write_note(FILE *f, enum stub_kind kind)
{
	fputs("\tmovq\t16(%rbp), %rdx\n\tmovq\t24(%rbp), %rcx\n", f);
	if (kind == STUB_NOTE_MEMALIGN)
		fputs("\tmovq\t(%rdx), %rdx\n", f);
	fputs("\ttestq\t%rdx, %rdx\n\tje\t1f\n", f);
	if (kind == STUB_NOTE_STRDUP)
		fputs("\txorl\t%ecx, %ecx\n2:\tincq\t%rcx\n\tcmpb\t$0, "
		      "-1(%rdx,%rcx)\n\tjne\t2b\n",
		      f);
	fprintf(f, "\tmovl\t$%u, %%r8d\n", kind == STUB_NOTE_FREE ? PRS_NOTE_FREE : PRS_NOTE_ALLOC);
	write_call(f, PRS_DESC_NOTE);
}

static void write_push(FILE *f, const char *reg)
{
	fprintf(f, "\tpushq\t%s\n\t.cfi_adjust_cfa_offset 8\n", reg);
}

/* The runtime returns to the probe, with the token in rax. */
static void write_enter(FILE *f, enum stub_kind kind, unsigned i)
{
	fprintf(f,
		"%s:\n\t.cfi_startproc\n\tleaq\t" STUB_DESC
		"(%%rip), %%rdx\n\tjmp\t*%u(%%rdx)\n\t.cfi_endproc\n",
		label_of(kind, i), kind == STUB_ENTER ? PRS_DESC_ENTER : PRS_DESC_ENTER_TO);
}

static void write_leave(FILE *f, unsigned i)
{
	fprintf(f, "%s:\n\t.cfi_startproc\n", label_of(STUB_LEAVE, i));
	if (i != CX)
		fprintf(f, "\tmovq\t%s, %%rcx\n", regs[i].wide);
	fprintf(f, "\tleaq\t" STUB_DESC "(%%rip), %%r9\n\tjmp\t*%u(%%r9)\n\t.cfi_endproc\n", PRS_DESC_LEAVE);
}

/* The address in rax, whose value is on the stack: what all stubs for memory share. */
static void write_mem_body(FILE *f, enum stub_kind kind)
{
	struct text x = {NULL, 0, 0};

	fprintf(f,
		".Lprs%s:\n\t.cfi_startproc\n\t.cfi_def_cfa_offset 16\n\tpushq\t%%rbp\n"
		"\t.cfi_def_cfa_offset 24\n\t.cfi_offset 6, -24\n\tmovq\t%%rsp, %%rbp\n"
		"\t.cfi_def_cfa_register 6\n",
		kind == STUB_MEM_CALLED ? "P" : "M");
	for (int i = 1; i < SAVED; i++)
		fprintf(f, "\tpushq\t%s\n", regs[i].wide);
	fputs("\tandq\t$-16, %rsp\n\tmovq\t%rax, %rdx\n", f);
	stub_load_site(&x, "16(%rbp)", SI_REG, CX_REG, kind == STUB_MEM_CALLED);
	fputs(text_get(&x), f);
	text_release(&x);
	fputs("\tleaq\t" STUB_ACCESSES "(%rip), %rcx\n\tmovl\t(%rcx,%rsi,4), %ecx\n", f);
	write_pointer_call(f, PRS_DESC_MEM);
	fprintf(f, "\tleaq\t%d(%%rbp), %%rsp\n", -8 * (SAVED - 1));
	for (int i = SAVED - 1; i > 0; i--)
		fprintf(f, "\tpopq\t%s\n", regs[i].wide);
	fputs("\tpopq\t%rbp\n\t.cfi_def_cfa 7, 16\n\tpopq\t%rax\n\t.cfi_def_cfa_offset 8\n\tret\n"
	      "\t.cfi_endproc\n",
	      f);
}

static void write_mem(FILE *f, enum stub_kind kind, unsigned i)
{
	fprintf(f, "%s:\n\t.cfi_startproc\n", label_of(kind, i));
	write_push(f, "%rax");
	if (i)
		fprintf(f, "\tmovq\t%s, %%rax\n", regs[i].wide);
	fprintf(f, "\tjmp\t.Lprs%s\n\t.cfi_endproc\n", kind == STUB_MEM_CALLED ? "P" : "M");
}

static void write_body(FILE *f, enum stub_kind kind)
{
	switch (kind) {
	case STUB_RANGE:
		fputs("\tmovq\t16(%rbp), %rdx\n\tmovq\t24(%rbp), %rcx\n\tmovq\t32(%rbp), %r8\n", f);
		write_site(f, false);
		fputs("\tleaq\t" STUB_ACCESSES "(%rip), %r9\n\tmovl\t(%r9,%rsi,4), %r9d\n", f);
		write_pointer_call(f, PRS_DESC_RANGE);
		break;
	case STUB_ROWS:
		fputs("\tleaq\t16(%rbp), %rdx\n", f);
		write_site(f, false);
		fputs("\tleaq\t" STUB_ACCESSES "(%rip), %rcx\n\tmovl\t(%rcx,%rsi,4), %ecx\n", f);
		write_pointer_call(f, PRS_DESC_ROWS);
		break;
	default:
		write_note(f, kind);
		break;
	}
}

static void write_stub(FILE *f, enum stub_kind kind, unsigned i)
{
	if (kind == STUB_MEM || kind == STUB_MEM_CALLED) {
		write_mem(f, kind, i);
	} else if (kind == STUB_LEAVE) {
		write_leave(f, i);
	} else if (kind == STUB_ENTER || kind == STUB_ENTER_INDIRECT) {
		write_enter(f, kind, i);
	} else {
		write_prologue(f, label_of(kind, i));
		write_body(f, kind);
		write_epilogue(f);
	}
}

static void write_stubs(FILE *f)
{
	hit_write_all(f); /* some ask for stubs */
	for (int kind = 0; kind < STUB_KINDS; kind++) {
		bool any = false;

		for (unsigned i = 0; i < ARRAY_SIZE(regs); i++) {
			any |= used[kind][i];
			if (used[kind][i])
				write_stub(f, (enum stub_kind)kind, i);
		}
		if (any && (kind == STUB_MEM || kind == STUB_MEM_CALLED))
			write_mem_body(f, (enum stub_kind)kind);
	}
}

/* What the constructor writes into the descriptor, which is zeros in the file. */
static void write_facts(FILE *f)
{
	for (unsigned i = 0; i < PRS_HEAD_WORDS; i++)
		fprintf(f, "\tmovq\t.LprsHead+%u(%%rip), %%rdx\n\tmovq\t%%rdx, %u(%%rdi)\n",
			PRS_HEAD_FACTS + 8 * i, PRS_DESC_VERSION + 8 * i);
	if (parts.length())
		fprintf(f,
			"\tleaq\t" STUB_ACCESSES "(%%rip), %%rdx\n\tsubq\t%%rdi, %%rdx\n"
			"\tmovq\t%%rdx, %u(%%rdi)\n",
			PRS_DESC_PARTS);
}

/*
 * The address of @hook must come through the GOT: a plain reference to a weak
 * symbol that no library defines at link time is resolved to zero for good in
 * programs that are not position independent.
 */
static void write_hook(FILE *f, bool attach)
{
	const char *hook = attach ? "__prs_attach" : "__prs_detach";
	const char *label = attach ? ".LprsAttach" : ".LprsDetach", *array = attach ? "init" : "fini";

	fprintf(f, "\t.weak\t%s\n%s:\n\t.cfi_startproc\n\tendbr64\n", hook, label);
	fprintf(f, "\tmovq\t%s@GOTPCREL(%%rip), %%rax\n\ttestq\t%%rax, %%rax\n\tje\t1f\n", hook);
	fputs("\tleaq\t" STUB_DESC "(%rip), %rdi\n", f);
	if (attach)
		write_facts(f);
	fputs("\tjmp\t*%rax\n1:\tret\n\t.cfi_endproc\n", f);
	fprintf(f, "\t.section\t.%s_array.00100,\"aw\",@%s_array\n\t.balign\t8\n\t.quad\t%s\n", array, array,
		label);
}

/*
 * In a section of its own that has no bytes in the file: linkers put it behind
 * the program's .bss, so that no variable of the program moves.
 */
static void write_descriptor(FILE *f)
{
	fputs("\t.section\t" PRS_DESC_SECTION ",\"aw\",@nobits\n\t.balign\t64\n", f);
	fprintf(f,
		"\t.type\t" STUB_DESC ", @object\n\t.size\t" STUB_DESC ", %d\n" STUB_DESC ":\n\t.zero\t%d\n",
		PRS_DESC_BYTES, PRS_DESC_BYTES);
}

static void write_head(FILE *f, unsigned n_calls, unsigned n_mems, uint64_t unit_id)
{
	fprintf(f,
		"\t.balign\t8\n.LprsHead:\n\t.quad\t0x%llx\n\t.long\t" STUB_DESC " - .LprsHead, 0\n"
		"\t.long\t%d, %u, %u, %u\n\t.quad\t0x%llx\n",
		(unsigned long long)PRS_HEAD_MAGIC, PRS_ABI_VERSION, n_calls, n_mems,
		bodies_any() ? PRS_DESC_TWINS : 0, (unsigned long long)unit_id);
}

/* Among the code: linker scripts that drop all .rodata keep what is executed, and .data is the program's. */
static void write_accesses(FILE *f)
{
	if (!accesses.length() && !groups.length())
		return;
	for (unsigned i = 0; i < parts.length(); i++)
		fprintf(f, "\t.long\t0x%x\n", parts[i]);
	for (unsigned i = groups.length(); i-- > 0;)
		fprintf(f, "\t.long\t0x%x\n",
			PRS_PARTS(parts.length() + groups.length() - groups[i].first, groups[i].bytes));
	fputs(STUB_ACCESSES ":\n", f);
	for (unsigned i = 0; i < accesses.length(); i++)
		fprintf(f, "\t.long\t0x%x\n", accesses[i]);
}

void stub_write_all(FILE *f, unsigned n_calls, unsigned n_mems, uint64_t unit_id)
{
	write_descriptor(f);
	if (!n_calls && !n_mems) {
		fputs("\t.text\n", f);
		return;
	}
	fputs("\t.section\t.text.perseus,\"ax\",@progbits\n", f);
	write_head(f, n_calls, n_mems, unit_id);
	write_accesses(f);
	write_stubs(f);
	write_hook(f, true);
	fputs("\t.section\t.text.perseus,\"ax\",@progbits\n", f);
	write_hook(f, false);
	fputs("\t.text\n", f);
}
