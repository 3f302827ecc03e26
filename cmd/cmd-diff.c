/* SPDX-License-Identifier: MIT */
/* perseus diff: what changed between two builds?  See perseus-diff(1). */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/base/option.h"
#include "lib/fs.h"
#include "lib/num.h"
#include "report/diff/diff.h"

extern const struct cmd cmd_diff;

struct names VEC(char *);

struct opts {
	struct names base, new; /* owned */
	double noise;           /* percent */
	const char *html;       /* where a page goes, or NULL */
	bool json, all, findings;
};

/* Several names are parted by commas, unless there is a file of the whole name. */
static void add_names(struct names *v, const char *text)
{
	while (*text) {
		size_t n = access(text, F_OK) ? strcspn(text, ",") : strlen(text);

		if (n)
			vec_push(v, mem_strndup(text, n));
		text += n + (text[n] == ',');
	}
}

static void free_names(struct names *v)
{
	for (size_t i = 0; i < v->n; i++)
		free(v->at[i]);
	vec_release(v);
}

static int parse_operands(struct opts *o, int argc, char **argv)
{
	struct names also[] = {o->base, o->new};

	if (argc - optind != 2)
		return cmd_usage(&cmd_diff, "two sides are needed, BASE and NEW");
	/* The operands come first: their places are those that are printed. */
	o->base = o->new = (struct names)VEC_INIT;
	add_names(&o->base, argv[optind]);
	add_names(&o->new, argv[optind + 1]);
	for (size_t i = 0; i < also[0].n; i++)
		vec_push(&o->base, also[0].at[i]);
	for (size_t i = 0; i < also[1].n; i++)
		vec_push(&o->new, also[1].at[i]);
	vec_release(&also[0]);
	vec_release(&also[1]);
	if (!o->base.n || !o->new.n)
		return cmd_usage(&cmd_diff, "two sides are needed, BASE and NEW");
	return 0;
}

static int take_names(const struct cmd *cmd, const char *name, const char *value, void *to)
{
	(void)cmd, (void)name;
	add_names(to, value);
	return 0;
}

static int diff_parse(struct opts *o, int argc, char **argv)
{
	const struct option_row rows[] = {
		OPTION_CALL("also-base", take_names, &o->base),
		OPTION_CALL("also-new", take_names, &o->new),
		OPTION_REAL("noise", &o->noise, 0.1, 1000, "percent"),
		OPTION_FLAG(0, "json", &o->json),
		OPTION_TEXT(0, "html", &o->html),
		OPTION_FLAG(0, "all", &o->all),
		OPTION_FLAG(0, "findings", &o->findings),
		OPTION_END,
	};
	int ret = option_read(&cmd_diff, rows, argc, argv, OPTION_OPERANDS);

	return ret ? ret : parse_operands(o, argc, argv);
}

static int add_side(struct diff_side *s, const struct names *names, double noise, struct err *err)
{
	int ret = 0;

	for (size_t i = 0; i < names->n && !ret; i++)
		ret = diff_add(s, names->at[i], noise, err);
	return ret;
}

/* The page, if one was asked for. */
static int diff_write_page(const struct opts *o, const struct diff *d, struct err *err)
{
	struct strbuf out = STRBUF_INIT;
	int ret;

	if (!o->html)
		return 0;
	diff_page(d, o->all, &out);
	ret = fs_write(o->html, out.s, out.len, err);
	strbuf_release(&out);
	return ret;
}

/* An exit status, or a negative errno with @err set. */
static int diff_compare(const struct opts *o, struct diff_side *base, struct diff_side *new, struct err *err)
{
	struct strbuf out = STRBUF_INIT;
	struct diff d;
	int ret;

	base->findings = new->findings = o->findings;
	ret = add_side(base, &o->base, o->noise / 100, err);

	if (!ret)
		ret = add_side(new, &o->new, o->noise / 100, err);
	if (!ret)
		ret = diff_make(&d, base, new, o->noise / 100, err);
	if (ret)
		return ret;
	if (diff_write_page(o, &d, err)) {
		ret = cmd_fail(&cmd_diff, err, cmd_write_status(err));
	} else {
		(o->json ? diff_json : diff_text)(&d, o->all, &out);
		cmd_put(stdout, out.s);
	}
	strbuf_release(&out);
	diff_release(&d);
	return ret;
}

static int diff_run(int argc, char **argv)
{
	struct diff_side base = {0}, new = {0};
	struct opts o = {.noise = 100 * DIFF_NOISE};
	struct err err = ERR_INIT;
	int status = diff_parse(&o, argc, argv);

	/* A timing run beside a sharing run is a wrong command, not a wrong file. */
	if (!status)
		status = diff_compare(&o, &base, &new, &err);
	if (status < 0)
		status = cmd_fail(&cmd_diff, &err, err.code == -EDOM ? CMD_USAGE : cmd_status(&err));
	diff_side_release(&base);
	diff_side_release(&new);
	free_names(&o.base);
	free_names(&o.new);
	return status;
}

const struct cmd cmd_diff = {
	.name = "diff",
	.summary = "compare the runs of two builds: what got slower, or worse?",
	.reads = "runs, documents of report --json, pages of report --html",
	.usage = "usage: perseus diff [OPTION...] BASE[,RUN...] NEW[,RUN...]\n\n"
		 "Compares two builds by functions and call sites, or by sharing findings, and says\n"
		 "which differences can be told from what two runs of one build differ by.  BASE and\n"
		 "NEW are runs, files of `perseus report --json` or `conflicts --json`, or pages.\n"
		 "Several recordings of a build, parted by commas, show how much they spread.\n\n"
		 "  --also-base=RUN  one more recording of the base\n"
		 "  --also-new=RUN   ... of the new build\n"
		 "  --noise=PERCENT  what one recording of a function may be off by, where there are\n"
		 "                   fewer than three (default 12)\n"
		 "  --all            all rows, not only those that changed\n"
		 "  --findings       of pages with times and findings, the findings\n"
		 "  --html=FILE      the result as a page too\n"
		 "  --json           the result as JSON, schema 1\n\n"
		 "Exit status: 0 compared, whatever was found; 2 usage, or runs of different purposes;\n"
		 "4 a run is missing, incomplete or corrupt, or they are of different programs.\n",
	.run = diff_run,
	.paged = true,
};
