/* SPDX-License-Identifier: MIT */
/*
 * The hook ABI: what a probe in the user's object and the runtime agree on.
 *
 * The plugin emits into every object that carries at least one probe
 *
 *   - one descriptor, a local symbol `__prs_desc` of type struct prs_desc
 *     in .data (64-aligned), all zero but version, counts and unit id;
 *   - one early constructor (.init_array.00100) that loads the address of
 *     the weak undefined symbol __prs_attach THROUGH THE GOT and, if that is
 *     not zero, calls it with the descriptor; one destructor likewise for
 *     __prs_detach.  Without the runtime both are zero: probes stay dormant;
 *   - local stubs that save the caller-saved integer registers, align the
 *     stack and call the function pointers of the descriptor.
 *
 * The functions behind the pointers use general registers only, so probes
 * need not save vector or floating-point state.  They may be called at any
 * time after attach: in signal handlers, during thread exit, after fork.
 *
 * Offsets are part of the ABI: the probes are assembler text.  x86-64.
 */
#ifndef PERSEUS_ABI_H
#define PERSEUS_ABI_H

#include <stddef.h>
#include <stdint.h>

#define PRS_ABI_VERSION 4

/* Offsets of struct prs_desc used by assembler text. */
#define PRS_DESC_TLS      0
#define PRS_DESC_BASE     8
#define PRS_DESC_DIR      16
#define PRS_DESC_ENTER    32
#define PRS_DESC_LEAVE    40
#define PRS_DESC_MEM      48
#define PRS_DESC_NOTE     56
#define PRS_DESC_VERSION  64
#define PRS_DESC_MEM_TLS  24
#define PRS_DESC_ENTER_TO 96
#define PRS_DESC_RANGE    104
#define PRS_DESC_LOOPS    112
#define PRS_DESC_RANGES   120
#define PRS_DESC_BYTES    128

/* Offsets of struct prs_sharer used by assembler text. */
#define PRS_SHARER_LOAD_BIT   0
#define PRS_SHARER_STORE_WORD 8
#define PRS_SHARER_LOAD_MASK  16

/*
 * One per object.  Written by __prs_attach before it returns, `tls` last;
 * cleared, `tls` first, by __prs_detach.
 */
struct prs_desc {
	uint64_t tls;     /* %fs-relative offset of the thread's block pointer;
			      0: not attached, every probe is dormant */
	uint64_t base;    /* bytes from the block to call slot 0 of the object */
	uint64_t dir;     /* address of the line directory, in a sharing run */
	uint64_t mem_tls; /* ... and %fs-relative offset of the thread's pointer to
			      its struct prs_sharer, which is never NULL */

	/*
	 * Call probes.  enter() returns a token, never 0; the probe keeps it
	 * live over the call and hands it to leave().  0 means "not timed",
	 * and leave() is not called.  @target: callee's address for an
	 * indirect call, else NULL.  enter() reads the clock last, leave()
	 * first.
	 *
	 * They are no C functions, and enter_to_stub is for indirect calls.  The stub is called from the probe by an instruction
	 * that a byte and the 32 bits of the site follow.
	 *
	 *   enter: the stub pushes rdx, loads the descriptor into rdx and
	 *          calls; the token comes in rax; rdx, r10, r11 and the flags
	 *          change.  The target lies above the probe's return address.
	 *   leave: the stub pushes rdx and rax, loads the descriptor into r9
	 *          and the token into rcx, and jumps; leave pops the two and
	 *          returns to the probe; rcx, rsi, rdi, r8 to r11 change.
	 *
	 * These are free there as a rule; the probe saves those that are not,
	 * and rax before the call, too.  The stack is aligned to 8.
	 */
	void (*enter_stub)(void);
	void (*leave_stub)(void);

	/* Slow path of a memory probe; @access is PRS_ACCESS(kind, bytes). */
	void (*mem)(const struct prs_desc *d, uint32_t site, const void *addr, uint32_t access);

	/*
	 * Heap notes, NULL unless a sharing run.  @op PRS_NOTE_ALLOC after a
	 * successful allocation of @bytes at @ptr by call site @site (for
	 * realloc: the new block; a PRS_NOTE_FREE of the old one comes
	 * before), PRS_NOTE_FREE before a release (bytes 0).
	 */
	void (*note)(const struct prs_desc *d, uint32_t site, void *ptr, uint64_t bytes, uint32_t op);

