/* SPDX-License-Identifier: MIT */
#include "cmd/tune/page.h"

#include <stdlib.h>

#include "cmd/tune/tune.h"
#include "lib/fs.h"
#include "lib/mem.h"
#include "lib/spawn/child.h"

#define EVERY_NS 1000000000u

static struct tune_page watch_state(const struct tune_watch *w, const char *word)
{
	static const char *const units[TUNE_OBJECTIVES] = {
		[TUNE_TIME] = "s", [TUNE_ENERGY] = "J", [TUNE_EDP] = "J s"};

	return (struct tune_page){.state = word,
				  .command = w->command,
				  .live = fs_base_name(w->live),
				  .seconds = (double)(child_clock_ns() - w->begin_ns) / 1e9,
				  .planned = w->planned,
				  .unit = w->o->figure ? w->o->figure : units[w->o->objective],
				  .more = w->o->more,
				  .runs = &w->runs};
}

static int watch_write(const char *path, void (*form)(const struct tune_page *, struct strbuf *),
		       const struct tune_page *p, struct err *err)
{
	struct strbuf out = STRBUF_INIT;
	int ret;

	form(p, &out);
	ret = fs_write(path, out.s, out.len, err);
	strbuf_release(&out);
	return ret;
}

int tune_watch_begin(struct tune_watch *w, const struct tune_opts *o, const struct space *space,
		     struct err *err)
{
	struct strbuf live = STRBUF_INIT, command = STRBUF_INIT;
	struct tune_page p;
	int ret;

	w->path = o->watch;
	w->o = o;
	w->space = space;
	w->planned = o->trials + 2 * o->confirm;
	if (!w->path)
		return 0;
	strbuf_puts(&command, "perseus");
	for (int i = 0; i < o->argc; i++) {
		strbuf_puts(&command, " ");
		strbuf_word(&command, o->argv[i]);
	}
	strbuf_printf(&live, "%s.live.js", o->watch);
	w->live = strbuf_detach(&live);
	w->command = strbuf_detach(&command);
	w->begin_ns = child_clock_ns();
	p = watch_state(w, "searching");
	ret = watch_write(w->live, tune_page_live, &p, err);
	return ret ? ret : watch_write(w->path, tune_page_write, &p, err);
}

int tune_watch_measure(void *arg, const struct tuner_ask *ask, struct tuner_answer *a, struct err *err)
{
	struct err ignored = ERR_INIT; /* the search goes on; its end says what cannot be written */
	struct tune_watch *w = arg;
	int ret = w->measure(w->arg, ask, a, err);
	struct strbuf setting = STRBUF_INIT;
	uint64_t now = child_clock_ns();
	struct tune_page p;

	if (ret || !w->path)
		return ret;
	space_words(w->space, ask->x, &setting);
	vec_push(&w->runs,
		 ((struct tune_page_run){a->end, w->o->more && a->value > 0 ? 1 / a->value : a->value,
					 setting.s ? strbuf_detach(&setting) : mem_strdup("")}));
	if (now - w->written_ns < EVERY_NS)
		return 0;
	w->written_ns = now;
	p = watch_state(w, "searching");
	watch_write(w->live, tune_page_live, &p, &ignored);
	return 0;
}

int tune_watch_end(struct tune_watch *w, const char *text, struct err *err)
{
	struct err ignored = ERR_INIT;
	struct tune_page p;
	int ret = 0;

	if (w->path && w->live) {
		p = watch_state(w, text ? "done" : "stopped");
		p.text = text;
		watch_write(w->live, tune_page_live, &p, &ignored); /* for a page that is open */
		p.live = NULL;
		ret = watch_write(w->path, tune_page_write, &p, err);
	}
	for (size_t i = 0; i < w->runs.n; i++)
		free(w->runs.at[i].setting);
	vec_release(&w->runs);
	free(w->live);
	free(w->command);
	*w = (struct tune_watch){.path = NULL};
	return ret;
}
