/* SPDX-License-Identifier: MIT */
/* A program is run with a setting: environment, arguments, files; and what it said is looked at. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cmd/base/print.h"
#include "cmd/tune/tune.h"
#include "lib/fs.h"
#include "lib/mem.h"
#include "lib/num.h"
#include "lib/spawn/capture.h"
#include "lib/spawn/child.h"
#include "lib/spawn/environment.h"
#include "lib/spawn/target.h"
#include "lib/spawn/words.h"

#define OUTPUT_MOST ((size_t)64 << 20)

/* The value of a tunable, for words_fill(). */
struct fill {
	const struct space *space;
	const struct setting *x;
};

static bool fill_value(void *arg, const char *text, size_t len, struct strbuf *out)
{
	const struct fill *fill = arg;

	for (size_t j = 0; j < fill->space->n_tunables; j++) {
		const char *name = fill->space->tunables[j].name;

		if (strlen(name) != len || strncmp(name, text, len))
			continue;
		space_value(fill->space, fill->x, j, out);
		return true;
	}
	return false;
}

void tune_fill(const struct space *space, const struct setting *x, const char *text, struct strbuf *out)
{
	struct fill fill = {space, x};

	words_fill(text, fill_value, &fill, out);
}

int tune_templates(const struct tune_opts *o, const struct space *space, const struct setting *x,
		   struct err *err)
{
	int ret = 0;

	for (size_t i = 0; i < o->templates.n && !ret; i++) {
		const char *colon = strchr(o->templates.at[i], ':');
		char *from = mem_strndup(o->templates.at[i], (size_t)(colon - o->templates.at[i]));
		struct strbuf text = STRBUF_INIT, filled = STRBUF_INIT;

		ret = fs_read(from, OUTPUT_MOST, &text, err);
		if (!ret) {
			tune_fill(space, x, text.s ? text.s : "", &filled);
			ret = fs_write(colon + 1, filled.s ? filled.s : "", filled.len, err);
		}
		strbuf_release(&text);
		strbuf_release(&filled);
		free(from);
	}
	return ret;
}

/* Every tunable as PERSEUS_TUNE_name, and as the variable that it says. */
static void lab_environment(const struct space *space, const struct setting *x, struct environment *e)
{
	for (size_t j = 0; j < space->n_tunables; j++) {
		const struct tunable *t = &space->tunables[j];
		struct strbuf value = STRBUF_INIT;

		space_value(space, x, j, &value);
		environment_set(e, "PERSEUS_TUNE_%s=%s", t->name, value.s);
		if (t->environment)
			environment_set(e, "%s=%s", t->environment, value.s);
		strbuf_release(&value);
	}
	vec_push(e, NULL);
}

int tune_lab_open(struct tune_lab *lab, const struct tune_opts *o, const struct space *space, struct err *err)
{
	struct target target;
	int ret = target_locate(&target, o->args[0], err);

	*lab = (struct tune_lab){.o = o, .space = space, .null = -1, .out = -1};
	if (ret)
		return ret;
	strcpy(lab->path, target.path);
	for (size_t i = 0; i < o->templates.n; i++)
		if (!strchr(o->templates.at[i], ':'))
			return err_set(err, -EINVAL, "--template=%s: expected IN:OUT", o->templates.at[i]);
	lab->null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	lab->out = memfd_create("output", MFD_CLOEXEC);
	if (lab->null < 0 || lab->out < 0)
		return err_set(err, -errno, "cannot keep the output of the program: %s", strerror(errno));
	return 0;
}

void tune_lab_close(struct tune_lab *lab)
{
	close(lab->null);
	close(lab->out);
	strbuf_release(&lab->why);
}

static int lab_run(struct tune_lab *lab, const char *path, char *const *argv, char *const *environment,
		   int in, int out, uint64_t limit_ns, struct child_result *r, struct err *err)
{
	struct child_spec spec = {.path = path,
				  .argv = argv,
				  .environment = environment,
				  .in = in,
				  .out = out,
				  .error = -1,
				  .limit_ns = limit_ns,
				  .group = true};
	int ret = child_run(&spec, r, err);

	if (!ret && r->received) {
		lab->received = r->received;
		ret = err_set(err, -EINTR, "stopped by a signal");
	}
	return ret;
}

