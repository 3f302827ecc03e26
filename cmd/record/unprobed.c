/* SPDX-License-Identifier: MIT */
#include "cmd/record/unprobed.h"

#include "cmd/base/cmd.h"
#include "lib/strbuf.h"
#include "record/file/sites.h"

void record_unprobed_warn(const struct target *t, const char *program, bool quiet)
{
	if (t->is_elf && !t->elf.has_sites)
		cmd_say(stderr,
			"perseus record: '%s': built without -fplugin=perseus.so%s;\n"
			"  only what it loads or starts can be recorded\n",
			program, t->has_clang ? ", or by clang, which takes it and adds no probes" : "");
	else if (t->has_clang && !quiet)
		cmd_say(stderr,
			"perseus record: '%s': some of it was compiled by clang, which takes "
			"-fplugin=perseus.so and\n"
			"  adds no probes: that part cannot be seen; rebuild it with gcc\n",
			program);
}

size_t record_unlinked(const char *path, bool *others)
{
	struct strbuf text = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct sites s;
	size_t n = 0;

	*others = false;
	if (!elf_section(path, PRS_SITES_SECTION, &text, &err) &&
	    !sites_parse(&s, text.s ? text.s : "", text.len, path, &err)) {
		n = s.n_unlinked;
		*others = s.n_units > 0;
		sites_release(&s);
	}
	strbuf_release(&text);
	return n;
}

int record_unprobed_explain(const struct target *t, const char *program, int status)
{
	bool probes = t->is_elf && t->elf.has_sites, others = false;
	size_t unlinked = probes ? record_unlinked(t->real, &others) : 0;

	if (unlinked && !others) {
		cmd_say(stderr,
			"perseus record: nothing was recorded: %zu unit%s of '%s' %s compiled with -flto and "
			"the plugin\n"
			"  but linked without it: add -fplugin=perseus.so to the link step (the program "
			"ended "
			"with %d)\n",
			unlinked, unlinked == 1 ? "" : "s", program, unlinked == 1 ? "was" : "were", status);
		return CMD_OWN_FAILURE;
	}
	if (probes)
		cmd_say(stderr,
			"perseus record: '%s' was built with the plugin, but there was nothing to record: it "
			"ended\n"
			"  before its first call or shared access, or cleared its environment; no run is "
			"kept\n"
			"  (the program ended with %d)\n",
			program, status);
	else
		cmd_say(stderr,
			"perseus record: nothing was recorded: '%s' %s -fplugin=perseus.so\n"
			"  %s (the program ended with %d)\n",
			program, t->is_elf ? "was built without" : "started no program built with",
			t->has_clang ? "rebuild it with gcc and the flags that `perseus flags` prints"
				     : "rebuild with the flags that `perseus flags` prints",
			status);
	return probes ? status : CMD_OWN_FAILURE;
}
