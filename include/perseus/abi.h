/* SPDX-License-Identifier: MIT */
/*
 * The hook ABI: what a probe in the user's object and the runtime agree on.
 *
 * The plugin emits into every object that carries at least one probe
 *
 *   - one descriptor, a local symbol `__prs_desc` of type struct prs_desc
 *     (64-aligned), all zero, in a section that has no bytes in the file and
 *     lies behind the program's .bss, so that no variable is moved by it;
 *   - one struct prs_head among the code, which says what cannot change;
 *   - one early constructor (.init_array.00100) that loads the address of
 *     the weak undefined symbol __prs_attach THROUGH THE GOT and, if that is
 *     not zero, copies version, counts and unit id from the head, and
 *     calls it with the descriptor; one destructor likewise for
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

#include "perseus/access.h"

#define PRS_ABI_VERSION 8

#define PRS_DESC_SECTION ".perseus.desc"

/* Offsets of struct prs_desc used by assembler text. */
#define PRS_DESC_TLS      0
#define PRS_DESC_BASE     8
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
#define PRS_DESC_PARTS    128
#define PRS_DESC_ROWS     136
#define PRS_DESC_SHARER   144
#define PRS_DESC_BYTES    192

#define PRS_DESC_TWINS 1u /* of `flags` */

/* ... and of struct prs_block. */
#define PRS_BLOCK_DEPTH 16

/* Offsets of struct prs_sharer used by assembler text. */
#define PRS_SHARER_LOAD_TAG  64
#define PRS_SHARER_STORE_TAG 1048640

/* Rows of @bytes, each @pitch behind the one before; @count accesses in each, 0: not known. */
struct prs_rows {
	uint64_t first, bytes, count;
	int64_t pitch;
	uint64_t rows; /* at least 1 */
};

/*
 * One per object.  Written by __prs_attach before it returns, `tls` last;
 * cleared, `tls` first, by __prs_detach.
 */
struct prs_desc {
	uint64_t tls;     /* %fs-relative offset of the thread's block pointer;
			      0: not attached, every probe is dormant */
	uint64_t base;    /* bytes from the block to call slot 0 of the object */
	uint64_t dir;     /* address of the line directory, in a sharing run */
	uint64_t mem_tls; /* ... and %fs-relative offset of the thread's word that
			      says where its struct prs_sharer is, see `sharer` */

	/*
	 * Call probes.  enter() returns a token, never 0; the probe keeps it
	 * live over the call and hands it to leave().  0 means "not timed",
	 * and leave() is not called.  A token of less than 2^48 is block.depth
	 * + 1, as it was when the function began that has now caught an
	 * exception: all calls open above that depth are left.  @target: callee's address for an
	 * indirect call, else NULL.  enter() reads the clock last, leave()
	 * first.
	 *
	 * They are no C functions, and enter_to_stub is for indirect calls.  The stub is called from the probe by an instruction
	 * that a byte and the 32 bits of the site follow.
	 *
	 *   enter: the stub loads the descriptor into rdx and jumps; the
	 *          token comes in rax; rcx, rdx, r10, r11 and the flags
	 *          change.  The target lies above the return address.
	 *   leave: the stub loads the descriptor into r9 and the token into
	 *          rcx, and jumps; rax, rdx, rsi, rdi, r8, r10, r11 change,
	 *          too.
	 *
	 * Both return to the probe, which saves what somebody needs of these;
	 * most are free there as a rule.  The stack is aligned to 8.
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
	uint32_t flags;   /* PRS_DESC_TWINS: it has functions with two bodies */
	uint64_t unit_id; /* the U line of the object's .perseus.sites */
	uint64_t runtime; /* for the runtime */
	void (*enter_to_stub)(void);

	/*
	 * RANGE probe, in front of a loop: the loop accesses the bytes
	 * [@first, @first + @bytes) @count times in all, each time as @access
	 * says.  Called while `ranges` is not 0, but for a @count of 1 to
	 * PRS_RANGE_FEW where the tags of all lines fit.  An @access of 0 bytes: not a
	 * loop, but a call of the library that does it once; the probe is a
	 * DIRECT one then, and its part is jumped to.
	 */
	void (*range)(const struct prs_desc *d, uint32_t site, const void *first, uint64_t bytes,
		      uint64_t count, uint32_t access);
	uint64_t loops;  /* not 0: loops that exist twice run their watched copy */
	uint64_t ranges; /* not 0: RANGE probes are on */
	int64_t parts; /* bytes from here to the object's table of accesses, 0: not known, or none; never cleared */

