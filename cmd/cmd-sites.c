/* SPDX-License-Identifier: MIT */
/* perseus sites: what carries a probe, what does not and why.  See perseus-sites(1). */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/base/option.h"
#include "cmd/sites/list.h"
#include "cmd/sites/tell.h"
#include "lib/fs.h"
#include "lib/hash.h"
#include "lib/inspect/elf.h"
#include "lib/json.h"
#include "lib/num.h"
#include "lib/shown.h"
#include "record/probes/check.h"
#include "record/run.h"
#include "report/suggest.h"

#define SITES_SCHEMA 1
#define BUDGET       3.0 /* percent of thread time that probes may take */

extern const struct cmd cmd_sites;

struct opts {
	const char *what;
	char **files;    /* of --check, ended by NULL */
	const char *out; /* of --suggest, NULL: stdout */
	double budget;
	bool skipped, json, suggest, check, budget_given;
};

/* Which options go together, and how many operands there are. */
static int check_options(struct opts *o, int argc, char **argv)
{
	if (o->suggest + o->check + o->skipped > 1)
		return cmd_usage(&cmd_sites, "one of --suggest, --check and --skipped at a time");
	if (o->suggest && o->json)
		return cmd_usage(&cmd_sites, "--suggest goes with --budget and -o only");
	if (o->out && !*o->out)
		return cmd_usage(&cmd_sites, "--output: expected the name of a file");
	if (!o->suggest && (o->budget_given || o->out))
		return cmd_usage(&cmd_sites, "%s is for --suggest", o->budget_given ? "--budget" : "-o");
	o->files = argv + optind;
	o->what = argv[optind];
	if (argc - optind == 1 || (o->check && argc > optind))
		return 0;
	return cmd_usage(&cmd_sites, "expected one %s, got %d",
			 o->suggest ? "run"
			 : o->check ? "program or library, or several"
				    : "program, object or run",
			 argc - optind);
}

static int take_budget(const struct cmd *cmd, const char *name, const char *value, void *to)
{
	struct opts *o = to;

	o->budget_given = true;
	return option_real(cmd, name, value, 0, 100, "percent", &o->budget);
}

static int cmd_sites_parse(struct opts *o, int argc, char **argv)
{
	const struct option_row rows[] = {
		OPTION_FLAG(0, "json", &o->json),
		OPTION_FLAG(0, "skipped", &o->skipped),
		OPTION_FLAG(0, "suggest", &o->suggest),
		OPTION_CALL("budget", take_budget, o),
		OPTION_TEXT('o', "output", &o->out),
		OPTION_FLAG(0, "check", &o->check),
		OPTION_END,
	};
	int ret;

	*o = (struct opts){.budget = BUDGET};
	ret = option_read(&cmd_sites, rows, argc, argv, OPTION_OPERANDS);
	return ret ? ret : check_options(o, argc, argv);
}

/* A place to put modules: text as it comes, or one JSON document. */
struct listing {
	const struct opts *o;
	struct strbuf out;
	struct json json;
};

static void list_begin(struct listing *l, const struct opts *o)
{
	*l = (struct listing){.o = o};
	if (!o->json)
		return;
	json_init(&l->json, &l->out);
	json_object(&l->json, NULL);
	json_u64(&l->json, "schema", SITES_SCHEMA);
	json_array(&l->json, "modules");
}

static void list_module(struct listing *l, const char *name, const struct sites *s)
{
	if (l->o->json)
		sites_json(&l->json, name, s);
	else
		sites_text(name, s, l->o->skipped, &l->out);
}

static void list_end(struct listing *l)
{
	if (l->o->json) {
		json_end(&l->json);
		json_end(&l->json);
	}
	if (!l->o->json && l->out.s)
		shown_make(l->out.s, "\n\t");
	cmd_put(stdout, l->out.s);
	strbuf_release(&l->out);
}

/* The site table of the file @path. */
static int load_table(struct sites *s, const char *path, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	int ret = elf_section(path, PRS_SITES_SECTION, &text, err);

	if (ret == -ENODATA)
		ret = err_set(err, ret,
			      "'%s' was built without -fplugin=perseus.so: it has no section %s\n"
			      "  rebuild it with the flags that `perseus flags` prints",
			      path, PRS_SITES_SECTION);
	if (!ret)
		ret = sites_parse(s, text.s ? text.s : "", text.len, path, err);
	strbuf_release(&text);
	return ret;
}

static int from_elf(const struct opts *o, struct err *err)
{
	struct listing l;
	struct sites s;
	int ret = load_table(&s, o->what, err);

	if (ret)
		return ret;
	list_begin(&l, o);
	list_module(&l, o->what, &s);
	list_end(&l);
	sites_release(&s);
	return 0;
}

