/* SPDX-License-Identifier: MIT */
#include "predictor/probe/log.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "lib/fs.h"
#include "lib/json.h"
#include "lib/read/json-read.h"

#define LARGEST ((size_t)64 << 20)

const char *const probe_ends[] = {"ok", "failed", "timeout", "silent", NULL};
static const char *const kinds[] = {"appears", "level", "converged", NULL};

void task_release(struct task *t)
{
	for (size_t j = 0; j < t->params; j++)
		free(t->name[j]);
	for (size_t j = 0; j < t->watches; j++)
		free((char *)t->watch[j].name);
	free(t->figure);
	free(t->count);
	*t = (struct task){0};
}

static int word_index(const char *const *words, const char *word)
{
	for (int i = 0; words[i]; i++)
		if (!strcmp(words[i], word))
			return i;
	return -1;
}

static void quote_or_null(struct strbuf *out, const char *key, const char *text)
{
	strbuf_printf(out, ", \"%s\": ", key);
	if (text)
		json_quote(out, text);
	else
		strbuf_puts(out, "null");
}

static void head_write(const struct task *t, struct strbuf *out)
{
	strbuf_printf(out, "{\"perseus\": \"probe-log\", \"version\": 1, \"key\": \"%s\", \"parameters\": [",
		      t->key);
	for (size_t j = 0; j < t->params; j++) {
		strbuf_puts(out, j ? ", " : "");
		json_quote(out, t->name[j]);
	}
	strbuf_puts(out, "]");
	quote_or_null(out, "figure", t->figure);
	quote_or_null(out, "count", t->count);
	strbuf_puts(out, ", \"watch\": [");
	for (size_t j = 0; j < t->watches; j++) {
		strbuf_printf(out, "%s{\"kind\": \"%s\", \"limit\": %.17g, \"name\": ", j ? ", " : "",
			      kinds[t->watch[j].kind], t->watch[j].limit);
		json_quote(out, t->watch[j].name);
		strbuf_puts(out, "}");
	}
	strbuf_puts(out, "]}\n");
}

static void numbers_write(struct strbuf *out, const char *key, const double *value, size_t n)
{
	strbuf_printf(out, ", \"%s\": [", key);
	for (size_t j = 0; j < n; j++) {
		strbuf_puts(out, j ? ", " : "");
		if (isfinite(value[j]))
			strbuf_printf(out, "%.17g", value[j]);
		else
			strbuf_puts(out, "null");
	}
	strbuf_puts(out, "]");
}

static void probe_write(const struct task *t, const struct probe *p, struct strbuf *out)
{
	strbuf_printf(out, "{\"end\": \"%s\", \"status\": %d", probe_ends[p->end], p->status);
	numbers_write(out, "at", p->x, t->params);
	strbuf_printf(out, ", \"seconds\": %.17g, \"figure\": %.17g, \"count\": %.17g", p->seconds, p->figure,
		      p->count);
	numbers_write(out, "watch", p->watch, t->watches);
	strbuf_puts(out, "}\n");
}

/* At most @most numbers of the member @key; null is NAN.  Their number, SIZE_MAX: it is no such list. */
static size_t numbers_read(const struct json_value *v, const char *key, double *out, size_t most)
{
	const struct json_value *list = json_member(v, key);

	if (!list || list->kind != JSON_ARRAY || list->n > most)
		return SIZE_MAX;
	for (size_t j = 0; j < list->n; j++) {
		if (list->at[j].kind != JSON_NUMBER && list->at[j].kind != JSON_NULL)
			return SIZE_MAX;
		out[j] = list->at[j].kind == JSON_NUMBER ? list->at[j].number : NAN;
	}
	return list->n;
}

static int probe_read(const struct json_value *v, const struct task *t, struct probe *p)
{
	int end = word_index(probe_ends, json_text_of(v, "end", ""));

	memset(p, 0, sizeof(*p));
	if (end < 0 || numbers_read(v, "at", p->x, GROWTH_PARAMS) != t->params ||
	    numbers_read(v, "watch", p->watch, PROBE_WATCHES) != t->watches)
		return -EINVAL;
	p->end = (enum probe_end)end;
	p->status = (int)fmax(fmin(json_number_of(v, "status", 0), 1e6), -1e6);
	p->seconds = json_number_of(v, "seconds", -1);
	p->figure = json_number_of(v, "figure", -1);
	p->count = json_number_of(v, "count", -1);
	for (size_t j = 0; j < t->params; j++)
		if (!(p->x[j] >= 1))
			return -EINVAL;
	if (p->seconds < 0 || p->count < 0 ||
	    (p->end == PROBE_OK && (!(p->figure > 0) || (t->count && !(p->count > 0)))))
		return -EINVAL;
	return 0;
}

static int watch_read(const struct json_value *v, struct task *t)
{
	const struct json_value *list = json_member(v, "watch");

	if (!list || list->kind != JSON_ARRAY || list->n > PROBE_WATCHES)
		return -EINVAL;
	for (size_t j = 0; j < list->n; j++) {
		int kind = word_index(kinds, json_text_of(&list->at[j], "kind", ""));
		const char *name = json_text_of(&list->at[j], "name", NULL);

		if (kind < 0 || !name)
			return -EINVAL;
		t->watch[t->watches++] = (struct judge_watch){(enum judge_kind)kind, mem_strdup(name),
							      json_number_of(&list->at[j], "limit", 0), NULL};
	}
	return 0;
}

