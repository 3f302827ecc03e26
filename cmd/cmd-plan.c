/* SPDX-License-Identifier: MIT */
/* perseus plan: model and platform in, plan out.  See perseus-plan(1). */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cmd/base/cmd.h"
#include "cmd/plan/check.h"
#include "cmd/plan/diff.h"
#include "cmd/plan/files.h"
#include "cmd/plan/predict.h"
#include "cmd/plan/print/front.h"
#include "cmd/plan/models.h"
#include "cmd/plan/options.h"
#include "cmd/plan/print/print.h"
#include "cmd/plan/watch.h"
#include "cmd/plan/weigh.h"
#include "lib/fs.h"
#include "lib/strbuf.h"
#include "planner/result/emit.h"
#include "planner/planner.h"

extern const struct cmd cmd_plan;

/* ---- plan ---- */

/* The page of the search, which ends; returns an exit status. */
static int plan_write_page(struct plan_page *page, const struct outcome *out, const struct plan *plan)
{
	struct err err = ERR_INIT;

	if (!page->live.path || !plan_page_end(page, out, plan, &err))
		return CMD_OK;
	return cmd_fail(&cmd_plan, &err, cmd_write_status(&err));
}

/* Returns an exit status. */
static int write_plan(struct planner *p, const struct plan_options *o, struct weighing *w,
		      struct plan_page *page)
{
	bool to_stdout = !strcmp(o->output, "-");
	struct err err = ERR_INIT;
	struct plan plan;
	int status = CMD_OK, exported;

	if (p->out.verdict == PLANNER_IMPOSSIBLE) {
		planner_impossible(&p->out, &err);
		return cmd_fail(&cmd_plan, &err, CMD_FINDINGS);
	}
	exported = plan_write_export(&cmd_plan, p, o);
	if (!exported)
		exported = plan_front_make(&cmd_plan, p, o->front);
	if (exported)
		return exported;
	if (planner_emit(&p->out, &plan, &err))
		return cmd_fail(&cmd_plan, &err, cmd_status(&err));
	if (w && weigh_emit(w, p, &plan, &err)) {
		plan_release(&plan);
		return cmd_fail(&cmd_plan, &err, cmd_status(&err));
	}
	if (plan_save(&plan, o->output, &err)) {
		status = cmd_fail(&cmd_plan, &err, cmd_write_status(&err));
	} else if (!to_stdout) {
		if (o->json)
			plan_print_json(&p->out, &plan, w, o->output, o->sensitivity);
		else
			plan_print(&p->out, &plan, w, o->output, o->sensitivity);
		if (!o->json && o->export)
			cmd_print("wrote %s\n", o->export);
	}
	if (!status)
		status = plan_write_page(page, &p->out, &plan);
	plan_release(&plan);
	return status;
}

static int open_blocks(struct blocks *blocks, const struct model *model, struct plan_options *o,
		       struct err *err)
{
	int ret = o->blocks ? blocks_open(blocks, o->blocks, model, err) : 0;

	if (o->blocks && !ret)
		o->search.blocks = blocks;
	return ret;
}

/* What all processes must have alike. */
static int hash_inputs(struct plan_options *o, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	int ret = 0;

	strbuf_puts(&text, PERSEUS_VERSION);
	for (int i = 0; i < o->argc; i++)
		strbuf_add(&text, o->argv[i], strlen(o->argv[i]) + 1);
	for (size_t i = 0; !ret && i <= o->n_models; i++) {
		const char *file = i < o->n_models ? o->models[i] : o->platform;

		if (!access(file, R_OK))
			ret = fs_read(file, 0, &text, err);
	}
	if (!ret && o->layouts && !access(o->layouts, R_OK))
		ret = fs_read(o->layouts, 0, &text, err);
	if (!ret)
		sha256_of(text.s, text.len, o->inputs);
	strbuf_release(&text);
	return ret;
}

/* Of processes that search together the first one writes the page. */
static int begin_page(struct plan_page *page, const struct plan_options *o, struct err *err)
{
	const struct ranks *ranks = ranks_of(o->session);

	if (!o->watch || (ranks && ranks->rank))
		return 0;
	return plan_page_begin(page, o, o->search.log, err);
}