	uint32_t version; /* PRS_ABI_VERSION */
	uint32_t n_calls; /* call slots */
	uint32_t n_mems;  /* memory sites */
	uint32_t flags;   /* PRS_DESC_* */
	uint64_t unit_id; /* the U line of the object's .perseus.sites */
	uint64_t runtime; /* for the runtime */
	void (*enter_to_stub)(void);

	/*
	 * RANGE probe, in front of a loop: the loop accesses the bytes
	 * [@first, @first + @bytes) @count times in all, each time as @access
	 * says.  Called while `ranges` is not 0.
	 */
	void (*range)(const struct prs_desc *d, uint32_t site, const void *first, uint64_t bytes,
		      uint64_t count, uint32_t access);
	uint64_t loops;  /* not 0: loops that exist twice run their watched copy */
	uint64_t ranges; /* not 0: RANGE probes are on */
};
_Static_assert(offsetof(struct prs_desc, range) == PRS_DESC_RANGE, "ABI");
_Static_assert(offsetof(struct prs_desc, loops) == PRS_DESC_LOOPS, "ABI");
_Static_assert(offsetof(struct prs_desc, ranges) == PRS_DESC_RANGES, "ABI");
_Static_assert(offsetof(struct prs_desc, enter_to_stub) == PRS_DESC_ENTER_TO, "ABI");
_Static_assert(sizeof(struct prs_desc) == PRS_DESC_BYTES, "ABI");
_Static_assert(offsetof(struct prs_desc, note) == PRS_DESC_NOTE, "ABI");
_Static_assert(offsetof(struct prs_desc, version) == PRS_DESC_VERSION, "ABI");

/*
 * A call slot, 8 bytes, one per call site and thread, at
 * block + desc.base + 8 * site.  The enter probe subtracts 1 from `left`;
 * while the result is not negative the call is only counted.  Negative: the
 * cold path calls enter(), which reloads `left` (0: the next call is timed
 * too; 63: one in 64) and accounts for the calls that the reload stands for.
 * Zero-filled slots therefore time the first call.
 */
struct prs_slot {
	int32_t left;
	uint32_t record; /* runtime: file offset of struct prs_call / 64, 0: none */
};

/*
 * Start of the memory that the thread's block pointer shows.  The pointer is
 * NULL until the thread's first touch: a probe that finds NULL takes its cold
 * path, and the runtime makes the block.
 */
struct prs_block {
	uint64_t sharing[2]; /* before minor 2: what a hit looked like; else 0 */

	/* For readers of the record (perseus/record.h), from minor 1 on. */
	uint32_t depth;       /* timed calls open */
	uint32_t open_max;    /* struct prs_open that have space in the file */
	uint64_t open;        /* bytes from the block to the end of its struct prs_open, 0: none */
	uint64_t pend_record; /* file offset of the record of the call left last, 0: it is in its record */
	uint64_t pend_ticks;  /* its time */
	uint64_t slow;        /* accesses and ranges that came to the runtime */
	uint64_t spare[9];
};
_Static_assert(sizeof(struct prs_block) == 128, "ABI");

/*
 * What a hit of the thread looks like.  With the line number at PRS_DIR_TAG, a
 * store hits if line | store_word is the directory's word, a load if
 * line | load_bit is what load_mask leaves of it.  A thread that the runtime
 * does not know has one that no word fits: 1 << 63, ~0, 1 << 63 (no address of
 * a program has bit 47).
 */
struct prs_sharer {
	uint64_t load_bit;   /* 1 << sharer slot of the thread, 0..20 */
	uint64_t store_word; /* PRS_DIR_MODIFIED | load_bit */
	uint64_t load_mask;  /* load_bit and all bits of the line number */
	uint64_t spare;
};

/*
 * The line directory: PRS_DIR_WORDS words, word index = line number modulo
 * PRS_DIR_WORDS, line number = address / 64.
 *
 *   bits 63..22  line number (42 bits)
 *   bit  21      modified: exactly one sharer bit is set
 *   bits 20..0   threads that hold the line
 *
 * A load hits if the line numbers agree and the thread's bit is set; a store
 * or read-modify-write hits if the word equals line << 22 | store_word.  A
 * hit only reads.  Anything else goes to mem().  A line under observation
 * has no bit set, so that every access reaches mem().
 */
