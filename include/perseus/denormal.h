/* SPDX-License-Identifier: MIT */
/*
 * Denormal profiling: what a unit compiled with probe=denormal and
 * libperseus-denormal.so agree on, and the file that comes of it.
 *
 * A value is denormal if its exponent field is 0 and its mantissa is not; the
 * sign does not matter.  Counts belong to operations of the source: the plugin
 * marks them before optimisation, and whatever the optimisers do, each
 * execution of the operation counts once (once for each lane of a vector).
 *
 * With the plugin's instructions an object has, for each unit or partition,
 * one struct prs_den_desc, constant, with one struct prs_den_slot for each
 * counter; a thread-local pointer to the thread's table, 8 bytes a slot; and a
 * local function that is called where that pointer is NULL, and once when the
 * module is loaded, so that a unit is known before its first denormal.  It calls
 * prs_den_open() if there is one (weak), else it sets the pointer to a table
 * that nobody reads.  Counters are plain 64-bit words of one thread: a handler
 * that interrupts an addition may lose a count.
 */
#ifndef PERSEUS_DENORMAL_H
#define PERSEUS_DENORMAL_H

#include <stddef.h>
#include <stdint.h>

#define PRS_DEN_VERSION 2

/* What an operation of the source does. */
enum prs_den_kind {
	PRS_DEN_LOAD,
	PRS_DEN_STORE,
	PRS_DEN_ADD,
	PRS_DEN_SUB,
	PRS_DEN_MUL,
	PRS_DEN_DIV,
	PRS_DEN_SQRT,
	PRS_DEN_FMA,
	PRS_DEN_CONVERT, /* between floating-point types, or to an integer */
	PRS_DEN_COMPARE,
	PRS_DEN_CALL,  /* result of a function that carries no probes, of libm for instance */
	PRS_DEN_COPY,  /* moved as bytes or integers: no operation */
	PRS_DEN_OTHER, /* any other arithmetic */
	PRS_DEN_KINDS
};

enum prs_den_type {
	PRS_DEN_FLOAT16,
	PRS_DEN_FLOAT,
	PRS_DEN_DOUBLE,
	PRS_DEN_LONG_DOUBLE,
	PRS_DEN_FLOAT128,
	PRS_DEN_TYPES
};

/*
 * What one counter counts of its operation.  The leaves of an operation are
 * the values that reach it inside of the function without passing memory, a
 * call or a merge of control flow: loads, parameters, results of calls.
 */
enum prs_den_role {
	PRS_DEN_RESULT,  /* result, or value loaded or stored, is denormal */
	PRS_DEN_BIRTH,   /* ... and neither an operand nor any leaf nor a value between is */
	PRS_DEN_DEATH,   /* an operand is denormal, the result is not */
	PRS_DEN_OPERAND, /* operand number `operand` is denormal */
	PRS_DEN_WRAPPED, /* loops of more than 2^32 - 1 turns: the others of the site are lower bounds */
	PRS_DEN_ROLES
};

#define PRS_DEN_SITE_INTO 2u /* PRS_DEN_COPY: the value goes into the array; else it comes out */
#define PRS_DEN_SITE_ROOT 1u /* the value leaves its expression: stored, handed over, returned, kept */

/* One operation of the source; constant data of the object. */
struct prs_den_site {
	uint64_t id; /* as of other sites: FNV-1a-64 over function, unit, kind and ordinal */
	uint32_t kind, type;
	uint32_t line, column;
	uint32_t flags; /* PRS_DEN_SITE_* */
	uint32_t operands;
	const char *file;     /* as the compiler was given it */
	const char *function; /* assembler name */
	const char *name;     /* variable, field or array that is loaded or stored, callee, or "" */
};
_Static_assert(sizeof(struct prs_den_site) == 56, "ABI");

struct prs_den_slot {
	const struct prs_den_site *site;
	uint32_t role;    /* enum prs_den_role */
	uint32_t operand; /* of PRS_DEN_OPERAND: from 0 */
};
_Static_assert(sizeof(struct prs_den_slot) == 16, "ABI");

enum prs_den_mode {
	PRS_DEN_RESULTS, /* results that leave their expression */
	PRS_DEN_FULL,    /* loads, stores, each result, births, deaths */
	PRS_DEN_ORIGIN   /* ... and where each was born */
};

