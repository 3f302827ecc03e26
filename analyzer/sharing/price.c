/* SPDX-License-Identifier: MIT */
#include "analyzer/sharing/price.h"

#include <stdlib.h>

#include "lib/mem.h"

/* How often each distance occurs between two different usable cores. */
static void distances(const struct platform *pf, uint64_t count[DIST_N])
{
	for (int d = 0; d < DIST_N; d++)
		count[d] = 0;
	for (uint32_t a = 0; a < pf->n_cores; a++)
		for (uint32_t b = a + 1; b < pf->n_cores; b++)
			if (pf->cores[a].usable && pf->cores[b].usable)
				count[platform_distance(pf, a, b)]++;
}

static bool price_at(const struct platform *pf, int distance)
{
	for (int k = 0; k < PRS_KIND_N; k++)
		if (pf->price[k].shared_ps[distance])
			return true;
	return false;
}

bool price_known(const struct platform *platform)
{
	uint64_t count[DIST_N];

	distances(platform, count);
	for (int d = DIST_SMT; d < DIST_N; d++)
		if (count[d] && price_at(platform, d))
			return true;
	return false;
}

/*
 * A transfer that was seen stands for no more than so many of the run without
 * probes, and it may be for one.  Many, since on a busy machine the two threads seldom ran at a time
 * when it was recorded; but threads that use the line in turns, each for long,
 * do not pay for each access.
 */
#define TRANSFERS_EACH 8
#define TRANSFERS_MOST 32 /* ... at the most */

/* The longest that a line travels between the farthest cores of common machines, for prices that do not say. */
#define TRAVEL_PS 300e3

/* A gap of a second is as good as none. */
#define MAX_GAP_PS 1e12

/*
 * Virtual cores may be two cores now and two hardware threads of one then.  While
 * two threads dispute a line in a sharing run, a transfer is counted once in
 * DISPUTE_NS and DISPUTE_TRAVELS times what the line travels: so the run shows how
 * far its cores were apart, and prices of cores more than MOVED times nearer or
 * farther are not those of the run.
 */
#define DISPUTE_NS      70.0
#define DISPUTE_TRAVELS 4.8
#define MOVED           2.0
#define DISPUTE_MOST    1000.0 /* longer: nobody disputes it all the time */

/* Between two cores a thread is held up for so much of its gap, up to so much of the line's travel. */
#define HELD_UP     0.8
#define HELD_TRAVEL 0.4

/* What a price of @ps would be, were the cores as far apart as the run of @own shows; @ps: that is not known, or so. */
static double as_run_ps(const struct platform *pf, int distance, const struct platform_visitor *v,
			const struct sharing_side *own, double ps)
{
	double expect = DISPUTE_NS + DISPUTE_TRAVELS * (double)pf->transfer_ps[distance] / 1000;
	double full = (double)pf->price[v->kind].shared_ps[distance] - (double)pf->price[v->kind].alone_ps;
	double travel = 1000 * (own->dispute_ns - DISPUTE_NS) / DISPUTE_TRAVELS * HELD_TRAVEL;
	double held = HELD_UP * (double)v->gap_ps < travel ? HELD_UP * (double)v->gap_ps : travel;

	if (!pf->transfer_ps[distance] || own->dispute_ns <= 0 || own->dispute_ns > DISPUTE_MOST)
		return ps;
	if (own->dispute_ns * MOVED < expect)
		return full > 0 && ps > full ? full : ps;
	if (own->dispute_ns < expect * MOVED || v->kind == PRS_KIND_STORE)
		return ps;
	return held > ps ? held : ps;
}

/* The gap without waiting, of a gap with it: each access waits as long as it would have to at that gap. */
static uint64_t without_wait(const struct platform *pf, int distance, enum prs_kind kind, uint64_t gap)
{
	uint64_t lo = 0, hi = gap;

	while (hi - lo > 1 + gap / 1000) {
		struct platform_visitor v = {kind, lo + (hi - lo) / 2};

		if (v.gap_ps + platform_conflict_ps(pf, (enum platform_distance)distance, &v, &v) > gap)
			hi = v.gap_ps;
		else
			lo = v.gap_ps;
	}
	return hi;
}

