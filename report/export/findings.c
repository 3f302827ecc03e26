/* SPDX-License-Identifier: MIT */
/* What is wrong, by place: SARIF, and lists that editors jump through. */
#include <errno.h>

#include "lib/num.h"
#include "record/names/names.h"
#include "report/export/out.h"
#include "report/time/words.h"
#include "report/waits/waits.h"

#define FUNCTION_MIN 1.0 /* percent of thread time: less is no line */

int export_sarif(struct export *e, struct err *err)
{
	static const struct conflicts_choice significant;

	if (!e->judged) {
		err_set(err, -EINVAL, "'%s' is a timing run, which holds no accesses to memory",
			e->run->path);
		return err_advise(err, "perseus record --purpose=sharing PROGRAM makes a run that does");
	}
	conflicts_sarif(&e->judged->rep, e->run, &significant, &e->out);
	return 0;
}

/* "file:12:3: warning: "; a colon of the file's own name would end it. */
static void put_place(struct export *e, const char *file, uint32_t line, uint32_t column, bool grave)
{
	export_name(&e->out, file, ":");
	strbuf_printf(&e->out, ":%u:%u: %s: ", line ? line : 1, column ? column : 1,
		      grave ? "warning" : "note");
}

static void put_side(struct export *e, const struct sharing_finding *f, const struct sharing_side *mine,
		     const struct sharing_side *other)
{
	struct strbuf text = STRBUF_INIT;

	if (!mine->file)
		return;
	put_place(e, mine->file, mine->line, 0, f->verdict == SHARING_FALSE && f->significant);
	strbuf_printf(&text, "%s on %s", sharing_verdict_name(f->verdict), f->subject);
	if (f->priced)
		strbuf_printf(&text, ", costs %.1f %% of run time", f->cost);
	strbuf_printf(&text, ": %s here by %s", sharing_kind_name(mine->uses),
		      mine->name ? mine->name : "a thread");
	strbuf_printf(&text, ", of %s by %s", other->what ? other->what : f->subject,
		      other->name ? other->name : "another");
	if (other->file) {
		strbuf_puts(&text, " at ");
		text_place(other->file, other->line, &text);
	}
	strbuf_printf(&text, " [%s]", f->evidence);
	export_name(&e->out, text.s, "");
	strbuf_puts(&e->out, "\n");
	strbuf_release(&text);
}

static void put_findings(struct export *e)
{
	static const struct conflicts_choice significant;
	const struct sharing_report *rep = &e->judged->rep;

	for (size_t i = 0; i < rep->n; i++) {
		const struct sharing_finding *f = &rep->findings[i];

		if (!f->n_pairs || !conflicts_shown(f, rep, &significant))
			continue;
		put_side(e, f, &f->pairs[0].a, &f->pairs[0].b);
		put_side(e, f, &f->pairs[0].b, &f->pairs[0].a);
	}
}

static void put_wait(struct export *e, const struct report_wait *w)
{
	struct strbuf text = STRBUF_INIT;

	put_place(e, w->file, w->line, 0, true);
	strbuf_printf(&text, "%s waits %.1f %% of all thread time at %s", w->who,
		      text_percent(w->ns, e->s->thread_ns), report_wait_kind(w->kind));
	if (w->object)
		strbuf_printf(&text, " `%s`", w->object);
	if (w->n_whoms)
		strbuf_printf(&text, " for %s", w->whoms[0].name);
	strbuf_printf(&text, " [%s]", w->id);
	export_name(&e->out, text.s, "");
	strbuf_puts(&e->out, "\n");
	strbuf_release(&text);
}

static void put_function(struct export *e, const struct report_function *f)
{
	struct strbuf text = STRBUF_INIT;
	char calls[32];

	put_place(e, f->file, f->line, 0, false);
	strbuf_printf(&text, "%s has %.1f %% of all thread time itself", f->name,
		      text_percent(f->self_ns, e->s->thread_ns));
	if (f->calls)
		strbuf_printf(&text, ", %s call%s", text_calls(calls, sizeof(calls), f->calls, f->about),
			      f->calls == 1 ? "" : "s");
	export_name(&e->out, text.s, "");
	strbuf_puts(&e->out, "\n");
	strbuf_release(&text);
}

int export_quickfix(struct export *e, struct err *err)
{
	(void)err;
	if (e->judged)
		put_findings(e);
	for (size_t i = 0; i < e->s->n_waits; i++)
		if (waits_significant(e->s, &e->s->waits[i]) && e->s->waits[i].file)
			put_wait(e, &e->s->waits[i]);
	/* In a sharing run functions are as slow as their accesses are many. */
	for (size_t i = 0; !e->s->sharing && i < e->s->n_functions; i++)
		if (e->s->functions[i].file &&
		    text_percent(e->s->functions[i].self_ns, e->s->thread_ns) >= FUNCTION_MIN)
			put_function(e, &e->s->functions[i]);
	return 0;
}