static int lab_output(const struct tune_lab *lab, struct strbuf *text, struct err *err)
{
	int ret = capture_read(lab->out, OUTPUT_MOST, text);

	strbuf_puts(text, "");
	return ret ? err_set(err, ret, "cannot read the output of the program: %s", strerror(-ret)) : 0;
}

/* Is the output that of the default?  False also where the default's own varies, which lab->varies says. */
static bool lab_same(struct tune_lab *lab, const struct strbuf *text, bool is_default)
{
	struct sha256 sha;
	char hex[SHA256_HEX];

	if (lab->o->ignore_output || lab->o->figure)
		return true;
	sha256_init(&sha);
	sha256_add(&sha, text->s, text->len);
	sha256_hex(&sha, hex);
	if (!lab->output[0])
		strcpy(lab->output, hex);
	if (!strcmp(lab->output, hex))
		return true;
	lab->varies |= is_default;
	return false;
}

/* --check: sh -c COMMAND in the environment of the trial, with what the program printed on its standard input. */
static int lab_check(struct tune_lab *lab, char *const *environment, bool *right, struct err *err)
{
	char *const argv[] = {(char[]){"sh"}, (char[]){"-c"}, mem_strdup(lab->o->check), NULL};
	struct child_result r = {0};
	int ret = 0;

	lseek(lab->out, 0, SEEK_SET);
	ret = lab_run(lab, "/bin/sh", argv, environment, lab->out, STDERR_FILENO,
		      lab->o->timeout_s * 1000000000u, &r, err);
	*right = !ret && child_exit_status(r.status) == 0;
	free(argv[2]);
	return ret;
}

/* Keep the first failure of each kind in words. */
static void lab_note(struct tune_lab *lab, const struct setting *x, enum trial_end end, int status)
{
	if (lab->told[end])
		return;
	lab->told[end] = true;
	strbuf_printf(&lab->why, "%s", end == TRIAL_CRASH ? "crash" : trial_ends[end]);
	if (end == TRIAL_CRASH)
		strbuf_printf(&lab->why, " (status %d)", status);
	strbuf_puts(&lab->why, " with ");
	space_words(lab->space, x, &lab->why);
	strbuf_puts(&lab->why, "\n");
}

/* The value of a run that ended well. */
static int lab_value(struct tune_lab *lab, const struct strbuf *text, const struct child_result *r,
		     struct tuner_answer *a, struct err *err)
{
	double value = (double)r->wall_ns * 1e-9;

	if (lab->o->figure) {
		value = words_figure(text->s, lab->o->figure);
		if (!(value > 0) || !isfinite(value))
			return err_set(err, -EINVAL, "'%s' prints no line '%s VALUE' with a value above 0",
				       lab->o->args[0], lab->o->figure);
		if (lab->o->more)
			value = 1 / value;
	}
	if (!(value > 0))
		return err_set(
			err, -ENODEV,
			"the clock (CLOCK_MONOTONIC) did not advance: no time can be measured with it");
	a->value = value;
	if (lab->best == 0 || value < lab->best)
		lab->best = value;
	return 0;
}

static void lab_progress(const struct tune_lab *lab)
{
	char each[32];

	if (!isatty(STDERR_FILENO))
		return;
	cmd_again(stderr);
	cmd_say(stderr, "run %lu of at most %lu, %s each", (unsigned long)lab->runs,
		(unsigned long)lab->planned,
		num_time(each, sizeof(each),
			 (double)lab->total_ns * 1e-9 / (double)(lab->runs ? lab->runs : 1)));
}

