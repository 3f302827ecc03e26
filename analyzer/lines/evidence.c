/* SPDX-License-Identifier: MIT */
#include "analyzer/lines/evidence.h"

#include <math.h>

#include "analyzer/lines/bounds.h"
#include "analyzer/lines/rounds.h"
#include "perseus/abi.h"

/* The longest that a line travels, ns, between the farthest cores of common machines. */
#define TRAVEL_NS 300.0

/* mem_ticks is the time from our end to our begin; the probe's own part is on top of it. */
#define COLD_PART 1.3

/*
 * What a probe adds to an access to a line in dispute, on average over those that
 * find it and those that come to us, by what mem_ticks are.  The clock is most of
 * these, so that they say how fast the machine is.
 */
struct probe_price {
	double store, other, atomic;
	double longer; /* a long gap by so much of it: who comes seldom finds the line gone more often */
};
static const struct probe_price probe_far = {0.27, 0.55, 0.6, 0.8}, probe_near = {0.2, 0.25, 0.5, 0.1};

/* ... by so much more where a gap is too short to be seen, and nothing else tells it: it may be longer than it is taken for. */
#define PROBE_BLURRED 1.25

/* A part of it that every access pays. */
#define PROBE_LEAST 0.4

/* ... and to one that nobody disputes at the time, whose tag fits. */
#define PROBE_HIT 0.04

/* What a look at an access to memory of several processes takes, by mem_ticks. */
#define LOOK 6.0

/*
 * While two threads dispute a line all the time, a transfer is counted once in so
 * many ns: between two cores, and between two hardware threads of one.  Which of
 * them virtual cores are may change from minute to minute; more often than
 * NEAR_NS, and it is the latter.
 */
#define DISPUTE_NS      770.0
#define DISPUTE_NEAR_NS 210.0
#define NEAR_NS         450.0

/*
 * Gaps up to BLUR cannot be distinguished well, by mem_ticks: our own code takes
 * longer, and the work hides behind it.  Loops of 0.5 to 10 ns were seen as 0 to 12 on
 * an EPYC, in no order; what is taken is wrong by the least factor for most of them.
 */
#define BLUR 0.5
static const struct {
	double seen, is; /* by mem_ticks, ascending; joined by lines */
} blurred[] = {{0.16, 0.03}, {0.4, 0.05}, {BLUR, BLUR}};

/* ... and a gap is sure to be the program's own from so much on. */
#define NOT_OURS 2.0

/* A locked access takes that long itself, by mem_ticks, where the recorder did not measure it. */
#define LOCKED 0.13

/* The shortest that an access takes, ns, where the clock of the core is not known. */
#define CYCLE_NS 0.25

/* So many misses, and disputed for so much of its time: who uses a line so is in its loop there. */
#define MANY_MISSES 64
#define MOSTLY      0.5

/* This part of the accesses is known: the rest does not change what a line is used for. */
#define TOLD 0.5

/* About a microsecond: who transfers a line more often does not come to it now and then. */
#define OFTEN_TICKS 2000

/* Longer gaps are measured apart, and some not at all: the thread did not run, or did something else. */
#define LONG_NS 100e3

/* Fewer of them say nothing: something came between that is not the program's. */
#define FEW_AWAY 2

/* Waits between accesses in windows: fewer say nothing; and windows that began, for each. */
#define FEW_WAITS  6
#define MOST_BEGUN 4

/* What begins or ends in the middle of a visit counts for so much of one. */
#define HALF_VISIT 0.5

/*
 * A look at an access in a window takes so long, by mem_ticks, and what the runtime does about a wait so
 * much, ns.  Of a thread that sleeps most of the time they may be most of what it is awake.
 */
#define LOOK_THREAD 13.0
#define WAIT_NS     2000.0
#define AWAKE_LEAST 0.25 /* that part is its own */

/* So much of what a window can see of a thread alone shows that it stays; less of its half, that it may not. */
#define STAYS   0.75
#define PRESENT 0.5

