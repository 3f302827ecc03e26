/* SPDX-License-Identifier: MIT */
#include "report/overhead.h"

#include <math.h>
#include <stdio.h>

#include "lib/num.h"

/*
 * Prices, from make bench-overhead: least, usual, most.  COUNT is in reads of the
 * clock, with what a probe costs at rest; WAIT and LOG in readings of a thread's CPU
 * time by system call; START and THREAD in nanoseconds.
 */
struct range {
	double low, usual, high;
};
static const struct range count_price = {0, 0.03, 0.2};
static const struct range wait_price = {1.5, 4, 9};
static const struct range log_price = {1, 1.6, 4};
static const struct range start_price = {1.5e6, 3.5e6, 8e6};
static const struct range thread_price = {10e3, 40e3, 150e3};
/* A build with probes at rest, whatever it calls, as a share of the plain one's time. */
static const struct range rest_price = {-0.02, 0.01, 0.05};

/*
 * A timed call costs what it was measured to cost at the start where calls follow
 * each other; the longer the program does something else in between, the more of
 * what the probes need has left the caches.
 */
#define PAIR_HOT    1.2  /* measured pairs, at a distance of HOT_NS and less */
#define PAIR_COLD   16.0 /* at most */
#define HOT_NS      100.0
#define COOLING     0.65 /* exponent of the distance */
#define PAIR_SPREAD 2.5  /* how far off that may be */

#define SYSCALL_NS  300.0 /* of runs whose recorder did not measure it */
#define RECORDER_NS 35e6  /* ... and what it took itself */
#define SEAL_NS     6e6   /* what it takes to seal the records, after that was read */
#define PLAIN_MIN   0.1   /* part of the recorded program's time that is its own, at least */
#define HIGH        0.1
#define SHORT_PRINT 0.05 /* an interval narrower than this part of the figure is not worth printing */

static void add(struct range *sum, const struct range *price, double n)
{
	sum->low += price->low * n;
	sum->usual += price->usual * n;
	sum->high += price->high * n;
}

/* Prices of a timed call in nanoseconds, @gap_ns of the program's own time after the one before. */
static struct range pair_price(const struct run_process *p, double gap_ns)
{
	double read = (double)p->header->clock_ticks * p->ns_per_tick, factor = PAIR_HOT, pair;

	pair = p->header->minor >= 1 ? (double)p->header->pair_ticks * p->ns_per_tick : 0;
	if (pair < 2 * read)
		pair = 2 * read;
	if (gap_ns > HOT_NS)
		factor *= pow(gap_ns / HOT_NS, COOLING);
	if (factor > PAIR_COLD)
		factor = PAIR_COLD;
	return (struct range){pair * fmax(1, factor / PAIR_SPREAD), pair * factor,
			      pair * factor * PAIR_SPREAD};
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

/* What was done in one process, of @ran_ns. */
static void add_process(struct range *sum, const struct run_process *p, double ran_ns, double syscall_ns)
{
	double timed, all = count_calls(p, &timed), read = (double)p->header->clock_ticks * p->ns_per_tick;
	struct range pair = pair_price(p, timed > 0 ? ran_ns / timed : 0);

	add(sum, &start_price, 1);
	add(sum, &thread_price, (double)p->n_threads);
	add(sum, &pair, timed);
	add(sum, &count_price, all * read);
	for (size_t i = 0; i < p->n_threads; i++) {
		const struct run_thread *t = &p->threads[i];
		double waits = 0;

		for (size_t k = 0; k < t->n_waits; k++)
			waits += t->waits[k].flags & PRS_WAIT_TAKEN ? 0 : (double)t->waits[k].count;
		add(sum, &wait_price, waits * syscall_ns);
		add(sum, &log_price, (double)t->n_log * syscall_ns);
	}
}

/* CPU time of the recorded program, as far as it is known. */
static double program_ns(const struct report_summary *s)
{
	const struct manifest *m = &s->run->manifest;
	double all = (double)(m->user_ns + m->system_ns);

	return all > s->cpu_ns ? all : s->cpu_ns;
}

static double share(double extra, double rest, double ran)
{
	double plain = ran - extra;

	/* More than was there: the plain program took next to nothing. */
	return (extra + rest) / fmax(plain, ran * PLAIN_MIN);
}

void overhead_collect(struct report_summary *s)
{
	const struct manifest *m = &s->run->manifest;
	double ran = program_ns(s),
	       recorder = (m->recorder_ns ? (double)m->recorder_ns : RECORDER_NS) + SEAL_NS;
	double syscall_ns = m->syscall_ns ? (double)m->syscall_ns : SYSCALL_NS;
	struct range sum = {0};

	if (ran <= 0)
		return;
	for (size_t i = 0; i < s->run->n_processes; i++)
		add_process(&sum, &s->run->processes[i], ran, syscall_ns);
	s->cost = (struct report_overhead){
		.known = true,
		.low = share(sum.low, recorder, ran) + rest_price.low,
		.estimate = share(sum.usual, recorder, ran) + rest_price.usual,
		.high = share(sum.high, recorder, ran) + rest_price.high,
		.start_ns = recorder + start_price.usual,
	};
	if (s->cost.low < 0)
		s->cost.low = 0;
}

bool overhead_high(const struct report_summary *s)
{
	return !s->sharing && s->cost.known && s->cost.estimate >= HIGH;
}

static const char *percent(char buf[32], double part)
{
	snprintf(buf, 32, part < 0.1 ? "%.1f" : "%.0f", 100 * part);
	return buf;
}

void overhead_text(const struct report_summary *s, struct strbuf *out)
{
	const struct report_overhead *c = &s->cost;
	char b[4][32];

	if (!c->known) {
		strbuf_puts(out, "overhead not known: the program was not seen to end");
		return;
	}
	if (s->sharing) {
		strbuf_printf(out, "overhead %s %% and that of memory probes", percent(b[0], c->estimate));
		return;
	}
	strbuf_printf(out, "overhead %s %%", percent(b[0], c->estimate));
	if (c->high - c->low > SHORT_PRINT * c->estimate)
		strbuf_printf(out, " (%s to %s %%)", percent(b[1], c->low), percent(b[2], c->high));
	strbuf_printf(out, ", %s of it to start", num_time(b[3], sizeof(b[3]), c->start_ns * 1e-9));
}

void overhead_json(const struct report_summary *s, struct json *j)
{
	const struct report_overhead *c = &s->cost;

	json_object(j, "overhead");
	json_string(j, "of", "CPU time of the plain program, the recorder's included");
	if (c->known) {
		json_double(j, "estimate", c->estimate);
		json_double(j, "low", c->low);
		json_double(j, "high", s->sharing ? NAN : c->high); /* null: memory probes are not counted */
		json_double(j, "start_ns", c->start_ns);
	}
	json_end(j);
}
