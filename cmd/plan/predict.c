/* SPDX-License-Identifier: MIT */
#include "cmd/base/option.h"
#include "cmd/plan/predict.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/json.h"
#include "lib/mem.h"
#include "lib/num.h"
#include "planner/result/predict.h"

struct options {
	const char *platform, *model;
	char **placements;
	int n;
	bool json;
};

static int predict_parse(const struct cmd *cmd, int argc, char **argv, struct options *o)
{
	const struct option_row rows[] = {OPTION_TEXT('p', "platform", &o->platform),
					  OPTION_FLAG(0, "json", &o->json), OPTION_END};
	int ret;

	*o = (struct options){.platform = "platform.yaml"};
	ret = option_read(cmd, rows, argc, argv, OPTION_OPERANDS);
	if (ret)
		return ret;
	if (argc - optind < 2)
		return cmd_usage(cmd, "predict: expected a model and one placement or more, got %d words",
				 argc - optind);
	o->model = argv[optind];
	o->placements = argv + optind + 1;
	o->n = argc - optind - 1;
	return 0;
}

/* "0,1,0,1" into @cores, which has room for as many numbers as @text has characters; their number, 0: it is none. */
static size_t parse_cores(const char *text, uint64_t *cores)
{
	char *copy = mem_strdup(text), *rest = copy, *word;
	size_t n = 0;

	while ((word = strsep(&rest, ","))) {
		if (num_u64(word, 0, UINT32_MAX, &cores[n++])) {
			n = 0;
			break;
		}
	}
	free(copy);
	return n;
}

static int predict(const struct cmd *cmd, const struct model *model, const struct platform *platform,
		   const char *text, struct prediction *out, struct err *err)
{
	uint64_t *cores = mem_new(strlen(text) + 1, sizeof(*cores));
	int baseline = baseline_find(text), ret;
	size_t n = parse_cores(text, cores);

	if (baseline >= 0)
		ret = planner_predict_baseline(model, platform, (enum baseline)baseline, 1, out, err);
	else if (n)
		ret = planner_predict(model, platform, cores, n, out, err);
	else
		ret = cmd_usage(cmd,
				"'%s' is no placement, expected cores (0,1,0,1) or spread, pack, os, random",
				text);
	free(cores);
	return ret;
}

static void print_one(struct json *j, const char *text, const struct prediction *p)
{
	char time[32];

	if (!j) {
		cmd_print("%-10s %s\n", text, num_time(time, sizeof(time), (double)p->cost.time_ns / 1e9));
		return;
	}
	json_object(j, NULL);
	json_string(j, "placement", text);
	json_u64(j, "time_ns", p->cost.time_ns);
	json_u64(j, "energy_nj", p->cost.energy_pj / 1000);
	json_end(j);
}

/* Returns an exit status, or a negative errno with @err set. */
static int predict_all(const struct cmd *cmd, const struct options *o, const struct model *model,
		       const struct platform *platform, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	struct prediction p;
	struct json j;
	int ret = 0;

	json_init(&j, &text);
	json_array(&j, NULL);
	for (int i = 0; i < o->n && !ret; i++) {
		ret = predict(cmd, model, platform, o->placements[i], &p, err);
		if (!ret)
			print_one(o->json ? &j : NULL, o->placements[i], &p);
	}
	json_end(&j);
	if (!ret && o->json)
		cmd_print("%s\n", text.s);
	strbuf_release(&text);
	return ret;
}

int plan_predict(const struct cmd *cmd, int argc, char **argv)
{
	struct platform platform = {0};
	struct model model = {0};
	struct err err = ERR_INIT;
	struct options o;
	int ret = predict_parse(cmd, argc, argv, &o);

	if (ret)
		return ret;
	ret = model_load(&model, o.model, &err);
	if (!ret)
		ret = platform_find(&platform, o.platform, &err);
	if (!ret)
		ret = predict_all(cmd, &o, &model, &platform, &err);
	platform_release(&platform);
	model_release(&model);
	return ret < 0 ? cmd_fail(cmd, &err, cmd_status(&err)) : ret;
}
