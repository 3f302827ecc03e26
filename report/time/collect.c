/* SPDX-License-Identifier: MIT */
/* Threads to rows: whose time it was, who waited, and what the function that a thread starts in is called. */
#include "report/time/collect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/callees.h"
#include "record/names/thread-name.h"
#include "report/time/times.h"

bool is_wait(uint32_t kind)
{
	return run_is_wait(kind);
}

uint64_t thread_life(const struct run_process *p, const struct run_thread *t)
{
	uint64_t end = t->raw->end_tsc ? t->raw->end_tsc : p->end;

	return t->raw->start_tsc && end > t->raw->start_tsc ? end - t->raw->start_tsc : 0;
}

const char *collect_callee(struct report_summary *s, const struct run_process *p, const struct rec_call *c,
			   const struct run_call_site *site)
{
	const struct run_symbol *sym;
	const char *known;
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
	known = callees_name(s->run, p->header->pid, c->callee);
	if (known)
		return known;
	snprintf(text, sizeof(text), "0x%llx", (unsigned long long)c->callee);
	return summary_name(s, text);
}

const struct run_function *collect_function(const struct run *run, const struct run_module *home,
					    const char *name)
{
	return home ? run_module_function(home, name) : run_function(run, name);
}

const struct run_module *collect_home(const struct run_process *p, uint32_t site, const char *name)
{
	const struct run_unit *u = NULL;

	for (size_t i = 0; site != PRS_NO_SITE && !u && i < p->n_units; i++)
		if (site >= p->units[i].raw->first_call &&
		    site - p->units[i].raw->first_call < p->units[i].raw->n_calls)
			u = &p->units[i];
	return run_home(p, u ? u->tables : NULL, name);
}

/* Index of the first of @names that @name begins with (or is, if @whole), -1: none. */
static int find_name(const char *name, bool whole, const char *const *names)
{
	for (int i = 0; names[i]; i++)
		if (whole ? !strcmp(name, names[i]) : !strncmp(name, names[i], strlen(names[i])))
			return i;
	return -1;
}

bool collect_blocks(const struct run *run, const struct run_process *p, const struct run_call_site *site)
{
	static const char *const never[] = {"msgrcv", "mq_receive",  "mq_timedreceive", "semop",
					    "flock",  "lockf",       "semtimedop",      "system",
					    "pclose", "getaddrinfo", "io_getevents",    NULL};
	static const char *const watched[] = {"pthread_",        "sem_",   "cnd_",  "mtx_",
					      "thrd_",           "usleep", "sleep", "nanosleep",
					      "clock_nanosleep", "_Z",     "GOMP_", NULL};
	static const char *const more[] = {"sigwait", "sigwaitinfo", "sigtimedwait", "sigsuspend",
					   "pause",   "accept",      "accept4",      NULL};

	if (!site)
		return false;
	if (find_name(site->callee, true, never) >= 0)
		return !run_function(run, site->callee);
	if (p->header->minor && p->header->seen & PRS_SEEN_IO)
		return false;
	if (run_has_flag(site->flags, PRS_CF_WAIT))
		return find_name(site->callee, false, watched) < 0;
	return find_name(site->callee, true, more) >= 0 && !run_function(run, site->callee);
}

/* Self time of blocking calls is waiting. */
static void add_blocked(struct report_summary *s, struct thread_times *x, const char *who,
			struct wait_list *waits)
{
	for (size_t i = 0; i < x->thread->n_calls; i++) {
		const struct rec_call *c = x->thread->calls[i];
		const struct run_call_site *site = run_call_site(x->process, c->site);

		if (!x->self[i] || !collect_blocks(s->run, x->process, site))
			continue;
		vec_push(waits, ((struct wait_row){.process = x->process,
						   .site = c->site,
						   .inner = c->site,
						   .callee = collect_callee(s, x->process, c, site),
						   .who = who,
						   .count = x->thread->totals[i],
						   .ns = x->self[i] * x->process->ns_per_tick}));
		thread_times_blocked(x, i);
	}
}

