/* SPDX-License-Identifier: MIT */
/* Ids of findings, made from the names of what they are of: the same in every run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/sharing/findings.h"
#include "lib/hash.h"
#include "lib/mem.h"
#include "lib/strbuf.h"

static int by_key(const void *a, const void *b)
{
	const struct sharing_finding *x = a, *y = b;
	int c = strcmp(x->key, y->key);

	return c ? c : strcmp(x->field_key, y->field_key);
}

/* True if two findings of one process in [@from, @to), which have one key, are of one verdict. */
static bool alike(const struct sharing_finding *f, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		for (size_t k = from; k < i; k++)
			if (f[i].process == f[k].process && f[i].verdict == f[k].verdict)
				return true;
	return false;
}

/*
 * Fields that threads were seen in are not the same in every run, so objects alone make
 * the key.  Several findings of the same objects have the verdict, else the fields in it.
 */
static void tell_apart(struct sharing_finding *f, size_t from, size_t to)
{
	static const char *const verdicts[] = {
		[SHARING_FALSE] = "false", [SHARING_TRUE] = "true", [SHARING_UNCLEAR] = "unclear"};
	bool fields = alike(f, from, to), several = false;

	for (size_t i = from + 1; i < to; i++)
		several |= f[i].process == f[i - 1].process;
	for (size_t i = from; several && i < to; i++) {
		struct strbuf sb = STRBUF_INIT;

		strbuf_printf(&sb, "%s|%s", f[i].key, fields ? f[i].field_key : verdicts[f[i].verdict]);
		free(f[i].key);
		f[i].key = strbuf_detach(&sb);
	}
}

static void tell_all_apart(struct sharing_report *rep)
{
	size_t to;

	if (rep->n)
		qsort(rep->findings, rep->n, sizeof(*rep->findings), by_key);
	for (size_t from = 0; from < rep->n; from = to) {
		for (to = from + 1; to < rep->n && !strcmp(rep->findings[from].key, rep->findings[to].key);)
			to++;
		tell_apart(rep->findings, from, to);
	}
}

/* Ids that are taken: by number, the first finding that has it, + 1. */
#define IDS_MAX 1000000u

/* The finding may have the id: nobody has it, or one of the same key. */
static bool take_id(const struct sharing_report *rep, uint32_t *ids, size_t i)
{
	const struct sharing_finding *f = &rep->findings[i];
	const char *digits = strrchr(f->evidence, '-') + 1;
	uint32_t *id = &ids[strtoul(digits, NULL, 10) % IDS_MAX];

	if (*id && strcmp(rep->findings[*id - 1].key, f->key))
		return false;
	*id = *id ? *id : (uint32_t)i + 1;
	return true;
}

void findings_number(struct sharing_report *rep)
{
	uint32_t *ids = mem_new(IDS_MAX, sizeof(*ids));

	tell_all_apart(rep);
	if (rep->n)
		qsort(rep->findings, rep->n, sizeof(*rep->findings), by_key);
	for (size_t i = 0; i < rep->n; i++) {
		struct sharing_finding *f = &rep->findings[i];
		unsigned step = 0;

		do
			evidence_id(f->evidence, sizeof(f->evidence), "share", f->key, step++);
		while (!take_id(rep, ids, i) && step < IDS_MAX);
	}
	free(ids);
}
