/* SPDX-License-Identifier: MIT */
/*
 * What lies at an address: a variable, a heap block by its allocation site,
 * a stack, and which field of it.  Names carry no addresses, so that they
 * are the same in every run.
 */
#ifndef PERSEUS_ANALYZER_OBJECTS_OBJECTS_H
#define PERSEUS_ANALYZER_OBJECTS_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/objects/frames.h"
#include "lib/vec.h"
#include "record/run.h"

enum object_kind { OBJECT_GLOBAL, OBJECT_HEAP, OBJECT_STACK, OBJECT_TLS, OBJECT_UNKNOWN };

/* A variable, or all blocks of one allocation site. */
struct object {
	enum object_kind kind;
	char *subject;    /* one word: "stats", "job", "stack@worker" */
	char *name;       /* for people: "stats", "heap main.c:31 struct job", "stack of worker 0" */
	char *key;        /* the same in every run */
	const char *type; /* of it or of its elements, or NULL */
	char *written;    /* the type as people write it, NULL: it is written so */
	char *container;  /* "std::vector<int> element": what that is to people, or NULL */
	char *chain;      /* heap: the calls that led to the allocation, "make() < main()", or NULL */
	const char *file; /* declaration or allocation, or NULL */
	uint32_t line;
	uint32_t function_line;        /* of a frame: where its function begins, 0 unknown */
	uint64_t bytes;                /* of it or of the block met first, 0 unknown */
	uint64_t unit;                 /* of one element that is no struct, 0 unknown */
	const char *dims;              /* "[4][8]" of an array whose dimensions are known, else "" */
	const struct run_type *layout; /* of type, or NULL */
	bool array;                    /* of several elements */
	uint64_t row_bytes;            /* of an array of arrays: one of those, else 0 */
	bool whole;                    /* has no fields, whatever an access says */
	char *owner;     /* thread-local: the name of the threads that have it, "" several, or NULL */
	bool mapped;     /* memory of several processes */
	bool guessed;    /* the layout may begin anywhere in the block */
	bool open;       /* the layout ends in an array without a bound */
	bool unnumbered; /* ... of several, the first one is not known */
	uint64_t offset; /* of the heap: where it begins in its block */
	const struct run_call_site *allocator; /* of the heap: the call of malloc, NULL unknown */
	const struct run_call_site
		*allocation; /* ... the call that stands for it: of a function that hands it on */
	const void *ident;   /* what it was made from */
	bool elements;       /* of several, these were fought for: */
	uint64_t first, last;
	char **fields;         /* names met so far; "": the whole */
	uint64_t *field_bytes; /* their sizes, 0 unknown */
	size_t n_fields;
};

/* Where an address was found. */
struct place {
	uint32_t object; /* index in objects.at */
	uint64_t base;   /* run-time address of the variable or block, 0 unknown */
};

struct heap_block;

/* A variable of the site tables, by name; of several of one name the first counts. */
struct named_variable {
	const struct run_variable *var;
	size_t order;
};

/* Of several variables of one name in as many files, the one that a symbol is. */
struct named_symbol {
	const struct run_symbol *symbol;
	const struct run_variable *var;
};

/* What the accesses told about an allocation whose type is not known. */
struct object_type {
	const void *ident;
	const struct run_type *type;
	bool placed;          /* where it begins is known of some accesses, and fits one array: */
	bool torn;            /* ... it is, and does not */
	uint64_t first, last; /* offsets in the block of the first and the last one used */
};

/* Where in the blocks of an allocation structs of one type lie. */
struct object_region {
	const void *ident; /* the call that stands for the allocation */
	const struct run_type *type;
	bool own;             /* it is the type that the block goes by */
	bool placed, torn;    /* where it begins was seen; the places do not fit one array */
	uint64_t first, last; /* offsets in the block of the first and the last one used */
};

/* Objects of one process. */
/*
 * Blocks that a function of the library allocates for several places of the program are objects of
 * their own for each: this is what they are made from.
 */
