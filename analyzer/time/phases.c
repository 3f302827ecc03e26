/* SPDX-License-Identifier: MIT */
#include "analyzer/time/fold.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/hash.h"
#include "lib/mem.h"
#include "lib/search.h"
#include "lib/vec.h"

/*
 * Work is the same if it differs by no more than a quarter, or by 2 % of the
 * largest work in the phase: CPU time on a shared machine is not better.
 */
#define WORK_TOLERANCE   0.25
#define SMALL_OF_LARGEST 0.02
#define FLOOR_NS         300000.0

bool same_work(double a, double b, double largest, double floor)
{
	double d = fabs(a - b), big = a > b ? a : b;

	return d <= WORK_TOLERANCE * big || d <= SMALL_OF_LARGEST * largest || d <= floor;
}

double work_floor(double khz)
{
	return FLOOR_NS * khz / 1e6;
}

static double largest_work(const struct interval *iv)
{
	double max = 0;

	for (size_t i = 0; i < iv->n_parts; i++)
		if (iv->parts[i].cycles > max)
			max = iv->parts[i].cycles;
	return max;
}

bool same_call_site(const struct run_call_site *a, const struct run_call_site *b)
{
	if (!a || !b)
		return a == b;
	return !strcmp(a->id, b->id) && !strcmp(a->instance, b->instance);
}

static bool similar_parts(const struct part *a, const struct part *b, double largest, double floor)
{
	double x = a ? a->cycles : 0, y = b ? b->cycles : 0;

	if (!same_work(x, y, largest, floor))
		return false;
	if (!a || !b)
		return true;
	if (a->starts != b->starts)
		return false;
	return !(a->cut && b->cut) || same_call_site(a->site, b->site);
}

/* Walk two ascending lists together; *pa or *pb is NULL where one lacks the instance. */
static bool next_pair(const struct interval *a, const struct interval *b, size_t *i, size_t *k,
		      const struct part **pa, const struct part **pb)
{
	*pa = *i < a->n_parts ? &a->parts[*i] : NULL;
	*pb = *k < b->n_parts ? &b->parts[*k] : NULL;
	if (!*pa && !*pb)
		return false;
	if (*pa && *pb && (*pa)->instance != (*pb)->instance) {
		if ((*pa)->instance < (*pb)->instance)
			*pb = NULL;
		else
			*pa = NULL;
	}
	*i += *pa != NULL;
	*k += *pb != NULL;
	return true;
}

static bool similar(const struct interval *a, const struct interval *b, double floor)
{
	double la = largest_work(a), lb = largest_work(b), largest = la > lb ? la : lb;
	const struct part *pa, *pb;
	size_t i = 0, k = 0;

	if (strcmp(a->key, b->key))
		return false;
	while (next_pair(a, b, &i, &k, &pa, &pb))
		if (!similar_parts(pa, pb, largest, floor))
			return false;
	return true;
}

bool intervals_aligned(const struct intervals *a, const struct intervals *b)
{
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (strcmp(a->at[i].key, b->at[i].key))
			return false;
	return true;
}

const struct part *part_of(const struct interval *iv, uint32_t instance)
{
	size_t lo = search_first(iv->n_parts, i, iv->parts[i].instance < instance);

	return lo < iv->n_parts && iv->parts[lo].instance == instance ? &iv->parts[lo] : NULL;
}

/* The first run's interval, its work averaged over all runs. */
static void mean_interval(struct interval *out, const struct fold *f, size_t at)
{
	*out = f->runs[0].at[at];
	out->parts = mem_new(out->n_parts + 1, sizeof(*out->parts));
	if (out->n_parts)
		memcpy(out->parts, f->runs[0].at[at].parts, out->n_parts * sizeof(*out->parts));
	for (size_t i = 0; i < out->n_parts; i++)
		for (size_t r = 1; r < f->n_runs && f->aligned; r++) {
			const struct part *other = part_of(&f->runs[r].at[at], out->parts[i].instance);
			double x = other ? other->cycles : 0;

			out->parts[i].cycles += (x - out->parts[i].cycles) / (double)(r + 1);
		}
}

void phase_opening(char *out, size_t size, enum bound_kind kind, const struct run_call_site *opener)
{
	const char *event = bound_kind_name(kind);

	if (kind == BOUND_START)
		snprintf(out, size, "(from the start of the program on)");
	else if (opener)
		snprintf(out, size, "(opened by the %s at %s:%u)", event, opener->file, opener->line);
	else
		snprintf(out, size, "(opened by a %s in code without probes)", event);
}

