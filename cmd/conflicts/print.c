/* SPDX-License-Identifier: MIT */
#include "cmd/conflicts/parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/program.h"
#include "cmd/base/cmd.h"
#include "lib/fs.h"
#include "lib/mem.h"
#include "lib/num.h"
#include "lib/strbuf.h"
#include "record/blocks/bursts.h"

#define PAIRS_SHOWN 4u

/* One accessing place, as printed: what, by whom, where, how often. */
struct place_line {
	char *what, *who, *where, *rate;
};

/* "[1].seed": the part of its object that a side uses. */
static char *side_part(const struct sharing_side *s)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_printf(&sb, "%s%s%s", s->element, *s->element && *s->member && *s->member != '[' ? "." : "",
		      s->member);
	return strbuf_detach(&sb);
}

/* The element and field that one side uses; the object only where a finding has several. */
static char *side_what(const struct sharing_side *s, bool several, bool one_element)
{
	struct strbuf sb = STRBUF_INIT;

	char *part = side_part(s);

	if (several || !*part)
		strbuf_puts(&sb, s->what);
	else if (!one_element)
		strbuf_printf(&sb, "%s%s%s", *s->element ? "[]" : "",
			      *s->element && *s->field && *s->field != '[' ? "." : "",
			      *s->element && *s->field == '[' ? s->field + 2 : s->field);
	else
		strbuf_puts(&sb, part);
	free(part);
	if (s->placed && *s->member)
		strbuf_printf(&sb, " (offset %llu)", (unsigned long long)s->offset);
	strbuf_printf(&sb, " %s", s->uses == PRS_KIND_LOAD ? "read by" : "written by");
	return strbuf_detach(&sb);
}

/* Names longer than this are printed without the arguments of templates. */
#define NAME_COLUMNS 48u

/* "std::map<...>::at" where it is too long to be read. */
static char *side_who(const char *name)
{
	struct strbuf sb = STRBUF_INIT;
	int depth = 0;

	if (strlen(name) <= NAME_COLUMNS || strstr(name, "operator"))
		return mem_strdup(name);
	for (const char *s = name; *s; s++) {
		depth -= *s == '>';
		if (!depth)
			strbuf_printf(&sb, "%c", *s);
		depth += *s == '<';
		if (*s == '<' && depth == 1)
			strbuf_puts(&sb, "...");
	}
	return strbuf_detach(&sb);
}

static struct place_line side_line(const struct sharing_side *s, bool several, bool one_element)
{
	struct strbuf where = STRBUF_INIT, rate = STRBUF_INIT;

	if (s->file)
		strbuf_printf(&where, "%s:%u%s", fs_base_name(s->file), s->line,
			      s->site->near ? " (near)" : "");
	else
		strbuf_puts(&where, "-");
	sharing_rate_text(&rate, s, "/s");
	return (struct place_line){side_what(s, several, one_element),
				   side_who(s->function ? s->function : "-"), strbuf_detach(&where),
				   strbuf_detach(&rate)};
}

static int width(const char *s, int least)
{
	return (int)strlen(s) > least ? (int)strlen(s) : least;
}

static bool same_places(const struct sharing_pair *x, const struct sharing_pair *y)
{
	return x->verdict == y->verdict && x->a.site == y->a.site && x->b.site == y->b.site &&
	       !strcmp(x->a.field, y->a.field) && !strcmp(x->b.field, y->b.field);
}

/* One line of one function to the reader. */
static bool one_place(const struct sharing_side *x, const struct sharing_side *y)
{
	return x->line == y->line && x->file && y->file && !strcmp(x->file, y->file) && x->function &&
	       y->function && !strcmp(x->function, y->function);
}

/* The same elements, whichever thread comes first where both sides are one place of the source. */
static bool same_elements(const struct sharing_pair *x, const struct sharing_pair *y)
{
	if (!strcmp(x->a.what, y->a.what) && !strcmp(x->b.what, y->b.what))
		return true;
	return one_place(&x->a, &x->b) && !strcmp(x->a.what, y->b.what) && !strcmp(x->b.what, y->a.what);
}

/* Do all pairs of threads that use the places of @p use the same elements? */
static bool one_element(const struct sharing_finding *f, const struct sharing_pair *p)
{
	for (size_t i = 0; i < f->n_pairs; i++)
		if (same_places(&f->pairs[i], p) && !same_elements(&f->pairs[i], p))
			return false;
	return true;
}

