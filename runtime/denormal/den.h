/* SPDX-License-Identifier: MIT */
/*
 * libperseus-denormal.so: tables of counters, arrays and threads of programs
 * whose code was compiled with probe=denormal.  README.md has the algorithms.
 */
#ifndef RUNTIME_DENORMAL_DEN_H
#define RUNTIME_DENORMAL_DEN_H

#include <signal.h>
#include <stdbool.h>

#include "perseus/denormal.h"

#define DEN_EXPORT __attribute__((visibility("default")))

#define DEN_BLOCK_MIN 256 /* smaller heap blocks are not told apart */
#define DEN_OWN       64 /* so many threads have items of their own before those of ended ones are used again */
#define DEN_ALIKE     32  /* blocks of one allocation that are objects of their own */
#define DEN_ROWS      254 /* rows of one item */
#define DEN_MODULES   1024
#define DEN_CHAIN     8 /* return addresses of an allocation */

/* Private memory that is never given back; each has one lock that its users hold. */
struct den_arena {
	unsigned char *at, *end;
};
void *den_alloc(struct den_arena *a, size_t bytes); /* zeros, or NULL */

struct den_unit {
	struct den_unit *next;
	const struct prs_den_desc *desc;
	const struct prs_den_slot *slots;
	const struct prs_den_row *rows;
	uint32_t number, n_slots, mode, module;
	const uint64_t *loops; /* functions of which a loop counts in registers */
	uint64_t n_loops;
};

struct den_table {
	struct den_table *next;
	const struct den_unit *unit;
	uint64_t *count;
	uint64_t **pointer; /* of the program, NULL: not open */
};

/* Where the last denormals of one site lay. */
struct den_near {
	const struct prs_den_site *site;
	uint64_t low, high, generation;
	struct prs_den_array_row *row;
};
#define DEN_NEAR 256

/* Which of @n that is: arrays that take turns, as the two of a stencil, have one each. */
static inline uint32_t den_near_of(const struct prs_den_site *site, uint64_t address, uint32_t n)
{
	return (uint32_t)((uint64_t)site >> 3 ^ address >> 18) % n;
}

struct den_self {
	struct den_self *next; /* all */
	struct prs_den_thread *item;
	struct den_table *tables;
	uint64_t start, stack_low, stack_top;
	uint32_t number, stack_object, rounds; /* rounds: of key destructors */
	uint32_t accesses, loops;
	bool ended, calmed; /* calmed: MXCSR.DE was set, and was cleared */
	struct den_near near[DEN_NEAR];
	struct prs_den_arrays *arrays; /* with room for rows */
	struct prs_den_array_row **hash;
	uint32_t n_hash, hash_size;
	struct den_trap *trap;     /* of the trap route */
	struct den_origin *origin; /* of mode origin */
	struct den_origin **here;  /* ... and the thread's pointer to it, NULL: none */
};

struct den_state {
	bool wanted; /* a run directory was given, and a file could be made as long as one was tried */
	bool open;   /* there is a file: from the first table on */
	char dir[4096];
	int pid;
	struct prs_den_head *head;
	struct den_self *threads;
	struct den_arena arena; /* under the lock */
	uint64_t generation;    /* changes when what lies somewhere may be another object than before */
	/* Of the trap route, else NULL: in the thread itself, not under the lock. */
	void (*begins)(struct den_self *s);
	void (*ends)(struct den_self *s);
	/* Of mode origin, else NULL: a heap block is gone; in a child, under the lock. */
	void (*freed)(uint64_t start, uint64_t bytes);
	void (*forked)(void);
	void (*leaves)(
		void); /* the calling thread ends the process, maybe from a handler; NULL: never mind */
};
extern struct den_state den;

#define DEN_NONE UINT32_MAX

/* The lock of the file and of all that is not said to have another; signals are blocked meanwhile. */
void den_lock(sigset_t *old);
void den_unlock(const sigset_t *old);

