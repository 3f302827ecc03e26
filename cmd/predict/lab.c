/* SPDX-License-Identifier: MIT */
/* A task is run small: files are made, its words are filled in, what it says is read. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cmd/predict/predict.h"
#include "lib/spawn/capture.h"
#include "lib/spawn/child.h"
#include "lib/spawn/environment.h"
#include "lib/spawn/target.h"
#include "lib/spawn/words.h"

#define OUTPUT_MOST ((size_t)64 << 20)

int predict_lab_open(struct predict_lab *lab, const struct predict_opts *o, const struct task *t,
		     struct err *err)
{
	struct target target;
	int ret = target_locate(&target, o->args[0], err);

	*lab = (struct predict_lab){.o = o, .task = t, .sizes = o->target.n, .null = -1, .out = -1};
	if (ret)
		return ret;
	strcpy(lab->path, target.path);
	lab->instructions = t->count && !strcmp(t->count, "instructions");
	if (lab->instructions)
		ret = train_counters_choose(&lab->counters, "instructions", err);
	if (ret) {
		err_prefix(err, "--counted");
		return err->code = -ENOTSUP;
	}
	lab->null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	lab->out = memfd_create("output", MFD_CLOEXEC);
	if (lab->null < 0 || lab->out < 0)
		return err_set(err, -errno, "cannot keep the output of the task: %s", strerror(errno));
	return 0;
}

void predict_lab_close(struct predict_lab *lab)
{
	if (lab->null >= 0)
		close(lab->null);
	if (lab->out >= 0)
		close(lab->out);
}

/* The parameters that words may name. */
struct filling {
	const struct predict_lab *lab;
	const double *x;
};

static bool filling_value(void *arg, const char *name, size_t len, struct strbuf *out)
{
	const struct filling *f = arg;

	for (size_t j = 0; j < f->lab->sizes; j++)
		if (strlen(f->lab->task->name[j]) == len && !strncmp(f->lab->task->name[j], name, len)) {
			strbuf_printf(out, "%.15g", f->x[j]);
			return true;
		}
	return false;
}

static char *filled(const struct predict_lab *lab, const double *x, const char *word)
{
	struct filling f = {lab, x};
	struct strbuf out = STRBUF_INIT;

	words_fill(word, filling_value, &f, &out);
	return out.s ? strbuf_detach(&out) : mem_strdup("");
}

static int lab_output(const struct predict_lab *lab, struct strbuf *text, struct err *err)
{
	int ret = capture_read(lab->out, OUTPUT_MOST, text);

	strbuf_puts(text, "");
	return ret ? err_set(err, ret, "cannot read the output of the task: %s", strerror(-ret)) : 0;
}

/* Run @argv at @x, output into lab->out. */
static int lab_run(struct predict_lab *lab, const char *path, char *const *argv, const double *x,
		   struct child_result *r, struct err *err)
{
	struct environment environment = VEC_INIT;
	struct child_spec spec = {
		.path = path,
		.argv = argv,
		.in = lab->null,
		.out = lab->out,
		.error = -1,
		.limit_ns = lab->o->timeout_s * 1000000000u,
		.group = true,
	};
	int ret = 0;

	if (ftruncate(lab->out, 0) || lseek(lab->out, 0, SEEK_SET))
		return err_set(err, -errno, "cannot keep the output of the task: %s", strerror(errno));
	for (size_t j = 0; j < lab->sizes; j++)
		environment_set(&environment, "PERSEUS_PREDICT_%s=%.15g", lab->task->name[j], x[j]);
	vec_push(&environment, NULL);
	spec.environment = environment.at;
	ret = child_run(&spec, r, err);
	if (!ret && r->received) {
		lab->received = r->received;
		ret = err_set(err, -EINTR, "stopped by a signal");
	}
	environment_release(&environment);
	return ret;
}

/* sh -c @command; @option says whose it is. */
static int lab_shell(struct predict_lab *lab, const char *option, const char *command, const double *x,
		     struct child_result *r, struct err *err)
{
	char *words[] = {(char[]){"sh"}, (char[]){"-c"}, filled(lab, x, command), NULL};
	int ret = lab_run(lab, "/bin/sh", words, x, r, err), status = child_exit_status(r->status);

	free(words[2]);
	if (!ret && status)
		ret = err_set(err, -EINVAL, "the command of %s ended with status %d", option, status);
	return ret;
}