/*
 * A store waits in a buffer, and so many of them, one behind the other, cost nothing
 * or as much as they take alone: from run to run, with the same code.
 */
#define STORE_FULL_PS 2000

/* One of the cases that an interval spans. */
struct assumption {
	int distance;
	int gap;      /* -1: as short as it may be, 0: as estimated, 1: as long as it may be */
	double price; /* a factor */
	bool busy;    /* the threads had seldom two cores: transfers say nothing */
	bool unsure;  /* nor does anything say how long they were at the line */
};

/* What a price may be wrong by, measured as it was with other cores, at another time. */
#define PRICE_HIGH 2.2
#define PRICE_LOW  0.6
/* ... besides, where the two sides do different things and the price is derived. */
#define UNLIKE_HIGH 1.6
#define UNLIKE_LOW  0.5

/*
 * What left no trace but transfers may be as often as a loop can be, where the
 * threads seldom had two cores.
 */
#define OFTEN_NS 2.0

/* The gap of a side as it is assumed to be, ns; 0: not known. */
static double gap_of(const struct sharing_side *s, const struct assumption *as)
{
	if (as->busy && s->how == EVIDENCE_SEEN && s->gap_ns > OFTEN_NS)
		return OFTEN_NS;
	return as->gap < 0 ? s->gap_ns / s->wide_short : as->gap > 0 ? s->gap_ns * s->wide : s->gap_ns;
}

static struct platform_visitor visitor(const struct platform *pf, const struct sharing_side *s,
				       const struct assumption *as)
{
	double gap = gap_of(s, as), ps = gap * 1000 < MAX_GAP_PS ? gap * 1000 : MAX_GAP_PS;
	struct platform_visitor v = {s->kind, (uint64_t)ps};

	if (s->gap_waits && v.gap_ps)
		v.gap_ps = without_wait(pf, as->distance, v.kind, v.gap_ps);
	return v;
}

/* How long the side is at the line, ns: an estimate, or as long as its thread ran. */
static double there_ns(const struct sharing_side *s, const struct assumption *as,
		       const struct price_setting *st)
{
	double most = st->run_ns[s->thread];

	return as->unsure && s->how == EVIDENCE_WINDOW && most > s->active_ns ? most : s->active_ns;
}

/*
 * Who reads a line all the time has many loads under way when the other writes it, which
 * are done again: that was seen to hold a reader up for so much of the time from write to
 * write, of two threads on one core or on two, up to a transfer; often for nothing.
 */
#define READ_HELD 0.3
#define READ_MOST 0.8

/* What the other's writes, now and then, cost @own that reads the line all the time, ns. */
static double reading_ns(const struct platform *pf, const struct sharing_pair *p,
			 const struct sharing_side *own, const struct assumption *as,
			 const struct price_setting *st, double *alone)
{
	const struct sharing_side *other = own == &p->a ? &p->b : &p->a;
	double x = there_ns(own, as, st), y = there_ns(other, as, st), both = (x < y ? x : y) * p->together;
	double writes = other->accesses * other->counts, every = writes > 0 ? other->active_ns / writes : 0;
	double part = as->gap < 0 ? READ_MOST : as->gap > 0 ? 0 : READ_HELD;
	double travel = (double)pf->transfer_ps[as->distance] * as->price / 1000;

	*alone = both;
	if (every <= 0)
		return 0;
	return both / every * (part * every < travel ? part * every : travel);
}

/* How many accesses of @own meet the other side, if each of them costs @ps more. */
static double meetings(const struct sharing_side *own, const struct sharing_side *other,
		       const struct assumption *as, const struct price_setting *st, double ps)
{
	double x = there_ns(own, as, st), y = there_ns(other, as, st), both = x < y ? x : y;

	if (own->gap_ns <= 0 || other->gap_ns <= 0)
		return own->accesses * own->counts < other->accesses * other->counts
			       ? own->accesses * own->counts
			       : other->accesses * other->counts;
	return both / (gap_of(own, as) + (own->active_waits && !own->gap_waits ? ps / 1000 : 0));
}