/* Both sides of a pair, in columns. */
static void print_pair(const struct sharing_finding *f, const struct sharing_pair *p, const char *head)
{
	bool several = f->n_objects > 1, one = one_element(f, p);
	struct place_line l[2] = {side_line(&p->a, several, one), side_line(&p->b, several, one)};
	int what = width(l[1].what, width(l[0].what, 0)), who = width(l[1].who, width(l[0].who, 0));
	int where = width(l[1].where, width(l[0].where, 0));

	for (int i = 0; i < 2; i++) {
		cmd_print("    %-9s %-*s  %-*s  %-*s  %s\n", i ? "" : head, what, l[i].what, who, l[i].who,
			  where, l[i].where, l[i].rate);
		free(l[i].what);
		free(l[i].who);
		free(l[i].where);
		free(l[i].rate);
	}
}

/* "[1].seed and [2].seed, ": what the threads of one pair use, where those of others use other elements. */
static void print_parts(const struct sharing_finding *f, const struct sharing_pair *p)
{
	char *a = side_part(&p->a), *b = side_part(&p->b);

	if (f->n_objects == 1 && strcmp(a, b) && !one_element(f, p))
		cmd_print("%s and %s, ", a, b);
	free(a);
	free(b);
}

/* When they meet, where a timing run says which phases there are. */
static void print_phases(const struct sharing_pair *p)
{
	struct strbuf sb = STRBUF_INIT;

	when_text(&sb, &p->when);
	if (sb.len)
		cmd_print("    %-9s %s\n", "phases", sb.s);
	strbuf_release(&sb);
}

/* Each pair of places once, with the threads that run there below. */
static void print_pairs(const struct sharing_finding *f, bool all)
{
	size_t shown = 0, hidden = 0;

	for (size_t i = 0; i < f->n_pairs; i++) {
		const struct sharing_pair *p = &f->pairs[i];
		bool known = false;
		char n[32];

		for (size_t k = 0; k < i && !known; k++)
			known = same_places(&f->pairs[k], p);
		if (shown >= PAIRS_SHOWN && !all) {
			hidden++;
			continue;
		}
		if (!known)
			print_pair(f, p, "line");
		cmd_print("    %-9s %s and %s, ", "threads", p->a.name, p->b.name);
		print_parts(f, p);
		cmd_print("%s/s, %u line%s%s%s\n", num_si(n, sizeof(n), p->transfers_per_s), p->lines,
			  p->lines == 1 ? "" : "s", p->verdict == f->verdict ? "" : ", ",
			  p->verdict == f->verdict ? "" : sharing_verdict_name(p->verdict));
		print_phases(p);
		shown++;
	}
	if (hidden)
		cmd_print("    %-9s %zu more pairs of threads; --all shows them\n", "", hidden);
}

static const char *kinds(const struct sharing_finding *f)
{
	enum prs_kind kind = PRS_KIND_LOAD;

	for (size_t i = 0; i < f->n_pairs; i++) {
		kind = f->pairs[i].a.kind > kind ? f->pairs[i].a.kind : kind;
		kind = f->pairs[i].b.kind > kind ? f->pairs[i].b.kind : kind;
	}
	return sharing_kind_name(kind);
}

/* The interval holds what is not known of gaps, prices and distances between cores. */
static void print_cost(const struct sharing_finding *f)
{
	int digits = f->cost < 10 ? 1 : 0;

	if (f->perhaps) /* a point below the limit would be taken for the answer */
		cmd_print("may cost up to %.*f %% of run time (", digits, f->cost_high);
	else
		cmd_print("costs %.*f %% of run time (", digits, f->cost);
	if (f->cost_high - f->cost_low >= 0.05)
		cmd_print("%.*f to %.*f %%, ", digits, f->cost_low, digits, f->cost_high);
	cmd_print("confidence %s", sharing_confidence_name(f->confidence));
	if (f->recordings > 1)
		cmd_print(", %u recordings", f->recordings);
	cmd_print(")\n");
}

