/* SPDX-License-Identifier: MIT */
/* The rows of `perseus doctor`, as they are found. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd/doctor/doctor.h"
#include "lib/mem.h"

void doctor_row(struct doctor *d, const char *topic, enum doctor_state state, const char *fmt, ...)
{
	struct doctor_row *row = vec_add(&d->rows);
	va_list ap;

	va_start(ap, fmt);
	*row = (struct doctor_row){.topic = topic, .state = state, .text = mem_vprintf(fmt, ap)};
	va_end(ap);
}

void doctor_remedy(struct doctor *d, const char *fmt, ...)
{
	struct doctor_row *row = &d->rows.at[d->rows.n - 1];
	va_list ap;

	free(row->remedy);
	va_start(ap, fmt);
	row->remedy = mem_vprintf(fmt, ap);
	va_end(ap);
}

void doctor_release(struct doctor *d)
{
	for (size_t i = 0; i < d->rows.n; i++) {
		free(d->rows.at[i].text);
		free(d->rows.at[i].remedy);
	}
	vec_release(&d->rows);
}
