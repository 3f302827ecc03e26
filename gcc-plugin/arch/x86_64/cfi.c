/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gcc-plugin/base/gcc-common.h"
#include "gcc-plugin/arch/x86_64/cfi.h"

#define STACK_REG 7 /* DWARF number of %rsp */

static struct cfi_row now, at_end;
static vec<cfi_row> remembered;
static rtx_insn *next_insn_to_read;
static bool started;

bool cfi_used(void)
{
	return dwarf2out_do_frame() && dwarf2out_do_cfi_asm();
}

/* What the common header of all frames says: the state at a function's entry. */
void cfi_entry(struct cfi_row *row)
{
	memset(row, 0, sizeof(*row));
	row->reg = STACK_REG;
	row->offset = UNITS_PER_WORD;
}

static void entry_row(void)
{
	cfi_entry(&now);
	remembered.truncate(0);
}

void cfi_reset(void)
{
	started = false;
}

static void save(dw_cfi_ref cfi, bool saved)
{
	unsigned reg = cfi->dw_cfi_oprnd1.dw_cfi_reg_num;

	if (reg < CFI_REGS)
		now.saved[reg] = saved ? cfi : NULL;
}

static void cfi_apply(dw_cfi_ref cfi)
{
	switch (cfi->dw_cfi_opc) {
	case DW_CFA_def_cfa:
	case DW_CFA_def_cfa_sf:
		now.cfa = NULL;
		now.reg = cfi->dw_cfi_oprnd1.dw_cfi_reg_num;
		now.offset = cfi->dw_cfi_oprnd2.dw_cfi_offset;
		break;
	case DW_CFA_def_cfa_register:
		now.reg = cfi->dw_cfi_oprnd1.dw_cfi_reg_num;
		break;
	case DW_CFA_def_cfa_offset:
	case DW_CFA_def_cfa_offset_sf:
		now.offset = cfi->dw_cfi_oprnd1.dw_cfi_offset;
		break;
	case DW_CFA_def_cfa_expression:
		now.cfa = cfi;
		break;
	case DW_CFA_offset:
	case DW_CFA_offset_extended:
	case DW_CFA_offset_extended_sf:
	case DW_CFA_register:
	case DW_CFA_expression:
	case DW_CFA_val_expression:
	case DW_CFA_undefined:
		save(cfi, true);
		break;
	case DW_CFA_restore:
	case DW_CFA_restore_extended:
	case DW_CFA_same_value:
		save(cfi, false);
		break;
	case DW_CFA_remember_state:
		remembered.safe_push(now);
		break;
	case DW_CFA_restore_state:
		if (remembered.length())
			now = remembered.pop();
		break;
	default:
		break;
	}
}

static void walk_to(rtx_insn *insn)
{
	for (; next_insn_to_read && next_insn_to_read != insn;
	     next_insn_to_read = NEXT_INSN(next_insn_to_read)) {
		if (!NOTE_P(next_insn_to_read))
			continue;
		if (NOTE_KIND(next_insn_to_read) == NOTE_INSN_CFI)
			cfi_apply(NOTE_CFI(next_insn_to_read));
		else if (NOTE_KIND(next_insn_to_read) == NOTE_INSN_SWITCH_TEXT_SECTIONS)
			entry_row();
	}
}

static void start_walk(void)
{
	entry_row();
	next_insn_to_read = get_insns();
}

const struct cfi_row *cfi_at(rtx_insn *insn)
{
	/* When the function's end is printed its notes are gone: look there first. */
	if (!started) {
		start_walk();
		walk_to(NULL);
		at_end = now;
		start_walk();
		started = true;
	}
	walk_to(insn);
	return &now;
}

const struct cfi_row *cfi_at_end(void)
{
	return &at_end;
}

bool cfi_by_stack(const struct cfi_row *row)
{
	return !row->cfa && row->reg == STACK_REG;
}

void cfi_print_change(FILE *f, const struct cfi_row *from, const struct cfi_row *to)
{
	if (to->cfa && to->cfa != from->cfa)
		output_cfi_directive(f, to->cfa);
	else if (!to->cfa && (from->cfa || from->reg != to->reg || from->offset != to->offset))
		fprintf(f, "\t.cfi_def_cfa %u, " HOST_WIDE_INT_PRINT_DEC "\n", to->reg, to->offset);
	for (unsigned i = 0; i < CFI_REGS; i++) {
		if (from->saved[i] == to->saved[i])
			continue;
		if (to->saved[i])
			output_cfi_directive(f, to->saved[i]);
		else
			fprintf(f, "\t.cfi_restore %u\n", i);
	}
}