#define PRS_DEN_DESC_GATES 1u /* some loops count only where the processor notes a denormal */

struct prs_den_desc {
	uint32_t version; /* PRS_DEN_VERSION */
	uint32_t mode;    /* enum prs_den_mode */
	uint32_t n_slots;
	uint32_t flags; /* PRS_DEN_DESC_* */
	const struct prs_den_slot *slots;
	/* Functions of which a loop counts in registers: their first instructions. */
	const void *const *loops;
	uint64_t n_loops;
	const char *unit; /* as the compiler was given it; NULL, "-": not known, as in a link-time build */
	uint64_t spare[1];
};
_Static_assert(sizeof(struct prs_den_desc) == 56, "ABI");

/*
 * The calling thread's table of @desc, to which the caller only adds: zeros at
 * first, or the sums of ended threads of the same start routine, which it goes
 * on with.  It is also put into *@pointer, a thread-local variable that is set back
 * to NULL when the table is given back.  Never NULL: where there is no room, a table nobody reads,
 * and the loss is noted.
 */
uint64_t *prs_den_open(const struct prs_den_desc *desc, uint64_t **pointer);

/*
 * @count denormal values of @site were loaded from, or stored to, the array
 * that @address lies in.  Called behind a loop, or for one access, and only
 * where @count is not 0.
 */
void prs_den_array(const struct prs_den_site *site, const void *address, uint64_t count);

/*
 * How many numbers of @site's type in @bytes bytes at @from, where memory was copied to, are denormal; 0 where
 * nothing is recorded.
 */
uint64_t prs_den_copy(const struct prs_den_site *site, const void *from, uint64_t bytes);

/*
 * A loop has counted because the processor's flag of denormal operands was set before it, or because it must.
 * Now and then the flag is cleared, so that loops may leave the counting to it again; where the thread ends it is
 * as it was.
 */
void prs_den_calm(void);

/* The same at once, behind a round of a loop that counted. */
void prs_den_clear(void);

/*
 * Looks at the calling thread's MXCSR.  Called behind what may have written it: the
 * instructions, in asm() too, and fesetenv() and its like.
 */
void prs_den_look(void);

/*
 * Mode origin: where the denormals that a store or a register gets come from.
 * The leaves and births of its expression first, then itself, all in one
 * thread with nothing between that may leave the function.
 */
enum prs_den_flow {
	PRS_DEN_FLOW_LOAD, /* a leaf: @site loads from @address; @count 1: it is denormal, 0: not */
	/* A leaf whose tag, @address, was kept in a register; @count 1 or 0; @bits: where it was loaded from, or 0 */
	PRS_DEN_FLOW_TAG,
	/* @site stores one value of @bits to @address; @count 1: it is denormal, 0: not; @step: the site of the birth, or 0 */
	PRS_DEN_FLOW_ONE,
	PRS_DEN_FLOW_COPY, /* @count bytes were copied to @address from @bits; @site NULL */
	/* The result of @site, NULL: a load that has none, a denormal with @bits, 0: not known, stays in a register; @step as above */
	PRS_DEN_FLOW_KEEP,
	/* As ONE, but the compiler made something else of the store: @address is in its array, or 0, which is not known */
	PRS_DEN_FLOW_GONE,
	PRS_DEN_FLOW_SET, /* a denormal with the tag @bits was written to @address, which is no store of the source */
	/* The plugin's own, and nothing to the library: in front of a loop, what PRS_DEN_TOLD_ROUND and _OLD say behind it */
	PRS_DEN_FLOW_ROUND, /* of all @count turns @bits are to come */
	PRS_DEN_FLOW_OLD    /* the @count bytes at @address are kept at @bits */
};

/* What a tag says of a denormal, if it is not the number of a birth site. */
enum prs_den_tag {
	PRS_DEN_TAG_NONE,
	/* Of several parents' the greatest counts. */
	PRS_DEN_TAG_INTEGERS, /* as BROUGHT, and it looks like a small integer */
	PRS_DEN_TAG_BROUGHT,  /* loaded from where no counted operation had stored it */
	PRS_DEN_TAG_HANDED,   /* a parameter, or the result of a call: not followed */
	PRS_DEN_TAG_LOST,     /* its way through registers is not known */
	PRS_DEN_TAG_SITES
};

