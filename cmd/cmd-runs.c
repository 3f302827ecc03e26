/* SPDX-License-Identifier: MIT */
/* perseus runs: what lies in perseus.data.  See perseus-runs(1). */
#include <getopt.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "cmd/base/option.h"
#include "lib/json.h"
#include "lib/num.h"
#include "recorder/rundir.h"
#include "recorder/stored.h"

#define RUNS_SCHEMA    1
#define NAME_MAX_SHOWN 24 /* longer names push the columns of their own line */

extern const struct cmd cmd_runs;

struct opts {
	bool json, remove;
	uint64_t keep; /* newest runs that --delete leaves alone; 0: not given */
	char **words;
	int n_words;
};

static int runs_parse(struct opts *o, int argc, char **argv)
{
	const struct option_row rows[] = {
		OPTION_FLAG(0, "json", &o->json),
		OPTION_FLAG(0, "delete", &o->remove),
		OPTION_COUNT("keep", &o->keep, 1, 1000000, NULL),
		OPTION_END,
	};
	int ret;

	*o = (struct opts){0};
	ret = option_read(&cmd_runs, rows, argc, argv, OPTION_OPERANDS);
	if (ret)
		return ret;
	o->words = argv + optind;
	o->n_words = argc - optind;
	if (!o->remove && (o->n_words || o->keep))
		return cmd_usage(&cmd_runs, o->keep ? "--keep says what --delete leaves alone"
						    : "all runs are listed; --delete RUN removes some");
	if (o->remove && !o->n_words == !o->keep)
		return cmd_usage(&cmd_runs, "--delete needs either the names of runs, or --keep=N");
	return 0;
}

/* ---- listing --------------------------------------------------------------------- */

/* "312 kB" */
static const char *size_text(char *buf, size_t size, uint64_t bytes)
{
	static const char units[] = "kMGT";
	double n = (double)bytes / 1000;
	int u = 0;

	for (; n >= 999.5 && units[u + 1]; u++)
		n /= 1000;
	snprintf(buf, size, n < 9.95 ? "%.1f %cB" : "%.0f %cB", n, units[u]);
	return buf;
}

/* Local time to people, UTC to programs. */
static const char *when_text(char *buf, size_t size, time_t when, bool utc)
{
	struct tm tm;

	if (!(utc ? gmtime_r(&when, &tm) : localtime_r(&when, &tm)) ||
	    !strftime(buf, size, utc ? "%Y-%m-%dT%H:%M:%SZ" : "%Y-%m-%d %H:%M", &tm))
		snprintf(buf, size, "?");
	return buf;
}

static void print_links(const struct stored *s, const struct stored_run *r)
{
	for (size_t i = 0; i < s->links.n; i++)
		if (s->links.at[i].run == r->name)
			cmd_print("  @%s", s->links.at[i].name);
}

static void print_run(const struct stored *s, const struct stored_run *r, int width)
{
	char when[32], wall[32], size[32];
	const struct manifest *m = &r->manifest;

	cmd_print("%-*s  %-8s  %s  %8s  %7s  %s", width, r->name, m->purpose ? m->purpose : "-",
		  when_text(when, sizeof(when), r->recorded, false),
		  m->wall_ns ? num_time(wall, sizeof(wall), (double)m->wall_ns * 1e-9) : "-",
		  size_text(size, sizeof(size), r->bytes), m->program ? m->program : "-");
	if (m->trial)
		cmd_print("  (trial)");
	if (r->why)
		cmd_print("  (%s)", r->why);
	else if (m->status && strcmp(m->status, "exited") != 0)
		cmd_print("  (%s)", m->status);
	print_links(s, r);
	cmd_print("\n");
}

static void print_list(const struct stored *s)
{
	char size[32];
	uint64_t bytes = 0;
	int width = 4;

	if (!s->runs.n) {
		cmd_put(stdout, "no runs in " RUNS_DIR "/; perseus record PROGRAM makes one\n");
		return;
	}
	for (size_t i = 0; i < s->runs.n; i++) {
		int len = (int)strlen(s->runs.at[i].name);

		if (len > width)
			width = len < NAME_MAX_SHOWN ? len : NAME_MAX_SHOWN;
		bytes += s->runs.at[i].bytes;
	}
	cmd_print("%-*s  %-8s  %-16s  %8s  %7s  %s\n", width, "run", "purpose", "recorded", "time", "size",
		  "program");
	for (size_t i = 0; i < s->runs.n; i++)
		print_run(s, &s->runs.at[i], width);
	cmd_print("%zu run%s, %s.\n", s->runs.n, s->runs.n == 1 ? "" : "s",
		  size_text(size, sizeof(size), bytes));
}

static void json_run(struct json *j, const struct stored *s, const struct stored_run *r)
{
	const struct manifest *m = &r->manifest;
	char when[32];

	json_object(j, NULL);
	json_string(j, "name", r->name);
	json_bool(j, "elsewhere", r->elsewhere);
	json_string(j, "purpose", m->purpose);
	json_string(j, "program", m->program);
	json_array(j, "argv");
	for (size_t i = 0; i < m->n_argv; i++)
		json_string(j, NULL, m->argv[i]);
	json_end(j);
	json_string(j, "status", m->status);
	json_string(j, "trial", m->trial);
	json_string(j, "problem", r->why);
	json_string(j, "recorded", when_text(when, sizeof(when), r->recorded, true));
	json_u64(j, "wall_ns", m->wall_ns);
	json_u64(j, "bytes", r->bytes);
	json_array(j, "links");
	for (size_t i = 0; i < s->links.n; i++)
		if (s->links.at[i].run == r->name)
			json_string(j, NULL, s->links.at[i].name);
	json_end(j);
	json_end(j);
}

