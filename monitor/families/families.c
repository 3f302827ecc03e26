/* SPDX-License-Identifier: MIT */
#include "monitor/families/families.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "lib/html/frame.h"
#include "lib/mem.h"
#include "lib/num.h"
#include "lib/read/words.h"

#define EVENTS_MAX 64 /* of a machine */

HTML_ASSET(families_txt, "monitor/families/families.txt");
static const struct html_asset builtin = HTML_ASSET_OF(families_txt);

/* "48-175", "23" */
static bool take_range(struct family_machine *m, char *text)
{
	char *dash = strchr(text, '-');
	uint64_t low, high;

	if (dash)
		*dash = 0;
	if (num_u64(text, 0, 4095, &low) || num_u64(dash ? dash + 1 : text, low, 4095, &high))
		return false;
	vec_push(&m->models, ((struct family_range){(uint32_t)low, (uint32_t)high}));
	return true;
}

static bool take_models(struct family_machine *m, char *list)
{
	char *save = NULL;

	if (!strcmp(list, "-"))
		return true;
	for (char *p = strtok_r(list, ",", &save); p; p = strtok_r(NULL, ",", &save))
		if (!take_range(m, p))
			return false;
	return m->models.n > 0;
}

static int take_machine(struct families *f, struct words *w, struct err *err)
{
	struct family_machine *m;
	uint64_t family;

	if (w->n != 5)
		return words_bad(w, err, "%zu words, expected 'machine NAME VENDOR FAMILY MODELS'", w->n);
	if (families_find(f, w->word[1]))
		return words_bad(w, err, "machine '%s' stands twice", w->word[1]);
	if (num_u64(w->word[3], 0, 4095, &family))
		return words_bad(w, err, "'%s' is no family: expected 0 to 4095", w->word[3]);
	m = vec_add(f);
	m->name = mem_strdup(w->word[1]);
	m->vendor = mem_strdup(w->word[2]);
	m->family = (uint32_t)family;
	if (!take_models(m, w->word[4]))
		return words_bad(w, err, "the models are no ranges like 0-15,32");
	return 0;
}

static int take_scope(const struct words *w, enum family_scope *scope, struct err *err)
{
	static const char *const words[] = {"thread", "package", "kernel"};

	for (size_t i = 0; i < 3; i++)
		if (!strcmp(w->word[3], words[i])) {
			*scope = (enum family_scope)i;
			return 0;
		}
	return words_bad(w, err, "'%s' is no scope: thread, package or kernel", w->word[3]);
}

/* Letters, digits and '_': they stand in rules, lists and JSON. */
static bool is_name(const char *s)
{
	for (const char *p = s; *p; p++)
		if (!isalnum((unsigned char)*p) && *p != '_')
			return false;
	return *s && strlen(s) < 32;
}

static int take_event(struct families *f, struct words *w, struct err *err)
{
	struct family_machine *m = f->n ? &f->at[f->n - 1] : NULL;
	enum family_scope scope = FAMILY_THREAD;
	struct family_event *e;
	int ret;

	if (!m)
		return words_bad(w, err, "an event before the first machine");
	if (w->n < 6)
		return words_bad(w, err, "%zu words, expected 'event FAMILY NAME SCOPE EVENT SOURCE...'",
				 w->n);
	if (!is_name(w->word[1]) || !is_name(w->word[2]))
		return words_bad(w, err, "family and name are letters, digits and '_', at most 31");
	if (m->events.n == EVENTS_MAX)
		return words_bad(w, err, "%s has more than %d events", m->name, EVENTS_MAX);
	for (size_t i = 0; i < m->events.n; i++)
		if (!strcmp(m->events.at[i].family, w->word[1]) && !strcmp(m->events.at[i].name, w->word[2]))
			return words_bad(w, err, "%s.%s stands twice for %s", w->word[1], w->word[2],
					 m->name);
	ret = take_scope(w, &scope, err);
	if (ret)
		return ret;
	e = vec_add(&m->events);
	e->scope = scope;
	e->family = mem_strdup(w->word[1]);
	e->name = mem_strdup(w->word[2]);
	e->event = mem_strdup(w->word[4]);
	e->source = words_rest(w, 5);
	return 0;
}

int families_read(struct families *f, const char *path, const char *text, size_t len, struct err *err)
{
	struct words w;
	int ret = words_open(&w, path, text, len, "perseus-families", err);

	*f = (struct families)VEC_INIT;
	if (ret)
		return ret;
	while ((ret = words_next(&w, err)) > 0) {
		if (!strcmp(w.word[0], "machine"))
			ret = take_machine(f, &w, err);
		else if (!strcmp(w.word[0], "event"))
			ret = take_event(f, &w, err);
		else
			ret = words_bad(&w, err, "'%s': expected machine or event", w.word[0]);
		if (ret)
			break;
	}
	if (!ret && !f->n)
		ret = words_bad(&w, err, "no machine");
	words_close(&w);
	if (ret)
		families_release(f);
	return ret;
}

int families_builtin(struct families *f, struct err *err)
{
	return families_read(f, "families.txt", builtin.text, (size_t)(builtin.end - builtin.text), err);
}

void families_release(struct families *f)
{
	for (size_t i = 0; i < f->n; i++) {
		struct family_machine *m = &f->at[i];

		for (size_t k = 0; k < m->events.n; k++) {
			free(m->events.at[k].family);
			free(m->events.at[k].name);
			free(m->events.at[k].event);
			free(m->events.at[k].source);
		}
		vec_release(&m->events);
		vec_release(&m->models);
		free(m->name);
		free(m->vendor);
	}
	vec_release(f);
}
