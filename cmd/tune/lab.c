/* SPDX-License-Identifier: MIT */
/* A program is run with a setting: environment, arguments, files; and what it said is looked at. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
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
#include "recorder/energy.h"

#define OUTPUT_MOST ((size_t)64 << 20)

struct lab_argv VEC(char *);

/* ns of a run: of the search, and that or the user's; 0: none. */
struct lab_limits {
	uint64_t soft, least;
};

/* The value of a tunable, for words_fill(). */
struct fill {
	const struct space *space;
	const struct setting *x;
	const char *build; /* for {build}; "": it stays */
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
	if (!*fill->build || len != 5 || strncmp(text, "build", len))
		return false;
	strbuf_puts(out, fill->build);
	return true;
}

void tune_fill(const struct space *space, const struct setting *x, const char *text, struct strbuf *out)
{
	struct fill fill = {space, x, ""};

	words_fill(text, fill_value, &fill, out);
}

void tune_lab_fill(const struct tune_lab *lab, const struct setting *x, const char *text, struct strbuf *out)
{
	struct fill fill = {lab->space, x, lab->build};

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
			if (ret)
				ret = err->code = -EACCES; /* no fault of the program or its space */
		}
		strbuf_release(&text);
		strbuf_release(&filled);
		free(from);
	}
	return ret;
}

/* Every tunable as PERSEUS_TUNE_name, and as the variable that it says. */
void tune_lab_environment(const struct tune_lab *lab, const struct setting *x, struct environment *e)
{
	const struct space *space = lab->space;

	for (size_t j = 0; j < space->n_tunables; j++) {
		const struct tunable *t = &space->tunables[j];
		struct strbuf value = STRBUF_INIT;

		space_value(space, x, j, &value);
		environment_set(e, "PERSEUS_TUNE_%s=%s", t->name, value.s);
		if (t->environment)
			environment_set(e, "%s=%s", t->environment, value.s);
		strbuf_release(&value);
	}
	tune_plans_environment(&lab->plans, space, x, e);
	vec_push(e, NULL);
}

/* What the command says goes into a file of the folder: it is named where it fails. */
static int lab_build(struct tune_lab *lab, const struct setting *x, bool *well, struct err *err)
{
	struct strbuf command = STRBUF_INIT;
	int ret = 0;

	*well = true;
	if (lab->o->build) {
		tune_fill(lab->space, x, lab->o->build, &command);
		ret = builds_get(&lab->builds, command.s, lab->build, well, err);
	}
	strbuf_release(&command);
	return ret;
}

int tune_lab_build(struct tune_lab *lab, const struct setting *x, struct err *err)
{
	bool well;
	int ret = lab_build(lab, x, &well, err);

	if (!ret && !well)
		ret = err_set(err, -EINVAL, "the build fails: %s/perseus-build.log", lab->build);
	return ret;
}

/* Where the program is, unless that depends on the setting. */
static int lab_program(struct tune_lab *lab, struct err *err)
{
	const struct tune_opts *o = lab->o;
	struct target target;
	int ret;

	if (o->build && strstr(o->args[0], "{build}"))
		return 0;
	ret = target_locate(&target, o->args[0], err);
	if (!ret)
		strcpy(lab->path, target.path);
	return ret;
}

int tune_lab_open(struct tune_lab *lab, const struct tune_opts *o, const struct space *space, struct err *err)
{
	int ret;

	*lab = (struct tune_lab){.o = o, .space = space, .null = -1, .out = -1, .plans.tunable = SIZE_MAX};
	ret = lab_program(lab, err);
	if (!ret && o->build)
		ret = builds_open(&lab->builds, o->builds, err);
	if (!ret)
		ret = tune_plans_open(&lab->plans, space, o->plans, o->args[0], o->prove, o->socket, err);
	if (ret)
		return ret;
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
	if (lab->null >= 0)
		close(lab->null);
	if (lab->out >= 0)
		close(lab->out);
	builds_close(&lab->builds);
	tune_plans_close(&lab->plans);
	strbuf_release(&lab->why);
}

static struct child_spec lab_spec(const char *path, char *const *argv, char *const *environment,
				  uint64_t limit_ns)
{
	return (struct child_spec){.path = path,
				   .argv = argv,
				   .environment = environment,
				   .in = -1,
				   .out = -1,
				   .error = -1,
				   .limit_ns = limit_ns,
				   .group = true};
}

static int lab_spawn(struct tune_lab *lab, const struct child_spec *spec, struct child_result *r,
		     struct err *err)
{
	int ret = child_run(spec, r, err);

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
	struct child_spec spec = lab_spec("/bin/sh", argv, environment, lab->o->timeout_s * 1000000000u);
	struct child_result r = {0};
	int ret = 0;