static uint32_t find_class(const struct fold *f, const struct interval *iv)
{
	for (uint32_t c = 0; c < f->n_classes; c++)
		if (similar(f->first[c], iv, f->floor))
			return c;
	return NO_CLASS;
}

/* Classes come from the (averaged) first run; other sequences are fitted into them. */
static void classify(struct fold *f)
{
	f->first = mem_new(f->runs[0].n + 1, sizeof(struct interval *));
	f->class_of = mem_new(f->n_runs, sizeof(uint32_t *));
	for (size_t r = 0; r < f->n_runs; r++) {
		f->class_of[r] = mem_new(f->runs[r].n + 1, sizeof(uint32_t));
		for (size_t i = 0; i < f->runs[r].n; i++) {
			const struct interval *iv = r ? &f->runs[r].at[i] : &f->mean.at[i];
			char opening[200];

			f->class_of[r][i] = r && f->aligned ? f->class_of[0][i] : find_class(f, iv);
			if (f->class_of[r][i] == NO_CLASS && !r) {
				f->first[f->n_classes] = iv;
				f->class_of[r][i] = f->n_classes++;
			} else if (f->class_of[r][i] == NO_CLASS) {
				phase_opening(opening, sizeof(opening), iv->kind, iv->opener);
				notes_add(f->notes, "phase %s: work like its is in run %s only", opening,
					  f->runs[r].name);
			}
		}
	}
}

static void phases_prepare(struct fold *f)
{
	f->aligned = true;
	for (size_t r = 1; r < f->n_runs; r++)
		f->aligned &= intervals_aligned(&f->runs[0], &f->runs[r]);
	for (size_t i = 0; i < f->runs[0].n; i++)
		mean_interval(vec_add(&f->mean), f, i);
	classify(f);
}

/* List the intervals of each class, run by run. */
static void list_members(struct fold *f)
{
	f->members = mem_new(f->n_runs, sizeof(*f->members));
	for (size_t r = 0; r < f->n_runs; r++) {
		struct members *m = &f->members[r];
		uint32_t n = 0;

		m->start = mem_new(f->n_classes + 2, sizeof(*m->start));
		m->interval = mem_new(f->runs[r].n + 1, sizeof(*m->interval));
		for (size_t i = 0; i < f->runs[r].n; i++)
			if (f->class_of[r][i] != NO_CLASS)
				m->start[f->class_of[r][i] + 1]++;
		for (uint32_t c = 0; c < f->n_classes; c++)
			m->start[c + 1] += m->start[c];
		for (uint32_t c = 0; c < f->n_classes; c++)
			for (size_t i = 0; i < f->runs[r].n && n < m->start[c + 1]; i++)
				if (f->class_of[r][i] == c)
					m->interval[n++] = (uint32_t)i;
	}
}

void phases_fold(struct phase_classes *out, const struct intervals *runs, size_t n,
		 const struct instances *names, struct notes *notes)
{
	struct fold f = {.runs = runs, .n_runs = n, .names = names, .notes = notes};

	f.floor = work_floor(runs[0].khz);
	phases_prepare(&f);
	list_members(&f);
	*out = (struct phase_classes){0};
	for (uint32_t c = 0; c < f.n_classes; c++)
		class_summarise(vec_add(out), &f, c);
	out->of_first = f.class_of[0];
	for (size_t r = 0; r < n; r++) {
		if (r)
			free(f.class_of[r]);
		free(f.members[r].start);
		free(f.members[r].interval);
	}
	free(f.class_of);
	free(f.members);
	free(f.first);
	intervals_release(&f.mean);
}

/* The id of class @at; collisions with those before it step in order. */
static char *phase_name(const struct phase_classes *c, char *const *before, size_t at)
{
	char key[96], id[32];
	unsigned same = 0, step = 0;

	for (size_t i = 0; i < at; i++)
		same += !strcmp(c->at[i].key, c->at[at].key);
	snprintf(key, sizeof(key), "%s|%u", c->at[at].key, same);
	for (bool taken = true; taken;) {
		evidence_id(id, sizeof(id), "phase", key, step++);
		taken = false;
		for (size_t i = 0; i < at; i++)
			taken |= !strcmp(before[i], id);
	}
	return mem_strdup(id);
}

char **phase_names(const struct phase_classes *classes)
{
	char **names = mem_new(classes->n + 1, sizeof(*names));

	for (size_t i = 0; i < classes->n; i++)
		names[i] = phase_name(classes, names, i);
	return names;
}

void phases_release(struct phase_classes *classes)
{
	for (size_t i = 0; i < classes->n; i++) {
		free(classes->at[i].parts);
		free(classes->at[i].reason);
	}
	free(classes->of_first);
	classes->of_first = NULL;
	vec_release(classes);
}
