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

static bool has_finding(const struct sharing_report *rep, const char *id)
{
	for (size_t i = 0; i < rep->n; i++)
		if (rep->findings[i].significant && !strcmp(rep->findings[i].evidence, id))
			return true;
	return false;
}

/* The ids of the significant ones that are new; the caller frees the list alone. */
static char **new_ids(const struct conflicts_case *base, const struct conflicts_case *head, size_t *n)
{
	char **ids = mem_new(head->rep.n + 1, sizeof(*ids));

	*n = 0;
	for (size_t i = 0; i < head->rep.n; i++) {
		struct sharing_finding *f = &head->rep.findings[i];

		if (f->significant && !has_finding(&base->rep, f->evidence))
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
	ret = conflicts_judge(&head, &run, NULL, NULL, err);
	if (!ret) {
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
	ret = conflicts_judge(&base, &run, NULL, NULL, err);
	if (!ret) {
		ret = judge_head(f, &base, o, err);
		conflicts_release(&base);
	}
	run_close(&run);
	return ret;
}