/* What a program that has ended said: right, wrong, with which value. */
static int lab_judge(struct tune_lab *lab, const struct tuner_ask *ask, char *const *environment,
		     const struct child_result *r, struct tuner_answer *a, struct err *err)
{
	struct setting first = space_default(lab->space);
	bool is_default = space_equal(lab->space, &first, ask->x), right = true;
	struct strbuf text = STRBUF_INIT;
	int ret = lab_output(lab, &text, err);

	if (!ret)
		right = lab_same(lab, &text, is_default);
	if (!ret && lab->varies) {
		ret = err_set(err, -EINVAL, "what '%s' prints varies from run to run", lab->o->args[0]);
		err_advise(err, "--ignore-output compares no output, --check=COMMAND judges it");
	}
	if (!ret && right && lab->o->check)
		ret = lab_check(lab, environment, &right, err);
	a->end = right ? TRIAL_OK : TRIAL_WRONG;
	if (!ret && right)
		ret = lab_value(lab, &text, r, a, err);
	strbuf_release(&text);
	return ret;
}

static int lab_trial(struct tune_lab *lab, const struct tuner_ask *ask, struct tuner_answer *a,
		     struct err *err)
{
	bool cut = ask->most > 0 && !lab->o->figure;
	uint64_t hard = lab->o->timeout_s * 1000000000u,
		 soft = cut ? (uint64_t)(ask->most * 1e9) + 20000000u : 0;
	uint64_t limit = soft && (!hard || soft < hard) ? soft : hard;
	struct environment environment = VEC_INIT;
	struct VEC(char *) argv = VEC_INIT;
	struct child_result r = {0};
	int ret = tune_templates(lab->o, lab->space, ask->x, err), status;

	for (char **word = lab->o->args; *word; word++) {
		struct strbuf filled = STRBUF_INIT;

		tune_fill(lab->space, ask->x, *word, &filled);
		vec_push(&argv, filled.s ? strbuf_detach(&filled) : mem_strdup(""));
	}
	vec_push(&argv, NULL);
	lab_environment(lab->space, ask->x, &environment);
	if (!ret && (ftruncate(lab->out, 0) || lseek(lab->out, 0, SEEK_SET)))
		ret = err_set(err, -errno, "cannot keep the output of the program: %s", strerror(errno));
	if (!ret)
		ret = lab_run(lab, lab->path, argv.at, environment.at, lab->null, lab->out, limit, &r, err);
	status = child_exit_status(r.status);
	lab->runs++;
	lab->total_ns += r.wall_ns;
	if (!ret && limit && r.wall_ns >= limit && status == 128 + 9) {
		a->end = limit == soft ? TRIAL_SLOW : TRIAL_TIMEOUT;
		a->value = (double)r.wall_ns * 1e-9;
	} else if (!ret && status) {
		a->end = TRIAL_CRASH;
	} else if (!ret) {
		ret = lab_judge(lab, ask, environment.at, &r, a, err);
	}
	if (!ret && a->end != TRIAL_OK)
		lab_note(lab, ask->x, a->end, status);
	lab_progress(lab);
	environment_release(&environment);
	for (size_t i = 0; i < argv.n; i++)
		free(argv.at[i]);
	vec_release(&argv);
	return ret;
}

/* A log that is resumed has the default's values, and not what it prints: run it once for that. */
static int lab_reference(struct tune_lab *lab, const struct tuner_ask *ask, struct err *err)
{
	struct setting first = space_default(lab->space);
	struct tuner_ask again = {&first, ask->round, 0};
	struct tuner_answer a = {TRIAL_OK, 0};
	int ret;

	if (lab->output[0] || lab->o->ignore_output || lab->o->figure ||
	    space_equal(lab->space, &first, ask->x))
		return 0;
	ret = lab_trial(lab, &again, &a, err);
	if (!ret && a.end != TRIAL_OK)
		ret = err_set(err, -EINVAL, "the default setting fails now (%s)", trial_ends[a.end]);
	return ret;
}

int tune_trial(void *arg, const struct tuner_ask *ask, struct tuner_answer *a, struct err *err)
{
	int ret = lab_reference(arg, ask, err);

	return ret ? ret : lab_trial(arg, ask, a, err);
}
