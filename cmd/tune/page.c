/* SPDX-License-Identifier: MIT */
#include "cmd/tune/page.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "cmd/tune/tune.h"
#include "lib/fs.h"
#include "lib/html/html.h"
#include "lib/mem.h"

static struct tune_page watch_state(const struct tune_watch *w, const char *word)
{
	static const char *const units[TUNE_OBJECTIVES] = {
		[TUNE_TIME] = "s", [TUNE_ENERGY] = "J", [TUNE_EDP] = "J s"};

	return (struct tune_page){.state = word,
				  .command = w->live.command,
				  .live = fs_base_name(w->live.script),
				  .seconds = html_live_seconds(&w->live),
				  .planned = w->planned,
				  .unit = w->o->figure ? w->o->figure : units[w->o->objective],
				  .more = w->o->more,
				  .runs = &w->runs};
}

static int watch_write(const char *path, void (*form)(const struct tune_page *, struct strbuf *),
		       const struct tune_page *p, struct err *err)
{
	struct strbuf out = STRBUF_INIT;

	form(p, &out);
	return html_live_put(path, &out, err);
}

/* Is the file @path the page of a search for settings? */
static bool is_page(const char *path)
{
	struct strbuf text = STRBUF_INIT;
	struct err ignored = ERR_INIT; /* what cannot be read is no page */
	size_t len;
	bool page = !fs_read(path, 0, &text, &ignored) && text.s && html_document(text.s, "tune", &len);

	strbuf_release(&text);
	return page;
}

int tune_watch_check(const struct tune_opts *o, struct err *err)
{
	struct stat st;

	if (!o->watch || stat(o->watch, &st) || !S_ISREG(st.st_mode) || (o->resume && is_page(o->watch)))
		return 0;
	err_set(err, -EEXIST, "--watch: the file '%s' is there already", o->watch);
	return err_advise(err, o->resume ? "it is no page of a search; --watch=ANOTHER writes a new one"
					 : "--watch=ANOTHER writes a new one");
}

int tune_watch_begin(struct tune_watch *w, const struct tune_opts *o, const struct space *space,
		     struct err *err)
{
	struct tune_page p;
	int ret;

	w->o = o;
	w->space = space;
	w->planned = o->trials + 2 * o->confirm;
	if (!o->watch)
		return 0;
	html_live_init(&w->live, o->watch, o->argc, o->argv);
	p = watch_state(w, "searching");
	ret = watch_write(w->live.script, tune_page_live, &p, err);
	return ret ? ret : watch_write(w->live.path, tune_page_write, &p, err);
}

int tune_watch_measure(void *arg, const struct tuner_ask *ask, struct tuner_answer *a, struct err *err)
{
	struct err ignored = ERR_INIT; /* the search goes on; its end says what cannot be written */
	struct tune_watch *w = arg;
	int ret = w->measure(w->arg, ask, a, err);
	struct strbuf setting = STRBUF_INIT;
	struct tune_page p;

	if (ret || !w->live.path)
		return ret;
	space_words(w->space, ask->x, &setting);
	vec_push(&w->runs,
		 ((struct tune_page_run){a->end, w->o->more && a->value > 0 ? 1 / a->value : a->value,
					 setting.s ? strbuf_detach(&setting) : mem_strdup("")}));
	if (!html_live_due(&w->live))
		return 0;
	p = watch_state(w, "searching");
	watch_write(w->live.script, tune_page_live, &p, &ignored);
	return 0;
}

int tune_watch_end(struct tune_watch *w, const char *text, struct err *err)
{
	struct err ignored = ERR_INIT;
	struct tune_page p;
	int ret = 0;

	if (w->live.path) {
		p = watch_state(w, text ? "done" : "stopped");
		p.text = text;
		watch_write(w->live.script, tune_page_live, &p, &ignored); /* for a page that is open */
		p.live = NULL;
		ret = watch_write(w->live.path, tune_page_write, &p, err);
	}
	for (size_t i = 0; i < w->runs.n; i++)
		free(w->runs.at[i].setting);
	vec_release(&w->runs);
	html_live_release(&w->live);
	return ret;
}
