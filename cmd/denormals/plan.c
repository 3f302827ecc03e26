/* SPDX-License-Identifier: MIT */
#include "cmd/denormals/plan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "lib/hash.h"
#include "lib/mem.h"
#include "lib/num.h"
#include "yaml/plan.h"

/* A function with births, as one unit compiled it. */
struct spot {
	const char *file, *function, *unit; /* unit: NULL: not known */
	uint64_t births;
	unsigned line, units; /* of its first birth; that compiled it */
	double low_ps;        /* of all of them */
};

struct spots VEC(struct spot);

static bool lies_in(const struct denormal_line *l, const struct spot *s)
{
	return !strcmp(s->file, l->file) && !strcmp(s->function, l->function);
}

static int most_births(const void *a, const void *b)
{
	const struct spot *x = a, *y = b;

	if (x->births != y->births)
		return x->births > y->births ? -1 : 1;
	if (strcmp(x->function, y->function) != 0 || !x->unit || !y->unit)
		return strcmp(x->function, y->function);
	return strcmp(x->unit, y->unit);
}

/* Births by function and unit, most first, with what all denormals of the function cost. */
static void collect_spots(const struct denormal_report *r, struct spots *s)
{
	const struct denormal *d = &r->run->counts;

	for (size_t i = 0; i < d->homes.n; i++) {
		const struct denormal_home *h = &d->homes.at[i];
		struct spot spot = {
			.file = h->file, .function = h->function, .unit = h->unit, .births = h->births};

		for (size_t k = 0; k < d->homes.n; k++)
			spot.units += !strcmp(d->homes.at[k].file, h->file) &&
				      !strcmp(d->homes.at[k].function, h->function);
		for (size_t k = 0; k < r->lines.n; k++) {
			const struct denormal_line *l = &r->lines.at[k];

			if (!lies_in(l, &spot))
				continue;
			spot.low_ps += l->n.low_ps;
			if (l->n.births && (!spot.line || l->line < spot.line))
				spot.line = l->line;
		}
		vec_push(s, spot);
	}
	if (s->n)
		qsort(s->at, s->n, sizeof(*s->at), most_births);
}

/* A header is compiled by those that include it. */
static bool is_header(const char *file)
{
	static const char *const ends[] = {"h", "hh", "hpp", "hxx", "h++", "inc", "inl", "ipp", "tcc", "tpp"};
	const char *dot = strrchr(file, '.');

	if (!dot || strchr(dot, '/'))
		return true; /* as <vector> is */
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		if (!strcasecmp(dot + 1, ends[i]))
			return true;
	return false;
}

/* A flush is put into a function of one unit, so that must be known. */
static int check_spot(const struct spot *s, struct err *err)
{
	if (s->unit || !is_header(s->file))
		return 0;
	err_set(err, -ENOTSUP,
		"%s:%u: %s() has %llu births and lies in a header, and which unit compiled it is not known",
		s->file, s->line, s->function, (unsigned long long)s->births);
	return err_advise(err, "record a build without -flto, whose counts name the unit");
}

static char *reason_of(const struct spot *s, const struct denormal_report *r)
{
	struct strbuf sb = STRBUF_INIT;
	char n[32];

	strbuf_printf(&sb, "%s denormals are born here in run %s", num_group(n, sizeof(n), s->births),
		      r->run->path);
	if (s->units > 1)
		strbuf_printf(&sb, ", of those in %u units that compile %s", s->units, s->file);
	if (r->priced)
		strbuf_printf(&sb, "; those of its lines cost at least %.3g ms of %.3g ms", s->low_ps / 1e9,
			      (double)r->run->manifest.wall_ns / 1e6);
	else
		strbuf_puts(&sb, "; what they cost is not known: perseus calibrate");
	return strbuf_detach(&sb);
}