	lseek(lab->out, 0, SEEK_SET);
	spec.in = lab->out;
	spec.out = STDERR_FILENO;
	ret = lab_spawn(lab, &spec, &r, err);
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
	strbuf_puts(&lab->why, trial_ends[end]);
	if (end == TRIAL_UNMET && isnan(lab->broken_by))
		strbuf_printf(&lab->why, " (no %s is printed)", lab->broken->name);
	else if (end == TRIAL_UNMET)
		strbuf_printf(&lab->why, " (%s %.4g)", lab->broken->name, lab->broken_by);
	if (end == TRIAL_FAILED && status < 0)
		strbuf_printf(&lab->why, " (it is not built: %s/perseus-build.log)", lab->build);
	else if (end == TRIAL_FAILED)
		strbuf_printf(&lab->why, " (status %d)", status);
	else if (end == TRIAL_CRASH)
		strbuf_printf(&lab->why, " (signal %d, %s)", status - 128, strsignal(status - 128));
	strbuf_puts(&lab->why, " with ");
	space_words(lab->space, x, &lab->why);
	strbuf_puts(&lab->why, "\n");
}

/* What is to be least of a run without a figure. */
static double lab_objective(const struct tune_lab *lab, const struct figure_run *run)
{
	if (lab->o->objective == TUNE_TIME)
		return run->seconds;
	return lab->o->objective == TUNE_ENERGY ? run->joules : run->joules * run->seconds;
}

/* The second figure, whose mean is printed beside the value. */
static int lab_other(struct tune_lab *lab, const struct figure_run *run, struct tuner_answer *a,
		     struct err *err)
{
	if (!lab->o->trade)
		return 0;
	a->other = figure_of(run, lab->o->trade);
	if (!(a->other > 0) || !isfinite(a->other))
		return err_set(err, -EINVAL, "'%s' prints no line '%s VALUE' with a value above 0",
			       lab->o->args[0], lab->o->trade);
	return 0;
}

/* The value of a run that ended well. */
static int lab_value(struct tune_lab *lab, const struct strbuf *text, const struct figure_run *run,
		     struct tuner_answer *a, struct err *err)
{
	double value = lab_objective(lab, run);

	if (lab->o->figure) {
		value = words_figure(text->s, lab->o->figure);
		if (!(value > 0) || !isfinite(value))
			return err_set(err, -EINVAL,
				       "'%s' prints no line '%s VALUE' with a value above 0 and nothing "
				       "behind it",
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
	return lab_other(lab, run, a, err);
}

/* Does the run keep all that is required?  The first that it does not is noted. */
static bool lab_kept(struct tune_lab *lab, const struct figure_run *run)
{
	for (size_t i = 0; i < lab->o->limits.n; i++)
		if (!figure_limit_kept(&lab->o->limits.at[i], run)) {
			lab->broken = &lab->o->limits.at[i];
			lab->broken_by = figure_of(run, lab->broken->name);
			return false;
		}
	return true;
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
		     struct figure_run *run, struct tuner_answer *a, struct err *err)
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
	run->text = text.s ? text.s : "";
	a->end = !right ? TRIAL_WRONG : lab_kept(lab, run) ? TRIAL_OK : TRIAL_UNMET;
	if (!ret && a->end == TRIAL_OK)
		ret = lab_value(lab, &text, run, a, err);
	strbuf_release(&text);
	return ret;
}

/* The words of the program with the setting in them; the caller frees them. */
static void lab_words(const struct tune_lab *lab, const struct setting *x, struct lab_argv *argv)
{
	for (char **word = lab->o->args; *word; word++) {
		struct strbuf filled = STRBUF_INIT;

		tune_lab_fill(lab, x, *word, &filled);
		vec_push(argv, filled.s ? strbuf_detach(&filled) : mem_strdup(""));
	}
	vec_push(argv, NULL);
}

/* Run the program; @run gets what it took, joules too if they count. */
static int lab_measure(struct tune_lab *lab, struct child_spec *spec, struct child_result *r,
		       struct figure_run *run, struct err *err)
{
	const char *sysroot = lab->o->sysroot ? lab->o->sysroot : "";
	struct energy_watch *w = NULL;
	struct meter *meter = NULL;
	struct joules joules = {0};
	int ret = 0;

