/* SPDX-License-Identifier: MIT */
/* Default and winner as two programs, for perseus prove: what anybody can run again. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/tune/tune.h"
#include "lib/fs.h"
#include "lib/spawn/child.h"
#include "lib/spawn/environment.h"

/* "export NAME='VALUE'" of all that a run of @x finds. */
static void put_environment(const struct tune_lab *lab, const struct setting *x, struct strbuf *out)
{
	struct environment e = VEC_INIT;

	tune_lab_environment(lab, x, &e);
	for (char **at = e.at; *at; at++) {
		const char *value = strchr(*at, '=') + 1;

		/* Where a plan puts its counts is gone by then. */
		if (!strncmp(*at, PRS_ENV_TRIAL_STATUS "=", sizeof(PRS_ENV_TRIAL_STATUS)))
			continue;
		strbuf_printf(out, "%.*s", (int)(value - *at), *at);
		strbuf_word(out, value);
		strbuf_printf(out, "\nexport %.*s\n", (int)(value - *at) - 1, *at);
	}
	environment_release(&e);
}

/* Files of templates lie beside the script and are copied to their places. */
static int put_templates(const struct tune_lab *lab, const char *path, struct strbuf *out, struct err *err)
{
	int ret = 0;

	for (size_t i = 0; i < lab->o->templates.n && !ret; i++) {
		const char *to = strchr(lab->o->templates.at[i], ':') + 1;
		struct strbuf text = STRBUF_INIT;
		char copy[PATH_MAX];

		snprintf(copy, sizeof(copy), "%.*s.%zu", PATH_MAX - 32, path, i);
		ret = fs_read(to, 0, &text, err);
		if (!ret)
			ret = fs_write(copy, text.s ? text.s : "", text.len, err);
		strbuf_puts(out, "cp ");
		strbuf_word(out, copy);
		strbuf_puts(out, " ");
		strbuf_word(out, to);
		strbuf_puts(out, "\n");
		strbuf_release(&text);
	}
	return ret;
}

static int write_program(struct tune_lab *lab, const struct setting *x, const char *path, struct err *err)
{
	struct strbuf out = STRBUF_INIT;
	int ret = tune_templates(lab->o, lab->space, x, err);

	strbuf_puts(&out, "#!/bin/sh\n# ");
	space_words(lab->space, x, &out);
	strbuf_puts(&out, "\n");
	if (!ret)
		ret = put_templates(lab, path, &out, err);
	if (!ret)
		ret = tune_lab_build(lab, x, err);
	put_environment(lab, x, &out);
	strbuf_puts(&out, "exec");
	for (char **word = lab->o->args; *word; word++) {
		struct strbuf filled = STRBUF_INIT;

		tune_lab_fill(lab, x, *word, &filled);
		strbuf_puts(&out, " ");
		strbuf_word(&out, word == lab->o->args && lab->path[0] ? lab->path
				  : filled.s                           ? filled.s
								       : "");
		strbuf_release(&filled);
	}
	strbuf_puts(&out, "\n");
	if (!ret)
		ret = fs_write(path, out.s, out.len, err);
	if (!ret && chmod(path, 0755))
		ret = err_set(err, -errno, "cannot make '%s' a program: %s", path, strerror(errno));
	strbuf_release(&out);
	return ret;
}

static int run_prove(const struct tune_opts *o, const char *a, const char *b, const char *json, int *status,
		     struct err *err)
{
	char pairs[32];
	char *argv[8] = {(char *)"perseus", (char *)"prove", pairs};
	struct child_spec spec = {.path = "/proc/self/exe", .argv = argv, .in = -1, .out = -1, .error = -1};
	struct child_result r = {0};
	size_t n = 3;
	int ret;

	snprintf(pairs, sizeof(pairs), "--pairs=%lu", (unsigned long)o->confirm);
	if (o->ignore_output)
		argv[n++] = (char *)"--ignore-output";
	if (o->json) {
		argv[n++] = (char *)"--json";
		spec.out = open(json, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
		if (spec.out < 0)
			return err_set(err, -errno, "cannot write '%s': %s", json, strerror(errno));
	}
	argv[n++] = (char *)a;
	argv[n++] = (char *)b;
	fflush(NULL);
	ret = child_run(&spec, &r, err);
	if (spec.out >= 0)
		close(spec.out);
	*status = child_exit_status(r.status);
	return ret;
}

int tune_prove(struct tune_lab *lab, const struct tune_finding *f, int *status, struct err *err)
{
	const struct setting first = space_default(lab->space);
	const char *dir = lab->o->prove;
	char a[PATH_MAX], b[PATH_MAX], json[PATH_MAX], real[PATH_MAX];
	int ret = fs_mkdirs(dir, err);

	*status = 0;
	if (!ret && !realpath(dir, real))
		ret = err_set(err, -errno, "'%s': %s", dir, strerror(errno));
	if (ret)
		return ret;
	snprintf(a, sizeof(a), "%.*s/default", PATH_MAX - 32, real);
	snprintf(b, sizeof(b), "%.*s/best", PATH_MAX - 32, real);
	snprintf(json, sizeof(json), "%.*s/prove.json", PATH_MAX - 32, real);
	ret = write_program(lab, &first, a, err);
	if (!ret)
		ret = write_program(lab, tune_choice(f), b, err);
	return ret ? ret : run_prove(lab->o, a, b, json, status, err);
}
