/* SPDX-License-Identifier: MIT */
/* The phases of the first process, as the model of the run has them. */
#include <stdlib.h>

#include "analyzer/time/clock.h"
#include "analyzer/time/phases.h"
#include "lib/html/columns.h"
#include "lib/json.h"
#include "report/page/tabs/tabs.h"
#include "report/trace/trace.h"

/* All that the phases of one process are made of. */
struct phase_story {
	const struct run_process *p;
	struct instances ins;
	struct timeline line;
	struct notes notes;
	struct bounds bounds;
	struct intervals intervals;
	struct phase_classes classes;
};

static void story_make(struct phase_story *f, const struct run *run)
{
	bool calibrated;

	*f = (struct phase_story){.p = &run->processes[0]};
	instances_match(&f->ins, &run, &f->p, 1);
	timeline_make(&f->line, run, f->p, &f->ins, 0);
	f->line.cycles = counted_cycles(f->p);
	bounds_find(&f->bounds, &f->line, &f->notes);
	intervals_make(&f->intervals, &f->line, &f->bounds, core_khz(run, &calibrated), run->path);
	phases_fold(&f->classes, &f->intervals, 1, &f->ins, &f->notes);
}

static void story_release(struct phase_story *f)
{
	phases_release(&f->classes);
	intervals_release(&f->intervals);
	bounds_release(&f->bounds);
	timeline_release(&f->line);
	instances_release(&f->ins);
	notes_release(&f->notes);
}

static void put_class(struct json *j, const struct phase_class *c, const char *name)
{
	char opening[256];

	phase_opening(opening, sizeof(opening), c->kind, c->opener);
	json_object(j, NULL);
	json_string(j, "name", name);
	json_string(j, "opened_by", bound_kind_name(c->kind));
	json_string(j, "opening", opening);
	json_u64(j, "repeats", c->repeats);
	json_double(j, "wall_ns", c->wall_ns);
	json_end(j);
}

static void put_classes(const struct phase_story *f, struct strbuf *out)
{
	char **names = phase_names(&f->classes);
	struct strbuf sb = STRBUF_INIT;
	struct json j;

	json_init(&j, &sb);
	json_object(&j, NULL);
	json_u64(&j, "schema", 1);
	json_u64(&j, "pid", f->p->header->pid);
	json_array(&j, "phases");
	for (size_t i = 0; i < f->classes.n; i++) {
		put_class(&j, &f->classes.at[i], names[i]);
		free(names[i]);
	}
	json_end(&j);
	json_array(&j, "notes");
	for (size_t i = 0; i < f->notes.n; i++)
		json_string(&j, NULL, f->notes.at[i]);
	json_end(&j);
	json_end(&j);
	page_document(out, "phases", &sb);
	free(names);
}

static void put_spans(const struct phase_story *f, uint64_t first_ns, struct strbuf *out)
{
	static const char *const names[] = {"phase", "begin", "ns", NULL};
	struct columns c;

	columns_init(&c, names);
	for (size_t i = 0; i < f->bounds.n; i++) {
		uint64_t from = f->bounds.at[i].tick,
			 to = i + 1 < f->bounds.n ? f->bounds.at[i + 1].tick : f->p->end;
		int64_t begin = (int64_t)(f->p->header->mono_start_ns - first_ns + run_ns(f->p, from));
		int64_t ns = to > from ? (int64_t)run_span_ns(f->p, to - from) : 0;

		columns_add(&c, (const int64_t[]){f->classes.of_first[i], begin, ns});
	}
	columns_write(&c, "phase_spans", out);
	columns_release(&c);
}

void page_phases(const struct report_summary *s, struct strbuf *out)
{
	struct phase_story f;

	if (!s->run->n_processes || !s->run->processes[0].n_threads)
		return;
	story_make(&f, s->run);
	if (f.bounds.n) {
		put_classes(&f, out);
		put_spans(&f, trace_start(s->run), out);
	}
	story_release(&f);
}
