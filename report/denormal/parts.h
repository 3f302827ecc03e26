/* SPDX-License-Identifier: MIT */
/* The parts of denormal_report_make(), and of what prints it; for this folder only. */
#ifndef PERSEUS_REPORT_DENORMAL_PARTS_H
#define PERSEUS_REPORT_DENORMAL_PARTS_H

#include "lib/json.h"
#include "report/denormal/report.h"

/* Fill r->arrays and r->unplaced. */
void denormal_arrays(struct denormal_report *r);

/* Is site @s in line @l? */
bool denormal_in_line(const struct denormal_line *l, const struct denormal_site *s);

/* What the denormals of @s cost, added to @n; false: no price is known, and there are some. */
bool denormal_price(const struct platform *p, const struct denormal_site *s, struct denormal_counts *n);

/* "0.3 ms", "0.3 to 2.1 ms", "at most 3 us" */
void denormal_time(double low_ps, double high_ps, struct strbuf *out);

/* What a run would take on a processor that others measured. */
struct denormal_cited {
	char cpu[64], source[160];
	double low_ps, high_ps;
	uint64_t unpriced; /* values that met operations of which nobody wrote */
};

/* Processor @i of the cited table; false: there is no such. */
bool denormal_cited(size_t i, const struct denormal_run *run, struct denormal_cited *out);

/* Of a run of the trap route: what keeps a reader from believing it, what it counted, and the same as JSON. */

void denormal_traps_judge(struct denormal_report *r);
void denormal_traps_put(const struct denormal_report *r, size_t most, struct strbuf *out);
void denormal_traps_json(const struct denormal_report *r, struct json *j);

/* Stores of denormals that were born in line @l; mode origin. */
uint64_t denormal_explained(const struct denormal_report *r, const struct denormal_line *l);

/* Which way denormals came, and what is not known of it; variables that stay denormal; both, and maps, as JSON. */
void denormal_origins_put(const struct denormal_report *r, size_t most, struct strbuf *out);
void denormal_states_put(const struct denormal_report *r, size_t most, struct strbuf *out);
void denormal_origins_json(const struct denormal_report *r, struct json *j);

/* Something that keeps a reader from believing the counts. */
void denormal_doubt(struct denormal_report *r, enum denormal_trust trust, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* @text behind @head, wrapped. */
void denormal_sentence(struct strbuf *out, const char *head, const char *text);

/* Is this run the one that @last leads to? */
bool denormal_is_last(const struct denormal_run *run);

/* "sweep() jacobi.c:41" */
void denormal_place(const struct denormal_line *l, struct strbuf *out);

/* What may be said of where all denormals come from: one sentence. */
void denormal_origin(const struct denormal_report *r, struct strbuf *out);

/* What a word for @n things ends with. */
static inline const char *denormal_s(uint64_t n)
{
	return n == 1 ? "" : "s";
}

#endif