	if (lab->joules)
		ret = meter_open(&meter, METER_KINDS, sysroot, err);
	if (ret)
		ret = err->code = -ENODEV; /* the machine's lack, not the program's */
	if (!ret && lab->joules)
		ret = energy_watch_start(&w, meter, sysroot, err);
	if (ret)
		return ret;
	if (w) {
		spec->watch.pid = energy_watch_pid(w);
		energy_watch_begin(w);
	}
	ret = lab_spawn(lab, spec, r, err);
	if (w) {
		energy_watch_end(w);
		energy_watch_finish(w, &joules);
	}
	*run = (struct figure_run){"", (double)r->wall_ns * 1e-9, (double)r->rss_kb / 1024, -1};
	if (!ret && w && joules.source)
		run->joules = joules.joules;
	else if (!ret && w)
		ret = err_set(err, -ENODEV, "joules were not measured: %s", joules.reason);
	joules_release(&joules);
	return ret;
}

/* The program has ended: how? */
static int lab_ended(struct tune_lab *lab, const struct tuner_ask *ask, const struct lab_limits *limits,
		     const struct child_result *r, struct figure_run *run, char *const *environment,
		     struct tuner_answer *a, struct err *err)
{
	int status = child_exit_status(r->status), ret = 0;

	if (limits->least && r->wall_ns >= limits->least && status == 128 + 9) {
		a->end = limits->least == limits->soft ? TRIAL_SLOW : TRIAL_TIMEOUT;
		a->value = run->seconds;
	} else if (status) {
		a->end = WIFSIGNALED(r->status) ? TRIAL_CRASH : TRIAL_FAILED;
	} else {
		ret = tune_plans_acted(&lab->plans, lab->space, ask->x, err);
		if (!ret)
			ret = lab_judge(lab, ask, environment, run, a, err);
	}
	if (!ret && a->end != TRIAL_OK)
		lab_note(lab, ask->x, a->end, status);
	return ret;
}

static struct lab_limits lab_limits(const struct tune_lab *lab, const struct tuner_ask *ask)
{
	bool cut = ask->most > 0 && !lab->o->figure && lab->o->objective == TUNE_TIME;
	struct lab_limits l = {.soft = cut ? (uint64_t)(ask->most * 1e9) + 20000000u : 0};
	uint64_t hard = lab->o->timeout_s * 1000000000u;

	l.least = l.soft && (!hard || l.soft < hard) ? l.soft : hard;
	return l;
}

static int lab_trial(struct tune_lab *lab, const struct tuner_ask *ask, struct tuner_answer *a,
		     struct err *err)
{
	const struct lab_limits limits = lab_limits(lab, ask);
	struct environment environment = VEC_INIT;
	struct lab_argv argv = VEC_INIT;
	struct child_result r = {0};
	struct figure_run run;
	bool built;
	int ret = lab_build(lab, ask->x, &built, err);

	if (ret)
		return ret;
	if (!built) {
		a->end = TRIAL_FAILED;
		lab_note(lab, ask->x, a->end, -1);
		return 0;
	}
	ret = tune_templates(lab->o, lab->space, ask->x, err);
	if (!ret)
		ret = tune_plans_begin(&lab->plans, ask->x, err);
	lab_words(lab, ask->x, &argv);
	tune_lab_environment(lab, ask->x, &environment);
	if (!ret && (ftruncate(lab->out, 0) || lseek(lab->out, 0, SEEK_SET)))
		ret = err_set(err, -errno, "cannot keep the output of the program: %s", strerror(errno));
	if (!ret) {
		struct child_spec spec = lab_spec(lab->path[0] ? lab->path : argv.at[0], argv.at,
						  environment.at, limits.least);

		spec.in = lab->null;
		spec.out = lab->out;
		ret = lab_measure(lab, &spec, &r, &run, err);
		tune_plans_end(&lab->plans, ask->x);
	}
	lab->runs++;
	lab->total_ns += r.wall_ns;
	if (!ret)
		ret = lab_ended(lab, ask, &limits, &r, &run, environment.at, a, err);
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
	struct tuner_answer a = {.end = TRIAL_OK};
	int ret;

	if (lab->output[0] || lab->o->ignore_output || lab->o->figure ||
	    space_equal(lab->space, &first, ask->x))
		return 0;
	ret = lab_trial(lab, &again, &a, err);
	if (!ret && a.end != TRIAL_OK)
		ret = err_set(err, -EINVAL, "the default setting is refused now (%s)", trial_ends[a.end]);
	return ret;
}

int tune_trial(void *arg, const struct tuner_ask *ask, struct tuner_answer *a, struct err *err)
{
	int ret = lab_reference(arg, ask, err);

	return ret ? ret : lab_trial(arg, ask, a, err);
}