/* True if what the two kinds cost each other was measured, and is not derived. */
static bool beside_known(const struct platform *pf, int distance, enum prs_kind a, enum prs_kind b)
{
	return platform_beside_known(pf, (enum platform_distance)distance, a, b) &&
	       platform_beside_known(pf, (enum platform_distance)distance, b, a);
}

/*
 * Nobody tells whether the work between needs what an access brings, or how much of it a
 * core has under way meanwhile.  At the least it hides what calibrated work of HIDES times
 * its length does: of 14 ns of multiplications, one behind the other, all of it, where
 * 4 ns were expected.
 */
#define HIDES 2

static double hidden_ps(const struct platform *pf, int distance, struct platform_visitor own,
			struct platform_visitor other)
{
	own.gap_ps *= HIDES;
	other.gap_ps *= HIDES;
	return (double)platform_sharing_ps(pf, (enum platform_distance)distance, &own, &other);
}

/*
 * At the most the work waits for a load: for so many times what a load costs beside another, since
 * what was begun with a value that another thread writes is done again.
 */
#define NEEDED_MOST 2

static double needed_ps(const struct platform *pf, int distance, const struct platform_visitor *own,
			const struct platform_visitor *other)
{
	struct platform_visitor like = {own->kind, other->gap_ps};

	return own->kind == PRS_KIND_LOAD
		       ? NEEDED_MOST * (double)platform_conflict_ps(pf, (enum platform_distance)distance, own,
								    &like)
		       : 0;
}

/*
 * Without optimisation each value goes through the frame, and what follows waits for
 * the access, whatever it is, as for a load that the work needs; at the most that twice.
 * A turn longer than FRAME_PS is more than a core has under way, and hardly waits.
 * Measured on two hardware threads of one core: 2 to 8 ns at gaps of 1 to 20 ns, where
 * code in registers pays 0 to 2, and 1 to 2 at 36.
 */
#define FRAME_PS     30000
#define FRAME_TRAVEL 0.5 /* ... of the line's travel, no more */

static double framed_ps(const struct platform *pf, const struct assumption *as,
			const struct sharing_side *own, const struct platform_visitor *v, double ps)
{
	struct platform_visitor load = {PRS_KIND_LOAD, v->gap_ps};
	double need = (double)platform_conflict_ps(pf, (enum platform_distance)as->distance, &load, &load);
	double most = FRAME_TRAVEL * (double)pf->transfer_ps[as->distance];

	if (!own->frame || !v->gap_ps || as->gap > 0 || (!as->gap && v->gap_ps > FRAME_PS))
		return ps;
	need *= as->gap < 0 ? NEEDED_MOST : 1;
	need = need < most ? need : most;
	return ps > need ? ps : need;
}

/*
 * A line that is truly shared as well goes on to move, whatever is moved away: what is
 * saved is the part of the other transfers.  Each that stays may take twice as long as
 * the mean, or none of it.
 */
static double part_saved(const struct sharing_pair *p, const struct assumption *as)
{
	double least = 2 * p->part - 1;

	if (as->gap > 0)
		return least > 0 ? least : 0;
	return as->gap < 0 ? 1 : p->part;
}

/* What so many transfers as were seen can cost each side, ns; 0: they say nothing. */
static double most_ns(const struct platform *pf, const struct sharing_pair *p, const struct assumption *as)
{
	double each = as->gap > 0 ? 1 : !as->gap ? TRANSFERS_EACH : as->busy ? 0 : TRANSFERS_MOST;
	double ps = (double)pf->transfer_ps[as->distance];

	return (double)p->transfers * each * (ps > 0 ? ps : TRAVEL_PS) / 1000;
}

/*
 * Who seldom takes the line pays its travel each time, however short the gaps are
 * between what it does there then: each side takes it for half of the transfers.
 */
