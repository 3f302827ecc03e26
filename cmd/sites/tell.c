/* SPDX-License-Identifier: MIT */
#include "cmd/sites/tell.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/base/cmd.h"
#include "lib/hash.h"
#include "lib/strbuf.h"

void sites_tell(const struct suggestion *s, const char *file)
{
	FILE *to = file && strcmp(file, "-") ? stdout : stderr;
	struct strbuf option = STRBUF_INIT, word = STRBUF_INIT;
	char hash[SHA256_HEX], path[PATH_MAX];

	cmd_say(to, "probes take %.1f %% of thread time (estimated), the budget is %.4g %%\n", s->before,
		s->budget);
	if (!s->left_out && s->before <= s->budget)
		cmd_say(to, "nothing %shas to be left out\n", s->carried ? "more " : "");
	else
		cmd_say(to,
			"rules  leave out %lu of %lu call sites: %.1f %%, and %.1f %% of the attributed time "
			"stays\n"
			"       with the function that spent it; the rest counts for its callers\n",
			s->left_out, s->sites, s->after, s->kept);
	if (s->carried)
		cmd_say(to, "       %lu site%s that this build's rules left out before stay%s out\n",
			s->carried, s->carried == 1 ? "" : "s", s->carried == 1 ? "s" : "");
	if (!s->left_out && !s->carried && s->before <= s->budget)
		return;
	if (s->after > s->budget)
		cmd_put(to, "       the rest is what names threads, waits and objects: the budget cannot be "
			    "kept\n");
	if (to == stderr || !realpath(file, path))
		return;
	sha256_of(s->text.s, s->text.len, hash);
	strbuf_printf(&option, "-fplugin-arg-perseus-rules=%s", path);
	strbuf_word(&word, option.s);
	cmd_say(to,
		"next   rebuild all of it, with what perseus flags --rules=FILE or perseus build "
		"--rules=FILE\n"
		"       adds:\n"
		"       %s\n"
		"       -fplugin-arg-perseus-rules-hash=%s\n",
		word.s, hash);
	strbuf_release(&option);
	strbuf_release(&word);
}
