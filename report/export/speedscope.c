/* SPDX-License-Identifier: MIT */
/* The file format of speedscope, as its file-format-schema.json has it. */
#include <stdlib.h>

#include "lib/json.h"
#include "report/export/slices.h"

static void speedscope_put_head(struct export *e)
{
	strbuf_puts(&e->out, "{\"version\":\"0.0.1\",\n\"$schema\":"
			     "\"https://www.speedscope.app/file-format-schema.json\",\n\"exporter\":"
			     "\"perseus " PERSEUS_VERSION "\",\n\"name\":");
	json_quote(&e->out, e->run->manifest.program);
	strbuf_puts(&e->out, ",\n\"activeProfileIndex\":0,\n");
}

static void put_frames(struct export *e, const struct export_functions *f)
{
	strbuf_puts(&e->out, "\"shared\":{\"frames\":[\n{\"name\":\"[waiting]\"}");
	for (size_t i = 0; i < f->n; i++) {
		strbuf_puts(&e->out, ",\n{\"name\":");
		json_quote(&e->out, f->at[i].name);
		if (f->at[i].file) {
			strbuf_puts(&e->out, ",\"file\":");
			json_quote(&e->out, f->at[i].file);
			strbuf_printf(&e->out, ",\"line\":%u", f->at[i].line);
		}
		strbuf_puts(&e->out, "}");
		export_ready(e);
	}
	strbuf_puts(&e->out, "]},\n");
}

/* Frames from the root down to node @i. */
static void put_stack(struct export *e, const struct report_paths *p, const struct export_functions *f,
		      uint32_t i)
{
	if (p->nodes[i].parent != PATH_NONE) {
		put_stack(e, p, f, p->nodes[i].parent);
		strbuf_puts(&e->out, ",");
	}
	strbuf_printf(&e->out, "%u", f->of[i] + 1);
}

/* What a sample of node @i weighs: its own time, or (@waiting) that it waited. */
static unsigned long long weight(const struct report_paths *p, size_t i, bool waiting)
{
	return export_ns(waiting ? p->nodes[i].wait_ns : p->nodes[i].self_ns);
}

static void put_samples(struct export *e, const struct report_paths *p, const struct export_functions *f)
{
	const char *comma = "";

	strbuf_puts(&e->out, "\"samples\":[");
	for (size_t i = 0; i < 2 * p->n; i++) {
		if (!weight(p, i / 2, i % 2))
			continue;
		strbuf_printf(&e->out, "%s\n[", comma);
		put_stack(e, p, f, (uint32_t)(i / 2));
		strbuf_puts(&e->out, i % 2 ? ",0]" : "]");
		comma = ",";
		export_ready(e);
	}
	strbuf_puts(&e->out, "],\n\"weights\":[");
	comma = "";
	for (size_t i = 0; i < 2 * p->n; i++) {
		if (!weight(p, i / 2, i % 2))
			continue;
		strbuf_printf(&e->out, "%s%llu", comma, weight(p, i / 2, i % 2));
		comma = ",";
	}
	strbuf_puts(&e->out, "]");
}

static void put_tree(struct export *e, const struct report_paths *p, const struct export_functions *f)
{
	unsigned long long whole = 0;

	for (size_t i = 0; i < 2 * p->n; i++)
		whole += weight(p, i / 2, i % 2);
	speedscope_put_head(e);
	put_frames(e, f);
	strbuf_printf(&e->out,
		      "\"profiles\":[{\"type\":\"sampled\",\"name\":\"all threads\",\"unit\":"
		      "\"nanoseconds\",\"startValue\":0,\"endValue\":%llu,\n",
		      whole);
	put_samples(e, p, f);
	strbuf_puts(&e->out, "}]}\n");
}

static int export_tree(struct export *e, struct err *err)
{
	struct export_functions f;
	struct report_paths p;
	int ret;

	ret = report_paths_make(&p, e->s, err);
	if (ret)
		return ret;
	export_functions_make(&f, &p);
	put_tree(e, &p, &f);
	export_functions_release(&f);
	report_paths_release(&p);
	return 0;
}

/* ---- the trace ---- */

struct evented {
	struct export *e;
	const struct run_process *process;
	uint64_t frame; /* of the process's first call site */
	uint64_t last;  /* ns */
	bool another;   /* profile; event of it */
	bool begun;
};

static void thread_begins(void *to, const struct slice_thread *t)
{
	struct evented *v = to;
	struct strbuf *out = &v->e->out;

	for (v->frame = 0, v->process = v->e->run->processes; v->process != t->process; v->process++)
		v->frame += v->process->header->n_calls;
	strbuf_puts(out,
		    v->another ? ",\n{\"type\":\"evented\",\"name\":" : "{\"type\":\"evented\",\"name\":");
	json_quote(out, t->name);
	strbuf_puts(out, ",\"unit\":\"nanoseconds\",\"startValue\":0,\n\"events\":[");
	v->another = true;
	v->begun = false;
	v->last = 0;
}

static void put_event(struct evented *v, char type, uint64_t ns, uint32_t what)
{
	strbuf_printf(&v->e->out, "%s{\"type\":\"%c\",\"frame\":%llu,\"at\":%llu}", v->begun ? ",\n" : "\n",
		      type, (unsigned long long)(v->frame + what), (unsigned long long)ns);
	v->begun = true;
	v->last = ns;
	export_ready(v->e);
}

static void speedscope_begin(void *to, uint64_t ns, uint32_t what)
{
	put_event(to, 'O', ns, what);
}

static void speedscope_end(void *to, uint64_t ns, uint32_t what)
{
	put_event(to, 'C', ns, what);
}

static void done(void *to)
{
	struct evented *v = to;

	strbuf_printf(&v->e->out, "],\n\"endValue\":%llu}", (unsigned long long)v->last);
}

/* A frame for each call site, in the order of their numbers. */
static void put_site_frames(struct export *e)
{
	struct strbuf name = STRBUF_INIT;
	const char *comma = "";
	struct run_place place;

	strbuf_puts(&e->out, "\"shared\":{\"frames\":[");
	for (size_t i = 0; i < e->run->n_processes; i++) {
		const struct run_process *p = &e->run->processes[i];

		for (uint32_t k = 0; k < p->header->n_calls; k++) {
			name.len = 0;
			slice_name(e, p, k, &name);
			strbuf_printf(&e->out, "%s\n{\"name\":", comma);
			json_quote(&e->out, name.s);
			if (slice_place(e, p, k, &place)) {
				strbuf_puts(&e->out, ",\"file\":");
				json_quote(&e->out, place.file);
				strbuf_printf(&e->out, ",\"line\":%u", place.line);
			}
			strbuf_puts(&e->out, "}");
			comma = ",";
			export_ready(e);
		}
	}
	strbuf_puts(&e->out, "]},\n");
	strbuf_release(&name);
}

static int export_events(struct export *e, struct err *err)
{
	struct evented v = {.e = e};
	const struct slice_writer w = {&v, thread_begins, speedscope_begin, speedscope_end, done};
	int ret;

	speedscope_put_head(e);
	put_site_frames(e);
	strbuf_puts(&e->out, "\"profiles\":[\n");
	ret = slices_write(e, &w, err);
	strbuf_puts(&e->out, "]}\n");
	return ret;
}

int export_speedscope(struct export *e, struct err *err)
{
	return e->trace ? export_events(e, err) : export_tree(e, err);
}