static void print_finding(const struct sharing_finding *f, const struct sharing_report *rep,
			  const struct run *run, const struct conflicts_opts *o, struct patch *sources)
{
	char n[32];

	cmd_print("%s %s %s   ", f->evidence, sharing_verdict_name(f->verdict), f->subject);
	if (f->priced && f->cost_high < 0.05)
		cmd_print("costs less than 0.1 %% of run time (confidence %s)\n",
			  sharing_confidence_name(f->confidence));
	else if (f->priced)
		print_cost(f);
	else
		cmd_print("%s transfers/s, not priced\n", num_si(n, sizeof(n), f->transfers_per_s));
	cmd_print("    %-9s %s\n", "object", f->object);
	if (sharing_elsewhere(f))
		cmd_print("    %-9s %s\n", "place", sharing_elsewhere(f));
	print_pairs(f, o->choice.all);
	cmd_print("    %-9s %s/s between %s, %s\n", "transfers", num_si(n, sizeof(n), f->transfers_per_s),
		  f->one_core ? "threads on one core" : "caches", kinds(f));
	if (f->n_pairs && f->pairs[0].a.pid)
		cmd_print("    %-9s several, by shared memory; transfers are estimated from both sides' "
			  "accesses\n",
			  "process");
	else if (f->process != &run->processes[0])
		cmd_print("    %-9s %u\n", "process", f->process->header->pid);
	conflicts_print_remedies(f, sources, rep->platform != NULL);
}

static void print_blind(const struct sharing_report *rep)
{
	if (!rep->blind.n)
		return;
	cmd_print(" Blind spots:");
	for (size_t i = 0; i < rep->blind.n; i++)
		cmd_print("%s %s", i ? "," : "", rep->blind.at[i]);
	cmd_print(".");
}

/* The verdict: how many findings, and whether the run can say that there are no more. */
static void conflicts_print_print_verdict(const struct sharing_report *rep)
{
	cmd_print("%zu finding%s, %zu %s%s.", rep->n, rep->n == 1 ? "" : "s", rep->n_significant,
		  rep->priced               ? "significant"
		  : rep->n_significant == 1 ? "candidate"
					    : "candidates",
		  rep->priced ? "" : " (not priced)");
	if (rep->n_perhaps)
		cmd_print(" %zu may cost %.0f %% or more: what %s is not known well.", rep->n_perhaps,
			  SHARING_COST_PERCENT, rep->n_perhaps == 1 ? "it costs" : "they cost");
	if (rep->doubts.n)
		cmd_print(" Inconclusive:");
	for (size_t i = 0; i < rep->doubts.n; i++)
		cmd_print("%s %s", i ? ";" : "", rep->doubts.at[i]);
	cmd_print("%s", rep->doubts.n ? "." : "");
}

/* The figure of the nearest two cores. */
static uint64_t nearest(const uint64_t by_distance[DIST_N])
{
	for (int d = DIST_SMT; d < DIST_N; d++)
		if (by_distance[d])
			return by_distance[d];
	return 0;
}

/* The least and the highest price where cores move, as "31 to 160 ns"; else the only one. */
static char *range(uint64_t ps, uint64_t moved, int digits)
{
	struct strbuf sb = STRBUF_INIT;
	double low = (double)(moved && moved < ps ? moved : ps) / 1000;
	double high = (double)(moved > ps ? moved : ps) / 1000;

	strbuf_printf(&sb, "%.*f", digits, low);
	if (moved)
		strbuf_printf(&sb, " to %.*f", digits, high);
	return strbuf_detach(&sb);
}

/* "a line travels 60 ns, "; "" where nobody has measured it. */
static char *travels(uint64_t ps, uint64_t moved)
{
	struct strbuf sb = STRBUF_INIT;
	char *ns = range(ps, moved, 0);

	strbuf_puts(&sb, "");
	if (ps || moved)
		strbuf_printf(&sb, "a line travels %s ns, ", ns);
	free(ns);
	return strbuf_detach(&sb);
}

