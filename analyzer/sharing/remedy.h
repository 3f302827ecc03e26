/* SPDX-License-Identifier: MIT */
/* What to do about a finding: the ways to end the conflict, with what each saves and costs. */
#ifndef PERSEUS_ANALYZER_SHARING_REMEDY_H
#define PERSEUS_ANALYZER_SHARING_REMEDY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/sharing/sharing.h"

#define REMEDY_LINE 64u
/* A line for each element pays off up to so many; in larger arrays each thread gets a part. */
#define REMEDY_ELEMENTS 256u

enum remedy_kind {
	REMEDY_PAD,        /* room between the fields, or between elements */
	REMEDY_REORDER,    /* fields of one thread side by side, what nobody fights for in between */
	REMEDY_SPLIT,      /* the fields, or the part of an array, of each thread for themselves */
	REMEDY_LOCAL_COPY, /* work on a copy, store it at the end */
	REMEDY_COLOCATE,   /* both threads near each other: the planner's remedy */
};

/* A member of a struct, now and as proposed. */
struct remedy_member {
	char *name;
	uint64_t bytes;
	uint64_t least;     /* ... at least, if it is a struct whose alignment is not known */
	uint64_t now, then; /* offset */
	uint32_t align;     /* what it needs, as far as its size and offset tell */
	int32_t group;      /* members with the same threads have the same number; -1: nobody fights for it */
	bool unseen;        /* nobody fights for it where it lies now; who uses it is not known */
	bool apart;         /* begins a line of its own */
	uint32_t gap;       /* bytes without a name to put in front */
	size_t nth;         /* in the order of the declaration */
	size_t unit;        /* members with the same number move as one: a union, bit-fields of one word */
	uint64_t unit_now, unit_bytes;
	uint64_t in_now, in_bytes; /* of the struct without a name that it is in, if any */
};

/*
 * The struct that an object is of.  Where its memory keeps the alignment of
 * its type, alignment does; memory of malloc begins anywhere in a line, and
 * gaps that hold for each place it can begin at serve there.
 */
struct remedy_layout {
	const char *type;              /* the struct's name, the run's; or NULL */
	size_t object;                 /* index in the finding's objects */
	struct remedy_member *members; /* in the order of the proposal */
	size_t n_members;
	uint64_t bytes_now, bytes_then; /* of one element */
	uint64_t fixed;                 /* bytes in front that base classes declare */
	bool gaps;                      /* else by alignment */
	bool whole;                     /* the struct itself begins a line */
	uint32_t word;                  /* gaps: it begins at some multiple of this */
	uint32_t tail_gap;              /* bytes without a name at the end */
};

struct sharing_remedy {
	enum remedy_kind kind;
	bool priced;
	double saves_percent; /* of run time if priced; never below 0: what costs is no remedy */
	uint64_t bytes;       /* more memory, of the objects that were seen */
	char *text;           /* what to do, one line */
	const char *abi;      /* what the change means to code compiled elsewhere, or NULL */
	struct remedy_layout *layouts;
	size_t n_layouts;
};

/* How the process used the machine. */
struct remedy_setting {
	const double *cpu_ns; /* by thread */
	size_t n_threads;
	double cores;
};

/*
 * Fill the remedies of @f, best first, from its objects and price.  None for
 * what cannot be distinguished.
 */
void remedies_make(struct sharing_finding *f, const struct remedy_setting *setting);

/* Free the remedies of @f. */
void remedies_release(struct sharing_finding *f);

/* "pad", "reorder", "split", "local-copy", "co-locate". */
const char *remedy_name(enum remedy_kind kind);

/* The layout that @r proposes for object number @object of its finding, or NULL. */
const struct remedy_layout *remedy_layout(const struct sharing_remedy *r, size_t object);

/* Number of elements of @o, 1 for what is no array, 0 unknown. */
uint64_t remedy_elements(const struct sharing_object *o);

struct sharing_use;
struct run_mem_site;

/* Bytes that @o grows by if it, or each of its elements or rows, gets lines of its own. */
uint64_t remedy_line_bytes(const struct sharing_object *o, bool elements);

/* The same if its struct, or each of several, is laid out as @l. */
uint64_t remedy_layout_bytes(const struct sharing_object *o, const struct remedy_layout *l);

/* The same if each number of the array of @use, for which remedy_in_numbers() holds, gets a line. */
uint64_t remedy_numbers_bytes(const struct sharing_finding *f, const struct sharing_object *o,
			      const struct sharing_use *use);

/* Length of the name of the struct's member that @field is, or lies in. */
size_t remedy_member_len(const char *field);

/* True if two fields, named, lie in one member of the struct. */
bool remedy_same_member(const char *x, const char *y);

/*
 * True if threads meet inside of the member that use number @at of @o is, or
 * lies in: elements of an array, fields of a struct in the struct.
 */
bool remedy_inside_member(const struct sharing_finding *f, const struct sharing_object *o, size_t at);

/* A mutex and its like, as a variable or a member: nobody can have a copy, and nothing in it can be moved apart. */
bool remedy_is_lock(const struct sharing_object *o, const struct sharing_use *use);

/* The name behind "w[]." or "in." of @field that belongs to @member, owned by the caller; NULL: none. */
char *remedy_inner_name(const char *field, const char *member);

/* True if @field is, or lies in, an element of array @member, also of a std::array. */
bool remedy_inner_elements(const char *field, const char *member);

/* The same of an access through the object, or through a pointer to what lies inside of it. */
char *remedy_site_name(const struct run_mem_site *site, const struct sharing_object *o, const char *member);

/* True if use number @at of @o is of a member that is an array of numbers, between which threads meet. */
bool remedy_in_numbers(const struct sharing_finding *f, const struct sharing_object *o, size_t at);

/* Length of the member's name in @field: of "q.w" in "q.w[]". */
size_t remedy_stem(const char *field);

/* How many numbers are in the array of @use of @o, for which remedy_in_numbers() holds, and its bytes. */
uint64_t remedy_numbers(const struct sharing_finding *f, const struct sharing_object *o,
			const struct sharing_use *use, uint64_t *bytes);

/*
 * Why no room between members of the struct parts the threads of @f, false sharing: they meet
 * between numbers of an array in it, or members of a union.  Owned by the caller; NULL: one may.
 */
char *remedy_no_layout(const struct sharing_finding *f);

/*
 * The same of two members that move as one: of a union, bit-fields of one word, or, then *@bases, since
 * base classes have parts at several places.
 */
char *remedy_together(const struct sharing_finding *f, bool *bases);

/* True if threads were seen in different rows of an array of arrays, and not in one. */
bool remedy_rows_apart(const struct sharing_object *o);

/* True if threads meet in different elements or blocks of @o, not only in different fields of one. */
bool remedy_between_elements(const struct sharing_finding *f, const struct sharing_object *o);

#endif
