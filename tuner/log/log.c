/* SPDX-License-Identifier: MIT */
#include "tuner/log/log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/fs.h"
#include "lib/json.h"
#include "lib/mem.h"
#include "lib/read/json-read.h"

#define LARGEST ((size_t)256 << 20)

static int log_fail(const struct log *l, int code, struct err *err)
{
	/* A folder that is not there is no log that is missing. */
	return err_set(err, code == ENOENT || code == ENOTDIR ? -EACCES : -code,
		       "cannot write the log '%s': %s", l->path, strerror(code));
}

/* The first line. */
static void head_text(const char *key, struct strbuf *out)
{
	strbuf_printf(out, "{\"perseus\": \"tune-log\", \"version\": 1, \"key\": \"%s\"}\n", key);
}

static int read_head(const struct log *l, const struct json_value *v, const char *key, struct err *err)
{
	if (strcmp(json_text_of(v, "perseus", ""), "tune-log") || json_number_of(v, "version", 0) != 1)
		return err_set(err, -EINVAL, "'%s' is no log of perseus tune", l->path);
	if (strcmp(json_text_of(v, "key", ""), key)) {
		err_set(err, -EINVAL, "'%s' is the log of other tunables, another program or other options",
			l->path);
		return err_advise(err,
				  "resume with those of its beginning, or begin anew with --log=ANOTHER");
	}
	return 0;
}

static int end_named(const char *word)
{
	for (int i = 0; trial_ends[i]; i++)
		if (!strcmp(trial_ends[i], word))
			return i;
	return -1;
}

static int read_line(struct log *l, const struct json_value *v, size_t number, struct err *err)
{
	int end = end_named(json_text_of(v, "end", ""));
	double round = json_number_of(v, "round", -1), value = json_number_of(v, "value", -1),
	       other = json_number_of(v, "other", 0);
	const char *setting = json_text_of(v, "setting", NULL);
	bool valued = end == TRIAL_OK || end == TRIAL_SLOW;

	if (end < 0 || round < 0 || round > 1e9 || !setting || (valued && !(value > 0)))
		return err_set(err, -EINVAL, "'%s' line %zu is no trial", l->path, number);
	vec_push(&l->lines,
		 ((struct log_line){(uint32_t)round,
				    {(enum trial_end)end, valued ? value : 0, other > 0 ? other : 0},
				    mem_strdup(setting)}));
	return 0;
}

/* All whole lines; *@whole is where the last one ends. */
static int read_lines(struct log *l, const struct strbuf *text, const char *key, size_t *whole,
		      struct err *err)
{
	size_t number = 0;
	int ret = 0;

	*whole = 0;
	while (!ret && *whole < text->len) {
		const char *line = text->s + *whole, *end = memchr(line, '\n', text->len - *whole);
		struct json_value v;

		if (!end)
			break;
		if (json_read(&v, line, (size_t)(end - line), l->path, err))
			return err_prefix(err, "line %zu of the log", number + 1);
		ret = number++ ? read_line(l, &v, number, err) : read_head(l, &v, key, err);
		json_release(&v);
		*whole += (size_t)(end - line) + 1;
	}
	if (!ret && !number)
		ret = err_set(err, -EINVAL, "'%s' is no log of perseus tune: it is empty", l->path);
	return ret;
}

static int log_resume(struct log *l, const char *key, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	size_t whole = 0;
	int ret = fs_read(l->path, LARGEST, &text, err);

	if (!ret)
		ret = read_lines(l, &text, key, &whole, err);
	strbuf_release(&text);
	if (ret)
		return ret;
	l->to = fopen(l->path, "r+e");
	if (!l->to || ftruncate(fileno(l->to), (off_t)whole) || fseek(l->to, 0, SEEK_END))
		return log_fail(l, errno, err);
	return 0;
}

static int log_begin(struct log *l, const char *key, struct err *err)
{
	struct strbuf head = STRBUF_INIT;
	int ret = 0;

	l->to = fopen(l->path, "wxe");
	if (!l->to && errno == EEXIST) {
		err_set(err, -EEXIST, "the log '%s' is there already", l->path);
		return err_advise(err, "--resume goes on with it, --log=ANOTHER begins a new one");
	}
	if (!l->to)
		return log_fail(l, errno, err);
	head_text(key, &head);
	if (fputs(head.s, l->to) < 0 || fflush(l->to))
		ret = log_fail(l, errno, err);
	strbuf_release(&head);
	return ret;
}

int log_open(struct log *l, const char *path, bool resume, const char *key, const struct space *space,
	     struct err *err)
{
	int ret;

	*l = (struct log){.path = path, .space = space};
	if (!path)
		return 0;
	ret = resume ? log_resume(l, key, err) : log_begin(l, key, err);
	if (ret)
		log_close(l);
	return ret;
}

void log_close(struct log *l)
{
	for (size_t i = 0; i < l->lines.n; i++)
		free(l->lines.at[i].setting);
	vec_release(&l->lines);
	if (l->to)
		fclose(l->to);
	l->to = NULL;
}

static int log_add(struct log *l, const struct tuner_ask *ask, const char *setting,
		   const struct tuner_answer *a, struct err *err)
{
	struct strbuf line = STRBUF_INIT;
	int ret = 0;

	strbuf_printf(&line, "{\"round\": %u, \"end\": \"%s\", \"value\": %.17g, \"setting\": ", ask->round,
		      trial_ends[a->end], a->value);
	json_quote(&line, setting);
	if (a->other > 0)
		strbuf_printf(&line, ", \"other\": %.17g", a->other);
	strbuf_puts(&line, "}\n");
	if (fputs(line.s, l->to) < 0 || fflush(l->to))
		ret = log_fail(l, errno, err);
	strbuf_release(&line);
	return ret;
}

static int log_answer(struct log *l, const struct tuner_ask *ask, const char *setting,
		      struct tuner_answer *answer, struct err *err)
{
	const struct log_line *line = &l->lines.at[l->next++];

	if (line->round != ask->round || strcmp(line->setting, setting))
		return err_set(err, -EINVAL,
			       "'%s' line %zu is a trial of '%s' in round %u, but the search asks for '%s' "
			       "in round %u",
			       l->path, l->next + 1, line->setting, line->round, setting, ask->round);
	*answer = line->answer;
	return 0;
}

int log_measure(void *log, const struct tuner_ask *ask, struct tuner_answer *answer, struct err *err)
{
	struct log *l = log;
	struct strbuf setting = STRBUF_INIT;
	int ret;

	space_words(l->space, ask->x, &setting);
	if (l->next < l->lines.n) {
		ret = log_answer(l, ask, setting.s, answer, err);
	} else {
		ret = l->measure(l->arg, ask, answer, err);
		if (!ret && l->to)
			ret = log_add(l, ask, setting.s, answer, err);
	}
	strbuf_release(&setting);
	return ret;
}