#define PRS_LINE_SHIFT   6
#define PRS_DIR_BITS     20
#define PRS_DIR_WORDS    (1u << PRS_DIR_BITS)
#define PRS_DIR_TAG      22
#define PRS_DIR_MODIFIED (1u << 21)
#define PRS_DIR_SHARERS  21

#define PRS_KIND_LOAD           0u
#define PRS_KIND_STORE          1u
#define PRS_KIND_RMW            2u /* plain read-modify-write, merged into one probe */
#define PRS_KIND_ATOMIC         3u /* locked read-modify-write */
#define PRS_ACCESS(kind, bytes) ((uint32_t)(kind) << 24 | (uint32_t)(bytes))
#define PRS_ACCESS_KIND(a)      ((a) >> 24)
#define PRS_ACCESS_BYTES(a)     ((a)&0x7fffffu)
#define PRS_RANGE_DENSE         (1u << 23) /* of range()'s access: no byte of the range is left out */

/*
 * Memory probes and heap notes sleep as no-ops of five bytes, and their cold
 * parts are not reached.  To wake them up the runtime writes a jump over each:
 * first the opcode of a test, then the four bytes behind it, then the opcode of
 * the jump, so that each step is one that another thread may run into.  At a
 * probe the flags are free.
 *
 * Which they are is said by tables that lie in the code itself, one behind each
 * function, so that whatever keeps, moves or drops the function (COMDAT,
 * section garbage collection, identical code folding) does it to the table too,
 * and no linker has to know about it.  A table starts on a multiple of 8; all
 * of a module are found by looking for `magic` in its executable segments.
 */
#define PRS_NOPS_MAGIC  0xb35c71e9d80f2a6bull
#define PRS_NOP_BYTES   5
#define PRS_NOP_OPCODE  0x0f /* 0f 1f 44 00 00: nopl 0(%rax,%rax,1) */
#define PRS_TEST_OPCODE 0xa9 /* testl $imm32, %eax */
#define PRS_JUMP_OPCODE 0xe9 /* jmp rel32 */
#define PRS_CALL_OPCODE 0xe8 /* call rel32, in tables with PRS_NOPS_CALLS */

/* All offsets count from the start of the table. */
struct prs_nop {
	int32_t place; /* of the no-op */
	int32_t cold;  /* of what to jump to */
};

/*
 * Heap notes first, then DIRECT memory probes, then BURST ones.  Notes are
 * awake in every sharing run.  DIRECT probes are awake in a
 * precise run, BURST probes only while a burst is on; in rate mode DIRECT ones
 * are as BURST ones.  Those that wait for a burst are left in the form of a
 * test whose number is the jump's offset already: one byte turns it into the
 * jump, and back.
 *
 * Before any place of a module is woken, `dir`, `mem_tls`, `mem`, `range` and
 * `note` of the descriptors that its tables name are filled in, and they stay
 * filled: a cold part tests neither `tls` nor `dir`.
 */
#define PRS_NOPS_CALLS (1u << 31) /* of n_notes: probes, but not notes, are entered by a call */

struct prs_nops {
	uint64_t magic;
	uint32_t n;        /* entries */
	int32_t desc;      /* of the object's descriptor */
	uint32_t n_direct; /* notes and DIRECT probes */
	uint32_t n_notes;  /* notes; and PRS_NOPS_CALLS */
	struct prs_nop nop[];
};
_Static_assert(sizeof(struct prs_nops) == 24 && sizeof(struct prs_nop) == 8, "ABI");

#define PRS_NOTE_ALLOC 0u
#define PRS_NOTE_FREE  1u

/*
 * Bind an object's probes to the runtime.  Called by the object's
 * constructor; safe to call twice.  A descriptor of another version, or one
 * that does not fit, is left dormant and named in the record.
 */
void __prs_attach(struct prs_desc *desc);

/* The object is being unloaded: its counts are closed under their epoch. */
void __prs_detach(struct prs_desc *desc);

#endif