/* Misses at other lines leave such a part of the time at the least. */
#define OTHERS_LEAVE 0.1

/* A thread that is awake for a shorter time at once: how long it is at the line is not known well. */
#define BRIEF_NS 50e3

/* By how much an estimate may be wrong, as a factor: gaps, visits of ranges, what was only seen. */
#define WIDE_GAP   1.25
#define WIDE_TRIPS 1.15
#define WIDE_SEEN  3.0

/* All uses of one thread on one line. */
struct sum {
	double span;        /* ns from the first to the last that was seen, of the thread's time in the run */
	struct there there; /* ... and what bounds it */
	double misses;      /* of all uses */
	double gaps;        /* how many were seen in windows */
	double watched;     /* their sum, ns of the program's own time */
	double in_run;      /* ... with what their probes take */
	double mean;        /* of the gaps, ns */
	double more;        /* so many times as often as in_run says, for the misses; >= 1 */
	double accesses;    /* all */
	double known;       /* ... of those whose gaps are known */
	double time;        /* sum of gaps x accesses */
	double squares;     /* sum of gaps^2 x accesses */
	double told;        /* accesses that ranges or counters told */
	double ranges;      /* ranges in front of loops that the thread announced there */
	double looked;      /* ... as seen in windows */
	double seen;        /* accesses in windows */
	double without;     /* ... that have no gap */
	double visits;      /* misses, of the whole run */
	double sure;        /* part of the time that misses at other lines leave at the least */
	double away, away_ns; /* long gaps that were measured, and their sum */
	double waits, begun;  /* in windows: waits, and accesses that none came before */
	bool by_span;         /* the number follows from the span and the gaps */
	bool blurred;         /* the gaps are shorter than our own code */
	struct round_time round;
};

static double mem_ns(const struct run_process *p)
{
	return p->header->mem_ticks * p->ns_per_tick;
}

/* The least time from one access to the next. */
static double shortest(const struct line_use *u, const struct line_pace *pace)
{
	double cycle = pace->cycle_ns > 0 ? pace->cycle_ns : CYCLE_NS;

	if (u->raw->kind != PRS_KIND_ATOMIC)
		return cycle;
	return pace->locked_ns > 0 ? pace->locked_ns : EVIDENCE_LOCKED_CYCLES * cycle;
}

/* The gap that is seen as @gap, ns. */
static double unblurred(double gap, double mem)
{
	double x = mem > 0 ? gap / mem : BLUR;

	if (x >= BLUR)
		return gap;
	if (x <= blurred[0].seen)
		return blurred[0].is * mem;
	for (size_t i = 1;; i++)
		if (x <= blurred[i].seen)
			return mem * (blurred[i - 1].is + (x - blurred[i - 1].seen) *
								  (blurred[i].is - blurred[i - 1].is) /
								  (blurred[i].seen - blurred[i - 1].seen));
}

/*
 * Accesses of this use in windows whose gap was too long to be measured, 0 unless
 * they are most of them.  So comes who takes a lock now and then: the short gap to
 * its release says nothing of how often.  The first accesses of a window have no gap,
 * either: where so many were seen that windows were used up, that is no sign.
 */
double evidence_long_gaps(const struct line_use *u)
{
	const struct prs_line *l = u->raw;
	uint64_t without = l->watched > l->gaps ? l->watched - l->gaps : 0;

	if (l->misses && (l->last - l->first) / l->misses < OFTEN_TICKS)
		return 0;
	if ((double)without <= u->starts)
		return 0;
	return !l->trips && without >= EVIDENCE_GAPS && without > l->gaps ? (double)without : 0;
}

/* The gaps that gap_of() is the mean of. */
static double gaps_of(const struct line_use *u)
{
	if (u->borrowed > 0)
		return u->borrowed;
	return evidence_long_gaps(u) > 0 ? evidence_long_gaps(u) : (double)u->raw->gaps;
}

