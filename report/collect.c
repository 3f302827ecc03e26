/* SPDX-License-Identifier: MIT */
/*
 * Where a thread's time went.
 *
 * Self time of a call = its time less that of the timed calls made inside.
 * Sampled sites are scaled up; what their untimed calls are estimated to
 * have taken is part of the measured time of the caller and comes off there.
 * Waiting is known exactly from the events and comes off the innermost call.
 * What no call accounts for was spent in the thread's start routine.
 */
#include "report/collect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"

/* Calls this many powers of two above the median count as interrupted. */
#define OUTLIER_BUCKETS 6

struct thread_times {
	const struct run_process *process;
	const struct run_thread *thread;
	double *self;  /* ticks, scaled, by index of thread->calls */
	double *total; /* ticks, scaled */
	double waited; /* ticks, all */
};

bool is_wait(uint32_t kind)
{
	switch (kind) {
	case PRS_EV_JOIN:
	case PRS_EV_MUTEX:
	case PRS_EV_COND:
	case PRS_EV_BARRIER:
	case PRS_EV_SLEEP:
	case PRS_EV_SEM:
	case PRS_EV_RWLOCK:
		return true;
	default:
		return false;
	}
}

uint64_t thread_life(const struct run_process *p, const struct run_thread *t)
{
	uint64_t end = t->raw->end_tsc ? t->raw->end_tsc : p->end;

	return t->raw->start_tsc && end > t->raw->start_tsc ? end - t->raw->start_tsc : 0;
}

/* First record of @site, or the number of records. */
static size_t first_of(const struct run_thread *t, uint32_t site)
{
	size_t lo = 0, hi = t->n_calls;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (t->calls[mid]->site < site)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < t->n_calls && t->calls[lo]->site == site ? lo : t->n_calls;
}

/* Take @ticks off the records of @site, as far as they reach; what is left over. */
static double take_off(struct thread_times *x, uint32_t site, double ticks)
{
	const struct run_thread *t = x->thread;

	if (site == PRS_NO_SITE)
		return ticks;
	for (size_t i = first_of(t, site); i < t->n_calls && t->calls[i]->site == site && ticks > 0; i++) {
		double part = ticks < x->self[i] ? ticks : x->self[i];

		x->self[i] -= part;
		ticks -= part;
	}
	return ticks;
}

/*
 * Mean of the timed calls without those that were interrupted: a sampled site
 * is a short one, so a call far above the median met a context switch, and
 * must not be multiplied by the sampling period.
 */
static double typical_ticks(const struct prs_call *c)
{
	uint64_t n = 0, below = 0;
	double sum = 0;
	int b = 0, last;

	for (int i = 0; i < PRS_HIST_BUCKETS; i++)
		n += c->hist[i];
	while (b < PRS_HIST_BUCKETS - 1 && 2 * (below + c->hist[b]) < n)
		below += c->hist[b++];
	last = b + OUTLIER_BUCKETS;
	if (last >= PRS_HIST_BUCKETS - 1 || c->max < 2ull << last)
		return (double)c->sum / (double)c->timed;
	n = 0;
	for (int i = 0; i <= last; i++) {
		n += c->hist[i];
		sum += 1.5 * (double)(1ull << i) * (double)c->hist[i]; /* the middle of a bucket */
	}
	return n ? sum / (double)n : 0;
}

/* What the untimed calls of a record took; they were spared the clock read that each timed one holds. */
static double untimed_ticks(const struct run_process *p, const struct prs_call *c, uint64_t calls)
{
	double each;

	if (!c->timed || calls <= c->timed)
		return 0;
	each = typical_ticks(c) - (double)p->header->clock_ticks;
	return each > 0 ? each * (double)(calls - c->timed) : 0;
}

static void scale_calls(struct thread_times *x)
{
	const struct run_thread *t = x->thread;

	for (size_t i = 0; i < t->n_calls; i++) {
		const struct prs_call *c = t->calls[i];
		double own = c->sum > c->child ? (double)(c->sum - c->child) : 0;

		x->total[i] = (double)c->sum + untimed_ticks(x->process, c, t->totals[i]);
		x->self[i] = c->sum ? own * (x->total[i] / (double)c->sum) : 0;
	}
	for (size_t i = 0; i < t->n_calls; i++) {
		double untimed = x->total[i] - (double)t->calls[i]->sum;

		if (t->calls[i]->timed && untimed > 0)
			take_off(x, t->calls[i]->parent, untimed);
	}
}

