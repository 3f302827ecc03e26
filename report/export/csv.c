/* SPDX-License-Identifier: MIT */
/* Tables as RFC 4180 has them; the names of columns say the unit. */
#include <string.h>

#include "report/export/out.h"
#include "report/time/collect.h"
#include "report/time/order.h"
#include "report/waits/waits.h"

/* A field, in quotes if it needs them. */
static void put_text(struct export *e, const char *text)
{
	struct strbuf name = STRBUF_INIT;

	if (text && strcmp(text, "-"))
		export_name(&name, text, "");
	if (name.s && strpbrk(name.s, "\",")) {
		strbuf_puts(&e->out, "\"");
		for (const char *p = name.s; *p; p++)
			strbuf_add(&e->out, *p == '"' ? "\"\"" : p, *p == '"' ? 2 : 1);
		strbuf_puts(&e->out, "\"");
	} else if (name.s) {
		strbuf_puts(&e->out, name.s);
	}
	strbuf_puts(&e->out, ",");
	strbuf_release(&name);
}

static void put_number(struct export *e, uint64_t n)
{
	strbuf_printf(&e->out, "%llu,", (unsigned long long)n);
}

/* @known: else the field is empty. */
static void put_ns(struct export *e, double ns, bool known)
{
	if (known)
		strbuf_printf(&e->out, "%.12g", ns);
	strbuf_puts(&e->out, ",");
}

static void put_line_number(struct export *e, uint32_t line)
{
	if (line)
		strbuf_printf(&e->out, "%u", line);
	strbuf_puts(&e->out, ",");
}

/* The comma behind the last field becomes the end of the row. */
static void put_end(struct export *e)
{
	e->out.len--;
	strbuf_puts(&e->out, "\r\n");
	export_ready(e);
}

static void put_functions(struct export *e)
{
	double least = e->s->resolution_ns;

	strbuf_puts(&e->out, "function,assembler_name,file,line,place_is_call,thread_start,self_ns,total_ns,"
			     "calls,calls_estimated,timed,p50_ns,p90_ns,p99_ns,max_ns\r\n");
	for (size_t i = 0; i < e->s->n_functions; i++) {
		const struct report_function *f = &e->s->functions[i];

		put_text(e, f->name);
		put_text(e, f->asm_name);
		put_text(e, f->file);
		put_line_number(e, f->line);
		put_number(e, f->at_call);
		put_number(e, f->starts);
		put_ns(e, f->self_ns, true);
		put_ns(e, f->total_ns, true);
		put_number(e, f->calls);
		put_number(e, f->about);
		put_number(e, f->timed);
		put_ns(e, f->p50_ns, f->timed && f->p50_ns >= least);
		put_ns(e, f->p90_ns, f->timed && f->p90_ns >= least);
		put_ns(e, f->p99_ns, f->timed && f->p99_ns >= least);
		put_ns(e, f->max_ns, f->timed && f->max_ns >= least);
		put_end(e);
	}
}

static void csv_put_sites(struct export *e)
{
	double least = e->s->resolution_ns;

	strbuf_puts(&e->out, "site,instance,function,callee,file,line,column,self_ns,total_ns,calls,"
			     "calls_estimated,timed,min_ns,p50_ns,p90_ns,p99_ns,max_ns,threads,period\r\n");
	for (size_t i = 0; i < e->s->n_sites; i++) {
		const struct report_site *f = &e->s->sites[i];
		const struct run_call_site *site = f->site;

		put_text(e, site ? site->id : NULL);
		put_text(e, site ? site->instance : NULL);
		put_text(e, site ? site->pretty : NULL);
		put_text(e, f->callee);
		put_text(e, site ? site->file : NULL);
		put_line_number(e, site ? site->line : 0);
		put_line_number(e, site ? site->column : 0);
		put_ns(e, f->self_ns, true);
		put_ns(e, f->total_ns, true);
		put_number(e, f->calls);
		put_number(e, f->about);
		put_number(e, f->timed);
		put_ns(e, f->min_ns, f->timed && f->min_ns >= least);
		put_ns(e, f->p50_ns, f->timed && f->p50_ns >= least);
		put_ns(e, f->p90_ns, f->timed && f->p90_ns >= least);
		put_ns(e, f->p99_ns, f->timed && f->p99_ns >= least);
		put_ns(e, f->max_ns, f->timed && f->max_ns >= least);
		put_number(e, f->threads);
		put_number(e, f->period);
		put_end(e);
	}
}

