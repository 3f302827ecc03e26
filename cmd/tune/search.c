/* SPDX-License-Identifier: MIT */
/* A search from its first run to what is said and written of it. */
#include <unistd.h>

#include "cmd/tune/page.h"
#include "cmd/tune/tune.h"
#include "lib/fs.h"

/* All that the questions and answers of a search depend on. */
void tune_key(const struct tune_opts *o, const struct space *space, char hex[SHA256_HEX])
{
	struct strbuf all = STRBUF_INIT;
	struct sha256 sha;
	char of_space[SHA256_HEX];

	space_hash(space, of_space);
	strbuf_printf(&all, "%s %lu %lu %g %g %g %lu %lu %d %d", of_space, (unsigned long)o->trials,
		      (unsigned long)o->seed, o->drop, o->worth, o->slow, (unsigned long)o->confirm,
		      (unsigned long)o->timeout_s, o->more, o->ignore_output);
	strbuf_printf(&all, " figure %s check %s", o->figure ? o->figure : "", o->check ? o->check : "");
	strbuf_printf(&all, " objective %d trade %s build %s plans %s", o->objective,
		      o->trade ? o->trade : "", o->build ? o->build : "", o->plans ? o->plans : "");
	for (size_t i = 0; i < o->limits.n; i++)
		strbuf_printf(&all, " require %s %d %d %.17g", o->limits.at[i].name, o->limits.at[i].least,
			      o->limits.at[i].strict, o->limits.at[i].than);
	for (size_t i = 0; i < o->templates.n; i++)
		strbuf_printf(&all, " template %s", o->templates.at[i]);
	for (char **word = o->args; *word; word++)
		strbuf_printf(&all, " word %s", *word);
	sha256_init(&sha);
	sha256_add(&sha, all.s, all.len);
	sha256_hex(&sha, hex);
	strbuf_release(&all);
}

static int tune_write(const char *path, void (*form)(const struct tune_finding *, struct strbuf *),
		      const struct tune_finding *f, struct err *err)
{
	struct strbuf out = STRBUF_INIT;
	int ret = 0;

	if (path) {
		form(f, &out);
		ret = fs_write(path, out.s, out.len, err);
	}
	strbuf_release(&out);
	return ret;
}

/* --prove, of a winner that gains; an exit status, 0 also if it has nothing to do. */
static int tune_proof(struct tune_lab *lab, struct tune_finding *f, struct err *err)
{
	if (!f->o->prove || !f->judged || !f->v.gain)
		return 0;
	f->proven = true;
	return tune_prove(lab, f, &f->proof, err);
}

/* Print and write; the exit status. */
static int tune_show(const struct cmd *cmd, const struct tune_finding *f, struct strbuf *out, struct err *err)
{
	const struct tune_opts *o = f->o;
	struct strbuf json = STRBUF_INIT;
	int ret = tune_write(o->settings, tune_settings, f, err);

	if (!ret)
		ret = tune_write(o->environment, tune_environment, f, err);
	if (!ret)
		ret = tune_write(o->header, tune_header, f, err);
	if (!ret)
		ret = tune_templates(o, f->space, tune_choice(f), err);
	tune_text(f, out);
	if (o->json)
		tune_json(f, &json);
	cmd_put(stdout, o->json ? json.s : out->s);
	strbuf_release(&json);
	if (ret)
		return cmd_fail(cmd, err, cmd_write_status(err));
	return f->judged && !f->v.gain ? CMD_INCONCLUSIVE : CMD_OK;
}

/* Search, and race the winner afresh; 0 or a negative errno with advice. */
static int tune_find(struct tune_finding *f, struct tuner *s, struct tune_lab *lab, struct err *err)
{
	int ret = tuner_run(s, err);

	f->judged = !ret && s->winner != 0;
	if (f->judged)
		ret = tuner_verdict(s, f->o->confirm, &f->v, err);
	if (isatty(STDERR_FILENO))
		cmd_again(stderr);
	if (ret && lab->received && f->o->log)
		err_advise(err, "the same command with --resume goes on");
	if (ret && s->end == TUNER_BROKEN && lab->why.len)
		err_advise(err, "%.*s", (int)lab->why.len - 1, lab->why.s);
	return ret;
}

/* Show, write, prove what was found; an exit status. */
static int tune_conclude(const struct cmd *cmd, struct tune_finding *f, struct tune_lab *lab,
			 struct strbuf *said)
{
	struct err err = ERR_INIT;
	int status = tune_show(cmd, f, said, &err);

	if (status != CMD_OK)
		return status;
	if (tune_proof(lab, f, &err))
		return cmd_fail(cmd, &err, cmd_status(&err));
	return f->proof ? CMD_INCONCLUSIVE : CMD_OK;
}

int tune_search(const struct cmd *cmd, const struct tune_opts *o, const struct space *space,
		struct tune_lab *lab, struct log *log)
{
	struct tune_watch watch = {.measure = log_measure, .arg = log};
	struct tuner_options options = {.seed = o->seed,
					.trials = o->trials,
					.drop = o->drop / 100,
					.worth = o->worth,
					.slow = o->trade ? 0 : o->slow,
					.trade = o->trade != NULL,
					.measure = tune_watch_measure,
					.arg = &watch};
	struct tune_finding f = {.o = o, .space = space, .lab = lab};
	struct strbuf said = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct tuner s;
	int ret, status;

	lab->joules = tune_needs_joules(o);
	lab->planned = o->trials + 2 * o->confirm;
	if (tune_watch_begin(&watch, o, space, &err)) {
		tune_watch_end(&watch, NULL, NULL);
		return cmd_fail(cmd, &err, cmd_write_status(&err));
	}
	tuner_init(&s, space, &options);
	f.s = &s;
	ret = tune_find(&f, &s, lab, &err);
	if (ret) {
		status = lab->received ? 128 + lab->received : cmd_status(&err);
		cmd_fail(cmd, &err, status);
	} else {
		status = tune_conclude(cmd, &f, lab, &said);
	}
	err = (struct err)ERR_INIT;
	if (tune_watch_end(&watch, ret ? NULL : said.s, &err))
		status = cmd_fail(cmd, &err, cmd_write_status(&err));
	strbuf_release(&said);
	tuner_release(&s);
	return status;
}