	/* The same for a loop over rows. */
	void (*rows)(const struct prs_desc *d, uint32_t site, const struct prs_rows *rows, uint32_t access);
	uint64_t sharer; /* address of what threads have whose word is 0; the thread's word is added to it */
	uint64_t spare[5];
};
_Static_assert(offsetof(struct prs_desc, sharer) == PRS_DESC_SHARER, "ABI");
_Static_assert(offsetof(struct prs_desc, range) == PRS_DESC_RANGE, "ABI");
_Static_assert(offsetof(struct prs_desc, loops) == PRS_DESC_LOOPS, "ABI");
_Static_assert(offsetof(struct prs_desc, ranges) == PRS_DESC_RANGES, "ABI");
_Static_assert(offsetof(struct prs_desc, enter_to_stub) == PRS_DESC_ENTER_TO, "ABI");
_Static_assert(offsetof(struct prs_desc, parts) == PRS_DESC_PARTS, "ABI");
_Static_assert(offsetof(struct prs_desc, rows) == PRS_DESC_ROWS, "ABI");
_Static_assert(sizeof(struct prs_desc) == PRS_DESC_BYTES, "ABI");
_Static_assert(offsetof(struct prs_desc, note) == PRS_DESC_NOTE, "ABI");
_Static_assert(offsetof(struct prs_desc, version) == PRS_DESC_VERSION, "ABI");

/*
 * What is known of an object when it is compiled; 8-aligned, found by its magic
 * word.  The PRS_HEAD_WORDS words from `version` on are copied to `version` of
 * the descriptor.
 */
struct prs_head {
	uint64_t magic;
	int32_t desc; /* the descriptor, from the start of the head */
	uint32_t spare;
	uint32_t version, n_calls, n_mems, flags;
	uint64_t unit_id;
};
#define PRS_HEAD_MAGIC 0x8ed1f0a65b7c2943ull
#define PRS_HEAD_FACTS 16
#define PRS_HEAD_WORDS 3
_Static_assert(offsetof(struct prs_head, version) == PRS_HEAD_FACTS, "ABI");
_Static_assert(sizeof(struct prs_head) == PRS_HEAD_FACTS + 8 * PRS_HEAD_WORDS, "ABI");

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
	uint32_t depth;    /* timed calls open */
	uint32_t open_max; /* struct prs_open that have space in the file */
	uint64_t open;     /* bytes from the block to the end of its struct prs_open, 0: none */
	uint64_t
		pend_record; /* file offset of the record of the call left last; 0 or odd: it is in its record */
	uint64_t pend_ticks; /* its time */
	uint64_t slow;       /* accesses and ranges that came to the runtime */
	uint64_t spare[9];
};
#define PRS_PEND_BUSY 1u /* of pend_record: the call is being put into its record */
_Static_assert(sizeof(struct prs_block) == 128, "ABI");
_Static_assert(offsetof(struct prs_block, depth) == PRS_BLOCK_DEPTH, "ABI");

/*
 * What a thread may do without telling anybody: low 32 bits of the numbers of the
 * lines that it may load, and of those that it may store to.  The entry of a line
 * is the one that the low 18 bits of its number say; it is free if its own low
 * 18 bits say another.  Zeros are free but for entry 0, which starts as 1.
 * Lines 2^38 bytes apart look the same.
 *
 * The runtime fills in what the directory says, and takes it back as soon as the
 * directory says something else.  A thread that it does not know has tables
 * without entries.
 */
#define PRS_TAGS 262144u

struct prs_sharer {
	/* The first line is the runtime's. */
	struct prs_sharer *next; /* of the threads that have the same bit */
	uint32_t taken;          /* by a thread */
	uint32_t lost;           /* how often a thread of this bit lost a line, or the right to store to it */
	uint64_t spare[6];

	uint32_t load_tag[PRS_TAGS];
	uint32_t store_tag[PRS_TAGS];
};
_Static_assert(offsetof(struct prs_sharer, load_tag) == PRS_SHARER_LOAD_TAG, "ABI");
_Static_assert(offsetof(struct prs_sharer, store_tag) == PRS_SHARER_STORE_TAG, "ABI");

/*
 * The line directory: PRS_DIR_WORDS words, word index = line number modulo
 * PRS_DIR_WORDS, line number = address / 64.
 *
 *   bits 63..22  line number (42 bits)
 *   bit  21      modified: exactly one sharer bit is set
 *   bits 20..0   threads that hold the line
 *
 * A thread holds a line for loads if the line numbers agree and its bit is set;
 * for stores and read-modify-writes if, besides, bit 21 is and no other thread's.
 * Probes look at what the thread's struct prs_sharer says of that, and go to
 * mem() if it says nothing.  Nobody holds a line under observation, so that every
 * access reaches mem().
 */
#define PRS_LINE_SHIFT   6
#define PRS_DIR_BITS     20
#define PRS_DIR_WORDS    (1u << PRS_DIR_BITS)
#define PRS_DIR_TAG      22
#define PRS_DIR_MODIFIED (1u << 21)
#define PRS_DIR_SHARERS  21

#define PRS_ACCESS(kind, bytes) ((uint32_t)(kind) << 24 | (uint32_t)(bytes))
#define PRS_ACCESS_PARTS        (1u << 31) /* several parts: PRS_PARTS() */
#define PRS_ACCESS_KIND(a)      ((a) >> 24 & 0x7f)
#define PRS_ACCESS_BYTES(a)     ((a)&0x7fffffu)
#define PRS_RANGE_FEW           63u        /* see range() */
#define PRS_RANGE_DENSE         (1u << 23) /* of range()'s access: no byte of the range is left out */

