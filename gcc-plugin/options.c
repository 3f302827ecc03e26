/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gcc-common.h"
#include "gcc-plugin/options.h"

struct prs_options prs_opt;

static bool read_probe(const char *value, bool *given)
{
	static const struct {
		const char *name;
		bool calls, memory;
	} modes[] = {
		{"calls,memory", true, true}, {"memory,calls", true, true}, {"calls", true, false},
		{"memory", false, true},      {"none", false, false},
	};

	for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
		if (strcmp(modes[i].name, value))
			continue;
		prs_opt.calls = modes[i].calls;
		prs_opt.memory = modes[i].memory;
		*given = true;
		return true;
	}
	error("perseus: argument %<probe=%s%>: expected %<calls,memory%>, %<calls%>, "
	      "%<memory%> or %<none%>",
	      value);
	return false;
}

static bool read_hash(const char *value)
{
	if (strlen(value) == 64 && strspn(value, "0123456789abcdef") == 64) {
		prs_opt.plan_hash = value;
		return true;
	}
	error("perseus: argument %<plan-hash=%s%>: expected the 64 lower case hex "
	      "digits of a SHA-256",
	      value);
	return false;
}

static bool read_one(const char *key, const char *value, bool *probe_given)
{
	bool known = !strcmp(key, "probe") || !strcmp(key, "plan") || !strcmp(key, "plan-hash");

	if (!known) {
		error("perseus: unknown argument %qs; accepted are "
		      "%<probe=calls,memory|calls|memory|none%>, "
		      "%<plan=FILE%> and %<plan-hash=SHA256%>",
		      key);
		return false;
	}
	if (!value || !*value) {
		error("perseus: argument %qs needs a value, %<-fplugin-arg-perseus-%s=...%>", key, key);
		return false;
	}
	if (!strcmp(key, "probe"))
		return read_probe(value, probe_given);
	if (!strcmp(key, "plan-hash"))
		return read_hash(value);
	prs_opt.plan = value;
	return true;
}

bool options_read(const struct plugin_name_args *args)
{
	static bool probe_given; /* kept: the plugin may be loaded under a second name */
	bool good = true;

	for (int i = 0; i < args->argc; i++)
		good &= read_one(args->argv[i].key, args->argv[i].value, &probe_given);
	if (prs_opt.plan_hash && !prs_opt.plan) {
		error("perseus: argument %<plan-hash%> without %<plan=FILE%>");
		good = false;
	}
	/* A planned build carries triggers and no probes unless it asks for them. */
	if (!probe_given)
		prs_opt.calls = prs_opt.memory = !prs_opt.plan;
	return good;
}
