/* SPDX-License-Identifier: MIT */
#include "cmd/gate/baseline.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cmd/base/cmd.h"
#include "cmd/prove/prove.h"
#include "lib/compare/groups.h"
#include "lib/fs.h"
#include "lib/json.h"
#include "lib/mem.h"
#include "lib/num.h"
#include "lib/read/json-read.h"
#include "lib/stats.h"

#define BASELINE_MAX (16u << 20) /* bytes */
#define KIND         "perseus gate baseline"
#define BETWEEN      0.05 /* that the medians of two sessions may be apart, until there are enough to see */

/* One side, a fixed number of times. */
static int baseline_measure(struct trial *t, struct gate_finding *f, const struct gate_opts *o,
			    struct err *err)
{
	int ret;

	*t = (struct trial){
		.n_sides = 1,
		.rounds = (unsigned)o->max_pairs / 2,
		.seed = o->seed,
		.compare = !o->ignore_output,
		.limit_ns = o->limit_s * 1000000000u,
		.vary_stack = true,
	};
	t->side[0] = (struct trial_side){.name = o->head, .argv = o->args};
	machine_read(&f->machine, "");
	f->limit = o->limit / 100.0;
	f->result.high = INFINITY;
	f->max_pairs = t->rounds;
	f->unpaired = true;
	ret = trial_run(t, err);
	if (ret)
		return ret;
	f->pairs = t->done;
	if (t->received) {
		strbuf_printf(&f->why, "stopped by a signal after %u of %u runs\n", t->done, t->rounds);
		return 0;
	}
	f->mismatch = prove_check_outputs("gate", o->json ? stderr : stdout, t, o->ignore_output);
	if (f->mismatch)
		return 0;
	f->foreign = t->foreign;
	f->stolen = t->stolen;
	f->pace = pace_spread(&t->pace);
	f->head_s = stats_median(t->side[0].seconds, t->done);
	gate_doubt(f, o);
	return 0;
}

/* ---- the file -------------------------------------------------------------- */

static const struct json_value *sessions_of(const struct json_value *v)
{
	const struct json_value *list = json_member(v, "sessions");

	return list && list->kind == JSON_ARRAY && list->n ? list : NULL;
}

/* -ENOENT: there is none. */
static int baseline_read_file(struct json_value *v, const char *path, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	int ret = fs_read(path, BASELINE_MAX, &text, err);

	if (ret)
		return ret;
	ret = json_read(v, text.s ? text.s : "", text.len, path, err);
	strbuf_release(&text);
	if (ret)
		return ret;
	if (strcmp(json_text_of(v, "kind", ""), KIND) != 0 || json_number_of(v, "schema", 0) != 1)
		ret = err_set(err, -EINVAL, "'%s' is no baseline, schema 1\n  --save-baseline writes one",
			      path);
	else if (!sessions_of(v))
		ret = err_set(err, -EINVAL, "'%s' has no session in it", path);
	if (ret)
		json_release(v);
	return ret;
}

/* The arguments as one text. */
static void join_args(char **args, struct strbuf *out)
{
	for (char **arg = args + 1; *arg; arg++) {
		strbuf_puts(out, arg > args + 1 ? " " : "");
		strbuf_word(out, *arg);
	}
	if (!out->len)
		strbuf_puts(out, "");
}

static int check_same(const struct json_value *v, const struct gate_opts *o, const char *path,
		      struct err *err)
{
	struct strbuf args = STRBUF_INIT;
	const char *was = json_text_of(v, "arguments", "");
	int ret = 0;

	join_args(o->args, &args);
	if (strcmp(was, args.s ? args.s : "") != 0)
		ret = err_set(err, -EINVAL, "'%s' was measured with the arguments '%s', these are '%s'", path,
			      was, args.s ? args.s : "");
	strbuf_release(&args);
	return ret;
}

static bool same_machine(const struct json_value *v, const struct machine *m)
{
	return !strcmp(json_text_of(v, "cpu", ""), m->cpu) && json_number_of(v, "cores", 0) == m->cores &&
	       !strcmp(json_text_of(v, "governor", ""), m->governor);
}

/* ---- saving ---------------------------------------------------------------- */