/* The tag of what ONE or KEEP is about, else 0. */
uint64_t prs_den_flow(uint64_t what, const struct prs_den_site *site, const void *address, int64_t step,
		      uint64_t count, uint64_t bits);

/*
 * Marks that stand side by side, where counting them in line would be much code: the
 * program stores what they are about in words and hands these over.  @group is
 *   head      n words, n singles, n rules, n flows
 *   types     of the words, an enum prs_den_word each in 8 bits, low ones first
 *   singles   slot, value | 1 + word of an address << 16: the value is counted, and to the array there
 *   rules     slot | PRS_DEN_RULE_COUNTS, then two sets of words, 32 in each number: any of the first and
 *             none of the second are denormal
 *   flows     mode origin: what (enum prs_den_flow), site (one of its slots; ~0: none), rule of the count |
 *             word of the address << 16, 1 + word of the bits | number of rules of births << 16, those rules
 * all as 32-bit numbers.
 */
enum prs_den_word {
	PRS_DEN_WORD_FLOAT16,
	PRS_DEN_WORD_FLOAT,
	PRS_DEN_WORD_DOUBLE,
	PRS_DEN_WORD_MASK, /* denormal if not 0 */
	PRS_DEN_WORD_PLAIN /* an address or tag */
};
#define PRS_DEN_GROUP_HEAD  4u
#define PRS_DEN_GROUP_WORDS 8192u /* at most */
#define PRS_DEN_RULE_COUNTS 0x80000000u

void prs_den_group(const uint32_t *group, const uint64_t *words, uint64_t *table,
		   const struct prs_den_desc *desc);

/*
 * What is told behind a loop, or behind a round of it, by one call: @told is a number of parts, then a struct
 * prs_den_told of each.  Their words are numbers of @words, from 1 on; 0: none.
 */
enum prs_den_told_what {
	PRS_DEN_TOLD_ARRAY, /* prs_den_array (site, address, count), if the count is not 0 */
	/* Mode origin: leaves and births of a store, then itself; before all of them, of the loop: */
	PRS_DEN_TOLD_ROUND, /* of all `count` turns of the loop `address` were to come when it began */
	PRS_DEN_TOLD_OLD,   /* what the loop stored over: `count` bytes of `address` are kept at `step` */
	PRS_DEN_TOLD_BIRTH, /* `count` values of the site were born */
	PRS_DEN_TOLD_LOAD, /* the site loads from address + i * step; count 1: it is denormal, 0: not, no word: look */
	PRS_DEN_TOLD_TAG, /* a leaf whose tag is `address`; count 1 or 0; step: the word of where it was loaded from */
	PRS_DEN_TOLD_STORE /* the site stores to address + i * step, i < count: look which are denormal */
};
#define PRS_DEN_TOLD_STEP 0x100u /* or'ed to it: the step is a word */

struct prs_den_told {
	uint32_t what, slot;     /* slot: one of the site's; ~0: none */
	uint16_t address, count; /* words */
	int32_t step;
};
_Static_assert(sizeof(struct prs_den_told) == 16, "ABI");

void prs_den_told(const uint32_t *told, const uint64_t *words, const struct prs_den_desc *desc);

/*
 * The file PID.EPOCH.pden: a page of struct prs_den_head, then items of whole
 * multiples of 64 bytes, each begun by struct prs_den_item.  The runtime maps
 * it and grows it; `used` is written after the item it covers, so a reader may
 * look at any time and after a kill.  Text is in the item, NUL-terminated.
 * Little-endian; addresses are those of the process.
 */
#define PRS_DEN_MAGIC     "PRSDEN01"
#define PRS_DEN_ENV_RATE  "PERSEUS_TRAP_RATE" /* traps in a second of a thread's CPU time; default: all */
#define PRS_DEN_HEAD_SIZE 4096u

struct prs_den_head {
	char magic[8]; /* without a NUL */
	uint32_t version, pid, epoch, parent;
	uint64_t used;             /* bytes of the file that are items or head */
	uint64_t begin_ns, end_ns; /* CLOCK_MONOTONIC; end 0: running, or killed */
	uint64_t lost;             /* tables, objects and notes for which there was no room */
	uint64_t traps;            /* of the trap route */
	uint64_t spare[8];
	char exe[3968];
};
_Static_assert(sizeof(struct prs_den_head) == PRS_DEN_HEAD_SIZE, "format");

