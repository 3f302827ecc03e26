/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gcc-plugin/base/gcc-common.h"
#include "opts.h"
#include "perseus/denormal.h"
#include "gcc-plugin/base/identity.h"
#include "gcc-plugin/choice/options.h"
#include "gcc-plugin/choice/patterns.h"
#include "gcc-plugin/base/warn.h"

struct prs_options prs_opt = {false, false, false, 0, false, true, NULL, NULL, NULL, NULL, NULL, NULL, NULL};

const char options_help[] = "probe=calls,memory|calls|memory|denormal[:results|full|origin]|none  "
			    "select=PATTERNS  skip=PATTERNS  "
			    "rules=FILE  rules-hash=SHA256  plan=FILE  plan-hash=SHA256  "
			    "guard=FILE  guard-hash=SHA256  warn=LIST  "
			    "mem=hoist|nohoist  bodies=one|two  dump=FILE  id=HEX";

static bool probe_given; /* kept: the plugin may be loaded under a second name */

/* @value is `denormal' or `denormal:MODE'. */
static bool read_denormal(const char *value)
{
	static const struct {
		const char *name;
		unsigned mode;
	} modes[] = {
		{"denormal", PRS_DEN_RESULTS},
		{"denormal:results", PRS_DEN_RESULTS},
		{"denormal:full", PRS_DEN_FULL},
		{"denormal:origin", PRS_DEN_ORIGIN},
	};
	unsigned i = 0;

	while (i < ARRAY_SIZE(modes) && strcmp(modes[i].name, value))
		i++;
	if (i == ARRAY_SIZE(modes))
		return false;
	prs_opt.calls = prs_opt.memory = false;
	prs_opt.denormal = true;
	prs_opt.den_mode = modes[i].mode;
	probe_given = true;
	return true;
}

static bool read_probe(const char *, const char *value)
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
		prs_opt.denormal = false;
		probe_given = true;
		return true;
	}
	if (read_denormal(value))
		return true;
	error("perseus: argument %<probe=%s%>: expected %<calls,memory%>, %<calls%>, "
	      "%<memory%>, %<denormal%>, %<denormal:full%>, %<denormal:origin%> or %<none%>",
	      value);
	return false;
}

static bool read_hash(const char *key, const char *value)
{
	if (strlen(value) != 64 || strspn(value, "0123456789abcdef") != 64) {
		error("perseus: argument %<%s=%s%>: expected the 64 lower case hex "
		      "digits of a SHA-256",
		      key, value);
		return false;
	}
	*(key[0] == 'p'   ? &prs_opt.plan_hash
	  : key[0] == 'g' ? &prs_opt.guard_hash
			  : &prs_opt.rules_hash) = value;
	return true;
}

static bool options_read_file(const char *key, const char *value)
{
	const char **to = key[0] == 'p' ? &prs_opt.plan : key[0] == 'g' ? &prs_opt.guard : &prs_opt.rules;

	if (*to && strcmp(*to, value)) {
		error("perseus: argument %<%s=%s%>: it was %<%s=%s%> before, and only one is read", key,
		      value, key, *to);
		return false;
	}
	*to = value;
	return true;
}

static bool read_select(const char *key, const char *value)
{
	return patterns_add(value, key[1] == 'k' ? PATTERNS_SKIP : PATTERNS_SELECT);
}

static bool read_warn(const char *, const char *value)
{
	return warn_set(value);
}

static bool read_mem(const char *, const char *value)
{
	prs_opt.hoist = !strcmp(value, "hoist");
	if (prs_opt.hoist || !strcmp(value, "nohoist"))
		return true;
	error("perseus: argument %<mem=%s%>: expected %<hoist%> or %<nohoist%>", value);
	return false;
}

static bool read_bodies(const char *, const char *value)
{
	prs_opt.bodies = !strcmp(value, "two");
	if (prs_opt.bodies || !strcmp(value, "one"))
		return true;
	error("perseus: argument %<bodies=%s%>: expected %<one%> or %<two%>", value);
	return false;
}

static bool read_dump(const char *, const char *value)
{
	prs_opt.dump = value;
	return true;
}

static bool read_id(const char *, const char *value)
{
	return identity_check(value);
}

static const struct {
	const char *key;
	bool (*read)(const char *key, const char *value);
} keys[] = {
	{"probe", read_probe},
	{"select", read_select},
	{"skip", read_select},
	{"rules", options_read_file},
	{"rules-hash", read_hash},
	{"plan", options_read_file},
	{"plan-hash", read_hash},
	{"warn", read_warn},
	{"id", read_id},
	{"mem", read_mem},
	{"dump", read_dump},
	{"bodies", read_bodies},
	{"guard", options_read_file},
	{"guard-hash", read_hash},
};

static bool read_one(const char *key, const char *value)
{
	size_t i = 0;

	while (i < ARRAY_SIZE(keys) && strcmp(keys[i].key, key))
		i++;
	if (i == ARRAY_SIZE(keys)) {
		error("perseus: unknown argument %qs; accepted are %s", key, options_help);
		return false;
	}
	if (!value || !*value) {
		error("perseus: argument %qs needs a value, %<-fplugin-arg-perseus-%s=...%>", key, key);
		return false;
	}
	return keys[i].read(key, value);
}

/*
 * GCC cuts one byte off a value for each '=' in it, so take the value from the
 * command line: that of the @n-th argument for @plugin.
 */
static const char *whole_value(const char *plugin, int n, const struct plugin_argument *arg)
{
	size_t name = strlen(plugin), key = strlen(arg->key);

	for (unsigned i = 0; i < save_decoded_options_count; i++) {
		const struct cl_decoded_option *o = &save_decoded_options[i];
		const char *text = o->opt_index == OPT_fplugin_arg_ ? o->arg : NULL;

		if (!text || strncmp(text, plugin, name) || text[name] != '-' || n--)
			continue;
		text += name + 1;
		if (!strncmp(text, arg->key, key) && text[key] == '=')
			return text + key + 1;
		break;
	}
	return arg->value;
}

static bool needs_file(const char *hash, const char *file, const char *key)
{
	if (!hash || file)
		return true;
	error("perseus: argument %<%s-hash%> without %<%s=FILE%>", key, key);
	return false;
}

/* Triggers and counters of denormals are no probes that could be in a second body only. */
static bool bodies_fit(void)
{
	if (!prs_opt.bodies || (!prs_opt.plan && !prs_opt.denormal))
		return true;
	error("perseus: argument %<bodies=two%> together with %<%s%>: expected probes of calls and memory "
	      "only",
	      prs_opt.plan ? "plan=" : "probe=denormal");
	return false;
}

bool options_read(const struct plugin_name_args *args)
{
	bool good = true;

	for (int i = 0; i < args->argc; i++)
		good &= read_one(args->argv[i].key, whole_value(args->base_name, i, &args->argv[i]));
	good &= needs_file(prs_opt.plan_hash, prs_opt.plan, "plan");
	good &= needs_file(prs_opt.rules_hash, prs_opt.rules, "rules");
	good &= needs_file(prs_opt.guard_hash, prs_opt.guard, "guard");
	/* A planned or guarded build carries no probes unless it asks for them. */
	if (!probe_given)
		prs_opt.calls = prs_opt.memory = !prs_opt.plan && !prs_opt.guard;
	good &= bodies_fit();
	return good;
}