static double least_ns(const struct platform *pf, const struct sharing_pair *p,
		       const struct sharing_side *own, const struct assumption *as)
{
	if (as->gap > 0 || own->dispute_ns <= DISPUTE_MOST)
		return 0;
	return (double)p->transfers / 2 * p->together * as->price * (double)pf->transfer_ps[as->distance] /
	       1000;
}

/* Who comes by turns waits for the line once in a turn, or, if it was elsewhere meanwhile, not for long. */
static double by_turns_ns(const struct platform *pf, const struct sharing_pair *p,
			  const struct assumption *as)
{
	double ps = (double)pf->transfer_ps[as->distance];

	if (as->gap > 0)
		return 0;
	return (double)p->transfers / 2 * as->price * (ps > 0 ? ps : TRAVEL_PS) / 1000;
}

/* What side by side adds to the time of @own, ns; *@alone: the time of the accesses that meet it, without that. */
static double dispute_ns(const struct platform *pf, const struct sharing_pair *p,
			 const struct sharing_side *own, const struct assumption *as,
			 const struct price_setting *st, double *alone)
{
	const struct sharing_side *other = own == &p->a ? &p->b : &p->a;
	struct platform_visitor a = visitor(pf, own, as), b = visitor(pf, other, as);
	double ps, run, ns, met, most = most_ns(pf, p, as);

	if (!a.gap_ps || !b.gap_ps)
		a.gap_ps = b.gap_ps = 0;
	ps = (double)platform_sharing_ps(pf, (enum platform_distance)as->distance, &a, &b);
	if (as->gap < 0 && needed_ps(pf, as->distance, &a, &b) > ps)
		ps = needed_ps(pf, as->distance, &a, &b);
	if (as->gap > 0 && hidden_ps(pf, as->distance, a, b) < ps)
		ps = hidden_ps(pf, as->distance, a, b);
	ps = framed_ps(pf, as, own, &a, ps);
	run = as_run_ps(pf, as->distance, &a, own, ps);
	if (!as->gap || (as->gap < 0) == (run > ps))
		ps = run;
	ps *= as->price;
	if (as->gap < 0 && a.kind == PRS_KIND_STORE && a.gap_ps < STORE_FULL_PS && ps < own->gap_ns * 1000)
		ps = own->gap_ns * 1000;
	if (as->gap && !beside_known(pf, as->distance, a.kind, b.kind))
		ps *= as->gap < 0 ? UNLIKE_HIGH : UNLIKE_LOW;
	met = meetings(own, other, as, st, ps) * p->together;
	if (own->counts < 1)
		return reading_ns(pf, p, own, as, st, alone);
	*alone = met * (double)(a.gap_ps ? a.gap_ps : pf->price[a.kind].alone_ps) / 1000;
	ns = met * ps / 1000 * part_saved(p, as);
	if (ns < least_ns(pf, p, own, as))
		ns = least_ns(pf, p, own, as);
	return most > 0 && ns > most ? most : ns;
}

/* What the other side adds to the time of @own, and *@alone, as above. */
static double extra_ns(const struct platform *pf, const struct sharing_pair *p,
		       const struct sharing_side *own, const struct assumption *as,
		       const struct price_setting *st, double *alone)
{
	double ns = dispute_ns(pf, p, own, as, st, alone);

	return p->by_turns && ns > by_turns_ns(pf, p, as) ? by_turns_ns(pf, p, as) : ns;
}

/* Per thread: its time at the finding's lines undisturbed, and what meeting the other adds. */
struct burden {
	double alone, extra;
	double most;     /* that extra may be by the transfers seen; 0: they say nothing */
	double disputed; /* its time in the sharing run with others at the lines all the time */
	double common;   /* its time next to one that did nothing else, as these come without probes */
	double rest; /* part of what it does elsewhere in the run that is the program's and not the probes' */
};

/* Who disputes a line for this part of its time in the run does nothing else. */
#define NOTHING_ELSE 0.8

