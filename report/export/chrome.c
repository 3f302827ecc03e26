/* SPDX-License-Identifier: MIT */
/*
 * Trace Event Format: JSON for chrome://tracing and the viewers that came after
 * it.  Times are microseconds, with three digits for the nanoseconds.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/json.h"
#include "lib/mem.h"
#include "report/export/slices.h"

struct chrome {
	struct export *e;
	const struct slice_thread *thread;
	const struct run_process *process;
	char **texts; /* what a begin says beside its time, by call site of the process */
	uint32_t n_texts;
};

static void put_meta(struct chrome *c, const char *what, const char *name)
{
	strbuf_printf(&c->e->out,
		      ",\n{\"ph\":\"M\",\"pid\":%u,\"tid\":%u,\"name\":\"%s\",\"args\":{\"name\":",
		      c->process->header->pid, c->thread->tid, what);
	json_quote(&c->e->out, name);
	strbuf_puts(&c->e->out, "}}");
}

static void forget(struct chrome *c)
{
	for (uint32_t i = 0; i < c->n_texts; i++)
		free(c->texts[i]);
	free(c->texts);
	c->texts = NULL;
	c->n_texts = 0;
}

static void thread_begins(void *to, const struct slice_thread *t)
{
	struct chrome *c = to;

	c->thread = t;
	if (c->process != t->process) {
		forget(c);
		c->process = t->process;
		c->n_texts = t->process->header->n_calls;
		c->texts = mem_new(c->n_texts + 1u, sizeof(*c->texts));
		put_meta(c, "process_name", c->e->run->manifest.program);
	}
	put_meta(c, "thread_name", t->name);
}

/* `"name":"leaf","cat":"call","args":{"at":"prog.c:5"}`, which the caller frees. */
static char *text_of(const struct chrome *c, uint32_t what)
{
	struct strbuf text = STRBUF_INIT, name = STRBUF_INIT;
	struct run_place place;

	slice_name(c->e, c->process, what, &name);
	strbuf_puts(&text, "\"name\":");
	json_quote(&text, name.s ? name.s : "");
	strbuf_printf(&text, ",\"cat\":\"%s\"",
		      what < SLICE_LIFE    ? "call"
		      : what == SLICE_LIFE ? "thread"
					   : "wait");
	if (slice_place(c->e, c->process, what, &place)) {
		name.len = 0;
		strbuf_printf(&name, "%s:%u", place.file, place.line);
		strbuf_puts(&text, ",\"args\":{\"at\":");
		json_quote(&text, name.s);
		strbuf_puts(&text, "}");
	}
	strbuf_release(&name);
	return strbuf_detach(&text);
}

/* Readers find the begin of an end by name and arguments, so an end has both, too. */
static void put_event(struct chrome *c, char phase, uint64_t ns, uint32_t what)
{
	bool kept = what < c->n_texts;
	char *text;

	if (kept && !c->texts[what])
		c->texts[what] = text_of(c, what);
	text = kept ? c->texts[what] : text_of(c, what);
	strbuf_printf(&c->e->out, ",\n{\"ph\":\"%c\",\"ts\":%llu.%03u,\"pid\":%u,\"tid\":%u,", phase,
		      (unsigned long long)(ns / 1000), (unsigned)(ns % 1000), c->process->header->pid,
		      c->thread->tid);
	strbuf_puts(&c->e->out, text);
	strbuf_puts(&c->e->out, "}");
	if (!kept)
		free(text);
	export_ready(c->e);
}

static void chrome_begin(void *to, uint64_t ns, uint32_t what)
{
	put_event(to, 'B', ns, what);
}

static void chrome_end(void *to, uint64_t ns, uint32_t what)
{
	put_event(to, 'E', ns, what);
}

static void done(void *to)
{
	(void)to;
}

int export_chrome(struct export *e, struct err *err)
{
	struct chrome c = {.e = e};
	const struct slice_writer w = {&c, thread_begins, chrome_begin, chrome_end, done};
	int ret;

	strbuf_puts(&e->out,
		    "{\"displayTimeUnit\":\"ns\",\n\"otherData\":{\"exporter\":\"perseus " PERSEUS_VERSION
		    "\",\"run\":");
	json_quote(&e->out, e->run->path);
	/* The first event carries nothing but the place for the commas of all others. */
	strbuf_puts(&e->out, "},\n\"traceEvents\":[\n{\"ph\":\"M\",\"pid\":0,\"tid\":0,\"name\":\"trace\","
			     "\"args\":{}}");
	ret = slices_write(e, &w, err);
	strbuf_puts(&e->out, "\n]}\n");
	forget(&c);
	return ret;
}
