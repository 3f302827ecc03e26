/* SPDX-License-Identifier: MIT */
#include "report/time/overhead.h"

#include <math.h>
#include <stdio.h>

#include "lib/num.h"

/*
 * Prices: least, usual, most.  COUNT and TAKE are in reads of the clock, WAIT and
 * LOG in readings of a thread's CPU time by system call, the others in nanoseconds.
 * They were chosen on the programs of tests/bench/overhead, those in held kept back.  A counted call
 * is 14 instructions: nothing where the core waits for memory, half a nanosecond where it is full.
 */
struct range {
	double low, usual, high;
};
enum part {
	COUNT,
	TAKE,
	WAIT,
	LOG,
	START,
	THREAD,
	NOTE,
	MISS,
	LOADER,
	PAIR,
	SEEN,
	ENABLED,
	REST,
	COLD,
	HIDDEN,
	BESIDE,
	LOOK,
	FLUSHED,
	PARTS
};
static const struct range prices[PAIR] = {
	[COUNT] = {0, 0.06, 0.12}, [TAKE] = {0.5, 1.5, 4},     [WAIT] = {1.5, 5, 11},
	[LOG] = {1, 1.6, 4},       [START] = {2e6, 3e6, 11e6}, [THREAD] = {10e3, 40e3, 150e3},
	[NOTE] = {300, 700, 2000}, [MISS] = {150, 500, 1500},  [LOADER] = {0.5e6, 1.5e6, 3e6},
};
/*
 * ... and of the looks at probes between the program's own instructions: where those wait for each
 * other or for memory, probes take nothing, and where the core is full, more than their part.  A
 * counted call is looked at where the counts of two calls follow each other, while the core goes on
 * with other things.  Of older runs, resting probes are known by their part of the instructions.
 */
static const struct range enabled_part = {0.6, 0.9, 1.1}, rest_part = {0, 0.6, 1.5},
			  count_part = {0.05, 0.3, 0.7}, rest_part_old = {0, 0.15, 1.2};
/*
 * ... and of what the program takes longer, outside of the kernel, beside a runtime that has all of
 * the time, for want of its caches: tables of lines are larger than these.
 */
static const struct range cold_part = {0, 0.1, 0.4}, cold_sharing = {0, 0.5, 1.1};
/* ... and of a look. */
static const struct range look_part = {0.6, 1, 1.4};
/* A build with probes at rest, whatever it calls, as a share of the plain one's time. */
static const struct range rest_price = {-0.02, 0.015, 0.06};

/*
 * A timed call costs what it was measured to cost at the start where calls follow
 * each other; the longer the program does something else in between, the more of
 * what the probes need has left the caches.
 */
#define PAIR_HOT    0.85 /* measured pairs, at a distance of HOT_NS and less */
#define PAIR_COLD   16.0 /* at most */
#define HOT_NS      100.0
#define COOLING     0.6 /* exponent of the distance */
#define PAIR_SPREAD 1.6 /* how far off that may be */

#define SYSCALL_NS  300.0 /* of runs whose recorder did not measure it */
#define RECORDER_NS 35e6  /* ... and what it took itself */
#define END_NS      0.5e6 /* what it takes to end, after that was read */
#define CALL_READS  0.2   /* a call of the plain program takes at least, in reads of the clock */
#define PLAIN_MIN   0.02  /* part of the recorded program's time that is its own, at least */
#define MEM_MOST    12.0  /* times the plain program's time that memory probes that are enabled make of it */
#define NOTES_MANY  0.01  /* of the program's time */
#define LOOKS_LEAST 20    /* fewer looks at the program say nothing */
#define CHANCE      2.0   /* standard deviations */
#define OVERLAP     0.07  /* a look is off by an instruction or two: part of what it finds */
/*
 * What the program gets done while a probe reads the clock, or what it has to wait for behind that:
 * part of its own time, or, if that is less, reads of the clock for each timed call; and at most.
 */
#define HIDDEN_OWN  0.8
#define HIDDEN_READ 0.28
#define HIDDEN_ALL  1.3
#define HIDDEN_LONG 0.9
/*
 * What counts calls takes part of the core from the program's own instructions, which no look behind
 * it shows: so much of their time at most, and no more than so many times what the looks show
 * (measured in a loop of two virtual calls and a division: 0.18 and 2).
 */
#define BESIDE_OWN  0.2
#define BESIDE_SEEN 2.0
#define LINE_BYTES  64.0
#define LINE_NS     25.0  /* a line that comes back from a farther cache, usually */
#define LINE_FAR    150.0 /* ... and from memory, by pages of a virtual machine, beside others */
#define LOADS_FEW   0.3   /* of the program's own time: as many wait for memory in a plain program */
#define LOADS_MANY  0.75
#define LOADS_COLD  0.8 /* part of them that is the trace's doing where there are many */
#define HIGH        0.1
#define SHORT_PRINT 0.05 /* an interval narrower than this part of the figure is not worth printing */
#define TIMES       1.0  /* from here on "times" says more than percent */
/* An interval so wide, as a factor and in parts of the plain time, has no middle that is worth saying. */
#define CLOSE_TIMES 3.0
#define CLOSE_PART  0.2

