/* SPDX-License-Identifier: MIT */
/*
 * The objects of a finding with their fields, and which threads used which
 * field: what a remedy is made from.
 */
#ifndef PERSEUS_ANALYZER_SHARING_PARTS_H
#define PERSEUS_ANALYZER_SHARING_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/objects/objects.h"
#include "record/run.h"

struct pair_record;
struct sharing_finding;

/* A field, and the threads of the process that met there. */
struct sharing_use {
	char *field;     /* as in the finding; "": the whole, "[]": some element */
	uint64_t bytes;  /* its size, 0 unknown */
	uint32_t access; /* bytes of the widest access to it, 0 unknown */
	uint64_t offset; /* in the object's type, if placed */
	bool placed;
	bool written;        /* by one of the threads at least */
	bool summed;         /* read and written by the same access: a counter or a sum */
	bool atomic;         /* by atomic operations */
	bool read_meanwhile; /* by another thread, before the last time that it is written */
	bool beside;         /* not what the finding is about: it lies on its lines and is used there */
	uint64_t inside;     /* transfers between two places of its member in one and the same struct */
	uint32_t *threads;   /* ascending */
	size_t n_threads;
	char **names; /* of these threads, once the finding has names; ends in NULL */
};

struct sharing_object {
	enum object_kind kind;
	char *name;             /* for people */
	const char *symbol;     /* assembler name of a global, else NULL */
	const char *type;       /* of it or of its elements, or NULL */
	const char *file;       /* declaration or allocation, or NULL */
	uint32_t line;          /* ... 0 unknown */
	uint64_t bytes;         /* 0 unknown */
	uint64_t row_bytes;     /* of an array of arrays: one of those, else 0 */
	bool array, guessed;    /* of several elements; the layout may begin anywhere */
	bool on_line, off_line; /* structs of it that begin a line; that do not, or are not known to */
	uint64_t inside,
		between; /* transfers between fields of one struct of it; between two of its structs */
	const struct run_call_site *allocator, *allocation; /* of the heap, as of a struct object */
	bool keeps_alignment;     /* of the heap: what allocates it gives the type its alignment */
	bool also_allocated;      /* no heap object, but others of its type are, by what gives none */
	struct sharing_use *uses; /* by offset if placed, then by name */
	size_t n_uses;
	const struct run_type *layout; /* of type, or NULL; lives as long as the run */
	const void *ident;             /* distinguishes objects */
};

/* Use @field, of @bytes (0 unknown) unless the type says, of @o; made if it has none. */
struct sharing_use *sharing_use_of(struct sharing_object *o, const char *field, uint64_t bytes);

/* The object of @objects that @o is, made if there is none; @*n counts them. */
struct sharing_object *sharing_object_of(struct sharing_object **objects, size_t *n, const struct objects *os,
					 const struct object *o);

/* The thread used the field, too; a thread is kept once. */
void sharing_use_by(struct sharing_use *use, uint32_t thread);

/* Where in @layout (may be NULL) the field of @use lies. */
void sharing_use_place(struct sharing_use *use, const struct run_type *layout);

/* Add the objects and fields of both sides of @r to @f. */
void finding_objects_add(struct sharing_finding *f, const struct pair_record *r, const struct objects *os);

/* After the last of them: what several threads use under no name are elements. */
void finding_objects_finish(struct sharing_finding *f);

/* Free the objects of @f. */
void finding_objects_release(struct sharing_finding *f);

/* True if the same threads use both. */
bool sharing_use_alike(const struct sharing_use *x, const struct sharing_use *y);

#endif