/*
 * Mean time between the thread's access before and one of this use, as the
 * program takes it in the run, 0: not seen.  As a rule the line was away in
 * between, and its travel is in the mean; the gaps without it say how long the
 * work takes.  What is longer by more than any travel is work that does not
 * take the same time always.
 */
static double gap_of(const struct line_use *u, const struct run_process *p, const struct line_pace *pace)
{
	double mean, own, least = shortest(u, pace);
	double locked = pace->locked_ns > 0 ? pace->locked_ns : LOCKED * mem_ns(p);

	if (evidence_long_gaps(u) > 0)
		return u->raw->away >= FEW_AWAY && !pace->windows
			       ? (double)u->raw->away_ticks / u->raw->away * p->ns_per_tick
			       : LONG_NS;
	if (u->raw->gaps < EVIDENCE_GAPS && u->borrowed <= 0)
		return 0;
	mean = u->gap_mean * p->ns_per_tick - mem_ns(p);
	own = unblurred(u->gap_own * p->ns_per_tick - COLD_PART * mem_ns(p), mem_ns(p));
	if (u->raw->kind == PRS_KIND_ATOMIC && own < locked)
		own = locked;
	if (u->gap_own > 0)
		mean = mean - TRAVEL_NS > own ? mean - TRAVEL_NS : own;
	return mean > least ? mean : least;
}

/*
 * A window looks at LOOKS accesses at the most, the first STARTS of which have no gap, and
 * one after the thread was elsewhere has none.
 */
#define LOOKS  512.0
#define STARTS 2.0
#define AWAY   3.0

/* A window's length, ns; one that saw less than such a part of it, and of LOOKS, ended early. */
#define WINDOW_NS   2e6
#define VISIT_SHORT 0.125

static void set_starts(struct line_use *u, size_t n)
{
	double watched = 0;

	for (size_t i = 0; i < n; i++)
		watched += (double)u[i].raw->watched;
	for (size_t i = 0; i < n; i++)
		u[i].starts = STARTS * (watched / LOOKS);
}

/* ---- one thread at one line -------------------------------------------------------------- */

/*
 * What stands for one thing that was seen in a burst, if it went on from the
 * first to the last: bursts of the length b come every period, and one of them
 * is there at the least.  Nothing is said of the time before and after.
 */
static double each_seen(const struct line_use *u, const struct run_process *p)
{
	const struct prs_rec_header *h = p->header;
	double span = u->raw->last > u->raw->first ? (double)(u->raw->last - u->raw->first) : 0;
	double length, period;

	if (!h->n_bursts || !h->burst_ticks || p->end <= h->tsc_start)
		return 1;
	length = (double)h->burst_ticks / h->n_bursts;
	period = (double)(p->end - h->tsc_start) / h->n_bursts;
	return period > length ? (span + length) / ((span / period + 1) * length) : 1;
}

/*
 * Misses in the whole run.  Where an access was looked at in bursts only, so
 * often as the bursts are short.
 */
static double misses_of(const struct line_use *u, const struct run_process *p)
{
	double in_bursts = (double)u->raw->burst_misses * each_seen(u, p);

	return in_bursts > (double)u->raw->misses ? in_bursts : (double)u->raw->misses;
}

/*
 * Misses of a line that rests are those before the rest, by time; where the thread slept
 * meanwhile there were fewer.
 */
static double misses_awake(const struct line_use *u, const struct there *there)
{
	double all = (double)u->raw->misses, recorded = (double)u->raw->recorded;

	return recorded > 0 && recorded < all ? recorded + (all - recorded) * (1 - there->rested) : all;
}

/* Misses of the whole run for each that was recorded: more where bursts were short, fewer where it slept. */
static double scale_of(const struct line_use *u, const struct there *there, const struct run_process *p)
{
	double all = (double)u->raw->misses;

	return all > 0 ? misses_of(u, p) / all * (misses_awake(u, there) / all) : 1;
}

/*
 * Accesses that were seen, as far as misses are known.  Between processes these are an estimate, of those
 * that were seen, too; and some were seen in windows, of old records nobody knows how many.
 */