static int head_read(const char *path, const struct json_value *v, struct task *t, struct err *err)
{
	const struct json_value *names = json_member(v, "parameters");
	const char *key = json_text_of(v, "key", "");

	if (strcmp(json_text_of(v, "perseus", ""), "probe-log") || json_number_of(v, "version", 0) != 1 ||
	    strlen(key) != SHA256_HEX - 1 || !names || names->kind != JSON_ARRAY || !names->n ||
	    names->n > GROWTH_PARAMS)
		return err_set(err, -EINVAL, "'%s' is no log of perseus predict", path);
	strcpy(t->key, key);
	for (size_t j = 0; j < names->n; j++)
		if (names->at[j].kind != JSON_STRING)
			return err_set(err, -EINVAL, "'%s' line 1: a parameter has no name", path);
		else
			t->name[t->params++] = mem_strdup(names->at[j].text);
	t->figure = mem_strdup(json_text_of(v, "figure", NULL));
	t->count = mem_strdup(json_text_of(v, "count", NULL));
	if (watch_read(v, t))
		return err_set(err, -EINVAL, "'%s' line 1: what is watched cannot be read", path);
	return 0;
}

/* All whole lines of @text; *@whole is where the last one ends. */
static int lines_read(const char *path, const struct strbuf *text, struct task *t, struct probes *probes,
		      size_t *whole, struct err *err)
{
	size_t number = 0;
	int ret = 0;

	for (*whole = 0; !ret && *whole < text->len;) {
		const char *line = text->s + *whole, *end = memchr(line, '\n', text->len - *whole);
		struct json_value v;
		struct probe p;

		if (!end)
			break;
		number++;
		if (json_read(&v, line, (size_t)(end - line), path, err))
			return err_prefix(err, "line %zu of the log", number);
		if (number == 1)
			ret = head_read(path, &v, t, err);
		else if (probe_read(&v, t, &p))
			ret = err_set(err, -EINVAL, "'%s' line %zu is no probe of this task", path, number);
		else
			vec_push(probes, p);
		json_release(&v);
		*whole += (size_t)(end - line) + 1;
	}
	if (!ret && !number)
		ret = err_set(err, -EINVAL, "'%s' is no log of perseus predict: it is empty", path);
	return ret;
}

static int log_read(const char *path, struct task *t, struct probes *probes, size_t *whole, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	int ret = fs_read(path, LARGEST, &text, err);

	*t = (struct task){0};
	if (!ret)
		ret = lines_read(path, &text, t, probes, whole, err);
	strbuf_release(&text);
	return ret;
}

int probe_log_read(const char *path, struct task *t, struct probes *probes, struct err *err)
{
	size_t whole;

	return log_read(path, t, probes, &whole, err);
}

static int log_fail(const struct probe_log *l, int error, struct err *err)
{
	return err_set(err, -error, "cannot write the log '%s': %s", l->path, strerror(error));
}

static int log_write(struct probe_log *l, const struct strbuf *line, struct err *err)
{
	if (fwrite(line->s, 1, line->len, l->to) != line->len || fflush(l->to))
		return log_fail(l, errno, err);
	return 0;
}

/* A new file; -EEXIST without a message: there is one. */
static int log_begin(struct probe_log *l, struct err *err)
{
	struct strbuf head = STRBUF_INIT;
	int ret;

	l->to = fopen(l->path, "wxe");
	if (!l->to)
		return errno == EEXIST ? -EEXIST : log_fail(l, errno, err);
	head_write(l->task, &head);
	ret = log_write(l, &head, err);
	strbuf_release(&head);
	return ret;
}

static int log_continue(struct probe_log *l, struct err *err)
{
	struct task there;
	size_t whole = 0;
	int ret = log_read(l->path, &there, &l->probes, &whole, err);

	if (!ret && strcmp(there.key, l->task->key)) {
		ret = err_set(err, -EINVAL, "'%s' is the log of another task, or of other options", l->path);
		err_advise(err, "go on with those of its beginning, or begin anew with --log=ANOTHER");
	}
	task_release(&there);
	if (ret)
		return ret;
	l->to = fopen(l->path, "r+e");
	if (!l->to || ftruncate(fileno(l->to), (off_t)whole) || fseek(l->to, 0, SEEK_END))
		return log_fail(l, errno, err);
	return 0;
}

int probe_log_open(struct probe_log *l, const char *path, const struct task *t, struct err *err)
{
	int ret;

	*l = (struct probe_log){.path = path, .task = t};
	if (!path)
		return 0;
	ret = log_begin(l, err);
	if (ret == -EEXIST)
		ret = log_continue(l, err);
	if (ret)
		probe_log_close(l);
	return ret;
}

void probe_log_close(struct probe_log *l)
{
	vec_release(&l->probes);
	if (l->to)
		fclose(l->to);
	l->to = NULL;
}

int probe_log_add(struct probe_log *l, const struct probe *p, struct err *err)
{
	struct strbuf line = STRBUF_INIT;
	int ret = 0;

	vec_push(&l->probes, *p);
	if (l->to) {
		probe_write(l->task, p, &line);
		ret = log_write(l, &line, err);
	}
	strbuf_release(&line);
	return ret;
}
