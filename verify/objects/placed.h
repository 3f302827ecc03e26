/* SPDX-License-Identifier: MIT */
/*
 * Is what an object file holds in the executable?  Every function and every
 * variable is sought by name, its bytes are compared, and each place that the
 * linker filled in is computed again: where it leads must be what the object
 * asks for, by name, by PLT or GOT, or by content for what has no name.
 */
#ifndef PERSEUS_VERIFY_OBJECTS_PLACED_H
#define PERSEUS_VERIFY_OBJECTS_PLACED_H

#include "verify/binary/binary.h"
#include "verify/objects/closure.h"

/* Code of a whole section of an object, with what has no name. */
struct placed_section {
	uint64_t address, size; /* in the executable */
};

struct placed {
	struct closure closure;
	uint32_t functions;                /* equal to the executable's */
	uint32_t variables;                /* likewise */
	uint32_t absent;                   /* functions and variables that the linker left out */
	uint32_t relocations;              /* computed again */
	const struct image_symbol **found; /* symbols of the executable that were equal */
	size_t n_found;
	struct placed_section *section; /* likewise */
	size_t n_sections;
	bool *taken;   /* by symbol of the executable: it is among them */
	bool *unwound; /* by entry of the executable's .eh_frame: an object has it so; NULL: nothing compared */
	uint32_t frames;   /* entries of objects that are so in the executable */
	uint32_t unframed; /* entries for functions that several objects may define, which it lacks */
	char **other; /* names of functions that several objects may define and that were not equal to this one's */
	size_t n_other;
};

/*
 * Compare all of object @e with @b; each difference is one line in @list.
 * Functions that several objects may define (inline in C++) may be another
 * object's: see placed_check_others().  Adds to @out.
 */
void placed_check(struct placed *out, const struct image *e, const struct binary *b, struct findings *list);

/*
 * The same for an object of which it is not known whether it was linked: true if all that the executable may have of it
 * is equal, and that is something; if not, nothing is added.
 */
bool placed_try(struct placed *out, const struct image *e, const struct binary *b);

/* When all objects were compared: functions that are in the executable as none of them has it are lines in @list. */
void placed_check_others(const struct placed *out, struct findings *list);

/* Generated functions of the executable that are in no object seen: each is a line in @list. */
void placed_check_all(const struct placed *out, const struct binary *b, struct findings *list);

/* Free the contents. */
void placed_release(struct placed *p);

#endif