int predict_features(struct predict_lab *lab, double *x, struct err *err)
{
	const char *colon = lab->o->features ? strchr(lab->o->features, ':') : NULL;
	struct strbuf text = STRBUF_INIT;
	struct child_result r = {0};
	int ret = 0;

	if (!colon)
		return 0;
	ret = lab_shell(lab, "--features", colon + 1, x, &r, err);
	if (!ret)
		ret = lab_output(lab, &text, err);
	for (size_t j = lab->sizes; !ret && j < lab->task->params; j++) {
		x[j] = words_figure(text.s, lab->task->name[j]);
		if (!(x[j] >= 1) || !isfinite(x[j]))
			ret = err_set(err, -EINVAL,
				      "the command of --features prints no line '%s VALUE' with a value of 1 "
				      "or more",
				      lab->task->name[j]);
	}
	strbuf_release(&text);
	return ret;
}

/* What the task printed: figure, count, what is watched. */
static void lab_read(const struct predict_lab *lab, const char *text, struct probe *p)
{
	const struct task *t = lab->task;

	if (t->figure)
		p->figure = words_figure(text, t->figure);
	if (t->count && !lab->instructions)
		p->count = words_figure(text, t->count);
	if (!(p->figure > 0) || !isfinite(p->figure) ||
	    (t->count && (!(p->count > 0) || !isfinite(p->count)))) {
		p->end = PROBE_SILENT;
		p->figure = p->count = 0;
	}
	for (size_t k = 0; k < t->watches; k++) {
		p->watch[k] = words_figure(text, t->watch[k].name);
		if (!isfinite(p->watch[k]))
			p->end = PROBE_SILENT;
	}
}

static int lab_task(struct predict_lab *lab, const double *x, struct child_result *r, double *count,
		    struct err *err)
{
	struct VEC(char *) argv = VEC_INIT;
	struct train_counts counts = {{0}, 0, 0};
	int ret = 0;

	for (char **word = lab->o->args; *word; word++)
		vec_push(&argv, filled(lab, x, *word));
	vec_push(&argv, NULL);
	if (lab->instructions && (ret = train_counters_open(&lab->counters)))
		err_set(err, ret, "instructions are not counted any more");
	if (!ret)
		ret = lab_run(lab, lab->path, argv.at, x, r, err);
	if (lab->instructions)
		train_counters_close(&lab->counters, &counts);
	*count = counts.count[0];
	for (size_t i = 0; i < argv.n; i++)
		free(argv.at[i]);
	vec_release(&argv);
	return ret;
}

int predict_probe(struct predict_lab *lab, struct probe *p, struct err *err)
{
	uint64_t limit = lab->o->timeout_s * 1000000000u;
	struct strbuf text = STRBUF_INIT;
	struct child_result r = {0};
	int ret = lab->o->reduce ? lab_shell(lab, "--reduce", lab->o->reduce, p->x, &r, err) : 0;
	double before = (double)r.wall_ns * 1e-9;

	if (!ret)
		ret = predict_features(lab, p->x, err);
	r = (struct child_result){0};
	if (!ret)
		ret = lab_task(lab, p->x, &r, &p->count, err);
	if (ret)
		return ret;
	p->status = child_exit_status(r.status);
	p->seconds = before + (double)r.wall_ns * 1e-9;
	p->figure = (double)(lab->o->cpu ? r.user_ns + r.system_ns : r.wall_ns) * 1e-9;
	p->end = PROBE_OK;
	if (limit && r.wall_ns >= limit && p->status == 128 + 9)
		p->end = PROBE_TIMEOUT;
	else if (p->status)
		p->end = PROBE_FAILED;
	if (p->end == PROBE_OK)
		ret = lab_output(lab, &text, err);
	if (!ret && p->end == PROBE_OK)
		lab_read(lab, text.s, p);
	strbuf_release(&text);
	return ret;
}

void predict_failure(const struct task *t, const struct probe *p, const struct predict_opts *o,
		     struct err *err)
{
	struct strbuf at = STRBUF_INIT;

	for (size_t j = 0; j < t->params; j++)
		strbuf_printf(&at, "%s%s=%.6g", j ? ", " : "", t->name[j], p->x[j]);
	if (p->end == PROBE_TIMEOUT)
		err_set(err, -EINVAL, "the probe at %s did not end in %lu s", at.s,
			(unsigned long)o->timeout_s);
	else if (p->end == PROBE_FAILED)
		err_set(err, -EINVAL, "the probe at %s failed (status %d)", at.s, p->status);
	else
		err_set(err, -EINVAL, "the probe at %s did not print all figures that are asked for", at.s);
	if (p->end == PROBE_SILENT)
		err_advise(err, "each is a line 'NAME VALUE'; %s%s%s has to be above 0",
			   t->figure ? t->figure : "", t->figure && t->count ? " and " : "",
			   t->count ? t->count : "");
	strbuf_release(&at);
}
