/* SPDX-License-Identifier: MIT */
#include "verify/evidence.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static bool is_id(const char *text, const char *id, size_t len)
{
	return text && strlen(text) == len && !memcmp(text, id, len);
}

static bool is_known(const struct vmodel *m, const char *id, size_t len)
{
	for (size_t i = 0; i < m->n_conflicts; i++)
		if (is_id(m->conflict[i].evidence, id, len))
			return true;
	for (size_t i = 0; i < m->n_phases; i++)
		if (is_id(m->phase[i].name, id, len))
			return true;
	return false;
}

/* Ids are separated by a comma and a blank. */
static void check_ids(const char *ids, const char *of, const struct vmodel *m, size_t n,
		      struct findings *list)
{
	while (ids && *ids) {
		size_t len = strcspn(ids, ",");
		bool known = false;

		for (size_t k = 0; k < n && !known; k++)
			known = is_known(&m[k], ids, len);
		if (!known)
			findings_add(list, "%s rests on `%.*s`, which is no finding or phase of the model%s",
				     of, len < 80 ? (int)len : 80, ids, n == 1 ? "" : "s");
		ids += len;
		ids += strspn(ids, ", ");
	}
}

void evidence_check(const struct vplan *p, const struct vmodel *m, size_t n, struct findings *list)
{
	char of[64];

	for (size_t i = 0; i < p->n_threads; i++) {
		snprintf(of, sizeof(of), "thread %zu of the plan", i);
		check_ids(p->thread[i].evidence, of, m, n, list);
	}
	for (size_t i = 0; i < p->n_triggers; i++) {
		snprintf(of, sizeof(of), "trigger %04u of the plan", (unsigned)p->trigger[i].number);
		check_ids(p->trigger[i].evidence, of, m, n, list);
	}
}