/* How long @own was at the lines in the run while others came all the time, ns. */
static double disputed(const struct sharing_pair *p, const struct sharing_side *own,
		       const struct assumption *as)
{
	if (p->by_turns)
		return 0;
	return p->together * (as->gap > 0 ? own->disputed_least_ns : own->disputed_ns);
}

/*
 * Probes slow one side down more than the other, so one may be done early in the
 * run.  One that did nothing else is there for all of its time without probes.
 */
static double common(const struct sharing_pair *p, const struct sharing_side *own,
		     const struct assumption *as, const struct price_setting *st)
{
	const struct sharing_side *other = own == &p->a ? &p->b : &p->a;
	double x = st->cpu_ns[own->thread], y = st->cpu_ns[other->thread];

	if (as->gap > 0 || p->by_turns || disputed(p, other, as) < NOTHING_ELSE * st->run_ns[other->thread])
		return 0;
	/* It went elsewhere while the other went on. */
	if (disputed(p, own, as) < NOTHING_ELSE * disputed(p, other, as))
		return 0;
	return p->together * (x < y ? x : y);
}

static struct burden *burdens(const struct sharing_finding *f, const struct platform *pf,
			      const struct assumption *as, const struct price_setting *st)
{
	struct burden *all = mem_new(st->n_threads + 1, sizeof(*all));

	for (size_t i = 0; i < f->n_pairs; i++) {
		const struct sharing_pair *p = &f->pairs[i];
		const struct sharing_side *sides[2] = {&p->a, &p->b};
		for (int s = 0; s < 2; s++) {
			struct burden *b = &all[sides[s]->thread];
			double own;

			b->extra += extra_ns(pf, p, sides[s], as, st, &own);
			b->most += most_ns(pf, p, as);
			/* With several others it is at the line at the same time. */
			if (own > b->alone) {
				b->alone = own;
				b->rest = gap_of(sides[s], as) / (gap_of(sides[s], as) + st->hit_ns);
			}
			own = disputed(p, sides[s], as);
			b->disputed = own > b->disputed ? own : b->disputed;
			own = common(p, sides[s], as, st);
			b->common = own > b->common ? own : b->common;
		}
	}
	return all;
}

/*
 * The number of accesses is an estimate that hangs on what probes take.  But that a
 * thread did nothing else for most of the run is seen, and then that holds for the
 * program's own time, too: what it took elsewhere is no longer without probes.
 */
static void fill_up(struct burden *b, double cpu, double run, bool native)
{
	double elsewhere = run > b->disputed ? run - b->disputed : 0, least = cpu - elsewhere;
	double now = b->alone + (native ? b->extra : 0);

	least = b->common > least ? b->common : least;
	if (b->disputed <= 0 || now <= 0 || now >= least)
		return;
	b->alone *= least / now;
	b->extra *= least / now;
	if (b->most > 0 && b->extra > b->most)
		b->extra = b->most;
}

/*
 * Probes only make it longer: nobody worked and waited for more than all the time of the
 * run.  What would is that many accesses fewer, each of which costs as much.
 */
static void fit_in(struct burden *b, const struct price_setting *st, size_t thread)
{
	double all = b->alone + b->extra, most = st->run_ns[thread];

	if (st->busy || all <= most || b->extra <= most)
		return;
	b->extra *= most / all;
	b->alone *= most / all;
}

/*
 * What the thread takes with the other one, without probes.  If only a sharing run
 * knows, its time elsewhere is taken for code with as many probes as at the line.
 */
static double without_probes(const struct burden *b, double cpu, double run, bool native,
			     const struct assumption *as)
{
	double elsewhere = run > b->disputed ? run - b->disputed : 0, own = b->alone + elsewhere * b->rest;

	if (native)
		return cpu;
	return (b->disputed > 0 && as->gap <= 0 && own < cpu ? own : cpu) + b->extra;
}

/*
 * Percent of the time that the threads need on cores of their own, and of that in
 * which nobody worked: who sleeps does not save it.  A run on
 * a busy machine may show less CPU time than two threads at full speed on one
 * line would need: then what they would need counts.
 */
