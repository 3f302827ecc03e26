/* SPDX-License-Identifier: MIT */
/* Sharing findings that head has and base has not. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/program.h"
#include "cmd/gate/gate.h"
#include "lib/fs.h"
#include "lib/mem.h"
#include "report/conflicts/conflicts.h"

static const struct sharing_finding *finding(const struct sharing_report *rep, const char *id)
{
	for (size_t i = 0; i < rep->n; i++)
		if (!strcmp(rep->findings[i].evidence, id))
			return &rep->findings[i];
	return NULL;
}

/* Not in @base, whatever it cost there; or dearer now than it can have been then. */
static bool is_new(const struct sharing_finding *f, const struct sharing_report *base)
{
	const struct sharing_finding *old = finding(base, f->evidence);

	if (!f->significant && !f->perhaps)
		return false;
	return !old || (f->priced && old->priced && f->cost_low > old->cost_high);
}

/* What a reader of the numbers must know of run @rep of @side. */
static void add_doubts(struct strbuf *out, const char *side, const struct sharing_report *rep)
{
	for (size_t i = 0; i < rep->doubts.n; i++)
		strbuf_printf(out, "the run of %s is inconclusive: %s\n", side, rep->doubts.at[i]);
	if (!rep->priced && rep->unpriced_why)
		strbuf_printf(out, "the findings of %s are not priced: %s\n", side, rep->unpriced_why);
}

/* The ids of those that are new; the caller frees the list alone. */
static char **new_ids(const struct conflicts_case *base, const struct conflicts_case *head, size_t *n)
{
	char **ids = mem_new(head->rep.n + 1, sizeof(*ids));

	*n = 0;
	for (size_t i = 0; i < head->rep.n; i++) {
		struct sharing_finding *f = &head->rep.findings[i];

		if (is_new(f, &base->rep))
			ids[(*n)++] = f->evidence;
	}
	return ids;
}

static int write_new(struct gate_finding *f, const struct conflicts_case *base,
		     const struct conflicts_case *head, const char *path, struct err *err)
{
	struct conflicts_choice choice;
	struct strbuf out = STRBUF_INIT;
	char *none = (char *)"-";
	int ret;

	choice = (struct conflicts_choice){.ids = new_ids(base, head, &f->new_findings)};
	choice.n_ids = f->new_findings;
	if (!choice.n_ids) {
		/* No name at all would ask for all of them. */
		choice.ids[0] = none;
		choice.n_ids = 1;
	}
	conflicts_sarif(&head->rep, head->run, &choice, &out);
	ret = fs_write(path, out.s, out.len, err);
	strbuf_release(&out);
	free(choice.ids);
	return ret;
}

static int judge_head(struct gate_finding *f, const struct conflicts_case *base, const struct gate_opts *o,
		      struct err *err)
{
	struct conflicts_case head;
	struct run run;
	int ret = run_open(&run, o->sharing, err);

	if (ret)
		return ret;
	ret = conflicts_judge(&head, &run, NULL, o->platform, err);
	if (!ret) {
		add_doubts(&f->sharing_doubts, "the program", &head.rep);
		ret = write_new(f, base, &head, o->sarif, err);
		conflicts_release(&head);
	}
	run_close(&run);
	return ret;
}

int gate_findings(struct gate_finding *f, const struct gate_opts *o, struct err *err)
{
	struct conflicts_case base;
	struct run run;
	int ret = run_open(&run, o->sharing_base, err);

	if (ret)
		return ret;
	ret = conflicts_judge(&base, &run, NULL, o->platform, err);
	if (!ret) {
		add_doubts(&f->sharing_doubts, "the base", &base.rep);
		ret = judge_head(f, &base, o, err);
		conflicts_release(&base);
	}
	run_close(&run);
	return ret;
}