static void take_off_waits(struct thread_times *x)
{
	const struct run_thread *t = x->thread;

	for (size_t i = 0; i < t->n_events; i++) {
		const struct prs_event *e = &t->events[i];
		double ticks = (double)(e->end - e->begin);

		if (!is_wait(e->kind))
			continue;
		x->waited += ticks;
		take_off(x, e->site, ticks);
	}
}

/* Keep the parts within the whole: estimates may exceed a short life. */
static double fit(struct thread_times *x, double life)
{
	double sum = 0, room;

	if (x->waited > life)
		x->waited = life;
	room = life - x->waited;
	for (size_t i = 0; i < x->thread->n_calls; i++)
		sum += x->self[i];
	for (size_t i = 0; i < x->thread->n_calls && sum > room; i++)
		x->self[i] *= room / sum;
	return sum < room ? room - sum : 0;
}

/* Assembler name of the callee of a call record. */
static const char *callee_of(struct report_summary *s, const struct run_process *p, const struct prs_call *c,
			     const struct run_call_site *site)
{
	const struct run_symbol *sym;
	char text[64];

	if (!c->callee && site)
		return site->callee;
	if (!c->callee) {
		snprintf(text, sizeof(text), "callee of site %u", c->site);
		return summary_name(s, text);
	}
	sym = run_symbol(s->run, p, c->callee, NULL);
	if (sym)
		return sym->name;
	snprintf(text, sizeof(text), "0x%llx", (unsigned long long)c->callee);
	return summary_name(s, text);
}

/* Index of the first of @names that @name begins with (or is, if @whole), -1: none. */
static int find_name(const char *name, bool whole, const char *const *names)
{
	for (int i = 0; names[i]; i++)
		if (whole ? !strcmp(name, names[i]) : !strncmp(name, names[i], strlen(names[i])))
			return i;
	return -1;
}

/*
 * True for a call that blocks in the kernel and that no event tells of: poll,
 * waitpid, ...  What the runtime watches (locks, sleeps) has events, and the
 * rest of such a call is work.
 */
static bool blocks_unseen(const struct run *run, const struct run_call_site *site)
{
	static const char *const watched[] = {"pthread_",        "sem_",   "cnd_",  "mtx_",
					      "thrd_",           "usleep", "sleep", "nanosleep",
					      "clock_nanosleep", "_Z",     "GOMP_", NULL};
	static const char *const more[] = {"sigwait", "sigwaitinfo", "sigtimedwait", "sigsuspend", "pause",
					   "accept",  "accept4",     "msgrcv",       "mq_receive", NULL};

	if (!site)
		return false;
	if (strstr(site->flags, PRS_CF_WAIT))
		return find_name(site->callee, false, watched) < 0;
	return find_name(site->callee, true, more) >= 0 && !run_function(run, site->callee);
}

/* Self time of blocking calls is waiting. */
static void add_blocked(struct report_summary *s, struct thread_times *x, const char *who,
			struct wait_list *waits)
{
	for (size_t i = 0; i < x->thread->n_calls; i++) {
		const struct prs_call *c = x->thread->calls[i];
		const struct run_call_site *site = run_call_site(x->process, c->site);

		if (!x->self[i] || !blocks_unseen(s->run, site))
			continue;
		vec_push(waits, ((struct wait_row){.process = x->process,
						   .site = c->site,
						   .callee = callee_of(s, x->process, c, site),
						   .who = who,
						   .count = x->thread->totals[i],
						   .ns = x->self[i] * x->process->ns_per_tick}));
		x->waited += x->self[i];
		x->self[i] = 0;
	}
}

static void add_rows(struct report_summary *s, const struct thread_times *x, struct row_list *rows)
{
	const struct run_process *p = x->process;

	for (size_t i = 0; i < x->thread->n_calls; i++) {
		const struct prs_call *c = x->thread->calls[i];
		struct call_row *r = vec_add(rows);

		r->process = p;
		r->site = run_call_site(p, c->site);
		r->number = c->site;
		r->thread = x->thread->raw->index;
		r->callee = callee_of(s, p, c, r->site);
		r->calls = x->thread->totals[i] > c->timed ? x->thread->totals[i] : c->timed;
		r->timed = c->timed;
		r->self_ns = x->self[i] * p->ns_per_tick;
		r->total_ns = x->total[i] * p->ns_per_tick;
		r->min_ns = (double)c->min * p->ns_per_tick;
		r->max_ns = (double)c->max * p->ns_per_tick;
		r->call = c;
		s->calls += r->calls;
		s->timed += r->timed;
		s->open += c->open;
	}
}

/*
 * The function that holds the outermost calls of a thread whose start routine
 * has no probes: for std::thread the program's own one behind the wrappers.
 */