static void put_waits(struct export *e)
{
	strbuf_puts(&e->out, "id,kind,who,whom,object,file,line,function,wait_ns,count,max_ns,threads,"
			     "still_waiting,outside\r\n");
	for (size_t i = 0; i < e->s->n_waits; i++) {
		const struct report_wait *w = &e->s->waits[i];

		put_text(e, w->id);
		put_text(e, report_wait_kind(w->kind));
		put_text(e, w->who);
		put_text(e, w->whom);
		put_text(e, w->object);
		put_text(e, w->file);
		put_line_number(e, w->line);
		put_text(e, w->function);
		put_ns(e, w->ns, true);
		put_number(e, w->count);
		put_ns(e, w->max_ns, w->max_ns > 0);
		put_number(e, w->threads);
		put_number(e, w->open);
		put_number(e, w->outside);
		put_end(e);
	}
}

static void put_threads(struct export *e)
{
	strbuf_puts(&e->out, "process,index,thread,group,life_ns,cpu_ns,wait_ns,calls,switches,end_seen\r\n");
	for (size_t i = 0; i < e->s->n_threads_listed; i++) {
		const struct report_thread *t = &e->s->threads[i];

		put_number(e, t->process->header->pid);
		put_number(e, t->index);
		put_text(e, t->full);
		put_text(e, t->name);
		put_ns(e, t->life_ns, true);
		put_ns(e, t->cpu_ns, t->cpu_known);
		put_ns(e, t->wait_ns, true);
		put_number(e, t->calls);
		put_number(e, t->switches);
		put_number(e, !t->alive);
		put_end(e);
	}
}

/* The calls of @row that took from @low_ns to below @high_ns. */
static void put_bucket(struct export *e, const struct call_row *row, uint32_t bucket)
{
	int64_t thread = report_thread_at(e->s, row->process, row->thread);

	put_number(e, row->process->header->pid);
	put_text(e, thread < 0 ? NULL : e->s->threads[thread].full);
	put_text(e, row->site ? row->site->id : NULL);
	put_text(e, row->site ? row->site->pretty : NULL);
	put_text(e, row->callee ? pretty_name(e->s, row->callee) : NULL);
	put_text(e, row->site ? row->site->file : NULL);
	put_line_number(e, row->site ? row->site->line : 0);
	put_ns(e, (double)prs_hist_low(bucket) * row->process->ns_per_tick, true);
	put_ns(e, (double)prs_hist_low(bucket + 1) * row->process->ns_per_tick, true);
	put_number(e, row->call->hist[bucket]);
	put_end(e);
}

static void put_times(struct export *e)
{
	strbuf_puts(&e->out, "process,thread,site,function,callee,file,line,low_ns,high_ns,count\r\n");
	for (size_t i = 0; i < e->s->n_rows; i++)
		for (uint32_t b = 0; e->s->rows[i].call && !e->s->rows[i].starts && b < PRS_HIST_BUCKETS; b++)
			if (e->s->rows[i].call->hist[b])
				put_bucket(e, &e->s->rows[i], b);
}

int export_csv(struct export *e, struct err *err)
{
	(void)err;
	if (e->table == EXPORT_SITES)
		csv_put_sites(e);
	else if (e->table == EXPORT_WAITS)
		put_waits(e);
	else if (e->table == EXPORT_THREADS)
		put_threads(e);
	else if (e->table == EXPORT_TIMES)
		put_times(e);
	else
		put_functions(e);
	return 0;
}