static double seen_of(const struct line_use *u, const struct there *there, const struct run_process *p,
		      const struct line_pace *pace)
{
	double missed = misses_awake(u, there), watched = (double)u->raw->watched;
	double seen = !pace->windows && !u->raw->recorded ? missed + watched
		      : missed > watched                  ? missed
							  : watched;
	double in_bursts = (double)u->raw->burst_accesses * each_seen(u, p);

	return in_bursts > seen ? in_bursts : seen;
}

/* The part of the time in which probes are enabled; bursts spare most accesses. */
static double enabled_part(const struct run_process *p)
{
	const struct prs_rec_header *h = p->header;
	double all = p->end > h->tsc_start ? (double)(p->end - h->tsc_start) : 0, enabled;

	if (h->sharing_mode == PRS_SHARING_PRECISE || all <= 0)
		return 1;
	enabled = (double)h->burst_ticks / all;
	if (h->sharing_mode == PRS_SHARING_ADAPTIVE && h->first_tsc)
		enabled +=
			(double)((h->settled_tsc > h->first_tsc ? h->settled_tsc : p->end) - h->first_tsc) /
			all;
	return enabled < 1 ? enabled : 1;
}

/* The part of the span in which two threads disputed the line, if a transfer was counted each @ns meanwhile. */
static double disputed(const struct sum *s, double ns)
{
	double part = s->span > 0 ? s->misses * ns / s->span : 0;

	return part < 1 ? part : 1;
}

static bool is_near(const struct sum *s)
{
	return s->misses > 0 && s->span < NEAR_NS * s->misses;
}

/*
 * What a probe of this use adds to an access in the run, ns, on average over the
 * accesses of the span of @s, @gap apart.  While the line is disputed the thread comes to it less
 * often than else, so the two parts of the time give their accesses each: threads that
 * met at the line for half of the time made nearly all of them in the other half.
 */
static double probe_ns(const struct line_use *u, const struct run_process *p, const struct sum *s,
		       const struct line_pace *pace, double gap)
{
	const struct probe_price *price = is_near(s) ? &probe_near : &probe_far;
	double most = u->raw->kind == PRS_KIND_STORE    ? price->store
		      : u->raw->kind == PRS_KIND_ATOMIC ? price->atomic
							: price->other;
	double part = pace->windows ? 0 : disputed(s, DISPUTE_NS), enabled = enabled_part(p);
	double hit = PROBE_HIT * mem_ns(p) * enabled + gap, met;

	most *= s->blurred && s->round.ns <= 0 ? PROBE_BLURRED : 1;
	met = (most * mem_ns(p) + price->longer * (gap < TRAVEL_NS ? gap : TRAVEL_NS)) * enabled + gap;
	return hit > 0 && met > 0 ? 1 / (part / met + (1 - part) / hit) - gap : 0;
}

/*
 * While lines thrash, windows are opened seldom, and a block that is short-lived
 * may have none: then the gaps of its sites elsewhere are its own, if it was disputed
 * most of the time, or another thread was seen at that line from the same places.  A
 * line that is touched now and then is not used as often as that.
 */
static void borrow_gaps(struct line_use *u, size_t n, const struct run_process *p,
			const struct line_pace *pace)
{
	uint64_t first = UINT64_MAX, last = 0;
	struct sum s = {0};
	bool seen = true;

	for (size_t i = 0; i < n; i++) {
		if (gap_of(&u[i], p, pace) > 0 || u[i].raw->trips || u[i].accesses > 0)
			return;
		first = u[i].raw->first < first ? u[i].raw->first : first;
		last = u[i].raw->last > last ? u[i].raw->last : last;
		s.misses += (double)u[i].raw->misses;
		seen &= u[i].line_seen;
	}
	there_between(&s.there, p, u->thread, first, last, pace);
	s.span = s.there.ns;
	if (pace->windows || s.misses < (seen ? EVIDENCE_GAPS : MANY_MISSES) ||
	    (!seen && disputed(&s, DISPUTE_NS) < MOSTLY))
		return;
	for (size_t i = 0; i < n; i++) {
		if (u[i].site_mean <= 0)
			continue;
		u[i].gap_mean = u[i].site_mean;
		u[i].gap_own = u[i].site_own;
		u[i].borrowed = (double)u[i].raw->misses + (double)u[i].raw->watched;
	}
}