/* Whose prices the costs are, and those that most of them rest on. */
static void print_prices(const struct sharing_report *rep)
{
	const struct platform *p = rep->platform;
	char *travel, *disputed;

	if (!rep->n)
		return;
	if (rep->unpriced_why) {
		cmd_print("Costs are not priced: %s.\n", rep->unpriced_why);
		return;
	}
	travel = travels(nearest(p->transfer_ps), nearest(p->moved_transfer_ps));
	disputed = range(nearest(p->price[PRS_KIND_ATOMIC].shared_ps),
			 nearest(p->moved_price[PRS_KIND_ATOMIC].shared_ps), 1);
	cmd_print("Prices: %s (%s)%s; %sa locked increment takes %.1f ns, disputed %s.\n", p->name,
		  p->source ? p->source : "source not known",
		  rep->other_machine ? ", another machine than the run's" : "", travel,
		  (double)p->price[PRS_KIND_ATOMIC].alone_ps / 1000, disputed);
	if (platform_moves(p))
		cmd_print(
			"The cores of this machine move: costs are a range over both travels, and the first\n"
			"figure is by the one that the run shows.\n");
	free(travel);
	free(disputed);
}

/* What the findings not shown have in common. */
static void print_hidden(const struct sharing_report *rep, const struct conflicts_opts *o)
{
	size_t hidden = 0;
	double most = 0;
	bool priced = true;
	const char *more;

	for (size_t i = 0; i < rep->n; i++) {
		const struct sharing_finding *f = &rep->findings[i];

		if (conflicts_shown(f, rep, &o->choice))
			continue;
		hidden++;
		priced &= f->priced;
		most = f->cost_high > most ? f->cost_high : most;
	}
	if (!hidden || o->choice.n_ids)
		return;
	more = hidden < rep->n ? " more" : "";
	if (priced && most < 0.1)
		cmd_print("%zu%s cost%s less than 0.1 %%: --all shows %s.\n", hidden, more,
			  hidden == 1 ? "s" : "", hidden == 1 ? "it" : "them");
	else if (priced)
		cmd_print("%zu%s cost%s %.1f %% or less%s: --all shows %s.\n", hidden, more,
			  hidden == 1 ? "s" : "", most, hidden == 1 ? "" : " each",
			  hidden == 1 ? "it" : "them");
	else
		cmd_print("%zu too small to matter; --all shows %s.\n", hidden, hidden == 1 ? "it" : "them");
}

/* A run that looked now and then says little about what it did not find. */
static void print_coverage(const struct run *run)
{
	struct run_bursts b;
	char first[32];

	run_bursts(&b, run);
	if (!b.rate)
		return;
	if (b.first > 0)
		cmd_print("After the first %s looked", num_time(first, sizeof(first), b.first));
	else
		cmd_print("Looked");
	cmd_print(" at in bursts, %.1f %% of the time: what meets seldom may be missing.\n"
		  "perseus record --sharing=precise looks at all of it.\n",
		  100 * b.share);
}

/* Is a thread shown in several pairs, to which its accesses to a line were dealt? */
static bool dealt_rates(const struct sharing_report *rep, const struct conflicts_opts *o)
{
	for (size_t i = 0; i < rep->n; i++) {
		const struct sharing_finding *f = &rep->findings[i];

		for (size_t k = 1; conflicts_shown(f, rep, &o->choice) && k < f->n_pairs; k++) {
			const struct sharing_pair *p = &f->pairs[k - 1], *q = &f->pairs[k];

			if (p->a.thread == q->a.thread || p->a.thread == q->b.thread ||
			    p->b.thread == q->a.thread || p->b.thread == q->b.thread)
				return true;
		}
	}
	return false;
}

void conflicts_print(const struct sharing_report *rep, const struct run *run, const struct conflicts_opts *o,
		     struct patch *sources)
{
	if (run->manifest.trial)
		cmd_print("trial of plan %.12s..: placed by its probes, not a flight build\n\n",
			  run->manifest.trial);
	for (size_t i = 0; i < rep->n; i++)
		if (conflicts_shown(&rep->findings[i], rep, &o->choice))
			print_finding(&rep->findings[i], rep, run, o, sources);
	conflicts_print_print_verdict(rep);
	print_blind(rep);
	cmd_print("\n");
	print_hidden(rep, o);
	print_coverage(run);
	if (dealt_rates(rep, o))
		cmd_print("Of a thread in several pairs each pair has a share of its accesses.\n");
	if (rep->n && rep->longer >= SHARING_LONGER)
		cmd_print("The timing run took up to %.1f times as long as the plain program, for being\n"
			  "recorded (perseus report): the upper ends of rates and costs allow for that.\n",
			  rep->longer);
	else if (rep->n && rep->inflated)
		cmd_print("Rates are per second of the sharing run, which its probes slow down; --timing\n"
			  "gives a timing run to relate them to.\n");
	print_prices(rep);
}