static const char *outermost_function(struct report_summary *s, const struct run_process *p,
				      const struct run_thread *t)
{
	const struct run_call_site *best = NULL;
	struct run_place place;
	uint64_t most = 0;

	for (size_t i = 0; i < t->n_calls; i++) {
		const struct prs_call *c = t->calls[i];
		const struct run_call_site *site = run_call_site(p, c->site);

		if (c->parent != PRS_NO_SITE || !site || (best && c->sum <= most))
			continue;
		best = site;
		most = c->sum;
	}
	if (!best)
		return NULL;
	run_site_place(s->run, best, &place);
	return summary_name(s, place.function);
}

/* Assembler name of the instrumented function that a thread starts in, NULL: none is known. */
static const char *start_function(struct report_summary *s, const struct run_process *p,
				  const struct run_thread *t)
{
	const struct run_symbol *sym = NULL;

	if (t->raw->start_routine)
		sym = run_symbol(s->run, p, t->raw->start_routine, NULL);
	if (sym && run_function(s->run, sym->name))
		return sym->name;
	/* A forked child goes on in the middle of something: its outermost calls say where. */
	if (!t->raw->index && !p->header->epoch && p == s->run->processes && run_function(s->run, "main"))
		return "main";
	return outermost_function(s, p, t);
}

const char *thread_name(struct report_summary *s, const struct run_process *p, const struct run_thread *t,
			const char **asm_name)
{
	const struct run_symbol *sym;
	char text[32];

	*asm_name = start_function(s, p, t);
	if (!t->raw->index && t->raw->creator == PRS_NO_THREAD && !t->raw->start_routine)
		return "main";
	if (*asm_name)
		return pretty_name(s, *asm_name);
	sym = t->raw->start_routine ? run_symbol(s->run, p, t->raw->start_routine, NULL) : NULL;
	if (sym)
		return pretty_name(s, sym->name);
	if (t->raw->name[0])
		return t->raw->name;
	snprintf(text, sizeof(text), "thread %u", t->raw->index);
	return summary_name(s, text);
}

static void add_start(struct report_summary *s, const struct thread_times *x, const char *asm_name,
		      double rest, struct row_list *rows)
{
	const struct run_process *p = x->process;
	double ns = rest * p->ns_per_tick;
	struct call_row *r;

	if (!asm_name) {
		s->outside_ns += ns;
		return;
	}
	r = vec_add(rows);
	r->process = p;
	r->number = PRS_NO_SITE;
	r->thread = x->thread->raw->index;
	r->callee = asm_name;
	r->starts = true;
	r->calls = 1;
	r->self_ns = ns;
	r->total_ns = (double)thread_life(p, x->thread) * p->ns_per_tick;
}

/* A thread that was killed has no reading of its end, only one of its last event, which may be long before. */
static bool cpu_known(const struct run_process *p, const struct prs_thread *t)
{
	return (t->end_tsc || p->complete) && t->cpu_end_ns && t->cpu_end_ns >= t->cpu_start_ns;
}

void collect_thread(struct report_summary *s, const struct run_process *p, const struct run_thread *t,
		    struct report_thread *line, struct row_list *rows, struct wait_list *waits)
{
	struct thread_times x = {.process = p,
				 .thread = t,
				 .self = mem_new(t->n_calls + 1, sizeof(double)),
				 .total = mem_new(t->n_calls + 1, sizeof(double))};
	double life = (double)thread_life(p, t);
	const char *asm_name;
	double rest;

	scale_calls(&x);
	take_off_waits(&x);
	rest = fit(&x, life);
	*line = (struct report_thread){.process = p,
				       .index = t->raw->index,
				       .name = thread_name(s, p, t, &asm_name),
				       .switches = t->raw->switches,
				       .alive = !t->raw->end_tsc};
	add_blocked(s, &x, line->name, waits);
	add_start(s, &x, asm_name, rest, rows);
	add_rows(s, &x, rows);
	for (size_t i = 0; i < t->n_calls; i++)
		line->calls += t->totals[i];
	line->life_ns = life * p->ns_per_tick;
	line->wait_ns = x.waited * p->ns_per_tick;
	line->cpu_known = cpu_known(p, t->raw);
	if (line->cpu_known) {
		line->cpu_ns = (double)(t->raw->cpu_end_ns - t->raw->cpu_start_ns);
		s->busy_ns += line->life_ns - line->wait_ns;
	}
	s->thread_ns += line->life_ns;
	s->wait_ns += line->wait_ns;
	s->cpu_ns += line->cpu_ns;
	free(x.self);
	free(x.total);
}