/*
 * Accesses of one base that always run together are one probe.  It has no site;
 * mem() gets the address of the lowest byte, and an access with PRS_ACCESS_PARTS
 * that says how many bytes that are in all, at most 64, and how many words in front
 * of the object's table of accesses the parts are.  That table has a word for each
 * site.  The parts are in the order in which the program makes them, as a rule.
 */
#define PRS_PARTS(words, bytes)      (PRS_ACCESS_PARTS | (uint32_t)(words) << 7 | (uint32_t)(bytes))
#define PRS_PARTS_WORDS(access)      (((access) & ~PRS_ACCESS_PARTS) >> 7)
#define PRS_PARTS_BYTES(access)      ((access)&0x7f)
#define PRS_PART(site, offset, last) ((uint32_t)(site) << 7 | (uint32_t)(offset) << 1 | (last))
#define PRS_PART_SITE(part)          ((part) >> 7)
#define PRS_PART_OFFSET(part)        ((part) >> 1 & 0x3f) /* of its first byte behind the address */
#define PRS_PART_LAST(part)          ((part)&1)

/*
 * Memory probes and heap notes sleep as no-ops of eight bytes, and their cold
 * parts are not reached: 0f 1f 84 e9 <rel32>, nopl rel32(%rcx,%rbp,8).  The last
 * five bytes are a jump to the cold part, or with e8 a call of it.  To wake a probe
 * up the runtime writes 00 over the third byte: the no-op ends there, and the jump
 * is next.  It is one byte both ways, and the jump is whole at any moment, so
 * another thread may run into that.  At a probe the flags are free.
 *
 * Which they are is said by tables that lie in the code itself, one behind each
 * function, so that whatever keeps, moves or drops the function (COMDAT,
 * section garbage collection, identical code folding) does it to the table too,
 * and no linker has to know about it.  A table starts on a multiple of 8; all
 * of a module are found by looking for `magic` in its executable segments.
 */
#define PRS_NOPS_MAGIC   0xb35c71e9d80f2a6bull
#define PRS_NOP_BYTES    8
#define PRS_NOP_OPCODE   0x0f /* 0f 1f: nopl */
#define PRS_NOP_SWITCH   2    /* the byte that is written: */
#define PRS_NOP_DISABLED 0x84
#define PRS_NOP_ENABLED  0x00
#define PRS_JUMP_OPCODE  0xe9 /* jmp rel32 */
#define PRS_CALL_OPCODE  0xe8 /* call rel32: of probes, but not of notes; their functions have no red zone */

/* Behind a call of a stub: testl $imm32, %eax.  The number is the site. */
#define PRS_TEST_OPCODE 0xa9

/*
 * Heap notes first, then DIRECT memory probes, then BURST ones.  Notes are
 * enabled in every sharing run.  DIRECT probes are enabled in a
 * precise run, BURST probes only while a burst is on; in rate mode DIRECT ones
 * are as BURST ones.
 *
 * Before any place of a module is woken, `dir`, `mem_tls`, `mem`, `range` and
 * `note` of the descriptors that its tables name are filled in, and they stay
 * filled: a cold part tests neither `tls` nor `dir`.
 */
struct prs_nops {
	uint64_t magic;
	uint32_t n;        /* entries */
	int32_t desc;      /* the object's descriptor, from the start of the table */
	uint32_t n_direct; /* notes and DIRECT probes */
	uint32_t n_notes;  /* notes */
	int32_t place[];   /* of the no-ops, from the start of the table */
};
_Static_assert(sizeof(struct prs_nops) == 24, "ABI");

/*
 * Functions with two bodies.  The plain one, which everybody calls, is that of the plain
 * program.  In front of it, where nobody comes, lies a jump to the other one, its twin,
 * with the same code and probes.  The plain body's first instruction has two bytes or more,
 * none of its own code jumps to it, and it lies at an even address: so a function is switched
 * by one store of two bytes, `jump`, a short jump to the one in front, or what was there
 * before, and whichever another thread runs into is whole.  A call made while `jump` is there
 * runs in the twin.
 *
 * Such a record lies behind each twin, on a multiple of 8.  The runtime switches all functions
 * of a module before it sets `tls` of the first object that has some; in an object without the
 * runtime the twins are never reached.  `other` is what is not there now, at first `jump`.
 */
#define PRS_ENTRY_MAGIC 0x6e17d2c9540fb83dull
#define PRS_ENTRY_JUMP  0xeb /* jmp rel8 */

struct prs_entry {
	uint64_t magic;
	uint32_t zero;
	int32_t desc;   /* the object's descriptor, from the start of the record */
	int32_t place;  /* of the plain body's first instruction, likewise */
	uint16_t jump;  /* as it lies in memory: the opcode first */
	uint16_t other; /* may have been relocated, and so is not known before */
};
_Static_assert(sizeof(struct prs_entry) == sizeof(struct prs_nops), "found alike");
_Static_assert(offsetof(struct prs_entry, desc) == offsetof(struct prs_nops, desc), "found alike");

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