/* What was done in all processes: nanoseconds by part, and the least that the plain program's calls take. */
struct sums {
	struct range part[PARTS];
	double calls_ns;
	double timed_ns; /* reads of the clock, one for each timed call */
};

static void overhead_add(struct sums *sums, enum part part, double n)
{
	sums->part[part].low += prices[part].low * n;
	sums->part[part].usual += prices[part].usual * n;
	sums->part[part].high += prices[part].high * n;
}

/* @timed pairs, @gap_ns of the program's own time after each other. */
static void add_pairs(struct range *sum, const struct run_process *p, double timed, double gap_ns)
{
	double read = (double)p->header->clock_ticks * p->ns_per_tick, factor = PAIR_HOT, pair;

	pair = p->header->minor >= 1 ? (double)p->header->pair_ticks * p->ns_per_tick : 0;
	if (pair < 2 * read)
		pair = 2 * read;
	if (gap_ns > HOT_NS)
		factor *= pow(gap_ns / HOT_NS, COOLING);
	if (factor > PAIR_COLD)
		factor = PAIR_COLD;
	sum->low += timed * pair * factor / PAIR_SPREAD;
	sum->usual += timed * pair * factor;
	sum->high += timed * pair * factor * PAIR_SPREAD;
}

/* Calls of a process, and how many of them were timed. */
static double count_calls(const struct run_process *p, double *timed)
{
	double all = 0;

	*timed = 0;
	for (size_t i = 0; i < p->n_threads; i++)
		for (size_t k = 0; k < p->threads[i].n_calls; k++) {
			*timed += (double)p->threads[i].calls[k]->timed;
			all += (double)p->threads[i].totals[k];
		}
	return all > *timed ? all : *timed;
}

static void overhead_add_thread(struct sums *sums, const struct run_thread *t, double read, double syscall_ns)
{
	double waits = 0, taken = 0, misses = 0;

	for (size_t k = 0; k < t->n_waits; k++)
		*(t->waits[k].flags & PRS_WAIT_TAKEN ? &taken : &waits) += (double)t->waits[k].count;
	for (size_t k = 0; k < t->n_lines; k++)
		misses += (double)t->lines[k]->misses;
	overhead_add(sums, TAKE, taken * read);
	overhead_add(sums, WAIT, waits * syscall_ns);
	overhead_add(sums, LOG, (double)t->n_log * syscall_ns);
	overhead_add(sums, NOTE, (double)t->n_notes);
	overhead_add(sums, MISS, misses);
}

/* What was done in one process, of @ran_ns. */
static void overhead_add_process(struct sums *sums, const struct run_process *p, double ran_ns,
				 double syscall_ns)
{
	double timed, all = count_calls(p, &timed), read = (double)p->header->clock_ticks * p->ns_per_tick;

	overhead_add(sums, START, 1);
	overhead_add(sums, THREAD, (double)p->n_threads);
	overhead_add(sums, COUNT, (all - timed) * read);
	if (timed > 0)
		add_pairs(&sums->part[PAIR], p, timed, ran_ns / timed);
	sums->calls_ns += all * read * CALL_READS;
	sums->timed_ns += timed * read;
	for (size_t i = 0; i < p->n_threads; i++)
		overhead_add_thread(sums, &p->threads[i], read, syscall_ns);
}

/* All parts together; each may be off on its own, so that their errors do not add up. */
static struct range total(const struct sums *sums)
{
	struct range all = {0};

	for (int i = 0; i < PARTS; i++) {
		const struct range *r = &sums->part[i];

		all.usual += r->usual;
		all.low += (r->usual - r->low) * (r->usual - r->low);
		all.high += (r->high - r->usual) * (r->high - r->usual);
	}
	all.low = all.usual - sqrt(all.low);
	all.high = all.usual + sqrt(all.high);
	return all;
}

/* CPU time of the recorded program, as far as it is known. */
static double program_ns(const struct report_summary *s)
{
	const struct manifest *m = &s->run->manifest;
	double all = (double)(m->user_ns + m->system_ns);

	return all > s->cpu_ns ? all : s->cpu_ns;
}

/*
 * What the plain program took, least last: the rest, but no less than its calls
 * take.  Where next to nothing is left, it is somewhere between the ends.
 */
