/* SPDX-License-Identifier: MIT */
/* Proposals for the layout of a struct. */
#ifndef PERSEUS_ANALYZER_SHARING_REMEDY_LAYOUT_H
#define PERSEUS_ANALYZER_SHARING_REMEDY_LAYOUT_H

#include "analyzer/sharing/parts.h"
#include "analyzer/sharing/remedy.h"

/*
 * The layout of @o with its fields kept apart, its members in their order;
 * @elements: its elements, too.  Returns false if the struct is not known.
 * Release with layout_release().
 */
bool layout_pad(struct remedy_layout *l, const struct sharing_object *o, bool elements);

/*
 * Lay @l out again for @elements without room for members that were not seen, which may be such
 * as cannot be parted (bit-fields).  Returns false if there are none: it is as it was.
 */
bool layout_forget_unseen(struct remedy_layout *l, bool elements);

/*
 * The same with the members sorted by threads, so that members that nobody
 * fights for serve as room.  Returns false also if that saves no byte over
 * @padded.
 */
bool layout_reorder(struct remedy_layout *l, const struct sharing_object *o, bool elements,
		    const struct remedy_layout *padded);

/*
 * Set what moves as one among the members of @l, in the order of the declaration of @type:
 * those that lie in one union without a name, or on each other.
 */
void layout_find_units(struct remedy_layout *l, const struct run_type *type);

/* Who uses a member uses all that moves with it; false: several groups do, which no layout parts. */
bool layout_join_units(struct remedy_layout *l);

/*
 * Why no layout parts the threads of @o that meet inside of one struct: they use two members
 * that move as one, *@bases: since base classes have parts at several places.  Owned by the
 * caller; NULL: it is not so.
 */
char *layout_together(const struct sharing_object *o, bool elements, bool *bases);

/*
 * True if members @x and @y of @l move as one only since something between them stands at several
 * places of @type: a member of a virtual base class, the pointers to virtual functions.
 */
bool layout_by_bases(const struct remedy_layout *l, size_t x, size_t y, const struct run_type *type);

/* Bytes that the struct has then at least, however its members are aligned. */
uint64_t layout_least_bytes(const struct remedy_layout *l);

/* True if the size of the struct or the offset of a member is another one then. */
bool layout_moves(const struct remedy_layout *l);

/* True if a member is kept off another one, or the struct off the next: a declaration becomes another one. */
bool layout_changes(const struct remedy_layout *l);

/* True if @field is @m, or lies in it. */
bool layout_holds(const struct remedy_member *m, const char *field);

/* True for a type of the C++ library: "std::atomic<int>", or as the assembler has it, "St6atomicIiE". */
bool layout_of_library(const char *type);

/* The site table makes names for types that have none: "struct of work", "{unnamed}". */
bool layout_nameless(const char *type);

/* The struct's name as people write it, also where the linker has another one; owned by the caller. */
char *layout_type(const struct remedy_layout *l);

/* Free the members. */
void layout_release(struct remedy_layout *l);

/* Number of groups of threads among the members. */
unsigned layout_groups(const struct remedy_layout *l);

/*
 * The members of @l in their new order, "in, in_err | out": a '|' where a line
 * begins, "..." for more than a dozen that nobody fights for.  Owned by the caller.
 */
char *layout_order(const struct remedy_layout *l);

#endif