enum prs_den_item_type {
	PRS_DEN_ITEM_FREE,
	PRS_DEN_ITEM_MODULE, /* struct prs_den_module */
	PRS_DEN_ITEM_UNIT,   /* struct prs_den_unit, then one struct prs_den_row per slot, then the text */
	PRS_DEN_ITEM_THREAD, /* struct prs_den_thread */
	PRS_DEN_ITEM_TABLE,  /* struct prs_den_table, then the counters */
	PRS_DEN_ITEM_OBJECT, /* struct prs_den_object */
	PRS_DEN_ITEM_ARRAYS, /* struct prs_den_arrays, then struct prs_den_array_row */
	PRS_DEN_ITEM_NOTE,   /* struct prs_den_note */
	PRS_DEN_ITEM_TRAPS,  /* struct prs_den_traps, then struct prs_den_trap_row */
	PRS_DEN_ITEM_FLOWS,  /* struct prs_den_arrays, then struct prs_den_flow_row */
	PRS_DEN_ITEM_STATES, /* struct prs_den_arrays, then struct prs_den_state */
	PRS_DEN_ITEM_MAP,    /* struct prs_den_map, then the counts */
	PRS_DEN_ITEM_TYPES
};

struct prs_den_item {
	uint32_t type, number; /* enum prs_den_item_type; number among those of its type, from 0 */
	uint64_t bytes;        /* with this, a multiple of 64 */
};

struct prs_den_module {
	struct prs_den_item item;
	uint64_t start, end, bias;
	uint32_t build_id_bytes, spare;
	unsigned char build_id[32];
	uint64_t pad[5];
	char path[]; /* to the end of the item */
};

struct prs_den_unit {
	struct prs_den_item item;
	uint64_t desc; /* address */
	uint32_t module, mode, n_slots, text_bytes;
	uint64_t name;  /* 1 + where in the text the unit's name is, 0: not known */
	uint64_t flags; /* of the descriptor */
	uint64_t spare[1];
};
_Static_assert(sizeof(struct prs_den_unit) == 64, "format");

/* A slot and its site; text by offsets from the begin of the unit's text. */
struct prs_den_row {
	uint64_t site; /* address: equal for the slots of one site */
	uint64_t id;
	uint32_t role, operand, kind, type, line, column, flags, operands;
	uint32_t file, function, name, spare;
};
_Static_assert(sizeof(struct prs_den_row) == 64, "format");

struct prs_den_thread {
	struct prs_den_item item;
	uint32_t tid, creator; /* creator: number of a thread item, ~0: none */
	uint64_t start;        /* start routine, 0: main */
	uint64_t begin_ns, end_ns;
	uint32_t mxcsr, mxcsr_seen; /* at its begin, else its first table; and all bits that were ever seen */
	uint32_t threads, spare;    /* that used this item, one after the other; `tid` is the last */
	char name[64];
};
_Static_assert(sizeof(struct prs_den_thread) == 128, "format");

/* What one thread item counted in one unit. */
struct prs_den_table {
	struct prs_den_item item;
	uint32_t unit, thread;
	uint64_t spare[5];
	uint64_t count[];
};

enum prs_den_where { PRS_DEN_HEAP, PRS_DEN_STATIC, PRS_DEN_STACK, PRS_DEN_MAPPED, PRS_DEN_ELSEWHERE };

struct prs_den_object {
	struct prs_den_item item;
	uint64_t start, bytes;  /* STATIC: of the variable, or of a page where there are no symbols */
	uint32_t where, thread; /* who made it */
	uint64_t caller[8];     /* return addresses of the allocation, 0 behind the last */
	uint64_t begin_ns, end_ns;
	uint64_t blocks; /* of the same allocation that it stands for, one after the other */
	uint64_t spare[8];
};
_Static_assert(sizeof(struct prs_den_object) == 192, "format");

struct prs_den_arrays {
	struct prs_den_item item;
	uint32_t thread, n;
	uint64_t spare[5];
};

/* Denormal values that one site loaded from, or stored to, one object. */
struct prs_den_array_row {
	uint64_t site;    /* address, as in struct prs_den_row */
	uint64_t address; /* of an element, the first one seen */
	uint64_t count;
	uint32_t object, module; /* module: of the site; ~0: not known */
};
_Static_assert(sizeof(struct prs_den_array_row) == 32, "format");

