/* SPDX-License-Identifier: MIT */
/* perseus conflicts --guard: what was found, for the compiler to look at in later builds. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/guard/guard.h"
#include "cmd/base/print.h"
#include "cmd/conflicts/parts.h"
#include "lib/fs.h"

static void tell_guard(const struct guard *g, const char *path)
{
	cmd_say(stderr, "perseus conflicts: --guard: '%s': %zu new, %zu changed, %zu in all\n", path,
		g->added, g->renewed, g->n);
	if (strcmp(path, "-"))
		cmd_say(stderr, "  next: build with the flags of perseus flags --guard=%s\n", path);
}

/* The findings that were asked for, of which a compiler can see something. */
static size_t take_all(struct guard *g, const struct sharing_report *rep, const struct conflicts_opts *o)
{
	size_t taken = 0;

	for (size_t i = 0; i < rep->n; i++) {
		const struct sharing_finding *f = &rep->findings[i];
		bool ignored;
		size_t n;

		if (f->verdict != SHARING_FALSE || !conflicts_chosen(f, &o->choice))
			continue;
		n = guard_take(g, f, &ignored);
		if (!n)
			cmd_say(stderr, "perseus conflicts: --guard: %s %s is left out: %s\n", f->evidence,
				f->subject,
				ignored ? "the file says to ignore it"
					: "a guard has lines for members and elements of types of the "
					  "source, "
					  "variables and arrays of numbers, and it is none of them");
		taken += n;
	}
	return taken;
}

int conflicts_guard(const struct sharing_report *rep, const struct conflicts_opts *o, bool *nothing,
		    struct err *err)
{
	struct strbuf text = STRBUF_INIT, out = STRBUF_INIT;
	struct guard g = {0};
	char *file = NULL;
	bool there;
	int ret = conflicts_old_text(o->guard, &file, &text, &there, err);

	if (!ret && there && guard_read(&g, text.s, err)) {
		err_prefix(err, "'%s' is kept", o->guard);
		ret = err->code = -EINVAL;
	}
	if (!ret && !take_all(&g, rep, o)) {
		cmd_say(stderr, "perseus conflicts: --guard: nothing to guard%s%s%s\n",
			strcmp(o->guard, "-") ? "\n  '" : "", strcmp(o->guard, "-") ? o->guard : "",
			strcmp(o->guard, "-") ? "' is not written" : "");
		*nothing = true;
	} else if (!ret) {
		guard_text(&g, &out);
		ret = fs_write(file ? file : o->guard, out.s, out.len, err);
		if (!ret)
			tell_guard(&g, o->guard);
	}
	guard_release(&g);
	strbuf_release(&text);
	strbuf_release(&out);
	free(file);
	return ret;
}