static void runs_print_json(const struct stored *s)
{
	struct strbuf sb = STRBUF_INIT;
	struct json j;

	json_init(&j, &sb);
	json_object(&j, NULL);
	json_u64(&j, "schema", RUNS_SCHEMA);
	json_array(&j, "runs");
	for (size_t i = 0; i < s->runs.n; i++)
		json_run(&j, s, &s->runs.at[i]);
	json_end(&j);
	json_end(&j);
	cmd_put(stdout, sb.s);
	cmd_put(stdout, "\n");
	strbuf_release(&sb);
}

/* ---- removing ---------------------------------------------------------------------- */

static int remove_run(const struct stored_run *r, const struct opts *o)
{
	struct err err = ERR_INIT;
	char size[32];

	if (stored_delete(r, &err))
		return cmd_fail(&cmd_runs, &err, CMD_MACHINE);
	cmd_say(o->json ? stderr : stdout, "removed %s, %s\n", r->name,
		size_text(size, sizeof(size), r->bytes));
	return CMD_OK;
}

/* True if an earlier word names the same run. */
static bool is_again(const struct stored *s, const struct opts *o, int word)
{
	for (int i = 0; i < word; i++)
		if (stored_find(s, o->words[i]) == stored_find(s, o->words[word]))
			return true;
	return false;
}

/* All names are looked up before the first run is removed. */
static int remove_named(const struct stored *s, const struct opts *o)
{
	int status = CMD_OK;

	for (int i = 0; i < o->n_words; i++)
		if (!stored_find(s, o->words[i])) {
			cmd_say(stderr,
				"perseus runs: there is no run '%s' in " RUNS_DIR "/; nothing is removed\n",
				o->words[i]);
			return CMD_DATA;
		}
	for (int i = 0; i < o->n_words && !status; i++)
		if (!is_again(s, o, i))
			status = remove_run(stored_find(s, o->words[i]), o);
	return status;
}

static int remove_old(const struct stored *s, const struct opts *o)
{
	int status = CMD_OK;

	for (size_t i = (size_t)o->keep; i < s->runs.n && !status; i++)
		if (!s->runs.at[i].elsewhere)
			status = remove_run(&s->runs.at[i], o);
	return status;
}

/* What leads nowhere now leads to the newest run. */
static int heal(struct stored *s)
{
	struct strbuf said = STRBUF_INIT;
	struct err err = ERR_INIT;
	int ret;

	stored_heal(s, &said);
	ret = 0;
	if (said.len) {
		cmd_put(stderr, said.s);
		stored_release(s);
		ret = stored_list(s, &err);
	}
	strbuf_release(&said);
	return ret ? cmd_fail(&cmd_runs, &err, CMD_MACHINE) : CMD_OK;
}

static int runs_run_verb(int argc, char **argv)
{
	struct err err = ERR_INIT;
	struct stored s;
	struct opts o;
	int status = runs_parse(&o, argc, argv);

	if (status)
		return status;
	if (stored_list(&s, &err))
		return cmd_fail(&cmd_runs, &err, CMD_MACHINE);
	if (o.remove) {
		status = o.keep ? remove_old(&s, &o) : remove_named(&s, &o);
		stored_release(&s);
		if (stored_list(&s, &err))
			return cmd_fail(&cmd_runs, &err, CMD_MACHINE);
	}
	if (heal(&s))
		status = CMD_MACHINE;
	if (o.json)
		runs_print_json(&s);
	else if (!o.remove)
		print_list(&s);
	stored_release(&s);
	return status;
}

const struct cmd cmd_runs = {
	.name = "runs",
	.summary = "list the runs that were recorded here, and remove some",
	.reads = "perseus.data/",
	.writes = NULL,
	.usage = "usage: perseus runs [--json]\n"
		 "       perseus runs --delete RUN... [--json]\n"
		 "       perseus runs --delete --keep=N [--json]\n\n"
		 "Lists the runs below perseus.data/ in this directory, the newest first: purpose,\n"
		 "when they were recorded, how long the program ran, size on disk, program, and\n"
		 "the names that lead to them (@last, @last-timing, ...).  A name that leads\n"
		 "to a run that is gone is led to the newest one of its purpose.\n\n"
		 "      --delete     remove the runs that are named, or with --keep the oldest\n"
		 "      --keep=N     ... all but the N newest\n"
		 "      --json       the list as JSON, schema 1; with --delete what is left\n\n"
		 "Runs that record -o put elsewhere are listed while a name leads to them, and never\n"
		 "removed; nor is one into which a program is being recorded.\n"
		 "Exit status: 0 done; 2 usage; 3 it could not be removed; 4 there is no such run.\n",
	.run = runs_run_verb,
	.paged = true,
};
