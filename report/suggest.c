/* SPDX-License-Identifier: MIT */
/*
 * A call that is hardly longer than its probe costs much and tells little.  So
 * the sites are taken in order of cost per time that they account for, which
 * keeps as much time attributed as the budget allows; a second look puts back
 * those that were not needed after all.
 */
#include "report/suggest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/vec.h"
#include "perseus/rules.h"
#include "record/run.h"
#include "report/summary.h"

#define SHORT_READS 4.0   /* a call shorter than this many reads of the clock is not measured well */
#define COST_MIN    0.001 /* percent: what costs less is not worth a rule */
#define AIM         0.9   /* of the budget: the next run is not quite like this one */

/* One call site with all its instances, threads and callees. */
struct candidate {
	const struct run_call_site *site;
	const char *callee;
	uint64_t calls, timed;
	double self_ns, total_ns;
	double cost;     /* percent of thread time */
	bool stays;      /* whatever it costs */
	bool one_caller; /* no other site calls its callee */
	bool out;
};

struct choice {
	const struct run *run;
	struct report_summary summary;
	struct VEC(struct candidate) sites; /* ascending by id */
	struct VEC(const struct run_skipped *) carried;
	double read_ns; /* of the clock */
};

static int by_id(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	return strcmp(x->site->id, y->site->id);
}

/* What gives most overhead for least time first; the id decides between equals. */
static int by_worth(const void *a, const void *b)
{
	const struct candidate *x = *(struct candidate *const *)a, *y = *(struct candidate *const *)b;
	double left = x->cost * (y->self_ns + 1), right = y->cost * (x->self_ns + 1);

	if (left != right)
		return left > right ? -1 : 1;
	return by_id(x, y);
}

static int by_cost(const void *a, const void *b)
{
	const struct candidate *x = *(struct candidate *const *)a, *y = *(struct candidate *const *)b;

	if (x->cost != y->cost)
		return x->cost > y->cost ? -1 : 1;
	return by_id(x, y);
}

/* Threads, waits and objects are named by these. */
static bool names_something(const struct run_call_site *c)
{
	static const char *const flags[] = {PRS_CF_CREATE, PRS_CF_WAIT, PRS_CF_ALLOC, PRS_CF_FREE,
					    PRS_CF_NORETURN};

	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if (run_has_flag(c->flags, flags[i]))
			return true;
	return false;
}

/* The rows of the summary, joined by site id. */
static void suggest_gather(struct choice *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->summary.n_sites; i++) {
		const struct report_site *r = &c->summary.sites[i];

		if (r->site)
			vec_push(&c->sites, ((struct candidate){.site = r->site,
								.callee = r->callee,
								.calls = r->calls,
								.timed = r->timed,
								.self_ns = r->self_ns,
								.total_ns = r->total_ns,
								.stays = names_something(r->site)}));
	}
	if (c->sites.n)
		qsort(c->sites.at, c->sites.n, sizeof(*c->sites.at), by_id);
	for (size_t i = 0; i < c->sites.n; i++) {
		struct candidate *to = n ? &c->sites.at[n - 1] : NULL, *from = &c->sites.at[i];

		if (!to || by_id(to, from)) {
			c->sites.at[n++] = *from;
			continue;
		}
		to->calls += from->calls;
		to->timed += from->timed;
		to->self_ns += from->self_ns;
		to->total_ns += from->total_ns;
		to->stays |= from->stays;
		if (strcmp(to->callee, from->callee))
			to->callee = "indirect";
	}
	c->sites.n = n;
}

static int by_kind_and_site(const void *a, const void *b)
{
	const struct run_skipped *x = *(const struct run_skipped *const *)a;
	const struct run_skipped *y = *(const struct run_skipped *const *)b;
	int order = strcmp(x->kind, y->kind);

	return order ? order : strcmp(x->site, y->site);
}

/* What the rules of this build left out, each site once: a run cannot tell what it would cost now. */
static void gather_carried(struct choice *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->run->n_modules; i++) {
		const struct sites *s = &c->run->modules[i].sites;

		for (size_t k = 0; k < s->n_skipped; k++)
			if (strcmp(s->skipped[k].site, "-") && strcmp(s->skipped[k].kind, PRS_SK_FUNCTION))
				vec_push(&c->carried, &s->skipped[k]);
	}
	if (c->carried.n)
		qsort(c->carried.at, c->carried.n, sizeof(*c->carried.at), by_kind_and_site);
	for (size_t i = 0; i < c->carried.n; i++)
		if (!n || strcmp(c->carried.at[n - 1]->site, c->carried.at[i]->site))
			c->carried.at[n++] = c->carried.at[i];
	c->carried.n = n;
}