static int search(struct planner *p, const struct model *model, const struct platform *platform,
		  struct plan_options *o, struct plan_weigh *x, struct plan_page *page, struct err *err)
{
	struct plan_watch watch;
	int ret = 0;

	plan_watch_begin(&watch, &o->search, page);
	if (o->layouts)
		ret = plan_weigh_run(x, o, model, platform, err);
	if (!ret)
		ret = planner_run(p, o->layouts ? &x->w.model : model, platform, &o->search, err);
	plan_watch_end(&watch);
	if (ret)
		plan_write_page(page, NULL, NULL);
	return ret;
}

/* Of processes that searched together the first one writes; returns an exit status. */
static int plan_finish(struct planner *p, const struct plan_options *o, struct weighing *w,
		       struct plan_page *page)
{
	const struct ranks *ranks = ranks_of(o->session);
	int status;

	if (ranks && ranks->rank)
		return CMD_OK;
	status = o->log ? plan_write_log(&cmd_plan, p->task.opts.log, o) : CMD_OK;
	return status ? status : write_plan(p, o, w, page);
}

/* What the plan is made from names it by its hash: no output may take its place. */
static int check_outputs(const struct plan_options *o)
{
	const char *out[] = {o->output, o->export, o->log, o->watch};
	const char *names[] = {"--output", "--export", "--log", "--watch"};

	for (size_t i = 0; i < sizeof(out) / sizeof(out[0]); i++)
		for (size_t k = 0; out[i] && k < o->n_models + 3u; k++) {
			const char *in = k < o->n_models        ? o->models[k]
					 : k == o->n_models     ? o->platform
					 : k == o->n_models + 1 ? o->blocks
								: o->layouts;

			if (in && fs_same(in, out[i]))
				return cmd_usage(&cmd_plan, "%s: '%s' is what the plan is made from",
						 names[i], out[i]);
		}
	return CMD_OK;
}

static int make_plan(struct plan_options *o)
{
	struct err err = ERR_INIT;
	struct platform platform = {0};
	struct plan_models models;
	struct blocks blocks = {0};
	struct planner p = {.out.verdict = PLANNER_NO_GAIN};
	struct plan_page page = {.live = {NULL}};
	struct plan_weigh x = {0};
	int (*status_of)(const struct err *) = cmd_status;
	int status = CMD_OK, ret = plan_models_load(&models, o->models, o->n_models, &err);

	if (!ret) {
		ret = platform_find(&platform, o->platform, &err);
		if (ret == -ENOENT && !strcmp(o->platform, "platform.yaml"))
			err_advise(&err, "perseus calibrate writes it; --platform names another");
	}
	if (!ret)
		ret = open_blocks(&blocks, models.model, o, &err);
	if (!ret)
		ret = hash_inputs(o, &err);
	if (!ret) {
		ret = begin_page(&page, o, &err);
		status_of = ret ? cmd_write_status : cmd_status;
	}
	o->search.inputs = o->n_models > 1 ? &models.inputs : NULL;
	ret = ranks_join(o->session, ret, o->inputs, &err);
	if (!ret)
		ret = search(&p, models.model, &platform, o, &x, &page, &err);
	if (!ret) {
		status = plan_finish(&p, o, o->layouts ? &x.w : NULL, &page);
		planner_release(&p);
	}
	plan_weigh_release(&x);
	plan_page_release(&page);
	blocks_close(&blocks);
	platform_release(&platform);
	plan_models_release(&models);
	return ret ? cmd_fail(&cmd_plan, &err, status_of(&err)) : status;
}

static int plan_run(int argc, char **argv)
{
	struct convergence log = {.text = STRBUF_INIT};
	struct ranks_session session;
	struct err err = ERR_INIT;
	struct plan_options o;
	int status;

	if (argc > 1 && !strcmp(argv[1], "check"))
		return plan_check(&cmd_plan, argc - 1, argv + 1);
	if (argc > 1 && !strcmp(argv[1], "diff"))
		return plan_diff_run(&cmd_plan, argc - 1, argv + 1);
	if (argc > 1 && !strcmp(argv[1], "predict"))
		return plan_predict(&cmd_plan, argc - 1, argv + 1);
	if (ranks_begin(&session, &err))
		return cmd_fail(&cmd_plan, &err, cmd_status(&err));
	status = plan_options_parse(&cmd_plan, &o, argc, argv);
	o.argc = argc;
	o.argv = argv;
	o.session = &session;
	o.search.ranks = ranks_of(&session);
	o.search.log = o.log || o.watch ? &log : NULL;
	if (!status)
		status = check_outputs(&o);
	if (!status)
		status = make_plan(&o);
	strbuf_release(&log.text);
	return ranks_end(&session, status);
}

