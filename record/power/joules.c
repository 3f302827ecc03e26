/* SPDX-License-Identifier: MIT */
#include "record/power/joules.h"

#include <stdarg.h>
#include <stdlib.h>

#include "lib/fs.h"
#include "lib/mem.h"
#include "yaml/tables.h"

const char *const joules_alignments[] = {"same-clock", "trigger", "edge", "correlated", NULL};

#define SIGNED .flags = SCHEMA_SIGNED

static const struct schema_field joules_fields[] = {
	F_STRING(struct joules, source, OPTIONAL),
	F_STRING(struct joules, reason, OPTIONAL),
	F_STRING(struct joules, remedy, OPTIONAL),
	F_DOUBLE(struct joules, started, OPTIONAL),
	F_DOUBLE(struct joules, raw, OPTIONAL),
	F_DOUBLE(struct joules, seconds),
	F_DOUBLE(struct joules, joules, OPTIONAL),
	F_DOUBLE(struct joules, error, OPTIONAL),
	F_DOUBLE(struct joules, step, OPTIONAL),
	F_DOUBLE(struct joules, interval, OPTIONAL),
	F_U64(struct joules, readings, OPTIONAL),
	F_ENUM(struct joules, alignment, joules_alignments),
	F_DOUBLE(struct joules, shift, .flags = SCHEMA_SIGNED | SCHEMA_OPTIONAL),
	F_DOUBLE(struct joules, drift, .flags = SCHEMA_SIGNED | SCHEMA_OPTIONAL),
	F_DOUBLE(struct joules, alignment_error, OPTIONAL),
	F_U64(struct joules, missing, OPTIONAL),
	F_U64(struct joules, doubled, OPTIONAL),
	F_U64(struct joules, wraps, OPTIONAL),
	F_DOUBLE(struct joules, idle_watts, OPTIONAL),
	F_DOUBLE(struct joules, window, OPTIONAL),
	F_REALS(struct joules, power, OPTIONAL),
	F_REALS(struct joules, busy, OPTIONAL),
	F_DOUBLE(struct joules, cpu_seconds),
	F_DOUBLE(struct joules, machine_seconds, OPTIONAL),
	F_U64(struct joules, page_faults),
	F_U64(struct joules, context_switches),
	F_STRINGS(struct joules, notes, OPTIONAL),
	F_END,
};
static const struct schema joules_schema = {"what a run drew", sizeof(struct joules), joules_fields, false};

static int joules_check(const struct doc *d, void *obj, struct err *err)
{
	const struct joules *j = obj;

	if (!j->source == !j->reason)
		return doc_fail(d, doc_at(d, ""), err,
				"expected either a source or the reason why there is none");
	for (size_t i = 0; i < j->n_power; i++)
		if (j->power[i] < 0)
			return doc_fail(d, doc_at(d, "power"), err, "a power below 0");
	for (size_t i = 0; i < j->n_busy; i++)
		if (j->busy[i] < 0)
			return doc_fail(d, doc_at(d, "busy"), err, "a time below 0");
	if ((j->n_power || j->n_busy) && j->window <= 0)
		return doc_fail(d, doc_at(d, ""), err, "windows need a length");
	return 0;
}

static const struct schema_document document = {"joules", JOULES_VERSION, &joules_schema, joules_check};

int joules_load(struct joules *j, const char *path, struct err *err)
{
	return document_load(&document, j, path, err);
}

int joules_parse(struct joules *j, const char *text, size_t len, const char *name, struct err *err)
{
	return document_parse(&document, j, text, len, name, err);
}

int joules_save(const struct joules *j, const char *path, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	struct joules again = {0};
	int ret;

	document_text(&document, j, &text);
	ret = joules_parse(&again, text.s, text.len, path, err);
	if (ret)
		err_prefix(err, "not written, it could not be read back");
	else /* Power each 10 ms is a side channel (CVE-2020-8694): nobody else reads it. */
		ret = fs_write_private(path, text.s, text.len, err);
	joules_release(&again);
	strbuf_release(&text);
	return ret;
}

void joules_text(const struct joules *j, struct strbuf *out)
{
	document_text(&document, j, out);
}

void joules_release(struct joules *j)
{
	document_release(&document, j);
}

void joules_note(struct joules *j, const char *fmt, ...)
{
	va_list ap;

	j->notes = mem_resize(j->notes, j->n_notes + 1, sizeof(*j->notes));
	va_start(ap, fmt);
	j->notes[j->n_notes++] = mem_vprintf(fmt, ap);
	va_end(ap);
}
