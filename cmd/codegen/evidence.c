/* SPDX-License-Identifier: MIT */
#include "cmd/base/option.h"
#include "cmd/codegen/evidence.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/fs.h"
#include "lib/spawn/part.h"
#include "yaml/model.h"
#include "yaml/platform.h"

#define TEXT_BYTES ((size_t)64 << 20)
#define NAMED      20 /* untraced items that are named one by one */

/* The same words but for slashes at the end; other spellings of one folder are found when it is written. */
static bool same_folder(const char *a, const char *b)
{
	size_t n = strlen(a), m = strlen(b);

	while (n > 1 && a[n - 1] == '/')
		n--;
	while (m > 1 && b[m - 1] == '/')
		m--;
	return n == m && !memcmp(a, b, n);
}

int codegen_evidence_check(const struct codegen_evidence *e, const char *dir, const struct cmd *cmd)
{
	if (e->dir && !*e->dir)
		return cmd_usage(cmd, "--evidence needs the name of a folder");
	if (e->dir && same_folder(e->dir, dir))
		return cmd_usage(cmd, "--evidence and -o name the same folder '%s'", dir);
	if (!e->dir && (e->requirements || e->previous || e->binary || e->objects.n || e->cc))
		return cmd_usage(
			cmd, "--requirements, --previous, --binary, --objects and --cc need --evidence=DIR");
	if (!e->dir && (e->platform || e->models.n || e->attached.n))
		return cmd_usage(cmd, "--platform, --model and --attach need --evidence=DIR");
	if (e->models.n && !e->platform)
		return cmd_usage(cmd, "--model needs --platform=FILE: figures are of a model on a platform");
	if (e->cc && !e->binary)
		return cmd_usage(cmd, "--cc needs --binary=FILE: the program to compare with");
	return CMD_OK;
}

/* ---- reading ---- */

static int read_source(struct evidence_source *s, struct strbuf *text, const char *path, size_t max,
		       struct err *err)
{
	int ret = fs_read(path, max, text, err);

	*s = (struct evidence_source){path, text->s, text->len};
	return ret;
}

/* The plan's own bytes; they must still be those that the generated files were made from. */
static int read_plan(struct codegen_evidence *e, const char *path, const struct codegen_input *in,
		     struct err *err)
{
	char hex[SHA256_HEX];
	int ret = read_source(&e->in.plan_file, &e->plan_text, path, TEXT_BYTES, err);

	if (ret)
		return ret;
	sha256_of(e->plan_text.s, e->plan_text.len, hex);
	if (strcmp(hex, in->sha256))
		return err_set(err, -EINVAL, "'%s' has changed while it was read", path);
	return 0;
}

static int read_previous(struct codegen_evidence *e, struct err *err)
{
	int ret = read_source(&e->in.previous_file, &e->previous_text, e->previous, TEXT_BYTES, err);

	if (!ret)
		ret = plan_parse(&e->previous_plan, e->previous_text.s, e->previous_text.len, e->previous,
				 err);
	if (!ret)
		e->in.previous = &e->previous_plan;
	return ret;
}

/* Files of one kind; @text gets one buffer for each. */
static int read_files(struct codegen_sources *sources, struct strbuf **text,
		      const struct option_values *paths, struct err *err)
{
	int ret = 0;

	*text = mem_new(paths->n + 1, sizeof(**text));
	for (size_t i = 0; !ret && i < paths->n; i++)
		ret = read_source(vec_add(sources), &(*text)[i], paths->at[i], TEXT_BYTES, err);
	return ret;
}

/*
 * In the form that the plan's hashes are of, and that the checker reads: @name is
 * loaded and saved again, as a platform or as a model.
 */
static int read_canonical(struct evidence_source *s, struct strbuf *text, const char *name, bool is_model,
			  struct err *err)
{
	char path[] = "/tmp/perseus-evidence-XXXXXX";
	struct platform platform = {0};
	struct model model = {0};
	int fd = mkstemp(path), ret;

	if (fd < 0)
		return err_set(err, -errno, "cannot make a file in /tmp: %s", strerror(errno));
	close(fd);
	ret = is_model ? model_load(&model, name, err) : platform_find(&platform, name, err);
	if (!ret)
		ret = is_model ? model_save(&model, path, err) : platform_save(&platform, path, err);
	if (!ret)
		ret = fs_read(path, TEXT_BYTES, text, err);
	unlink(path);
	model_release(&model);
	platform_release(&platform);
	*s = (struct evidence_source){name, text->s, text->len};
	return ret;
}

