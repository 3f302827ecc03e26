/* SPDX-License-Identifier: MIT */
/*
 * Which of several equal calls of a function does a generated function stand
 * at?  A site's id counts them in the source; in the binary the line tells
 * them apart, by the debug information.
 */
#ifndef PERSEUS_VERIFY_BINARY_CHOICE_H
#define PERSEUS_VERIFY_BINARY_CHOICE_H

#include "verify/binary/binary.h"
#include "verify/binary/order.h"

/* Note the calls that those of @o->self inside @where, which is @body, may belong to; @site: where the plan has it. */
void choice_add(struct binary *b, const struct order_of *o, const struct vplan_site *site,
		const struct image_symbol *where, const struct body *body);

/*
 * When all are noted: what is not shown is a note, a call at another line than
 * the plan's where that one has an equal call, too, is a line in @list.
 */
void choice_check(struct binary *b, struct findings *list);

/* One line of text for each that had to be distinguished and was; "" if there was one call only, or it is a note. */
const char *choice_text(const struct choice *c, char *text, size_t size);

/* Free the contents. */
void choice_release(struct binary *b);

#endif