uint64_t den_now(void);

/* ---- file ---- */

/* What the environment asks for; once, and before anything else. */
void den_begin(void);

/* Under the lock: make the file of this process.  False: there is none. */
bool den_file_open(const char *dir);

/* Under the lock: an item of @bytes, zeros; a reader sees it after den_publish().  NULL: no room, counted. */
void *den_take(enum prs_den_item_type type, size_t bytes);
void den_publish(const void *item);

/* In a child, with the lock: a file of its own under the same addresses. */
void den_file_fork(void);

/* ---- modules ---- */

/* The module that @address lies in, DEN_NONE: in none.  Not under the lock. */
uint32_t den_module(uint64_t address);

/* Does @address lie in module @module?  Not under the lock. */
bool den_module_holds(uint32_t module, uint64_t address);

/* The variable, else the page, that @address of module @module lies in.  Not under the lock. */
void den_variable(uint32_t module, uint64_t address, uint64_t *start, uint64_t *end);

/* ---- units ---- */

/* Has any unit loops that count in registers? */
bool den_has_loops(void);

/* Does the function round @address have such loops?  Where that cannot be known: does any of its module? */
bool den_loops_at(uint64_t address);

/* Does @address lie in a module that has units? */
bool den_counts_at(uint64_t address);

/* ---- ways out of loops that pass by their end ---- */

void den_left_begin(void);

/* The stack pointer that a jump to @buf goes on with. */
uint64_t den_jump_stack(const void *buf);

/* ---- threads ---- */

/* The calling thread's; NULL: no room, or nothing is recorded. */
struct den_self *den_self(void);

/* The same, which looks at MXCSR if the thread has none yet; @address as of den_look(). */
struct den_self *den_self_at(uint64_t address);

/* Would den_self() be the first of the calling thread? */
bool den_thread_is_new(void);

/* Clears MXCSR.DE until the thread ends. */
void den_calm(struct den_self *s);

/* Is flush-to-zero or denormals-are-zero on in the calling thread, and was not before? */
bool den_flush_is_new(const struct den_self *s);

/*
 * Looks at MXCSR; flush-to-zero is noted once for each thread.  @address: behind
 * what may have set it, 0: not known.
 */
void den_look(struct den_self *s, uint64_t address);

/* Ends the calling thread's recording. */
void den_thread_end(void);

/* In a child: the calling thread is the only one. */
void den_threads_fork(void);

/* Tables of @s no longer lead anywhere. */
void den_tables_close(struct den_self *s);

/* ---- heap ---- */

struct den_block {
	struct den_block *left, *right;
	uint64_t start, end, begin_ns;
	uint64_t caller[DEN_CHAIN];
	uint32_t priority, object; /* object: DEN_NONE: none yet */
};

void den_heap_begin(void);

/* A copy of the block that @address lies in; false: in none that is known. */
bool den_heap_find(uint64_t address, struct den_block *out);

/* Narrows [*@start, *@end), which holds @address, to where no block is known; to nothing if that cannot be told. */
void den_heap_gap(uint64_t address, uint64_t *start, uint64_t *end);

/* The block that begins at @start is object @object. */
void den_heap_name(uint64_t start, uint32_t object);

void den_heap_fork(bool before);

/* ---- arrays ---- */

/* An object, where it lies, and the part of that where nothing else is as long as the generation is the same. */
struct den_place {
	uint64_t start, end, low, high;
	uint32_t object; /* DEN_NONE: no room */
};

/* The object that @address lies in; not under the lock. */
void den_locate(uint64_t address, struct den_self *s, struct den_place *p);

/* The same as prs_den_array(), for the calling thread @s. */
void den_array(struct den_self *s, const struct prs_den_site *site, uint64_t address, uint64_t count);

/* Object @number ended. */
void den_object_end(uint32_t number);

/* A block begins to be known in [@start, @end). */
void den_block_begins(uint64_t start, uint64_t end);

#endif
