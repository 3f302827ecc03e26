/* SPDX-License-Identifier: MIT */
/*
 * libperseus-trap.so: counts denormal operands and tiny results of programs
 * without source by unmasking the exceptions they raise.  README.md has the
 * algorithm and what it leaves as it was.
 */
#ifndef RUNTIME_DENORMAL_TRAP_TRAP_H
#define RUNTIME_DENORMAL_TRAP_TRAP_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

#include "runtime/denormal/den.h"

#define MXCSR_DE    0x0002u /* flags */
#define MXCSR_UE    0x0010u
#define MXCSR_DAZ   0x0040u
#define MXCSR_FTZ   0x8000u
#define MXCSR_MASKS (0x0100u | 0x0800u) /* of the two; they are what is unmasked */

#define TRAP_BYTES_MAX 15
#define TRAP_SOURCES   3

enum trap_shape {
	TRAP_LANES, /* lane i of the result comes of lane i of each source */
	TRAP_PAIRS, /* ... of two neighbours of one source: haddps */
	TRAP_DOT    /* products are added: dpps; the immediate says which */
};

/* What an instruction reads as floating-point numbers. */
struct trap_source {
	uint8_t element;  /* bytes: 2, 4, 8 */
	uint8_t elements; /* 1 with more lanes: broadcast */
	bool memory;
	uint8_t reg; /* vector register, not in memory */
};

/* Where memory lies: base + index * scale + disp, of 16 general registers in the order of their encoding. */
struct trap_memory {
	int8_t base, index; /* -1: none */
	uint8_t scale;
	bool narrow;  /* 32-bit addresses */
	char segment; /* 'f', 'g', or 0 */
	int64_t disp; /* relative to the instruction pointer already resolved */
};

struct trap_stub {
	struct trap_stub *next;
	unsigned char *code;
	uint8_t control; /* second byte of MXCSR that it leaves behind */
};

/* An instruction that raised one of the two, with the bytes it had. */
struct trap_site {
	struct trap_site *next; /* of its hash chain */
	uint64_t address;
	unsigned char bytes[TRAP_BYTES_MAX + 1];
	uint8_t length, lanes, n_sources, mask, immediate; /* mask: 1 to 7, 0: all lanes */
	uint8_t shape;                                     /* enum trap_shape */
	uint8_t disp_at; /* of a displacement that is relative to the next instruction, 0: none */
	int64_t target;  /* ... the address it means */
	struct trap_source source[TRAP_SOURCES];
	struct trap_memory memory;
	struct trap_stub *stubs;
};

struct trap_near {
	uint64_t address;
	struct trap_site *site;
	struct prs_den_trap_row *row;
};
#define TRAP_NEAR 256

/* Of a thread item; of its present thread alone. */
struct den_trap {
	struct prs_den_traps *item;
	struct den_self *self;
	uint64_t noted; /* traps that the head of the file has */
	struct trap_row {
		struct trap_row *next;
		struct prs_den_trap_row *row;
	} * rows[256];
	struct trap_near near[TRAP_NEAR];
};

/* Of a thread whose traps are limited; times are its CPU time. */
struct trap_sample {
	uint64_t taken, begin; /* in this window, or since when it rests */
	uint64_t watched, rested;
	int timer;
	bool timed, rests;
};

/* Of a thread, at a fixed place beside its thread pointer, since stubs write to it. */
struct trap_here {
	uint32_t mxcsr;  /* as the last stub left it */
	uint32_t inside; /* handlers of the program that run */
	struct den_trap *traps;
	struct prs_den_trap_row *row; /* what the last trap added to */
	uint32_t lanes;               /* ... and how many; 0: it was counted as a result */
	bool disarmed;                /* stood aside */
	bool blocked;                 /* the program blocks SIGFPE */
	struct trap_sample sample;
	unsigned char *stack; /* the alternate stack that this thread was given */
};
extern __thread struct trap_here trap_here;

struct trap_state {
	bool on;    /* there is a file and the handlers are there */
	bool aside; /* nothing is counted any more */
};
extern struct trap_state trap;

/* ---- arming ---- */

uint32_t trap_mxcsr(void);
void trap_mxcsr_set(uint32_t mxcsr);

/* Unmask the two in the calling thread, if it is watched. */
void trap_arm(void);

/* Take the calling thread back to what the program set; trap_arm() afterwards. */
void trap_hide(void);

/* Nothing is counted from now on, in no thread. */
void trap_aside(enum prs_den_note_kind why, uint64_t value);

/* Once for each kind and value; others add to its count. */
void trap_note(enum prs_den_note_kind kind, uint64_t value);

/* The file is closed: the system will refuse calls from now on. */
void trap_close(void);

/* ---- sites ---- */

/*
 * What the @n @bytes at @address do: 0, or -ENOTSUP.  @site is filled but for
 * its links.
 */
int trap_decode(struct trap_site *site, uint64_t address, const unsigned char *bytes, size_t n);

/* The site at @address and the row of the calling thread; false: it cannot be run elsewhere or counted. */
bool trap_find(struct den_trap *t, uint64_t address, struct trap_site **site, struct prs_den_trap_row **row);

/* The copy of @site that leaves @control behind; NULL as trap_stub_make(). */
struct trap_stub *trap_site_stub(struct trap_site *site, uint8_t control);

/* ---- operands ---- */

/* Once: where the parts of vector registers lie in a signal frame. */
void trap_lanes_begin(void);

/* Lanes of the instruction with a denormal operand, in the state @u. */
unsigned trap_lanes(const struct trap_site *site, const ucontext_t *u);

/* Copy, unless it faults. */
bool trap_peek(void *to, const void *from, size_t n);

/* ---- stubs ---- */

#define TRAP_STUB 128 /* bytes of one, aligned to as many */

/*
 * A copy of the instruction that then puts the flags it raised and @control
 * into MXCSR and goes on behind the original; no register, no flag and no
 * memory but trap_here is touched.  NULL: its operand is out of reach, or there
 * is no memory that may be executed.
 */
struct trap_stub *trap_stub_make(const struct trap_site *site, uint8_t control, struct den_arena *arena);

/* Under the lock, or by the one who made it: write the code of a stub to @code. */
bool trap_stub_write(unsigned char *code, const struct trap_site *site, uint8_t control, int32_t here);

/*
 * Where the original of @address, in a stub, goes on; @done: the copy has been
 * executed.  False: no stub is there.
 */
bool trap_stub_origin(uint64_t address, uint64_t *origin, bool *done);

/* ---- a limit ---- */

/* Before our handlers are there.  False: there is one, and it cannot be kept. */
bool trap_sample_begin(void);

/* At a trap: the calling thread has had its share, and is to go on masked. */
bool trap_sample_rests(void);

/* At the end of the thread: what was left out is noted. */
void trap_sample_end(void);

/* ---- faults and signals ---- */

/* Installs the handlers; false: the system refuses. */
bool trap_signals_begin(void);

/* An alternate stack for the calling thread, so that a trap needs nothing of its own. */
void trap_stack_begin(void);
void trap_stack_end(void);

/* The kernel's handler of SIGFPE. */
void trap_fault(int sig, siginfo_t *info, void *context);

/* What the program asked for: SIGFPE is not ours. */
void trap_forward(int sig, siginfo_t *info, ucontext_t *u);

/* Take @u out of a stub, to before or behind its instruction. */
void trap_leave_stub(ucontext_t *u);

/* ---- modules ---- */

/* Writes down the module that @address lies in, unless it is known. */
void trap_module(uint64_t address);

#endif