static void flush_of(struct plan_flush *f, uint32_t number, const struct spot *s,
		     const struct denormal_report *r)
{
	char id[32], key[512];

	snprintf(key, sizeof(key), "%.240s:%.240s", s->unit ? s->unit : s->file, s->function);
	evidence_id(id, sizeof(id), "denormal", key, 0);
	*f = (struct plan_flush){
		.number = number,
		.unit = mem_strdup(s->unit ? s->unit : s->file),
		.function = mem_strdup(s->function),
		.entry = PLAN_FP_ENTRY,
		.set = PLAN_FLUSH_BOTH,
		.births = s->births,
		.cost_ns = r->priced && s->units == 1 ? (uint64_t)(s->low_ps / 1e3) : 0,
		.evidence = mem_strdup(id),
		.reason = reason_of(s, r),
	};
}

static int fill(struct plan *p, const struct denormal_report *r, const struct platform *here, struct err *err)
{
	struct spots spots = VEC_INIT;
	int ret = 0;

	collect_spots(r, &spots);
	if (!spots.n)
		ret = err_set(err, -ENODATA, "run '%s' counted no births: there is nothing to plan",
			      r->run->path);
	else if (spots.n > PLAN_FLUSHES)
		ret = err_set(err, -ENOSPC, "births in %zu functions, a plan has at most %u flushes", spots.n,
			      PLAN_FLUSHES);
	for (size_t i = 0; i < spots.n && !ret; i++)
		ret = check_spot(&spots.at[i], err);
	if (!ret) {
		plan_begin(p, &r->run->manifest, here, "denormals");
		p->flushes = mem_new(spots.n, sizeof(*p->flushes));
		for (; p->n_flushes < spots.n; p->n_flushes++)
			flush_of(&p->flushes[p->n_flushes], (uint32_t)p->n_flushes + 1,
				 &spots.at[p->n_flushes], r);
	}
	vec_release(&spots);
	return ret;
}

int flush_plan_make(const struct denormal_run *run, const struct platform *here, struct strbuf *text,
		    struct err *err)
{
	struct denormal_report r;
	struct plan p = {0};
	int ret;

	if (!here) {
		err_set(err, -ENOENT, "a plan names its machine, and there is no platform.yaml here");
		return err_advise(err, "perseus calibrate makes one, or name it with --platform=P");
	}
	denormal_report_make(&r, run, here);
	ret = fill(&p, &r, here, err);
	if (!ret)
		plan_text(&p, text);
	plan_release(&p);
	denormal_report_release(&r);
	return ret;
}

/* What changed in the output, in one sentence. */
static char *change_of(const struct attempt *w)
{
	const struct numbers_change *c = &w->output;
	struct strbuf sb = STRBUF_INIT;

	if (c->equal)
		strbuf_puts(&sb, "none, bit by bit");
	else if (!c->text)
		strbuf_printf(&sb, "%llu bits", (unsigned long long)c->bits);
	else if (c->words_differ)
		strbuf_puts(&sb, "more than numbers");
	else
		strbuf_printf(&sb, "%llu of %llu numbers, at most by %.3g of the value and %.3g",
			      (unsigned long long)c->differ, (unsigned long long)c->n, c->relative,
			      c->absolute);
	if (w->done)
		strbuf_printf(&sb, "; %.3g of the time without (95 %% interval %.3g to %.3g)",
			      w->time.estimate, w->time.low, w->time.high);
	if (w->births_counted)
		strbuf_printf(&sb, "; births %llu, with the flush %llu",
			      (unsigned long long)w->side[0].births, (unsigned long long)w->side[1].births);
	return strbuf_detach(&sb);
}

int flush_plan_note(const char *path, const struct attempt *w, const struct attempt_opts *o, struct err *err)
{
	struct plan p;
	bool any = false;
	int ret = plan_load(&p, path, err);

	if (ret)
		return ret;
	for (size_t i = 0; i < p.n_flushes; i++) {
		if (!o->function || strcmp(p.flushes[i].function, o->function))
			continue;
		any = true; /* those of several units were tried together */
		free(p.flushes[i].change);
		p.flushes[i].change = change_of(w);
	}
	if (any)
		ret = plan_save(&p, path, err);
	else
		ret = err_set(err, -ENOENT, "'%s' has no flush of %s()", path,
			      o->function ? o->function : "the program");
	plan_release(&p);
	return ret;
}
