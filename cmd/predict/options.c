/* SPDX-License-Identifier: MIT */
/* Options of `perseus predict` as a task: parameters, what is watched, what a log has to agree with. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/predict/predict.h"
#include "lib/fs.h"
#include "lib/nearest.h"
#include "lib/num.h"
#include "lib/spawn/words.h"

#define LARGEST 1e15 /* a parameter: whole numbers up to it are exact, and printed whole */

int predict_values(const struct cmd *cmd, const char *option, const struct option_values *words,
		   struct predict_values *out)
{
	*out = (struct predict_values){0};
	for (size_t i = 0; i < words->n; i++) {
		const char *word = words->at[i], *equal = strchr(word, '=');
		size_t len = equal ? (size_t)(equal - word) : 0;

		if (!len || strcspn(word, " \t{}:,") < len)
			return cmd_usage(cmd, "--%s=%s: expected NAME=VALUE", option, word);
		if (out->n == GROWTH_PARAMS)
			return cmd_usage(cmd, "--%s: at most %d parameters", option, GROWTH_PARAMS);
		if (num_double(equal + 1, 1, LARGEST, &out->value[out->n]))
			return cmd_usage(cmd, "--%s=%s: expected a number from 1 to 1e15", option, word);
		for (size_t k = 0; k < out->n; k++)
			if (out->len[k] == len && !strncmp(out->name[k], word, len))
				return cmd_usage(cmd, "--%s: %.*s is given twice", option, (int)len, word);
		out->name[out->n] = word;
		out->len[out->n++] = len;
	}
	return 0;
}

/* The parameter that @name of @len characters is; target->n: none. */
static size_t parameter_of(const struct predict_values *target, const char *name, size_t len)
{
	size_t j = 0;

	while (j < target->n && (target->len[j] != len || strncmp(target->name[j], name, len)))
		j++;
	return j;
}

/* Is it nearly the name of a parameter? */
static bool is_near(const struct predict_values *target, const char *name)
{
	bool near = false;

	for (size_t j = 0; j < target->n; j++) {
		char *word = mem_strndup(target->name[j], target->len[j]);
		const char *const words[] = {word};

		near = near || !strcasecmp(word, name) || nearest_word(name, words, 1);
		free(word);
	}
	return near;
}

/* How often @word names parameters. */
static size_t names_parameters(const struct predict_values *target, const char *word)
{
	size_t n = 0, len;

	for (const char *at = words_name(word, &len); at; at = words_name(at, &len))
		n += parameter_of(target, at, len) < target->n;
	return n;
}

/* The first name in @word that is none of a parameter and was meant to be one; the caller frees it.  NULL: none. */
static char *wrong_name(const struct predict_values *target, const char *word, bool named)
{
	bool code = strpbrk(word, " \t\n;");
	size_t len;

	for (const char *at = words_name(word, &len); at; at = words_name(at, &len)) {
		char *name;

		if (parameter_of(target, at, len) < target->n)
			continue;
		name = mem_strndup(at, len);
		if (!code || !named || is_near(target, name))
			return name;
		free(name);
	}
	return NULL;
}

int predict_names(const struct cmd *cmd, const struct predict_opts *o, const struct predict_values *target)
{
	struct words VEC(const char *) words = VEC_INIT;
	char *wrong = NULL;
	size_t named = 0;
	int status = 0;

	for (char **word = o->args; *word; word++)
		vec_push(&words, *word);
	if (o->reduce)
		vec_push(&words, o->reduce);
	if (o->features)
		vec_push(&words, o->features);
	for (size_t i = 0; i < words.n; i++)
		named += names_parameters(target, words.at[i]);
	for (size_t i = 0; !wrong && i < words.n; i++)
		wrong = wrong_name(target, words.at[i], named > 0);
	if (wrong)
		status = cmd_usage(
			cmd,
			"{%s} in the command is no parameter of --target\n  --target=%s=VALUE makes it "
			"one; { %s } with blanks stays as it is",
			wrong, wrong, wrong);
	vec_release(&words);
	free(wrong);
	return status;
}