static void suggest_keep(struct choice *c, const struct run_process *p, uint32_t number)
{
	const struct run_call_site *site = number == PRS_NO_SITE ? NULL : run_call_site(p, number);
	struct candidate key = {.site = site};
	struct candidate *found = NULL;

	if (site && c->sites.n)
		found = bsearch(&key, c->sites.at, c->sites.n, sizeof(*c->sites.at), by_id);
	if (found)
		found->stays = true;
}

/* What the run itself refers to: creators of threads, places of waits, boundaries of phases. */
static void keep_referred(struct choice *c)
{
	for (size_t i = 0; i < c->run->n_processes; i++) {
		const struct run_process *p = &c->run->processes[i];

		for (size_t k = 0; k < p->n_threads; k++) {
			const struct run_thread *t = &p->threads[k];

			suggest_keep(c, p, t->raw->create_site);
			for (size_t e = 0; e < t->n_events; e++)
				if (t->events[e].kind != PRS_EV_START && t->events[e].kind != PRS_EV_EXIT)
					suggest_keep(c, p, t->events[e].site);
		}
	}
}

/* Static: how many sites of the tables call the same function as @x? */
static bool only_caller(const struct choice *c, const struct candidate *x)
{
	unsigned n = 0;

	if (!strcmp(x->site->callee, "indirect"))
		return false;
	for (size_t i = 0; i < c->sites.n && n < 2; i++)
		n += !strcmp(c->sites.at[i].site->callee, x->site->callee);
	return n == 1;
}

/*
 * The probes of all sites together cost no more than the whole run was found to
 * lose (@before, percent): what stays then never comes out below nothing.
 */
static void price(struct choice *c, double before)
{
	const struct run_process *p = &c->run->processes[0];
	double sum = 0;

	c->read_ns = (double)p->header->clock_ticks * p->ns_per_tick;
	for (size_t i = 0; i < c->sites.n; i++) {
		struct candidate *x = &c->sites.at[i];

		x->cost = 100 * report_probe_reads(p, x->calls, x->timed) * c->read_ns / c->summary.own_ns;
		sum += x->cost;
	}
	for (size_t i = 0; i < c->sites.n && sum > before; i++)
		c->sites.at[i].cost *= before / sum;
}

/* Percent that are left: what no site accounts for, and the sites that stay in. */
static double left(const struct choice *c, double before)
{
	double all = 0, stay = 0;

	for (size_t i = 0; i < c->sites.n; i++) {
		all += c->sites.at[i].cost;
		stay += c->sites.at[i].out ? 0 : c->sites.at[i].cost;
	}
	return (before > all ? before - all : 0) + stay;
}

static struct candidate **order(struct choice *c, int (*compare)(const void *, const void *))
{
	struct candidate **list = mem_new(c->sites.n + 1, sizeof(*list));

	for (size_t i = 0; i < c->sites.n; i++)
		list[i] = &c->sites.at[i];
	qsort(list, c->sites.n, sizeof(*list), compare);
	return list;
}

/* Leave out until the budget is kept; then put back what fits after all, the most telling first. */
static void suggest_choose(struct choice *c, struct suggestion *s)
{
	struct candidate **list = order(c, by_worth);
	double aim = s->before > s->budget ? AIM * s->budget : s->budget;

	s->after = s->before;
	for (size_t i = 0; i < c->sites.n && s->after > aim; i++) {
		if (list[i]->stays || list[i]->cost < COST_MIN)
			continue;
		list[i]->out = true;
		s->after -= list[i]->cost;
	}
	for (size_t i = c->sites.n; i-- > 0;) {
		if (!list[i]->out || s->after + list[i]->cost > aim)
			continue;
		list[i]->out = false;
		s->after += list[i]->cost;
	}
	s->after = left(c, s->before);
	free(list);
}

static void tally(struct choice *c, struct suggestion *s)
{
	double lost = 0;

	for (size_t i = 0; i < c->sites.n; i++) {
		struct candidate *x = &c->sites.at[i];

		if (!x->out)
			continue;
		x->one_caller = only_caller(c, x);
		s->left_out++;
		lost += x->self_ns;
	}
	s->sites = c->sites.n;
	s->kept = c->summary.function_ns > 0 ? 100 * (1 - lost / c->summary.function_ns) : 100;
	if (s->kept < 0)
		s->kept = 0;
}

/* A name as one field of the file. */
static void put_name(struct strbuf *out, const char *name)
{
	strbuf_percent(out, name);
	strbuf_puts(out, " ");
}