struct object_asked {
	const struct run_call_site *by, *asker;
	char inside[256]; /* addresses that stand for what lies in the blocks */
};

struct objects {
	const struct run *run;
	const struct run_process *p;
	struct object *at;
	size_t n;
	size_t cap;
	uint32_t *index;             /* of objects by what they were made from: number + 1, 0 free */
	size_t n_index;              /* power of two, or 0 */
	struct named_variable *vars; /* ascending name, then order */
	size_t n_vars;
	struct named_symbol *namesakes; /* as far as accesses told */
	size_t n_namesakes;
	struct heap_block *blocks; /* ascending start */
	size_t n_blocks;
	struct object_type *learned;
	size_t n_learned;
	struct VEC(struct object_region) regions;
	struct frames frames;
	struct object_asked **asked;
	size_t n_asked;
	bool mapped; /* the blocks are memory that several processes have */
};

/* Read the heap notes of a process. */
void objects_make(struct objects *os, const struct run *run, const struct run_process *p);
void objects_release(struct objects *os);

/*
 * Take note of an access by @site to the bytes @mask (0: not known) of the
 * line at address @line at @tick: the largest type accessed names the blocks
 * of an allocation that does not say its type, a variable that is
 * accessed by its name in its function names that place of a stack, and of
 * several static variables of one name the file tells which it is.  To be
 * called for all accesses before objects_find().
 */
void objects_learn(struct objects *os, uint64_t line, uint64_t tick, const struct run_mem_site *site,
		   uint64_t mask);

/*
 * What is at @address at time @tick (ticks), as accessed by memory site
 * @site (may be NULL).  Always finds something: OBJECT_UNKNOWN is named
 * after the accessing function.
 */
struct place objects_find(struct objects *os, uint64_t address, uint64_t tick,
			  const struct run_mem_site *site);

/*
 * The same for an access to unknown bytes of cache line @line: the object in
 * the line that fits @site, else the first that is known; without a base.
 */
struct place objects_find_in_line(struct objects *os, uint64_t line, uint64_t tick,
				  const struct run_mem_site *site);

#define SPOT_INDICES 6u
#define SPOT_UNKNOWN UINT64_MAX

/* What one access touches. */
struct spot {
	struct place place;
	uint32_t field;   /* index in the object's fields; element numbers are left out ("v[]") */
	uint64_t offset;  /* of the field, in the object or its element, or SPOT_UNKNOWN */
	uint64_t bytes;   /* of it, 0 unknown */
	unsigned n_outer; /* brackets that stand behind the object's own name */
	unsigned n_index; /* element numbers, the object's first; 0: not known */
	uint64_t index[SPOT_INDICES];
};

/*
 * What lies at @address, of @bytes (0: not known), as accessed by @site (may be
 * NULL).  @seen false: @address says which object is meant only.
 */
void objects_spot(struct objects *os, const struct place *place, uint64_t address, uint64_t bytes, bool seen,
		  const struct run_mem_site *site, struct spot *out);

/*
 * How people write a place: "grid[1].count[0]", "[1].count[0]" without @subject; a
 * range for each element number of which @last differs from @first.  @field: a name
 * among the object's fields.  The caller frees it.
 */
char *spot_text(const char *subject, const char *field, unsigned n_outer, const uint64_t *first,
		const uint64_t *last, unsigned n_index);

/* Bytes [@address, @end) of the object at @place were fought for: remember which elements that are. */
void objects_elements(struct objects *os, const struct place *place, uint64_t address, uint64_t end,
		      const struct run_mem_site *site);

/*
 * Bytes of cache line @line that @site touches according to the site table
 * and what lies there at @tick, as a mask; 0: not known (one of several
 * elements, a pointer to something else).
 */
uint64_t objects_static_mask(struct objects *os, uint64_t line, uint64_t tick,
			     const struct run_mem_site *site);

#endif