/* A thread is at one line at a time: what it disputes others in is not spent here. */
static void without_others(struct sum *s, double others)
{
	double all = s->misses + others, each = s->span < NEAR_NS * all ? DISPUTE_NEAR_NS : DISPUTE_NS;
	double own = s->misses * each, least = own > OTHERS_LEAVE * s->span ? own : OTHERS_LEAVE * s->span;
	double left = s->span - others * each;

	left = left > least ? left : least;
	s->sure = 1;
	if (left >= s->span)
		return;
	s->sure = left / s->span;
	s->span = left;
}

static void add_span(struct sum *s, struct line_use *u, size_t n, const struct run_process *p,
		     const struct line_pace *pace)
{
	uint64_t first = UINT64_MAX, last = 0;
	double looks = 0, others = 0, least;

	for (size_t i = 0; i < n; i++) {
		double gaps = gaps_of(&u[i]), gap = gap_of(&u[i], p, pace);

		others = u[i].others > others ? u[i].others : others;
		s->ranges += (double)u[i].raw->times;
		s->looked += u[i].raw->trips ? (double)u[i].raw->watched : 0;
		first = u[i].raw->first < first ? u[i].raw->first : first;
		last = u[i].raw->last > last ? u[i].raw->last : last;
		s->seen += (double)u[i].raw->watched;
		s->without += (double)u[i].raw->watched - (double)u[i].raw->gaps;
		s->waits += u[i].raw->waits;
		s->begun += u[i].raw->begun;
		looks += (double)u[i].raw->watched * (pace->windows ? LOOK : LOOK_THREAD) * mem_ns(p);
		if (u[i].borrowed <= 0 && evidence_long_gaps(&u[i]) <= 0) {
			s->away += u[i].raw->away;
			s->away_ns += (double)u[i].raw->away_ticks * p->ns_per_tick;
		}
		if (gap <= 0)
			continue;
		s->gaps += gaps;
		s->watched += gap * gaps;
	}
	there_between(&s->there, p, u->thread, first, last, pace);
	s->span = s->there.ns;
	for (size_t i = 0; i < n; i++) {
		s->misses += misses_awake(&u[i], &s->there);
		s->visits += misses_of(&u[i], p);
	}
	looks += s->there.waits * WAIT_NS;
	least = pace->windows ? 0.5 : AWAKE_LEAST;
	s->span -= looks < (1 - least) * s->span ? looks : (1 - least) * s->span;
	if (!pace->windows)
		without_others(s, others);
	s->round = rounds_of(u, n, pace);
	/* Of processes the windows' gaps may be the line's travel. */
	s->blurred = s->gaps > 0 && s->watched / s->gaps < (pace->windows ? TRAVEL_NS : BLUR * mem_ns(p));
	s->mean = s->gaps > 0 ? s->watched / s->gaps : 0;
	if (s->blurred && s->round.ns > 0 && !pace->windows)
		s->mean = s->round.ns / s->round.accesses;
	for (size_t i = 0; i < n; i++) {
		u[i].probe_ns = probe_ns(&u[i], p, s, pace, s->mean);
		if (gap_of(&u[i], p, pace) > 0)
			s->in_run += (s->mean + u[i].probe_ns) * gaps_of(&u[i]);
	}
	if (s->away >= FEW_AWAY && s->in_run > 0 && !pace->windows)
		s->in_run += s->away_ns;
}

/* What the work between two accesses takes at the least, ns. */
static double least_work(const struct sum *s)
{
	return s->round.accesses > 0 ? s->round.least / s->round.accesses : 0;
}