/* What the reader must know before it believes a zero. */
enum prs_den_note_kind {
	/* Flush-to-zero or denormals-are-zero was on in `thread`: `value` are the bits, `address` is behind what set
	 * them if that was seen, else 0. */
	PRS_DEN_NOTE_FTZ = 1,
	PRS_DEN_NOTE_HANDLER, /* trap route: the program has a SIGFPE handler of its own */
	/* ... or uses the environment; value 1: by functions, and counting goes on; 0: it masked the exceptions by itself;
	 * else the MXCSR that it enabled underflow with: nothing is counted from then on */
	PRS_DEN_NOTE_FENV,
	PRS_DEN_NOTE_X87,     /* ... or computes on the x87, which cannot be counted by traps */
	PRS_DEN_NOTE_SAMPLED, /* ... value: at most about one of so many events of the thread was taken */
	PRS_DEN_NOTE_DECODE,  /* ... value: address of an instruction that cannot be run out of line */
	PRS_DEN_NOTE_SECCOMP, /* ... or limits its system calls: nothing is counted from then on */
	/* A signal handler left a function at `address`, `count` times, `value`, an enum prs_den_way, the first: what
	 * a loop of it had counted till then is missing, if it was in one. */
	PRS_DEN_NOTE_LEFT
};

/* How a handler leaves what it interrupted. */
enum prs_den_way {
	PRS_DEN_WAY_JUMP,
	PRS_DEN_WAY_THROW,
	PRS_DEN_WAY_THREAD,
	PRS_DEN_WAY_PROCESS,
	PRS_DEN_WAYS
};

struct prs_den_note {
	struct prs_den_item item;
	uint32_t kind, thread;
	uint64_t value, count, address;
	uint64_t spare[2];
};
_Static_assert(sizeof(struct prs_den_note) == 64, "format");

struct prs_den_traps {
	struct prs_den_item item;
	uint32_t thread, n;
	uint64_t spare[5];
};

/* Events that one instruction raised. */
struct prs_den_trap_row {
	uint64_t address;
	uint64_t operands; /* traps with a denormal operand (DE) */
	uint64_t results;  /* ... with a tiny result (UE) */
	uint64_t lanes;    /* lanes with a denormal operand */
};
_Static_assert(sizeof(struct prs_den_trap_row) == 32, "format");

enum prs_den_flow_kind {
	PRS_DEN_FLOW_BORN, /* `count` denormals that were stored to `to` were born at `site` */
	PRS_DEN_FLOW_EDGE, /* ... came by way of a denormal that was loaded from `from`; one with two such counts twice */
	PRS_DEN_FLOW_GUESSED /* ... have a `site` by the sums of a loop, which do not tell them apart */
};

struct prs_den_flow_row {
	uint64_t site; /* address, or an enum prs_den_tag */
	uint64_t count;
	uint32_t kind, module; /* enum prs_den_flow_kind; module: of the site, ~0: none */
	uint32_t from, to;     /* objects, ~0: none */
};
_Static_assert(sizeof(struct prs_den_flow_row) == 32, "format");

/* A variable that one operation gave one denormal after the other. */
struct prs_den_state {
	uint64_t site, count; /* address as in struct prs_den_row; denormal values */
	uint64_t bits, run,
		most; /* the last value; how often in succession it came till now; the longest such run */
	uint64_t first_ns, last_ns;
	uint32_t module, spare;
};
_Static_assert(sizeof(struct prs_den_state) == 64, "format");

#define PRS_DEN_EPOCHS 16   /* of a map; when all are used, two become one */
#define PRS_DEN_TILES  4096 /* of a map at most */

/*
 * Denormals stored to one object, by place and time: for each epoch rows *
 * columns tiles.  Of an element at `start` + x, the row is x / pitch / row_lines,
 * the column x % pitch / column_bytes.
 */
struct prs_den_map {
	struct prs_den_item item;
	uint32_t object, rows, columns, epochs; /* epochs: that are used */
	uint64_t start, bytes, pitch; /* pitch: bytes of a line of the array; bytes: it has but one */
	uint32_t row_lines, column_bytes;
	uint64_t begin_ns, epoch_ns, outside; /* outside: denormals that lie in no tile */
	uint64_t spare[5];
	uint32_t count[]; /* stays at its largest value */
};
_Static_assert(sizeof(struct prs_den_map) == 128, "format");

#endif
