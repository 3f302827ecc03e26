/* SPDX-License-Identifier: MIT */
/* Comma-separated values (RFC 4180): fields, quoted ones with anything inside. */
#ifndef PERSEUS_EVIDENCE_PACK_CSV_H
#define PERSEUS_EVIDENCE_PACK_CSV_H

#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/vec.h"

struct csv_fields VEC(char *);
struct csv_row {
	struct csv_fields fields;
	uint32_t line; /* where it begins, from 1 */
};
struct csv_rows VEC(struct csv_row);

/*
 * Append the rows of @text to @rows; empty lines are left out.  -EINVAL with
 * @name and line for a quote that is not closed, text behind a closed one, or
 * a control character outside of quotes.  Release @rows in every case.
 */
int csv_parse(struct csv_rows *rows, const char *text, size_t len, const char *name, struct err *err);

/* Field @i of @row, "" if there is none. */
const char *csv_field(const struct csv_row *row, size_t i);

/* Free everything. */
void csv_release(struct csv_rows *rows);

#endif