/* The gap of a use without probes: where windows cannot tell it the site table does. */
static double native_gap(const struct line_use *u, const struct sum *s, const struct line_pace *pace,
			 double gap)
{
	double native = gap * pace->work, least = shortest(u, pace);

	if (gap <= 0)
		return native;
	if (s->blurred && s->round.ns > 0)
		native = s->round.ns / s->round.accesses;
	if (native < least_work(s))
		native = least_work(s);
	return native > least ? native : least;
}

/* How far the gaps of @s may be off: what blurs may be as short as an access can be, or as long as BLUR. */
static void set_width(struct line_use *u, const struct sum *s, const struct run_process *p,
		      const struct line_pace *pace)
{
	double gap = s->watched / s->gaps, blur = BLUR * mem_ns(p), least = shortest(u, pace);

	u->wide = u->wide_short = WIDE_GAP;
	/* Of processes nobody sees who came between: the line's travel may be most of the gap. */
	if (gap >= blur && !pace->windows) {
		/* A loop of less work than that: its data may be far away, or our own code was. */
		if (gap < NOT_OURS * mem_ns(p) && s->round.low > 0 && gap > WIDE_GAP * s->round.low)
			u->wide_short = gap / s->round.low;
		return;
	}
	if (s->blurred && s->round.ns > 0) {
		u->wide_short = s->round.low > 0 ? s->round.ns / s->round.low : s->round.ns / least;
		u->wide = (pace->windows && gap > s->round.high ? gap : s->round.high) / s->round.ns;
		return;
	}
	least = least_work(s) > least ? least_work(s) : least;
	if (gap > WIDE_GAP * least)
		u->wide_short = gap / least;
	if (blur > WIDE_GAP * gap)
		u->wide = blur / gap;
}

/*
 * Between a range and the next the time is not measured, and the accesses there follow
 * each other quickly, whatever comes before the next: there are as many to a range as
 * windows saw.
 */
static double beside_ranges(const struct line_use *u, const struct sum *s)
{
	if (s->looked < EVIDENCE_GAPS || s->ranges <= 0)
		return u->accesses;
	return s->ranges * (double)u->raw->watched / s->looked;
}

/*
 * Who works on a line for a moment and then elsewhere, for longer than gaps are measured,
 * misses once when it comes again, and all of its windows end early: there are as many
 * accesses to a miss as they saw.  Visits between which nobody else came are not among them.
 */
static void by_visits(struct line_use *u, const struct sum *s, const struct line_pace *pace)
{
	double each = s->without > AWAY ? AWAY * s->seen / s->without : s->seen, most;

	if (pace->windows || u->raw->trips || s->without < 1 || each > VISIT_SHORT * LOOKS ||
	    each * s->mean > VISIT_SHORT * WINDOW_NS)
		return;
	most = s->visits * each * (double)u->raw->watched / s->seen;
	if (u->accesses <= WIDE_SEEN * most)
		return;
	u->accesses = most;
	u->wide = u->wide_short = WIDE_SEEN;
	u->fewer = u->more = WIDE_SEEN;
}

/*
 * Who waits between its visits: how often it does is counted, and windows saw how many
 * accesses there are to a wait.  The visits that they began with were seen in part.  Where all windows
 * were used up before the thread waited, there are more accesses to a wait than they saw, and no more
 * than it was awake for.
 */
static void by_waits(struct line_use *u, const struct sum *s, const struct line_pace *pace)
{
	double calls = s->there.waits, least;

	if (pace->windows || u->raw->trips || calls < FEW_WAITS || s->begun < 1)
		return;
	if (s->waits >= FEW_WAITS && s->begun <= MOST_BEGUN * s->waits) {
		u->how = EVIDENCE_WINDOW;
		u->by_count = true;
		u->accesses = calls * (double)u->raw->watched / (s->waits + HALF_VISIT * s->begun);
		return;
	}
	least = calls * (double)u->raw->watched / s->begun;
	if (s->there.ns > BRIEF_NS * calls || u->how != EVIDENCE_WINDOW || least >= u->accesses)
		return;
	u->fewer = u->more = sqrt(u->accesses / least);
	u->accesses /= u->more;
}

