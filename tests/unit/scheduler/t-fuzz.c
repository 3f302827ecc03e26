/* SPDX-License-Identifier: MIT */
/* Workflows, schedules and journals, mutated: read, or refused, and no harm done. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/rng.h"
#include "scheduler/check/check.h"
#include "scheduler/search/search.h"
#include "scheduler/slurm/journal.h"
#include "tests/unit/fuzz.h"

#define ROOM 4096

static const char workflow[] =
	"workflow: 1\nnodes:\n  - {name: old, count: 3}\n  - {name: new, count: 2, speed: 1.5}\ntasks:\n"
	"  - {name: mesh, seconds: 12, low: 10, high: 16}\n"
	"  - {name: solve, seconds: 9, nodes: 2, after: [mesh], command: \"./solve\"}\n"
	"  - {name: draw, seconds: 6, after: [solve, mesh], deadline: 30}\n"
	"  - {name: fit, seconds: 3, release: 1}\n";

static const char lines[] = "plan 3\norder 0 old.1\norder 1 old.1,new.0\norder 3 old.2\nplanned 3\nmoving 1\n"
			    "submit 0\njob 0 12\nsubmit 1\njob 1 13\n\nended 0 0\nstate 0 done\nmoved 1\n";

/* Some bytes changed, taken out, or put in twice; the end may be cut off. */
static size_t change(char *text, size_t len, struct rng *rng)
{
	static const char some[] = "\n \",:[]{}-.0159eE\xff";

	for (uint64_t k = 1 + rng_below(rng, 4); k && len; k--) {
		size_t at = rng_below(rng, len), n = 1 + rng_below(rng, 40);

		n = n < len - at ? n : len - at;
		switch (rng_below(rng, 3)) {
		case 0:
			text[at] = some[rng_below(rng, sizeof(some))];
			break;
		case 1:
			memmove(text + at, text + at + n, len - at - n);
			len -= n;
			break;
		default:
			if (len + n > ROOM)
				break;
			memmove(text + at + n, text + at, len - at);
			len += n;
		}
	}
	return rng_below(rng, 8) ? len : rng_below(rng, len + 1);
}

/* The text of a schedule of @w. */
static void schedule_text(const struct workflow *w, struct strbuf *out)
{
	struct schedule s;

	schedule_make(&s, w);
	search_heft(w, &s);
	assert_true(s.cost >= work_bound(w) * (1 - 1e-9));
	schedule_write(w, &s, "heft", false, out);
	schedule_release(&s);
}

static void read_workflow(const char *text, size_t len)
{
	struct strbuf plan = STRBUF_INIT;
	struct err err = ERR_INIT;
	enum check_optimum optimum;
	struct workflow w;

	if (work_parse(&w, text, len, "changed", &err)) {
		assert_true(err.msg[0]);
		return;
	}
	/* What can be read can be scheduled, and the check agrees. */
	schedule_text(&w, &plan);
	assert_int_equal(check_schedule(text, len, plan.s, plan.len, &optimum, &err), 0);
	strbuf_release(&plan);
	work_release(&w);
}

static void read_journal(const char *path, const struct workflow *w, const char *text, size_t len)
{
	struct err err = ERR_INIT;
	struct journal j;
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fprintf(f, "perseus-journal 1 0123456789abcdef %s\n", w->hash);
	fwrite(text, 1, len, f);
	fclose(f);
	assert_int_equal(journal_open(&j, path, w, &err), 0);
	for (size_t i = 0; i < j.plan.n; i++)
		assert_true(j.plan.order[i] < w->tasks.n && j.plan.nodes[j.plan.order[i]]);
	journal_close(&j);
}

static void changed_files_do_no_harm(void **state)
{
	unsigned long rounds = fuzz_rounds(200);
	char path[] = "/tmp/perseus-fuzz.XXXXXX", text[ROOM];
	struct strbuf plan = STRBUF_INIT;
	enum check_optimum optimum;
	struct err err = ERR_INIT;
	struct workflow w;

	(void)state;
	close(mkstemp(path));
	assert_int_equal(work_parse(&w, workflow, sizeof(workflow) - 1, "good", &err), 0);
	schedule_text(&w, &plan);
	for (unsigned long i = 0; i < rounds; i++) {
		struct rng rng = rng_keyed(i, 78, 0, fuzz_seed());
		int ret;

		memcpy(text, workflow, sizeof(workflow));
		read_workflow(text, change(text, sizeof(workflow) - 1, &rng));
		memcpy(text, plan.s, plan.len);
		ret = check_schedule(workflow, sizeof(workflow) - 1, text, change(text, plan.len, &rng),
				     &optimum, &err);
		assert_true(ret <= 1);
		memcpy(text, lines, sizeof(lines));
		read_journal(path, &w, text, change(text, sizeof(lines) - 1, &rng));
	}
	unlink(path);
	strbuf_release(&plan);
	work_release(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(changed_files_do_no_harm),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