static int from_run(const struct opts *o, struct err *err)
{
	struct listing l;
	struct run r;
	int ret = run_open(&r, o->what, err);

	if (ret == -ENOENT && access(o->what, F_OK))
		ret = err_set(err, ret,
			      "'%s' is neither a file nor a run\n"
			      "  expected a program, a library, an object, or what perseus record made",
			      o->what);
	if (ret)
		return ret;
	list_begin(&l, o);
	for (size_t i = 0; i < r.n_modules; i++)
		if (r.modules[i].sites.n_units || r.modules[i].sites.n_unlinked)
			list_module(&l, r.modules[i].info ? r.modules[i].info->path : r.modules[i].key,
				    &r.modules[i].sites);
	list_end(&l);
	run_close(&r);
	return 0;
}

static int suggest(const struct opts *o, struct err *err)
{
	struct suggestion s;
	int ret = sites_suggest(&s, o->what, o->budget, err), status = CMD_OK;

	if (ret) {
		status = cmd_fail(&cmd_sites, err, cmd_status(err));
	} else if (fs_write(o->out ? o->out : "-", s.text.s, s.text.len, err)) {
		status = cmd_fail(&cmd_sites, err, cmd_write_status(err));
	} else {
		sites_tell(&s, o->out);
		status = s.after > s.budget ? CMD_FINDINGS : CMD_OK;
	}
	strbuf_release(&s.text);
	return status;
}

/* Check one file and add what is to be said; an exit status. */
static int check_file(struct listing *l, const char *path, struct err *err)
{
	struct region_findings findings = VEC_INIT;
	struct region_counts counts;
	int status = CMD_OK;
	struct sites s;

	if (load_table(&s, path, err))
		return cmd_fail(&cmd_sites, err, cmd_status(err));
	if (sites_check(path, &s, &counts, &findings, err))
		status = cmd_fail(&cmd_sites, err, cmd_status(err));
	else if (l->o->json)
		sites_check_json(path, &counts, &findings, &l->json);
	else
		sites_check_text(path, &counts, &findings, &l->out);
	if (status == CMD_OK && findings.n)
		status = CMD_FINDINGS;
	vec_release(&findings);
	sites_release(&s);
	return status;
}

/* All files are looked at; the worst that happened is the status. */
static int cmd_sites_check(const struct opts *o)
{
	struct listing l;
	int worst = CMD_OK;

	list_begin(&l, o);
	for (char **f = o->files; *f; f++) {
		struct err err = ERR_INIT;
		int status = check_file(&l, *f, &err);

		if (status > worst)
			worst = status;
	}
	list_end(&l);
	return worst;
}

static int sites_run(int argc, char **argv)
{
	struct err err = ERR_INIT;
	struct opts o;
	struct stat st;
	int ret = cmd_sites_parse(&o, argc, argv);

	if (ret)
		return ret;
	if (o.suggest)
		return suggest(&o, &err);
	if (o.check)
		return cmd_sites_check(&o);
	if (!stat(o.what, &st) && !S_ISDIR(st.st_mode))
		ret = from_elf(&o, &err);
	else
		ret = from_run(&o, &err);
	return ret ? cmd_fail(&cmd_sites, &err, cmd_status(&err)) : CMD_OK;
}

const struct cmd cmd_sites = {
	.name = "sites",
	.summary = "list the call sites and accesses that carry a probe",
	.reads = "program, run",
	.writes = "perseus.rules",
	.usage = "usage: perseus sites PROGRAM|OBJECT|RUN [--skipped] [--json]\n"
		 "       perseus sites --check PROGRAM|LIBRARY... [--json]\n"
		 "       perseus sites --suggest RUN [--budget=PERCENT] [-o FILE]\n\n"
		 "Lists what the plugin put a probe on: site id, instance, place, caller and callee\n"
		 "of each call; kind, size and variable of each access.\n\n"
		 "  --skipped           what carries no probe instead, by reason\n"
		 "  --json              everything as JSON, schema 1\n"
		 "  --check             does each pair of probes enclose its call and nothing else\n"
		 "                      in the linked code?  Lists the pairs that do not\n"
		 "  --suggest           the call sites that a rebuild should leave out, so that\n"
		 "                      probes keep to the budget: a rules file for the plugin\n"
		 "  --budget=PERCENT    of thread time that probes may take (default 3)\n"
		 "  -o, --output=FILE   write the rules to FILE\n\n"
		 "Exit status: 0 done, 1 the budget cannot be kept, or a pair encloses more than its\n"
		 "call, 2 usage, 3 FILE cannot be written, or the code cannot be checked, 4 there is\n"
		 "no such file or run, or it was built without the plugin.\n",
	.run = sites_run,
	.paged = true,
};