/* "32M", "1000", or "cache": the size of the largest one that this machine has. */
static int level_limit(const char *text, double *limit, struct err *err)
{
	static const char units[] = "kMG";
	char size[64], number[64], path[80];
	const char *unit;
	size_t len;

	if (!strcmp(text, "cache")) {
		*limit = 0;
		for (int i = 0; i < 8; i++) {
			snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu0/cache/index%d/size", i);
			if (!fs_read_small("", path, size, sizeof(size)) && 1024 * atof(size) > *limit)
				*limit = 1024 * atof(size);
		}
		return *limit > 0
			       ? 0
			       : err_set(err, -ENOTSUP, "this machine does not say how large its caches are");
	}
	len = strlen(text);
	unit = len && len < sizeof(number) ? strchr(units, text[len - 1]) : NULL;
	snprintf(number, sizeof(number), "%.*s", (int)(unit ? len - 1 : len), text);
	if (num_double(number, 1e-300, 1e300, limit))
		return err_set(err, -EINVAL,
			       "--level: '%s' is no limit: expected a number above 0 (k, M, G), or cache",
			       text);
	for (const char *u = units; unit && u <= unit; u++)
		*limit *= 1024;
	return 0;
}

static int add_watches(const struct option_values *words, enum judge_kind kind, struct task *t,
		       struct err *err)
{
	for (size_t i = 0; i < words->n; i++) {
		const char *colon = kind == JUDGE_LEVEL ? strchr(words->at[i], ':') : NULL;
		struct judge_watch *w = &t->watch[t->watches];
		size_t len = colon ? (size_t)(colon - words->at[i]) : strlen(words->at[i]);

		if (!len || (kind == JUDGE_LEVEL && !colon))
			return err_set(err, -EINVAL, "'%s': expected %s", words->at[i],
				       kind == JUDGE_LEVEL ? "NAME:LIMIT" : "the name of a figure");
		if (t->watches == PROBE_WATCHES)
			return err_set(err, -E2BIG, "more than %d figures are watched", PROBE_WATCHES);
		*w = (struct judge_watch){.kind = kind};
		if (colon && level_limit(colon + 1, &w->limit, err))
			return err->code;
		w->name = mem_strndup(words->at[i], len);
		t->watches++;
	}
	return 0;
}

/* The names in front of the colon of --features become parameters. */
static int add_features(const char *features, struct task *t, struct err *err)
{
	const char *colon = features ? strchr(features, ':') : NULL;

	if (features && (!colon || colon == features || !colon[1]))
		return err_set(err, -EINVAL, "--features=%s: expected NAME[,NAME...]:COMMAND", features);
	for (const char *p = features; p && p < colon; p += *p == ',') {
		size_t len = strcspn(p, ",:");

		if (t->params == GROWTH_PARAMS)
			return err_set(err, -E2BIG, "more than %d parameters and features", GROWTH_PARAMS);
		t->name[t->params++] = mem_strndup(p, len);
		p += len;
	}
	return 0;
}

static void add_key(const struct predict_opts *o, struct task *t)
{
	struct strbuf all = STRBUF_INIT;
	struct sha256 sha;

	strbuf_printf(&all, "%d figure %s count %s reduce %s features %s", o->cpu, t->figure ? t->figure : "",
		      t->count ? t->count : "", o->reduce ? o->reduce : "", o->features ? o->features : "");
	for (size_t j = 0; j < t->params; j++)
		strbuf_printf(&all, " parameter %s", t->name[j]);
	for (size_t k = 0; k < t->watches; k++)
		strbuf_printf(&all, " watch %d %s %.17g", t->watch[k].kind, t->watch[k].name,
			      t->watch[k].limit);
	for (char **word = o->args; *word; word++)
		strbuf_printf(&all, " word %s", *word);
	sha256_init(&sha);
	sha256_add(&sha, all.s, all.len);
	sha256_hex(&sha, t->key);
	strbuf_release(&all);
}

/* --counted=NAME; where it is not given instructions, if they are counted here and time is what is predicted. */
static char *count_of(const struct predict_opts *o)
{
	struct train_counters c;

	if (o->count)
		return strcmp(o->count, "none") ? mem_strdup(o->count) : NULL;
	if (o->figure || train_counters_choose(&c, "instructions", NULL))
		return NULL;
	return mem_strdup("instructions");
}

int predict_task(const struct predict_opts *o, const struct predict_values *target, struct task *t,
		 struct err *err)
{
	int ret;

	*t = (struct task){0};
	for (size_t j = 0; j < target->n; j++)
		t->name[t->params++] = mem_strndup(target->name[j], target->len[j]);
	t->figure = mem_strdup(o->figure);
	t->count = count_of(o);
	ret = add_features(o->features, t, err);
	if (!ret)
		ret = add_watches(&o->appears, JUDGE_APPEARS, t, err);
	if (!ret)
		ret = add_watches(&o->level, JUDGE_LEVEL, t, err);
	if (!ret)
		ret = add_watches(&o->converged, JUDGE_CONVERGED, t, err);
	if (!ret)
		add_key(o, t);
	return ret;
}