const struct cmd cmd_plan = {
	.name = "plan",
	.summary = "choose cores and frequency steps for each thread over time",
	.reads = "model.yaml, platform",
	.writes = "plan.yaml",
	.usage = "usage: perseus plan [OPTION...] [MODEL...]\n"
		 "       perseus plan check [-m MODEL]... [-p PLATFORM] [--json] [PLAN]\n"
		 "       perseus plan predict [-p PLATFORM] [--json] MODEL PLACEMENT...\n"
		 "       perseus plan diff [--json] OLD NEW\n\n"
		 "MODEL is model.yaml, PLAN is plan.yaml, if nothing else is named.\n\n"
		 "  -p, --platform=P         file or name of a platform (platform.yaml)\n"
		 "  -o, --output=FILE        where the plan goes (plan.yaml), - for stdout\n"
		 "      --objective=WHAT     time (default), energy, edp (energy x delay) or power\n"
		 "                           (least peak draw)\n"
		 "      --deadline=TIME      of the whole run: 8s, 250ms, or +10% on the baseline\n"
		 "      --phase-deadline=TIME  the same for each phase\n"
		 "      --power-cap=WATTS    that the machine may draw at any time\n"
		 "      --front[=DIR]        what energy each time can be had for; the plans to DIR\n"
		 "      --no-exact           enumerate nothing: local search and islands only\n"
		 "      --kind=KIND          start (set at program and thread starts only), phase (at\n"
		 "                           synchronisations, too) or call (at any call site; default)\n"
		 "      --over=WHICH         mean (default) or worst of several models of one program\n"
		 "      --trigger-worth=PCT  drop what is worth less, percent of the objective (0.05)\n"
		 "      --baseline=NAME      spread (default), pack, os or random: compare with it\n"
		 "      --method=NAME        auto (default), exact or genetic\n"
		 "      --evaluations=N      budget of the search (by default some seconds of work)\n"
		 "      --seed=N             of the genetic algorithm and of random (1)\n"
		 "      --sensitivity        where each figure of the platform turns the gain\n"
		 "      --blocks=FILE        simulate on the blocks that perseus analyze --blocks wrote\n"
		 "      --layouts[=FILE]     weigh the layouts of FILE (layouts.yaml), which perseus\n"
		 "                           conflicts --plan wrote, against placement\n"
		 "      --max-bytes=N        layouts of N bytes of memory in all\n"
		 "      --any-cache          also layouts with which data leaves a cache\n"
		 "      --export=FILE.lp     the problem for outside solvers, too (CPLEX LP)\n"
		 "      --threads=N          that search together (all processors); same plan for any\n"
		 "      --log=FILE.csv       how the search went: best, bound, diversity by epoch\n"
		 "      --watch=FILE.html    the search as a page: open it while the search goes on\n"
		 "      --json               the summary as JSON\n\n"
		 "Exit status: 0 a plan was written, which is the baseline if none is better by more\n"
		 "than the noise of the recorded runs; 1 the deadline or the power cap cannot be kept:\n"
		 "nothing was written; 3 the platform\n"
		 "cannot (energy without watts), or the plan cannot be written; 4 the model or\n"
		 "platform is missing or corrupt.\n"
		 "`predict` says what placements are expected to take: a core for each thread that\n"
		 "main makes (0,1,0,1), or a baseline.\n"
		 "`diff` compares two plans by meaning: 0 they mean the same; 1 they differ; 4 one cannot\n"
		 "be read.\n"
		 "`check` asks whether a plan fits a platform and, with -m, computes all its figures\n"
		 "again: 0 confirmed; 1 figures contradict each other or the model; 4 a file is missing or "
		 "corrupt, or the plan asks for a core, domain, step\n"
		 "or processor that the platform does not have.\n",
	.run = plan_run,
};