/* Does a line begin with @key, and go on with @value if that is not NULL? */
static bool has_key(const struct strbuf *text, const char *key, const char *value)
{
	for (const char *at = text->s; at && (at = strstr(at, key)); at++) {
		const char *line = at, *behind = at + strlen(key);

		while (line > text->s && strchr(" \t", line[-1]))
			line--;
		if ((line == text->s || line[-1] == '\n') &&
		    (!value || !strncmp(behind + strspn(behind, " "), value, strlen(value))))
			return true;
	}
	return false;
}

/* A manifest of record --try, or what try says: that program does not fly. */
static int refuse_trial(const struct strbuf *text, const char *path, struct err *err)
{
	if (!has_key(text, "trial:", NULL) && !has_key(text, "\"trial\":", "true") &&
	    !has_key(text, "\"trial\":", "\""))
		return 0;
	err_set(err, -EINVAL,
		"'%s' is of a trial: a plan that acted by probes is no evidence for a flight build", path);
	return err_advise(err, "attach what was recorded or measured of the rebuilt program");
}

/* What the plan was made from, and what else is to be kept. */
static int read_origin(struct codegen_evidence *e, struct err *err)
{
	int ret = 0;

	if (e->platform)
		ret = read_canonical(&e->in.platform, &e->platform_text, e->platform, false, err);
	e->model_text = mem_new(e->models.n + 1, sizeof(*e->model_text));
	for (size_t i = 0; !ret && i < e->models.n; i++)
		ret = read_canonical(vec_add(&e->model_sources), &e->model_text[i], e->models.at[i], true,
				     err);
	if (!ret)
		ret = read_files(&e->attached_sources, &e->attached_text, &e->attached, err);
	for (size_t i = 0; !ret && i < e->attached.n; i++)
		ret = refuse_trial(&e->attached_text[i], e->attached.at[i], err);
	e->in.models = e->model_sources.at;
	e->in.n_models = e->model_sources.n;
	e->in.attached = e->attached_sources.at;
	e->in.n_attached = e->attached_sources.n;
	return ret;
}

static int read_built(struct codegen_evidence *e, struct err *err)
{
	int ret = e->binary ? read_source(&e->in.binary, &e->binary_text, e->binary, 0, err) : 0;

	e->object_text = mem_new(e->objects.n + 1, sizeof(*e->object_text));
	for (size_t i = 0; !ret && i < e->objects.n; i++)
		ret = read_source(vec_add(&e->object_sources), &e->object_text[i], e->objects.at[i], 0, err);
	e->in.objects = e->object_sources.at;
	e->in.n_objects = e->object_sources.n;
	return ret;
}

static void take_generated(struct codegen_evidence *e, const struct codegen_output *out)
{
	for (int i = 0; i < CODEGEN_FILES; i++) {
		const char *name = codegen_file_name(out->backend, (enum codegen_file)i);
		struct evidence_source s = {name, out->file[i].s, out->file[i].len};

		if (s.len)
			vec_push(&e->generated, s);
	}
	e->in.generated = e->generated.at;
	e->in.n_generated = e->generated.n;
}

static int evidence_read_all(struct codegen_evidence *e, const char *plan, const struct codegen_input *in,
			     const struct codegen_output *out, struct err *err)
{
	int ret = read_plan(e, plan, in, err);

	e->in.plan = in->plan;
	e->in.version = PERSEUS_VERSION;
	e->in.cc = e->cc;
	if (!part_find("verify", e->verify, sizeof(e->verify), NULL))
		e->in.verify = e->verify;
	if (!part_find("source-check", e->source_check, sizeof(e->source_check), NULL))
		e->in.source_check = e->source_check;
	if (!part_find("plan-check", e->plan_check, sizeof(e->plan_check), NULL))
		e->in.plan_check = e->plan_check;
	if (!part_find("plugin", e->plugin, sizeof(e->plugin), NULL))
		e->in.plugin = e->plugin;
	e->in.self = "/proc/self/exe";
	take_generated(e, out);
	if (!ret)
		ret = read_origin(e, err);
	if (!ret && e->requirements)
		ret = read_source(&e->in.requirements, &e->requirements_text, e->requirements, TEXT_BYTES,
				  err);
	if (!ret && e->previous)
		ret = read_previous(e, err);
	return ret ? ret : read_built(e, err);
}

/* ---- making ---- */

static int say_untraced(const struct codegen_evidence *e, const struct cmd *cmd)
{
	const struct evidence_words *w = &e->pack.untraced;

	cmd_say(stderr, "perseus %s: the trace is not complete: nothing was written\n", cmd->name);
	for (size_t i = 0; i < w->n && i < NAMED; i++)
		cmd_say(stderr, "  %s\n", w->at[i]);
	if (w->n > NAMED)
		cmd_say(stderr, "  and %zu more\n", w->n - NAMED);
	if (e->requirements)
		cmd_say(stderr, "  add rows `requirement,item,text` to %s\n", e->requirements);
	return CMD_FINDINGS;
}

