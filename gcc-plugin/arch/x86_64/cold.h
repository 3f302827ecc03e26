/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Cold parts: what a probe does when it is not disabled, printed at the end of
 * the function; and the table of the no-ops that lead there.
 */
#ifndef PERSEUS_PLUGIN_ARCH_COLD_H
#define PERSEUS_PLUGIN_ARCH_COLD_H

#include "gcc-plugin/base/gcc-common.h"
#include "gcc-plugin/arch/x86_64/cfi.h"
#include "gcc-plugin/base/text.h"

/* Labels of a probe, each followed by its number: the cold part, and where it goes back to. */
#define COLD_PART ".LprsC"
#define COLD_BACK ".LprsB"

struct cold {
	struct text body;
	struct cfi_row row; /* unwind state at the probe */
};

/* What the runtime wakes when (perseus/abi.h). */
enum nop_class { NOP_NOTE, NOP_DIRECT, NOP_BURST, NOP_CLASSES };

/* A number for the labels of one probe. */
unsigned cold_label(void);

/* Begin the cold part of the probe at @insn; valid until the next one begins. */
struct cold *cold_begin(rtx_insn *insn, unsigned label);

/*
 * The same for a memory probe: it is entered by a call, so it ends by returning,
 * and the number in front of it is the site (perseus/abi.h).  To an unwinder it
 * is a function of its own, called by the one it belongs to.
 */
struct cold *cold_begin_called(rtx_insn *insn, unsigned label, unsigned site);

/* Jump back to the probe. */
void cold_end(struct cold *c, unsigned label);

/* Move the stack pointer down by @bytes (negative: up), push and pop. */
void cold_step(struct cold *c, int bytes);
void cold_push(struct cold *c, const char *value);

/* Push a register or number; @below: bytes the stack pointer has been moved down since the probe. */
void cold_push_operand(struct cold *c, rtx x, unsigned below);
void cold_pop(struct cold *c, const char *value);

/* Copy register @from to register @to. */
void cold_move(struct cold *c, const char *from, const char *to);

/*
 * Call stub @name.  What follows the call is `test $data, %eax`: nothing to
 * the processor, but the stub reads the number through its return address.
 */
void cold_call(struct cold *c, const char *name, unsigned data);

/* Does the function keep data below the stack pointer? */
bool cold_red_zone(void);

/*
 * Operand as AT&T text; up to four are valid at once.  The second: where the
 * stack pointer is @below bytes lower than at the probe.
 */
const char *cold_operand(rtx x);
const char *cold_operand_below(rtx x, unsigned below);

/* Print the no-op of a probe in place, and the label behind it. */
void cold_print_nop(FILE *f, unsigned label, enum nop_class what);

/* The same with the opcode that leads to the cold part: PRS_JUMP_OPCODE or PRS_CALL_OPCODE. */
void cold_print_nop_to(FILE *f, unsigned label, enum nop_class what, unsigned opcode);

/* Has the function anything to print at its end?  Print it, and forget it. */
bool cold_any(void);
void cold_print_all(FILE *f);

#endif