/*
 * A window that nobody ends early sees a thread that stays LOOKS times, or all of its time, less what
 * the others take.  One that sees it more seldom does not show that it comes at that rate: one visit
 * may be several misses, so it is no more than what was seen.  If the windows saw little of it, it may
 * be there once for each miss.
 */
static void by_presence(struct line_use *u, const struct sum *s, const struct line_pace *pace)
{
	double each = s->begun > 0 ? s->seen / s->begun : 0, alone = LOOKS, half = LOOKS / 2, least, off;

	alone = s->mean * alone > WINDOW_NS ? WINDOW_NS / s->mean : alone;
	half = alone < half ? alone : half;
	if (pace->windows || u->raw->trips || u->how != EVIDENCE_WINDOW || u->by_count || each <= 0 ||
	    each >= STAYS * alone)
		return;
	least = s->misses * each * (double)u->raw->watched / s->seen;
	if (least >= u->accesses || least <= 0)
		return;
	u->fewer = INFINITY;
	if (each >= PRESENT * half)
		return;
	off = sqrt(u->accesses / least);
	u->more *= off;
	u->accesses /= off;
}

/*
 * How many accesses a use makes, and who says so.  In a run each takes the
 * program's own gap and what the probe adds.
 */
static void lines_evidence_count(struct line_use *u, const struct sum *s, const struct run_process *p,
				 const struct line_pace *pace, double gap)
{
	double seen = seen_of(u, &s->there, p, pace);

	u->wide = u->wide_short = WIDE_TRIPS;
	u->fewer = u->more = 1;
	if (u->accesses > 0) {
		u->how = EVIDENCE_COUNTED;
		return;
	}
	u->how = EVIDENCE_SEEN;
	u->accesses = seen;
	if (u->raw->trips) {
		u->how = EVIDENCE_ANNOUNCED;
		u->accesses = (double)u->raw->trips;
	} else if (gap > 0 && s->in_run > 0) {
		u->how = EVIDENCE_WINDOW;
		u->accesses = s->more * s->span * gaps_of(u) / s->in_run;
		if (beside_ranges(u, s) < u->accesses)
			u->accesses = beside_ranges(u, s);
		set_width(u, s, p, pace);
		u->more = s->sure > 0 ? 1 / s->sure : 1;
		if (s->begun < 1)
			by_visits(u, s, pace);
	} else {
		u->wide = u->wide_short = WIDE_SEEN;
	}
	by_waits(u, s, pace);
	by_presence(u, s, pace);
	if (u->accesses < seen)
		u->accesses = seen;
}

/*
 * Several fields used at one visit cost one transfer: the gap that counts is
 * the one an instant of the thread's time lies in, which short gaps hardly
 * change.
 */
static void set_visits(struct line_use *u, size_t n, const struct sum *s, const struct line_pace *pace)
{
	double span = s->span * pace->time < pace->cpu_ns ? s->span * pace->time : pace->cpu_ns;
	double active = s->time > 0 && s->known > 0 ? s->time * s->accesses / s->known : span;
	double gap = s->time > 0 ? s->squares / s->time : s->accesses > 0 ? active / s->accesses : 0;
	double visits;

	/* All accesses of a turn are one visit. */
	if (s->blurred && s->round.ns > gap)
		gap = s->round.ns;
	visits = gap > 0 ? active / gap : s->accesses;

	for (size_t i = 0; i < n; i++) {
		u[i].active_ns = active < pace->cpu_ns ? active : pace->cpu_ns;
		u[i].visits = visits;
		u[i].gap_waits = u[i].active_waits = s->time <= 0;
		u[i].by_span = s->by_span;
		u[i].frame = s->round.frame;
	}
}

/*
 * Who writes now and then what another reads all the time misses nearly each time, while
 * most loads find the line at hand: then the misses of one use say more than the time, and
 * windows say how often the others come for each of its accesses.
 */