/* Provers take half a minute: whoever waits sees for what. */
static void progress(void *ctx, const char *gates, size_t n, size_t of)
{
	(void)ctx;
	cmd_again(stderr);
	cmd_say(stderr, "evidence %zu of %zu: %s", n, of, gates);
}

static int make_pack(struct codegen_evidence *e, struct err *err)
{
	bool terminal = isatty(STDERR_FILENO);
	int ret;

	e->in.progress = terminal ? progress : NULL;
	ret = evidence_make(&e->pack, err);
	if (terminal)
		cmd_again(stderr);
	return ret;
}

int codegen_evidence_make(struct codegen_evidence *e, const struct cmd *cmd, const char *plan,
			  const struct codegen_input *in, const struct codegen_output *out)
{
	struct err err = ERR_INIT;

	if (!e->dir)
		return CMD_OK;
	if (evidence_store_check(e->dir, &err))
		return cmd_fail(cmd, &err, CMD_MACHINE);
	if (evidence_read_all(e, plan, in, out, &err) || evidence_read(&e->pack, &e->in, &err))
		return cmd_fail(cmd, &err, cmd_status(&err));
	if (!evidence_traced(&e->pack))
		return say_untraced(e, cmd);
	if (make_pack(e, &err))
		return cmd_fail(cmd, &err, cmd_write_status(&err));
	return CMD_OK;
}

/* ---- writing ---- */

static void say_gates(const struct codegen_evidence *e)
{
	const struct evidence *p = &e->pack;

	cmd_print("evidence  %zu gates passed, %zu partial, %zu failed, %zu not run; %zu files in %s\n",
		  evidence_count(p, EVIDENCE_PASSED), evidence_count(p, EVIDENCE_PARTIAL),
		  evidence_count(p, EVIDENCE_FAILED), evidence_count(p, EVIDENCE_NOT_RUN), p->files.n + 2,
		  e->dir);
	for (size_t i = 0; i < p->gates.n; i++)
		if (p->gates.at[i].verdict != EVIDENCE_PASSED)
			cmd_print("          %s: %s: %s\n", evidence_verdict_name(p->gates.at[i].verdict),
				  p->gates.at[i].name, p->gates.at[i].detail);
}

static void say_trace(const struct codegen_evidence *e)
{
	size_t sets = 0;

	for (size_t i = 0; i < e->pack.items.n; i++)
		sets += e->pack.items.at[i].sets;
	cmd_print("trace     %zu of %zu setting%s to generated lines", sets, sets, sets == 1 ? "" : "s");
	if (e->pack.requirements.n)
		cmd_print(", requirements (%zu)", e->pack.requirements.n);
	cmd_print("%s\n", e->pack.objects.n ? ", addresses" : "");
	if (!e->pack.requirements.n)
		cmd_print("          no requirements were given: --requirements=FILE\n");
	if (!e->pack.objects.n)
		cmd_print("          no built file was given: --binary=FILE, --objects=FILE\n");
}

int codegen_evidence_store(struct codegen_evidence *e, const struct cmd *cmd)
{
	struct err err = ERR_INIT;

	if (!e->dir)
		return CMD_OK;
	if (evidence_store(&e->pack, e->dir, &err))
		return cmd_fail(cmd, &err, CMD_MACHINE);
	say_trace(e);
	say_gates(e);
	return evidence_count(&e->pack, EVIDENCE_FAILED) ? CMD_FINDINGS : CMD_OK;
}

void codegen_evidence_release(struct codegen_evidence *e)
{
	evidence_release(&e->pack);
	plan_release(&e->previous_plan);
	for (size_t i = 0; e->object_text && i < e->objects.n; i++)
		strbuf_release(&e->object_text[i]);
	free(e->object_text);
	for (size_t i = 0; e->model_text && i < e->models.n; i++)
		strbuf_release(&e->model_text[i]);
	for (size_t i = 0; e->attached_text && i < e->attached.n; i++)
		strbuf_release(&e->attached_text[i]);
	free(e->model_text);
	free(e->attached_text);
	strbuf_release(&e->platform_text);
	vec_release(&e->models);
	vec_release(&e->attached);
	vec_release(&e->model_sources);
	vec_release(&e->attached_sources);
	strbuf_release(&e->plan_text);
	strbuf_release(&e->requirements_text);
	strbuf_release(&e->previous_text);
	strbuf_release(&e->binary_text);
	vec_release(&e->objects);
	vec_release(&e->generated);
	vec_release(&e->object_sources);
}