static struct range plain_of(const struct range *extra, const struct sums *sums, double ran)
{
	double least = fmax(fmin(sums->calls_ns, 0.9 * ran), ran * PLAIN_MIN);
	struct range plain = {.low = fmax(ran - extra->low, least), .high = fmax(ran - extra->high, least)};

	plain.usual = fmax(ran - extra->usual, sqrt(plain.low * plain.high));
	return plain;
}

static struct range times(const struct range *r, double n)
{
	return (struct range){r->low * n, r->usual * n, r->high * n};
}

/*
 * A trace goes through the caches and takes the program's lines from there.  Each line of it makes
 * one miss at most, and no more time is lost than the program waited for memory.
 */
static struct range flushed(const struct manifest *m, double loading, double own)
{
	double lines = (double)m->trace_bytes / LINE_BYTES,
	       many = own > 0 ? (loading / own - LOADS_FEW) / (LOADS_MANY - LOADS_FEW) : 0,
	       part = LOADS_COLD * fmax(0, fmin(many, 1));

	return (struct range){.usual = fmin(part * loading, lines * LINE_NS),
			      .high = fmin(loading, lines * LINE_FAR)};
}

/* Of @own time beside @reads of the clock. */
static struct range hidden(double own, double reads)
{
	double usual = fmax(fmin(HIDDEN_READ * reads, HIDDEN_OWN * own), 0);

	return (struct range){.low = -fmax(fmin(HIDDEN_LONG * reads, HIDDEN_ALL * own), usual),
			      .usual = -usual,
			      .high = usual};
}

/* The parts that lie in the program's own text, in which it spent @ns, and what is the program's in those of the runtime. */
static void use_text(const struct manifest *m, bool sharing, struct sums *sums, double ns)
{
	double each = ns / (double)m->samples, seen = sums->part[SEEN].usual,
	       resting = each * (double)m->samples_resting,
	       enabled = sharing ? each * (double)m->samples_watching : 0,
	       counting = each * (double)m->samples_counting, own = ns - seen - resting - enabled - counting;

	sums->part[ENABLED] = times(&enabled_part, enabled);
	sums->part[REST] = times(m->samples_taken ? &rest_part : &rest_part_old, resting);
	if (m->samples_taken)
		sums->part[COUNT] = times(&count_part, counting);
	sums->part[FLUSHED] = flushed(m, each * (double)m->samples_loading, own);
	sums->part[HIDDEN] = hidden(own - sums->part[FLUSHED].usual, sums->timed_ns);
	sums->part[BESIDE].high = fmax(0, fmin(BESIDE_OWN * own, BESIDE_SEEN * counting));
}

/*
 * What the runtime took as the recorder saw it: the looks at the program that
 * found it there, more or less what chance makes of that.  Left over are the
 * parts that lie in the program's own text, the looks, the work of the loader,
 * and system calls where they were not looked at.
 */
static void use_samples(const struct manifest *m, bool sharing, struct sums *sums, double ran)
{
	double looks = fmin((double)m->samples_taken * (double)m->sample_ns, ran / 2),
	       looked = fmax((m->samples_user_only ? (double)m->user_ns : ran) - looks, 0),
	       n = (double)m->samples, taken = m->samples_taken ? (double)m->samples_taken : n,
	       part = fmin((double)m->samples_runtime / n, 1),
	       off = CHANCE * sqrt(part * (1 - part) / taken + 1 / (taken * taken)) + OVERLAP * part;

	for (int i = 0; i < PARTS; i++)
		if (i != COUNT && !(m->samples_user_only && (i == WAIT || i == LOG)))
			sums->part[i] = (struct range){0};
	overhead_add(sums, LOADER, 1);
	sums->part[LOOK] = times(&look_part, looks);
	sums->part[SEEN] = (struct range){.low = fmax(part - off, 0) * looked,
					  .usual = part * looked,
					  .high = fmin(part + off, 1) * looked};
	sums->part[COLD] = times(sharing ? &cold_sharing : &cold_part,
				 part * (1 - part) * fmin(looked, (double)m->user_ns));
	use_text(m, sharing, sums, looked);
}

/* Memory probes were enabled, or much memory was taken: accesses and blocks that told nothing are not counted. */
static bool probes_enabled(const struct report_summary *s, const struct sums *sums, double ran)
{
	return s->sharing && (sums->part[MISS].usual > 0 || sums->part[NOTE].usual > NOTES_MANY * ran);
}

/* Where most of the time went into probes, how much of theirs the program's own instructions hid decides. */
static bool is_close(const struct report_overhead *c)
{
	return c->high <= CLOSE_TIMES * c->low || c->high - c->low <= CLOSE_PART;
}