static double more_by_misses(const struct line_use *u, size_t n, const struct sum *s,
			     const struct run_process *p, const struct line_pace *pace)
{
	double more = 1, most = s->in_run, least = 0;

	for (size_t i = 0; i < n; i++) {
		if (gap_of(&u[i], p, pace) <= 0)
			continue;
		least += (shortest(&u[i], pace) + PROBE_HIT * mem_ns(p)) * gaps_of(&u[i]);
		if (gaps_of(&u[i]) >= 2 * EVIDENCE_GAPS && !u[i].raw->trips &&
		    misses_awake(&u[i], &s->there) * s->in_run > more * s->span * gaps_of(&u[i]))
			more = misses_awake(&u[i], &s->there) * s->in_run / (s->span * gaps_of(&u[i]));
	}
	return least > 0 && more * least > most ? (most > least ? most / least : 1) : more;
}

/* What the time in dispute says of the number of accesses is of use where nobody told it. */
static void set_disputed(struct line_use *u, size_t n, const struct sum *s, const struct line_pace *pace)
{
	if (pace->windows || s->told > TOLD * s->accesses)
		return;
	for (size_t i = 0; i < n; i++) {
		u[i].disputed_ns = s->span * disputed(s, DISPUTE_NS);
		u[i].disputed_least_ns = s->span * disputed(s, DISPUTE_NEAR_NS);
	}
}

/* What is left of its life may be spent at the line, too, but not the time @elsewhere. */
static void one_of_several(struct there *t, double elsewhere)
{
	double most = t->awake > elsewhere ? t->awake - elsewhere : 0;

	most = most < t->ran ? most : t->ran;
	t->outside = most > t->ns ? most - t->ns : 0;
}

void evidence_stage(struct line_use *u, size_t n, const struct run_process *p, const struct line_pace *pace,
		    double elsewhere)
{
	struct sum s = {0};

	if (!pace->windows)
		set_starts(u, n);
	borrow_gaps(u, n, p, pace);
	add_span(&s, u, n, p, pace);
	if (elsewhere > 0)
		one_of_several(&s.there, elsewhere);
	s.more = pace->windows || s.span <= 0 ? 1 : more_by_misses(u, n, &s, p, pace);
	for (size_t i = 0; s.more > 1 && i < n; i++) {
		double probe = (s.mean + u[i].probe_ns) / s.more - s.mean;

		u[i].probe_ns = probe > evidence_hit_ns(p) ? probe : evidence_hit_ns(p);
	}
	for (size_t i = 0; i < n; i++) {
		double gap = gap_of(&u[i], p, pace), native = native_gap(&u[i], &s, pace, gap);

		lines_evidence_count(&u[i], &s, p, pace, gap);
		u[i].dispute_ns = s.misses > 0 && !pace->windows ? s.span / s.misses : 0;
		u[i].scale = scale_of(&u[i], &s.there, p);
		s.by_span |= u[i].how == EVIDENCE_WINDOW;
		s.accesses += u[i].accesses;
		s.told += u[i].how >= EVIDENCE_ANNOUNCED ? u[i].accesses : 0;
		s.known += gap > 0 ? u[i].accesses : 0;
		s.time += native * u[i].accesses;
		s.squares += native * native * u[i].accesses;
	}
	set_visits(u, n, &s, pace);
	set_disputed(u, n, &s, pace);
	for (size_t i = 0; i < n; i++)
		bounds_set(&u[i],
			   &(struct bound_facts){
				   .there = s.there,
				   .gap = s.mean,
				   .shortest = shortest(&u[i], pace),
				   .staged = there_staged(p, u[i].thread, u[i].raw->first, u[i].raw->last)},
			   pace);
}

double evidence_hit_ns(const struct run_process *p)
{
	return PROBE_HIT * mem_ns(p);
}

double evidence_least_ns(const struct line_use *u, const struct line_pace *pace)
{
	return shortest(u, pace) + PROBE_LEAST * u->probe_ns;
}