static double cost_at(const struct sharing_finding *f, const struct platform *pf, const struct assumption *as,
		      const struct price_setting *st)
{
	struct burden *all = burdens(f, pf, as, st);
	double sum[2] = {0, 0}, longest[2] = {0, 0}, time[2];

	for (size_t i = 0; i < st->n_threads; i++) {
		double least, ns[2], cpu;

		fill_up(&all[i], st->cpu_ns[i], st->run_ns[i], st->native);
		fit_in(&all[i], st, i);
		least = all[i].alone + all[i].extra;
		cpu = without_probes(&all[i], st->cpu_ns[i], st->run_ns[i], st->native, as);
		ns[0] = cpu > least ? cpu : least;
		ns[1] = ns[0] - all[i].extra;
		for (int k = 0; k < 2; k++) {
			sum[k] += ns[k];
			longest[k] = ns[k] > longest[k] ? ns[k] : longest[k];
		}
	}
	for (int k = 0; k < 2; k++)
		time[k] = sum[k] / st->cores > longest[k] ? sum[k] / st->cores : longest[k];
	free(all);
	return time[0] > 0 ? 100 * (time[0] - time[1]) / (time[0] + st->asleep_ns) : 0;
}

static void span(struct sharing_finding *f, double cost)
{
	f->cost_low = f->priced && f->cost_low < cost ? f->cost_low : cost;
	f->cost_high = f->priced && f->cost_high > cost ? f->cost_high : cost;
	f->priced = true;
}

/* By what factor the dispute of @s in the run differs from what the transfer of @pf makes of it; 0: not known. */
static double misfit(const struct platform *pf, int distance, const struct sharing_side *s)
{
	double expect = DISPUTE_NS + DISPUTE_TRAVELS * (double)pf->transfer_ps[distance] / 1000;

	if (s->dispute_ns <= 0 || s->dispute_ns > DISPUTE_MOST)
		return 0;
	return s->dispute_ns > expect ? s->dispute_ns / expect : expect / s->dispute_ns;
}

/* The run's cores were as far apart as those of @other rather than those of @pf. */
static bool fits_better(const struct sharing_finding *f, const struct platform *other,
			const struct platform *pf, int distance)
{
	double sum = 0;

	for (size_t i = 0; i < f->n_pairs; i++) {
		const struct sharing_pair *p = &f->pairs[i];

		sum += misfit(pf, distance, &p->a) + misfit(pf, distance, &p->b);
		sum -= misfit(other, distance, &p->a) + misfit(other, distance, &p->b);
	}
	return sum > 0;
}

/* The cost at @distance, while @f's interval is widened to what it may be there. */
static double price_at_distance(struct sharing_finding *f, const struct platform *pf, int d,
				const struct price_setting *st)
{
	const struct assumption cases[] = {{d, 0, 1, false, false},
					   {d, 0, PRICE_HIGH, false, false},
					   {d, 0, PRICE_LOW, false, false},
					   {d, -1, PRICE_HIGH, st->busy, st->unsure},
					   {d, 1, PRICE_LOW, false, false}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		span(f, cost_at(f, pf, &cases[i], st));
	return cost_at(f, pf, &cases[0], st);
}

void price_finding(struct sharing_finding *f, const struct platform *platform,
		   const struct price_setting *setting)
{
	struct platform other = platform_at_other_time(platform);
	uint64_t count[DIST_N], most = 0;
	double cost, moved;

	distances(platform, count);
	for (int d = DIST_SMT; d < DIST_N; d++) {
		if (!count[d] || !price_at(platform, d))
			continue;
		cost = price_at_distance(f, platform, d, setting);
		if (platform->moved_transfer_ps[d]) {
			moved = price_at_distance(f, &other, d, setting);
			cost = fits_better(f, &other, platform, d) ? moved : cost;
		}
		f->cost_nearest = most && f->cost_nearest < cost ? f->cost_nearest : cost;
		if (count[d] > most) {
			most = count[d];
			f->cost = cost;
		}
	}
}