static void json_old_session(struct json *j, const struct json_value *s)
{
	const struct json_value *seconds = json_member(s, "seconds");

	json_object(j, NULL);
	json_string(j, "recorded", json_text_of(s, "recorded", NULL));
	json_double(j, "median_seconds", json_number_of(s, "median_seconds", NAN));
	json_double(j, "load_before", json_number_of(s, "load_before", NAN));
	json_double(j, "used_by_others", json_number_of(s, "used_by_others", NAN));
	json_array(j, "seconds");
	for (size_t i = 0; seconds && seconds->kind == JSON_ARRAY && i < seconds->n; i++)
		json_double(j, NULL, seconds->at[i].number);
	json_end(j);
	json_end(j);
}

static void json_new_session(struct json *j, const struct gate_finding *f, const struct trial *t)
{
	time_t now = time(NULL);
	char when[32] = "";
	struct tm tm;

	if (gmtime_r(&now, &tm))
		strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%SZ", &tm);
	json_object(j, NULL);
	json_string(j, "recorded", when);
	json_double(j, "median_seconds", f->head_s);
	json_double(j, "load_before", f->machine.load);
	json_double(j, "used_by_others", f->foreign);
	json_array(j, "seconds");
	for (unsigned i = 0; i < t->done; i++)
		json_double(j, NULL, t->side[0].seconds[i]);
	json_end(j);
	json_end(j);
}

/* @old: the file as it was, or NULL. */
static int write_file(const struct json_value *old, const struct gate_finding *f, const struct gate_opts *o,
		      const struct trial *t, struct err *err)
{
	const struct json_value *sessions = old ? sessions_of(old) : NULL;
	struct strbuf out = STRBUF_INIT, args = STRBUF_INIT;
	struct json j;
	int ret;

	join_args(o->args, &args);
	json_init(&j, &out);
	json_object(&j, NULL);
	json_u64(&j, "schema", 1);
	json_string(&j, "kind", KIND);
	json_string(&j, "program", fs_base_name(o->head));
	json_string(&j, "arguments", args.s ? args.s : "");
	json_string(&j, "output", o->ignore_output ? NULL : t->side[0].output);
	json_string(&j, "cpu", f->machine.cpu);
	json_u64(&j, "cores", f->machine.cores);
	json_string(&j, "governor", f->machine.governor);
	json_array(&j, "sessions");
	for (size_t i = 0; sessions && i < sessions->n; i++)
		json_old_session(&j, &sessions->at[i]);
	json_new_session(&j, f, t);
	json_end(&j);
	json_end(&j);
	strbuf_puts(&out, "\n");
	ret = fs_write(o->save, out.s, out.len, err);
	strbuf_release(&out);
	strbuf_release(&args);
	return ret;
}

/* A session beside others must be of the same thing. */
static int check_old(const struct json_value *old, const struct gate_finding *f, const struct gate_opts *o,
		     const struct trial *t, struct err *err)
{
	const char *output = json_text_of(old, "output", NULL);
	int ret = check_same(old, o, o->save, err);

	if (!ret && !same_machine(old, &f->machine))
		ret = err_set(err, -EINVAL, "'%s' is of another machine (%s, %.0f cores); name another file",
			      o->save, json_text_of(old, "cpu", "?"), json_number_of(old, "cores", 0));
	if (!ret && output && !o->ignore_output && strcmp(output, t->side[0].output) != 0)
		ret = err_set(err, -EINVAL, "'%s' is of a program that printed something else", o->save);
	return ret;
}

static int save_session(struct gate_finding *f, const struct gate_opts *o, struct strbuf *said,
			struct err *err)
{
	bool there = !access(o->save, F_OK);
	struct json_value old = {.kind = JSON_NULL};
	struct trial t = {.n_sides = 0};
	char buf[32];
	int ret = there ? baseline_read_file(&old, o->save, err) : 0;

	if (!ret)
		ret = baseline_measure(&t, f, o, err);
	if (!ret && !f->mismatch && !f->why.len) {
		ret = there ? check_old(&old, f, o, &t, err) : 0;
		if (!ret)
			ret = write_file(there ? &old : NULL, f, o, &t, err);
		strbuf_printf(said, "saved: %s, session %zu, %s takes %s (median of %u runs)\n", o->save,
			      (there && !ret ? sessions_of(&old)->n : 0) + 1, o->head,
			      num_time(buf, sizeof(buf), f->head_s), t.done);
	}
	trial_release(&t);
	json_release(&old);
	return ret;
}

/* ---- comparing ------------------------------------------------------------- */