static void add_rows(struct report_summary *s, const struct thread_times *x, struct row_list *rows)
{
	const struct run_process *p = x->process;

	for (size_t i = 0; i < x->thread->n_calls; i++) {
		const struct rec_call *c = x->thread->calls[i];
		struct call_row *r = vec_add(rows);

		r->process = p;
		r->site = run_call_site(p, c->site);
		r->number = c->site;
		r->thread = x->thread->raw->index;
		r->callee = collect_callee(s, p, c, r->site);
		r->home = collect_home(p, c->site, r->callee);
		r->calls = x->thread->totals[i] > c->timed ? x->thread->totals[i] : c->timed;
		r->timed = c->timed;
		r->about = x->about[i] & TIMES_ABOUT_CALLEE;
		r->least = (double)r->calls * (r->about ? c->fewer : 1);
		r->most = (double)r->calls * (r->about ? c->more : 1);
		r->self_ns = x->self[i] * p->ns_per_tick;
		r->span_ns = r->self_ns + x->in_line[i] * p->ns_per_tick;
		r->total_ns = x->total[i] * p->ns_per_tick;
		r->min_ns = (double)c->min * p->ns_per_tick;
		r->max_ns = (double)c->max * p->ns_per_tick;
		r->call = c;
		s->calls += r->calls;
		s->timed += r->timed;
		s->open += c->open;
		s->switched += c->switched;
	}
}

const char *thread_name(struct report_summary *s, const struct run_process *p, const struct run_thread *t,
			const char **asm_name, bool *called)
{
	uint32_t thread = (uint32_t)(t - p->threads);
	struct strbuf sb = STRBUF_INIT;
	const char *name;

	*asm_name = thread_routine(&sb, s->run, p, thread, called) ? summary_name(s, sb.s) : NULL;
	strbuf_release(&sb);
	thread_base_name(&sb, s->run, p, thread);
	name = summary_name(s, sb.s);
	strbuf_release(&sb);
	return name;
}

/* @called: the function is called with probes, so that this is no call of it but the way to it. */
static void add_start(struct report_summary *s, const struct thread_times *x, const char *asm_name,
		      bool called, struct row_list *rows)
{
	const struct run_process *p = x->process;
	double ns = x->rest * p->ns_per_tick;
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
	r->home = collect_home(p, PRS_NO_SITE, asm_name);
	r->starts = true;
	r->calls = !called;
	r->least = r->most = (double)r->calls;
	r->self_ns = ns;
	r->span_ns = ns + x->rest_line * p->ns_per_tick;
	r->total_ns = called ? ns : (double)thread_life(p, x->thread) * p->ns_per_tick;
}

void collect_thread(struct report_summary *s, const struct run_process *p, const struct run_thread *t,
		    const char *full, struct report_thread *line, struct row_list *rows,
		    struct wait_list *waits)
{
	struct thread_times x;
	const char *asm_name;
	bool called;

	thread_times_make(&x, p, t);
	*line = (struct report_thread){.process = p,
				       .index = t->raw->index,
				       .name = thread_name(s, p, t, &asm_name, &called),
				       .full = full,
				       .switches = t->raw->switches,
				       .alive = !t->raw->end_tsc};
	add_blocked(s, &x, line->name, waits);
	add_start(s, &x, asm_name, called, rows);
	add_rows(s, &x, rows);
	for (size_t i = 0; i < t->n_calls; i++)
		line->calls += t->totals[i];
	line->life_ns = x.life * p->ns_per_tick;
	line->wait_ns = x.waited * p->ns_per_tick;
	line->cpu_known = thread_cpu_known(p, t->raw);
	if (line->cpu_known) {
		line->cpu_ns = (double)(t->raw->cpu_end_ns - t->raw->cpu_start_ns);
		s->busy_ns += line->life_ns - line->wait_ns;
	}
	s->thread_ns += line->life_ns;
	s->wait_ns += line->wait_ns;
	s->cpu_ns += line->cpu_ns;
	s->probe_ns += x.probes * p->ns_per_tick;
	s->line_ns += x.line * p->ns_per_tick;
	thread_times_release(&x);
}