static void put_site(const struct choice *c, const struct candidate *x, struct strbuf *out)
{
	struct strbuf place = STRBUF_INIT;
	double mean = x->calls ? x->total_ns / (double)x->calls : 0;

	strbuf_printf(out, "call %s %llu %llu %.3f %.1f ", x->site->id, (unsigned long long)x->calls,
		      (unsigned long long)x->timed, x->cost, mean);
	put_name(out, x->site->unit);
	strbuf_printf(&place, "%s:%u", x->site->file, x->site->line);
	put_name(out, place.s);
	strbuf_release(&place);
	put_name(out, x->site->pretty);
	put_name(out, x->callee);
	strbuf_printf(out, "%s%s\n", mean < SHORT_READS * c->read_ns ? "short" : "frequent",
		      x->one_caller ? ",one-caller" : "");
}

/* Is there a line for this site already?  Another module may have been built without rules. */
static bool chosen_now(const struct choice *c, const char *site)
{
	for (size_t i = 0; i < c->sites.n; i++)
		if (c->sites.at[i].out && !strcmp(c->sites.at[i].site->id, site))
			return true;
	return false;
}

static void put_carried(const struct choice *c, struct suggestion *s)
{
	struct strbuf *out = &s->text;

	for (size_t i = 0; i < c->carried.n; i++) {
		const struct run_skipped *k = c->carried.at[i];
		struct strbuf place = STRBUF_INIT;

		if (chosen_now(c, k->site))
			continue;
		strbuf_printf(out, "%s %s %s ", k->kind, k->site, strcmp(k->kind, "mem") ? "0 0 0 0" : "0");
		put_name(out, k->unit);
		strbuf_printf(&place, "%s:%u", k->file, k->line);
		put_name(out, place.s);
		strbuf_release(&place);
		put_name(out, k->function);
		put_name(out, k->callee);
		strbuf_puts(out, "before\n");
		s->carried++;
	}
}

static void write_rules(struct choice *c, struct suggestion *s)
{
	struct candidate **list = order(c, by_cost);
	struct strbuf *out = &s->text;

	strbuf_printf(out,
		      "%s %d\n"
		      "# Sites that cost more than they tell; the plugin leaves them out with\n"
		      "# -fplugin-arg-perseus-rules=FILE.  Their time counts for their callers then.\n"
		      "# short: hardly longer than its probe; frequent: the costliest of the rest;\n"
		      "# one-caller: no other site calls that function, so its time stays in one place;\n"
		      "# before: left out by the rules of this build already, so not counted in the run.\n"
		      "run ",
		      PRS_RULES_MAGIC, PRS_RULES_VERSION);
	put_name(out, c->run->manifest.program ? c->run->manifest.program : c->run->path);
	out->s[--out->len] = '\0';
	strbuf_printf(out, "\nbudget %.2f\ncost %.0f %.0f\nbefore %.2f\nafter %.2f\nkept %.2f\n", s->budget,
		      1000 * report_probe_reads(&c->run->processes[0], 1, 0) * c->read_ns,
		      1000 * report_probe_reads(&c->run->processes[0], 1, 1) * c->read_ns, s->before,
		      s->after, s->kept);
	strbuf_puts(out, "#    SITE CALLS TIMED COST% MEAN_NS UNIT PLACE FUNCTION CALLEE REASON\n");
	for (size_t i = 0; i < c->sites.n; i++)
		if (list[i]->out)
			put_site(c, list[i], out);
	put_carried(c, s);
	strbuf_printf(out, "end %lu\n", s->left_out + s->carried);
	free(list);
}

int sites_suggest(struct suggestion *s, const char *path, double budget, struct err *err)
{
	struct choice c = {.sites = VEC_INIT, .carried = VEC_INIT};
	struct run run;
	int ret;

	*s = (struct suggestion){.budget = budget};
	ret = run_open(&run, path, err);
	if (ret)
		return ret;
	c.run = &run;
	report_summarise(&c.summary, &run);
	if (c.summary.sharing)
		ret = err_set(err, -EINVAL,
			      "run '%s' is a sharing run, its times are inflated: expected a timing run\n"
			      "  perseus record --purpose=timing PROGRAM, then again",
			      path);
	else if (!c.summary.n_sites || c.summary.thread_ns <= 0)
		ret = err_set(err, -ENODATA,
			      "run '%s' has no call with a time: there is nothing to choose from", path);
	if (!ret) {
		suggest_gather(&c);
		gather_carried(&c);
		keep_referred(&c);
		s->before = 100 * c.summary.overhead;
		price(&c, s->before);
		suggest_choose(&c, s);
		tally(&c, s);
		write_rules(&c, s);
	}
	vec_release(&c.sites);
	vec_release(&c.carried);
	report_summary_release(&c.summary);
	run_close(&run);
	return ret;
}