/* The medians of the sessions against that of now. */
static void baseline_compare(struct gate_finding *f, const struct json_value *sessions)
{
	size_t n = sessions->n;
	double *v = mem_new(3 * n, sizeof(*v)), *sd = v + n, *sorted = v + 2 * n;
	double spread, now_sd, low, high;
	struct group a = {v, sd, n, 0}, b = {&f->head_s, &now_sd, 1, 0};
	struct group_difference d;

	for (size_t i = 0; i < n; i++)
		sorted[i] = v[i] = json_number_of(&sessions->at[i], "median_seconds", 0);
	f->base_s = stats_median(sorted, n);
	spread = n < GROUPS_SEEN ? BETWEEN * f->base_s : stats_sd(v, n);
	now_sd = spread;
	for (size_t i = 0; i < n; i++)
		sd[i] = spread;
	d = groups_compare(&a, &b, 0);
	low = d.difference - groups_least(&d, 2 * SEQUENTIAL_ALARM);
	high = d.difference + groups_least(&d, 2 * SEQUENTIAL_MISS);
	f->result.estimate = 1 + d.difference / d.a;
	f->result.low = fmax(1e-3, 1 + low / d.a);
	f->result.high = 1 + high / d.a;
	f->result.verdict = sequential_verdict(f->result.low, f->result.high, f->limit);
	free(v);
}

static bool plausible(const struct json_value *sessions)
{
	for (size_t i = 0; i < sessions->n; i++)
		if (!(json_number_of(&sessions->at[i], "median_seconds", 0) > 0))
			return false;
	return true;
}

static void baseline_judge(struct gate_finding *f, const struct gate_opts *o, const struct json_value *v)
{
	const struct json_value *sessions = sessions_of(v);

	baseline_compare(f, sessions);
	if (!same_machine(v, &f->machine))
		strbuf_printf(&f->why,
			      "the baseline is of another machine (%s, %.0f cores): measure it on this one\n",
			      json_text_of(v, "cpu", "?"), json_number_of(v, "cores", 0));
	f->verdict = f->why.len ? SEQUENTIAL_OPEN : f->result.verdict;
	if (f->verdict == SEQUENTIAL_OPEN && !f->why.len)
		strbuf_printf(
			&f->why,
			"%zu session%s of the baseline: what it takes differs from time to time by more than "
			"the limit%s; --save-baseline adds sessions at other times, --base compares with a "
			"program\n",
			sessions->n, sessions->n == 1 ? "" : "s",
			sessions->n < GROUPS_SEEN ? ", as far as so few can say" : "");
	(void)o;
}

int gate_baseline_judge(struct gate_finding *f, const struct gate_opts *o, struct err *err)
{
	struct json_value v;
	struct trial t = {.n_sides = 0};
	const char *output;
	int ret = baseline_read_file(&v, o->baseline, err);

	if (ret)
		return ret;
	ret = check_same(&v, o, o->baseline, err);
	if (!ret && !plausible(sessions_of(&v)))
		ret = err_set(err, -EINVAL, "'%s' has a session without a time", o->baseline);
	if (!ret)
		ret = baseline_measure(&t, f, o, err);
	output = json_text_of(&v, "output", NULL);
	if (!ret && !f->mismatch && t.done && output && !o->ignore_output &&
	    strcmp(output, t.side[0].output)) {
		cmd_say(o->json ? stderr : stdout, "mismatch: '%s' does not print what the baseline did\n",
			o->head);
		f->mismatch = CMD_FINDINGS;
	}
	if (!ret && !f->mismatch && t.done == t.rounds)
		baseline_judge(f, o, &v);
	trial_release(&t);
	json_release(&v);
	return ret;
}

int gate_baseline_run(const struct cmd *cmd, const struct gate_opts *o)
{
	struct gate_finding f = {.verdict = SEQUENTIAL_OPEN, .base = o->save, .head = o->head};
	struct strbuf said = STRBUF_INIT;
	struct err err = ERR_INIT;
	int status = 0;

	if (save_session(&f, o, &said, &err))
		status = cmd_fail(cmd, &err, cmd_status(&err));
	else if (f.mismatch)
		status = f.mismatch;
	else if (f.why.len)
		status = CMD_INCONCLUSIVE;
	if (status == CMD_INCONCLUSIVE)
		cmd_say(stdout, "not saved: %s", f.why.s);
	else if (!status)
		cmd_put(stdout, said.s);
	strbuf_release(&said);
	gate_release(&f);
	return status;
}
