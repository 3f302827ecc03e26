/* SPDX-License-Identifier: MIT */
#include "cmd/build/plugin-args.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/fs.h"
#include "lib/hash.h"
#include "lib/strbuf.h"

#define MAX_FILE ((size_t)64 << 20)

static int plugin_args_add(struct plugin_args *a, const char *key, const char *value, struct err *err)
{
	struct strbuf arg = STRBUF_INIT;

	if (!*key || key[strspn(key, "abcdefghijklmnopqrstuvwxyz0123456789-")])
		return err_set(err, -EINVAL,
			       "argument '%.80s': expected KEY=VALUE, KEY of lower case letters", key);
	for (const char *s = value; *s; s++)
		if (iscntrl((unsigned char)*s))
			return err_set(err, -EINVAL, "argument '%s': its value holds a control character",
				       key);
	strbuf_printf(&arg, "-fplugin-arg-perseus-%s=%s", key, value);
	vec_push(a, strbuf_detach(&arg));
	return 0;
}

/* The hash that the plan carries: it is that of plan.yaml. */
static int plan_hash(const struct strbuf *text, const char *path, char hex[SHA256_HEX], struct err *err)
{
	static const char head[] = "perseus-triggers 2\nplan ";
	size_t n = sizeof(head) - 1;

	if (text->len > n + 64 && !memcmp(text->s, head, n) && text->s[n + 64] == '\n' &&
	    strspn(text->s + n, "0123456789abcdef") == 64) {
		snprintf(hex, SHA256_HEX, "%.64s", text->s + n);
		return 0;
	}
	err_set(err, -EINVAL, "'%s' is no plan for the plugin", path);
	return err_advise(err, "expected perseus_triggers.plan, as perseus codegen writes it");
}

static int check_guard(const struct strbuf *text, const char *path, struct err *err)
{
	static const char head[] = "perseus-guard 1\n";

	if (text->len >= sizeof(head) - 1 && !memcmp(text->s, head, sizeof(head) - 1))
		return 0;
	err_set(err, -EINVAL, "'%s' is no guard file", path);
	return err_advise(err, "expected one that perseus conflicts --guard has written");
}

static int add_file(struct plugin_args *a, const char *key, const char *file, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	char path[PATH_MAX], hex[SHA256_HEX], hash_key[32];
	int ret = fs_read(file, MAX_FILE, &text, err);

	if (!ret && !realpath(file, path))
		ret = err_set(err, -errno, "'%s': %s", file, strerror(errno));
	if (!ret && !strcmp(key, "plan"))
		ret = plan_hash(&text, file, hex, err);
	else if (!ret)
		sha256_of(text.s, text.len, hex);
	if (!ret && !strcmp(key, "guard"))
		ret = check_guard(&text, file, err);
	strbuf_release(&text);
	if (!ret)
		ret = plugin_args_add(a, key, path, err);
	snprintf(hash_key, sizeof(hash_key), "%s-hash", key);
	return ret ? ret : plugin_args_add(a, hash_key, hex, err);
}

/* Is the value of @key a file whose text counts? */
static bool is_file(const char *key)
{
	return !strcmp(key, "plan") || !strcmp(key, "rules") || !strcmp(key, "guard");
}

static int add_any(struct plugin_args *a, const char *word, struct err *err)
{
	const char *eq = strchr(word, '=');
	char key[64];

	if (!eq || eq - word >= (int)sizeof(key))
		return err_set(err, -EINVAL, "--arg=%.80s: expected KEY=VALUE", word);
	snprintf(key, sizeof(key), "%.*s", (int)(eq - word), word);
	if (is_file(key))
		return add_file(a, key, eq + 1, err);
	return plugin_args_add(a, key, eq + 1, err);
}

static int add_option(struct plugin_args *a, const char *name, const char *value, struct err *err)
{
	if (!strcmp(name, "arg"))
		return add_any(a, value, err);
	if (is_file(name))
		return add_file(a, name, value, err);
	return plugin_args_add(a, name, value, err);
}

int plugin_args_take(const struct cmd *cmd, const char *name, const char *value, void *to)
{
	/* As the plugin has them (gcc-plugin/choice/options.c), which says so of no earlier than a compilation. */
	static const char *const probes[] = {
		"calls,memory",  "calls",           "memory", "denormal",     "denormal:results",
		"denormal:full", "denormal:origin", "none",   "memory,calls", NULL};
	struct err err = ERR_INIT;

	if (!strcmp(name, "probe") && option_choice(cmd, name, value, probes) < 0)
		return CMD_USAGE;

	return add_option(to, name, value, &err) ? cmd_usage(cmd, "%s", err.msg) : 0;
}

void plugin_args_release(struct plugin_args *a)
{
	for (size_t i = 0; i < a->n; i++)
		free(a->at[i]);
	vec_release(a);
}