/* Shares of the recorded program's time that are reckoned from counts are no more than what was measured. */
static void keep_below(struct report_summary *s)
{
	double most = s->cost.close ? s->cost.estimate : s->cost.high;

	s->overhead = fmin(s->overhead, most / (1 + most));
	s->budget.measured = fmin(s->budget.measured, s->cost.high / (1 + s->cost.high));
}

static double recorder_ns(const struct manifest *m)
{
	return (m->recorder_ns ? (double)m->recorder_ns : RECORDER_NS) + END_NS;
}

void overhead_collect(struct report_summary *s)
{
	const struct manifest *m = &s->run->manifest;
	double ran = program_ns(s), syscall_ns = m->syscall_ns ? (double)m->syscall_ns : SYSCALL_NS,
	       recorder = recorder_ns(m);
	struct range extra, plain;
	struct sums sums = {0};

	if (ran <= 0)
		return;
	for (size_t i = 0; i < s->run->n_processes; i++)
		overhead_add_process(&sums, &s->run->processes[i], ran, syscall_ns);
	if (m->samples >= LOOKS_LEAST)
		use_samples(m, s->sharing, &sums, ran);
	extra = total(&sums);
	plain = plain_of(&extra, &sums, ran);
	if (m->samples < LOOKS_LEAST && probes_enabled(s, &sums, ran))
		plain.high = fmin(plain.high, ran / MEM_MOST);
	s->cost = (struct report_overhead){
		.known = true,
		.low = fmax(0, (ran + recorder) / plain.low - 1 + rest_price.low),
		.estimate = fmax(0, (ran + recorder) / plain.usual - 1 + rest_price.usual),
		.high = (ran + recorder) / plain.high - 1 + rest_price.high,
		.start_ns = recorder + prices[START].usual,
	};
	s->cost.close = is_close(&s->cost);
	if (m->samples >= LOOKS_LEAST)
		keep_below(s);
}

/* A run is good only if all of the interval is below the limit. */
bool overhead_high(const struct report_summary *s)
{
	return s->cost.known && (s->cost.estimate >= HIGH || s->cost.high >= HIGH);
}

double overhead_longer(const struct report_summary *s)
{
	const struct manifest *m = &s->run->manifest;
	double n = m->samples < LOOKS_LEAST ? (double)s->run->n_processes : 0,
	       own = program_ns(s) - n * prices[START].usual, plain;

	if (!s->cost.known || own <= 0)
		return 1;
	plain = (program_ns(s) + recorder_ns(m)) / (1 + s->cost.high);
	plain += n * (prices[START].high - prices[START].usual);
	return own > plain ? own / plain : 1;
}

static const char *percent(char buf[32], double part)
{
	snprintf(buf, 32, part < 0.1 ? "%.1f" : "%.0f", 100 * part);
	return buf;
}

/* As times the plain program's time: more than a few hundred percent says nothing to anybody. */
static void print_times(const struct report_overhead *c, struct strbuf *out)
{
	if (!c->close) {
		strbuf_printf(out, "overhead: %.1f to %.1f times the plain CPU time, not known closer",
			      1 + c->low, 1 + c->high);
		return;
	}
	strbuf_printf(out, "overhead: %.1f times the plain CPU time", 1 + c->estimate);
	if (c->high - c->low > SHORT_PRINT * c->estimate)
		strbuf_printf(out, " (%.1f to %.1f times)", 1 + c->low, 1 + c->high);
}

static void print_percent(const struct report_overhead *c, struct strbuf *out)
{
	char b[3][32];

	if (!c->close) {
		strbuf_printf(out, "overhead %s to %s %%, not known closer", percent(b[0], c->low),
			      percent(b[1], c->high));
		return;
	}
	strbuf_printf(out, "overhead %s %%", percent(b[0], c->estimate));
	if (c->high - c->low > SHORT_PRINT * c->estimate)
		strbuf_printf(out, " (%s to %s %%)", percent(b[1], c->low), percent(b[2], c->high));
}

void overhead_text(const struct report_summary *s, struct strbuf *out)
{
	const struct report_overhead *c = &s->cost;
	char b[32];

	if (!c->known) {
		strbuf_puts(out, "overhead not known: the program was not seen to end");
		return;
	}
	(c->estimate >= TIMES ? print_times : print_percent)(c, out);
	strbuf_printf(out, ", %s of it to start", num_time(b, sizeof(b), c->start_ns * 1e-9));
}

void overhead_json(const struct report_summary *s, struct json *j)
{
	const struct report_overhead *c = &s->cost;

	json_object(j, "overhead");
	json_string(j, "of", "CPU time of the plain program, the recorder's included");
	if (c->known) {
		json_double(j, "estimate", c->close ? c->estimate : (double)NAN);
		json_double(j, "low", c->low);
		json_double(j, "high", c->high);
		json_double(j, "start_ns", c->start_ns);
	}
	json_end(j);
}
