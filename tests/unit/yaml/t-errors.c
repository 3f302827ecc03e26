/* SPDX-License-Identifier: MIT */
/*
 * Every error has its place and its words.  Each case edits one text of a
 * shipped example; the untouched example is the negative twin of all.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/fs.h"
#include "yaml/manifest.h"
#include "yaml/model.h"
#include "yaml/plan.h"
#include "yaml/platform.h"
#include "yaml/schema.h"

union any {
	struct model model;
	struct platform platform;
	struct plan plan;
	struct manifest manifest;
};

static int parse(const char *kind, union any *any, const char *text, size_t len, struct err *err)
{
	if (!strcmp(kind, "model"))
		return model_parse(&any->model, text, len, "t.yaml", err);
	if (!strcmp(kind, "platform"))
		return platform_parse(&any->platform, text, len, "t.yaml", err);
	if (!strcmp(kind, "plan"))
		return plan_parse(&any->plan, text, len, "t.yaml", err);
	return manifest_parse(&any->manifest, text, len, "t.yaml", err);
}

static char *read_example(const char *name)
{
	struct strbuf text = STRBUF_INIT;
	struct err err = ERR_INIT;
	char path[256];

	snprintf(path, sizeof(path), "yaml/examples/%s.yaml", name);
	if (fs_read(path, 0, &text, &err))
		fail_msg("%s", err.msg);
	return strbuf_detach(&text);
}

struct edit {
	const char *kind, *find, *replace, *says;
	int line; /* of the edited text, counted from the line of @find; -1: not checked */
};

#define SECOND               "      - thread: 2\n        cycles: 3700000000\n        starts: true\n"
#define SERIAL               SECOND "    serial:\n      - lock: 3\n        held:\n"
#define HELD(thread, cycles) "          - thread: " #thread "\n            cycles: " #cycles "\n"

#define MOVED "    transfers_per_s: 310000   # as observed, information only\n"

#define TWIN(type, field, line, after)                                                                       \
	"  - kind: field\n    type: \"" type "\"\n    field: \"" field                                       \
	"\"\n    file: \"net.h\"\n    line: " #line                                                          \
	"\n    align: 64\n    size: 16\n    offset: 0\n    size_after: " #after "\n    offset_after: 0\n"

static const struct edit edits[] = {
	/* syntax */
	{"plan", "seed: 1\n", "seed: [1\n", "did not find", -1},
	{"plan", "seed: 1\n", "seed: \"\xff\"\n", "UTF-8", 0},
	{"plan", "seed: 1\n", "seed: \t@\n", "", -1},
	{"plan", "seed: 1\n", "seed: &a 1\n", "anchors and tags", 0},
	{"plan", "seed: 1\n", "seed: !!int 1\n", "anchors and tags", 0},
	{"plan", "seed: 1\n", "seed: *a\n", "aliases", 0},
	{"plan", "seed: 1\n", "seed: 1\n---\nperseus: plan\n", "second document", 1},
	{"plan", "seed: 1\n", "seed: 1\n? [a]\n: 1\n", "a key must be a plain word", 1},
	{"plan", "seed: 1\n", "seed: [[[[[[[[[[[[[[1]]]]]]]]]]]]]]\n", "nested too deeply", 0},
	{"plan", "program: \"radar\"", "program: \"ra\\0dar\"", "NUL", 0},
	/* header */
	{"plan", "perseus: plan", "perseus: model", "this is a `model` document, expected `plan`", 0},
	{"plan", "perseus: plan\n", "", "not a Perseus document", -1},
	{"plan", "version: 1", "version: 2", "version 2 of the plan document, this program reads 1", 0},
	{"model", "version: 2", "version: 1", "version 1 of the model document, this program reads 2", 0},
	{"model", "version: 2", "version: 3", "version 3 of the model document, this program reads 2", 0},
	{"plan", "version: 1", "version: one", "`version` must be a number", 0},
	/* keys */
	{"plan", "seed: 1", "sead: 1", "unknown key `sead`\n  a plan takes: program, build_id", 0},
	{"plan", "seed: 1\n", "seed: 1\nseed: 2\n", "`seed` stands here for the second time", 1},
	{"plan", "version: 1\n", "version: 1\nversion: 1\n", "second time", 1},
	{"plan", "seed: 1\n", "", "a plan needs the key `seed`", -1},
	{"plan", "        domain: 1\n", "", "an action needs the key `domain`", -1},
	{"plan", "      - kind: pin\n", "      - kind: pin\n        khz: 5\n", "`khz` has no meaning here",
	 1},
	{"plan", "    thread: 0\n    actions:", "    thread: 0\n    site: 1\n    actions:",
	 "`site` has no meaning here", 1},
	{"platform", "{cache: 4000, remote: 9000}\n", "{cash: 4000}\n", "unknown key `cash` in `migrate_ns`",
	 0},
	{"platform", "{cache: 4000, remote: 9000}\n", "{cache: 1, cache: 1}\n", "second time", 0},
	/* types and ranges */
	{"plan", "seed: 1\n", "seed: -1\n", "`seed` must be a whole number from 0 to", 0},
	{"plan", "seed: 1\n", "seed: 99999999999999999999\n", "whole number", 0},
	{"plan", "seed: 1\n", "seed: \"1\"\n", "whole number", 0},
	{"plan", "seed: 1\n", "seed:\n", "found nothing", 0},
	{"plan", "seed: 1\n", "seed: [1]\n", "found a list", 0},
	{"plan", "objective: energy", "objective: noise", "one of time, energy, edp, power, found `noise`",
	 0},
	{"plan", "proven: true", "proven: yes", "true or false, found `yes`", 0},
	{"plan", "id: \"00c1a5e4b7d29f36\"", "id: \"00c1a5e4b7d29f3\"", "16 to 16 lower case hexadecimal", 0},
	{"plan", "id: \"00c1a5e4b7d29f36\"", "id: \"00C1A5E4B7D29F36\"", "hexadecimal", 0},
	{"plan", "first: 1\n", "first: 0\n", "from 1 to", 0},
	{"plan", "number: 2\n", "number: 10000\n", "from 1 to 9999", 0},
	{"plan", "sites:\n", "sites: 3\nxites:\n", "unknown key `xites`", 1},
	{"plan", "    actions:\n      - kind: pin\n        core: 2\n", "    actions: []\n",
	 "`actions` must be a list of 1 to", 0},
	{"model", "outside: 0.04", "outside: 1.5", "`outside` must be a number in range", 0},
	{"model", "accesses_per_kcycle: 2.1", "accesses_per_kcycle: .nan", "a number, not negative", 0},
	{"model", "accesses_per_kcycle: 2.1", "accesses_per_kcycle: 1e999", "a number, not negative", 0},
	{"model", "accesses_per_kcycle: 2.1", "accesses_per_kcycle: -0.1", "a number, not negative", 0},
	{"model", MOVED, MOVED "    phases:\n      - {phase: 1}\n      - {phase: 0}\n", "must ascend", 3},
	{"model", MOVED, MOVED "    phases:\n      - {phase: 0}\n", "one phase stands in `phase`", -1},
	{"model", MOVED, MOVED "    phase: 0\n    phases:\n      - {phase: 0}\n      - {phase: 1}\n",
	 "several in `phases`", -1},
	{"model", MOVED, MOVED "    phases:\n      - {phase: 0, share: 0.4}\n      - {phase: 1}\n",
	 "these add up to 1, or none", -1},
	{"model", MOVED,
	 MOVED "    phases:\n      - {phase: 0, share: 0.4}\n      - {phase: 1, share: 0.4}\n",
	 "these add up to 1, or none", -1},
	{"model", MOVED, MOVED "    phase: 1\n    phase_reason: \"seldom\"\n", "and there is one", 2},
	{"model", "opened_by: barrier", "opened_by: fork", "one of start, create, join, barrier, call", 0},
	{"manifest", "purpose: timing", "purpose: fun", "one of timing, sharing, denormal, found `fun`", 0},
	{"manifest", "status: exited", "status: gone", "one of running, exited, killed", 0},
	{"manifest", "exit_code: 0", "exit_code: 256", "from 0 to 255", 0},
	{"plan", "    align: 64\n", "    align: 1\n", "`align` must be a whole number from 2 to 4096", 0},
	{"plan", "    field: \"tx\"\n", "", "a layout needs the key `field`", -1},
	{"plan", "    field: \"tx\"\n", "    field: \"tx\"\n    variable: \"tx\"\n",
	 "`variable` has no meaning here", 1},
	{"plan", "kind: variable", "kind: element", "one of field, variable, found `element`", 0},
	/* indices and meaning */
	{"plan", "    align: 64\n", "    align: 96\n", "an alignment is a power of two", 0},
	{"plan", "size_after: 128", "size_after: 120", "the size is a multiple of the alignment", 0},
	{"plan", "size_after: 64 ", "size_after: 128 ", "a variable takes as many bytes as are left", 0},
	{"plan", "    offset: 8\n", "    offset: 16\n", "the field lies behind the end of its type", 0},
	{"plan", "offset_after: 64", "offset_after: 8", "the field is at a multiple of the alignment", 0},
	{"plan", "offset_after: 64", "offset_after: 128", "the field lies behind the end of its type", 0},
	{"plan", "  - kind: variable\n", TWIN("stats", "tx", 21, 128) "  - kind: variable\n",
	 "this field has a layout already", 2},
	{"plan", "  - kind: variable\n", TWIN("other", "tx", 21, 128) "  - kind: variable\n",
	 "two fields of this name are declared in this line", 2},
	{"plan", "  - kind: variable\n", TWIN("stats", "rx", 20, 192) "  - kind: variable\n",
	 "the type has another size in a layout before", 8},
	{"plan", "  - index: 1\n    name: \"rx", "  - index: 2\n    name: \"rx", "`index` must be 1 here", 0},
	{"plan", "    site: 1\n", "    site: 2\n", "`site` is 2, but sites are numbered 0 to 1", 0},
	{"plan", "    core: 1\n", "    core: 12\n", "unknown core 12", 0},
	{"plan", "        core: 2\n", "        core: 12\n", "unknown core 12", 0},
	{"plan", "number: 2\n", "number: 1\n", "trigger numbers must ascend: 1 follows 1", 0},
	{"plan", "    name: \"main\"\n", "    name: \"main\"\n    creator: 0\n", "thread 0 is main", 1},
	{"plan", "    creator: 0\n    create_site: 0\n    ordinal: 1\n",
	 "    creator: 2\n    create_site: 0\n    ordinal: 1\n",
	 "must stand after the thread that created it", 0},
	{"model", "enter_visit: 1 ", "# ", "`enter_site` and `enter_visit`", -1},
	{"model",
	 "        enter_site: 1         # entered when this call had returned ...\n        enter_visit: 1 ",
	 "# ", "`enter_every` needs", -1},
	{"model", "    after: 0\n", "", "two phases follow the same one", -1},
	{"model", "    after: 0\n", "    after: 1\n", "do not form one chain", -1},
	{"model", "    after: 0\n", "    after: 1\n", "phase 1 follows itself", 0},
	{"model", "    opened_by: create         # start",
	 "    after: 1\n    opened_by: create         # start",
	 "`after` leads in a circle from phase 0 to phase 1 and back", 0},
	{"model",
	 "    work:\n      - thread: 1\n        cycles: 300000000\n"
	 "        enter_site: 1         # entered when this call had returned ...\n"
	 "        enter_visit: 1        # ... for the first time,\n"
	 "        enter_every: 1        # and with every visit for the next repeat\n",
	 "    work: []\n", "`work` must be a list of 1 to", 0},
	{"model", "      - thread: 2\n        cycles: 3700000000\n        starts: true\n", "",
	 "thread 2 has no work in any phase, but is plannable", -1},
	{"model", "      - thread: 2\n        cycles: 37", "      - thread: 9\n        cycles: 37",
	 "threads are numbered 0 to", 0},
	{"platform", "idle_mw: 2000", "idle_mw: -2000", "`idle_mw` must be a whole number from 0 to", 0},
	{"model", "    after: 0\n", "    after: 7\n", "`after` is 7, but phases are numbered 0 to 1", 0},
	{"model", "      - thread: 2\n", "      - thread: 1\n", "already has work in this phase", 0},
	{"model", SECOND, SERIAL HELD(1, 5) HELD(1, 5), "the threads that hold a lock must ascend", 8},
	{"model", SECOND, SERIAL HELD(2, 5) HELD(1, 5), "the threads that hold a lock must ascend", 8},
	{"model", SECOND, SERIAL HELD(9, 5), "threads are numbered 0 to", 6},
	{"model", SECOND, SERIAL HELD(2, 3700000001), "more is done under the lock than", 6},
	{"model", SECOND, SERIAL HELD(2, 5) "            memory_ns: 1\n", "more is done under the lock than",
	 6},
	{"model", SECOND, SECOND "    serial:\n      - lock: 3\n        held: []\n",
	 "`held` must be a list of 1 to", 5},
	{"model", SECOND, SERIAL HELD(1, 5) "      - lock: 3\n        held:\n" HELD(1, 5),
	 "the locks of a phase must ascend", 8},
	{"model", "        enter_every: 1        # and with every visit for the next repeat\n",
	 "    serial:\n      - lock: 0\n        held:\n" HELD(2, 5), "this thread has no work in this phase",
	 -1},
	{"model", "    b:\n", "    b:\n      gap_cycles: 7\n", "`gap_cycles` go together", 1},
	{"model", "      file: \"net.c\"\n      line: 93\n", "", "`function` and `file` go together", -1},
	{"model", "    b:\n      thread: 2", "    b:\n      thread: 1", "side `b` must be greater", 1},
	{"platform", "{id: 1, package: 0", "{id: 0, package: 0", "ascending order of `id`", 0},
	{"platform", "{id: 1, package: 0, cache_group: 0", "{id: 1, package: 1, cache_group: 0",
	 "cores of one `cache_group` must be in one `package`", 0},
	{"platform", "cache_group: 1, physical: 2, domain: 1", "cache_group: 1, physical: 2, domain: 3",
	 "numbers must start at 0 and leave no gap", 0},
	{"platform", "- {khz: 1800000", "- {khz: 2600000", "descending order of `khz`", 0},
	{"platform", "busy_mw: 4500, ", "", "needs `busy_mw`", 0},
	{"platform", "busy_mw: 4500, idle_mw: 2000", "busy_mw: 4500, idle_mw: 4501", "cannot draw more", 0},
	{"platform", "  - [4000, 0, 9000, 9000]", "  - [4000, 0, 9000]", "must have 4 numbers", 0},
	{"platform", "  - [4000, 0, 9000, 9000]\n", "", "must be a list of 4 rows", -1},
	{"platform", "[4000, 0, 9000", "[4000, 5, 9000", "staying on a core must cost 0", -1},
};

static void apply(const struct edit *e, char **text, int *line)
{
	char *example = read_example(e->kind), *at = strstr(example, e->find);
	struct strbuf out = STRBUF_INIT;

	if (!at)
		fail_msg("the %s example no longer contains '%s'", e->kind, e->find);
	*line = 1;
	for (const char *p = example; p < at; p++)
		*line += *p == '\n';
	strbuf_add(&out, example, (size_t)(at - example));
	strbuf_puts(&out, e->replace);
	strbuf_puts(&out, at + strlen(e->find));
	free(example);
	*text = strbuf_detach(&out);
}

static void each_mistake_is_named_with_its_place(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(edits) / sizeof(edits[0]); i++) {
		const struct edit *e = &edits[i];
		struct err err = ERR_INIT;
		char *text, place[64];
		union any any;
		int line, ret;

		apply(e, &text, &line);
		ret = parse(e->kind, &any, text, strlen(text), &err);
		if (!ret)
			fail_msg("accepted: %s", e->replace);
		if (!strstr(err.msg, e->says))
			fail_msg("'%s' does not say '%s'", err.msg, e->says);
		snprintf(place, sizeof(place), "t.yaml line %d, column ", line + e->line);
		if (e->line >= 0 && strncmp(err.msg, place, strlen(place)))
			fail_msg("'%s' does not start with '%s'", err.msg, place);
		if (strncmp(err.msg, "t.yaml line ", 12))
			fail_msg("'%s' has no line", err.msg);
		assert_int_equal(ret, strstr(e->says, "document, this program reads ") ? -ENOTSUP : -EINVAL);
		assert_int_equal(err.code, ret);
		free(text);
	}
}

static void columns_are_right(void **state)
{
	static const char text[] = "perseus: manifest\nversion: 1\nprogram: \"x\"\npurpose:   tining\n";
	struct err err = ERR_INIT;
	union any any;

	(void)state;
	assert_int_equal(parse("manifest", &any, text, strlen(text), &err), -EINVAL);
	assert_non_null(strstr(err.msg, "line 4, column 12: "));
}

static void a_missing_file_is_named(void **state)
{
	struct err err = ERR_INIT;
	struct model m;

	(void)state;
	assert_int_equal(model_load(&m, "/nonexistent/model.yaml", &err), -ENOENT);
	assert_non_null(strstr(err.msg, "/nonexistent/model.yaml"));
}

static void an_empty_or_truncated_file_is_refused(void **state)
{
	char *text = read_example("plan"), *triggers = strstr(text, "\n# At a call"); /* a plan needs none */
	struct err err = ERR_INIT;
	union any any;

	(void)state;
	assert_int_equal(parse("plan", &any, "", 0, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "empty"));
	assert_non_null(triggers);
	for (size_t len = 1; len < (size_t)(triggers - text); len += 37)
		assert_int_not_equal(parse("plan", &any, text, len, &err), 0);
	free(text);
}

static void an_oversized_text_is_refused(void **state)
{
	struct err err = ERR_INIT;
	union any any;

	(void)state;
	assert_int_equal(parse("plan", &any, "perseus: plan", (size_t)1 << 30, &err), -EFBIG);
}

static void too_many_values_are_refused(void **state)
{
	struct strbuf text = STRBUF_INIT;
	struct err err = ERR_INIT;
	union any any;

	(void)state;
	strbuf_puts(&text, "perseus: plan\nversion: 1\nx: [");
	for (uint32_t i = 0; i <= DOC_MAX_NODES; i++)
		strbuf_puts(&text, "1,");
	strbuf_puts(&text, "]\n");
	assert_int_equal(parse("plan", &any, text.s, text.len, &err), -EFBIG);
	strbuf_release(&text);
}

static void what_cannot_be_read_back_is_not_written(void **state)
{
	char path[] = "/tmp/perseus-yaml.XXXXXX";
	struct strbuf kept = STRBUF_INIT;
	char *text = read_example("plan");
	struct err err = ERR_INIT;
	struct plan p;
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0 && write(fd, "old", 3) == 3);
	close(fd);
	assert_int_equal(plan_parse(&p, text, strlen(text), "t.yaml", &err), 0);
	p.threads[1].creator = 77;
	assert_int_equal(plan_save(&p, path, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "not written"));
	assert_non_null(strstr(err.msg, "`creator` is 77"));
	assert_int_equal(fs_read(path, 0, &kept, NULL), 0);
	assert_string_equal(kept.s, "old");
	p.threads[1].creator = 0;
	assert_int_equal(plan_save(&p, path, &err), 0);
	plan_release(&p);
	assert_int_equal(plan_load(&p, path, &err), 0);
	plan_release(&p);
	strbuf_release(&kept);
	unlink(path);
	free(text);
}

static void texts_of_any_bytes_survive_or_are_repaired(void **state)
{
	static const struct {
		const char *in, *out;
	} cases[] = {
		{"plain", NULL},
		{"a \"quoted\\\" text: #, [x] {y}", NULL},
		{"tab\tline\nbell\a del\x7f", NULL},
		{"umlaut \xc3\xa4 euro \xe2\x82\xac g-clef \xf0\x9d\x84\x9e", NULL},
		{"nel \xc2\x85 ls \xe2\x80\xa8 bom \xef\xbb\xbf", NULL},
		{" leading and trailing ", NULL},
		{"null", NULL},
		{"~", NULL},
		{"", NULL},
		{"latin \xe4 cut \xe2\x82", "latin \xef\xbf\xbd cut \xef\xbf\xbd\xef\xbf\xbd"},
		{"long zero \xc0\x80 surrogate \xed\xa0\x80",
		 "long zero \xef\xbf\xbd\xef\xbf\xbd surrogate \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *argv[] = {(char *)(uintptr_t)cases[i].in}, purpose[] = "timing", status[] = "running";
		struct manifest m = {
			.program = argv[0], .argv = argv, .n_argv = 1, .purpose = purpose, .status = status};
		struct manifest again;
		struct strbuf text = STRBUF_INIT;
		struct err err = ERR_INIT;

		manifest_text(&m, &text);
		if (manifest_parse(&again, text.s, text.len, "t.yaml", &err))
			fail_msg("%s\n%s", err.msg, text.s);
		assert_string_equal(again.argv[0], cases[i].out ? cases[i].out : cases[i].in);
		manifest_release(&again);
		strbuf_release(&text);
	}
}

static void numbers_survive_exactly(void **state)
{
	static const double values[] = {0,      0.1,  1.0 / 3, 1e-300, 5e-324, 123456789012345680.0,
					2.5e15, 1e22, 0.07};

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		char program[] = "x", purpose[] = "timing", status[] = "running";
		struct manifest m = {.program = program, .purpose = purpose, .status = status};
		struct manifest again;
		struct strbuf text = STRBUF_INIT;
		struct err err = ERR_INIT;

		m.load_before = values[i];
		m.wall_ns = UINT64_MAX;
		manifest_text(&m, &text);
		if (manifest_parse(&again, text.s, text.len, "t.yaml", &err))
			fail_msg("%s", err.msg);
		assert_true(again.load_before == values[i]);
		assert_true(again.wall_ns == UINT64_MAX);
		manifest_release(&again);
		strbuf_release(&text);
	}
}

static struct platform load_lab(void)
{
	struct err err = ERR_INIT;
	struct platform lab;

	if (platform_load(&lab, "yaml/examples/platform.yaml", &err))
		fail_msg("%s", err.msg);
	return lab;
}

static void a_plan_is_held_against_its_platform(void **state)
{
	struct platform lab = load_lab(), other;
	struct err err = ERR_INIT;
	struct plan p;

	(void)state;
	if (plan_load_for(&p, "yaml/examples/plan.yaml", &lab, &err))
		fail_msg("%s", err.msg);
	plan_release(&p);

	lab.cores[2].usable = false;
	assert_int_equal(plan_load_for(&p, "yaml/examples/plan.yaml", &lab, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "column 15: core 2 is not usable"));
	lab.cores[2].usable = true;

	lab.steps[1].khz = 1700000;
	assert_int_equal(plan_load_for(&p, "yaml/examples/plan.yaml", &lab, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "unknown frequency step 1800000 kHz"));

	assert_int_equal(platform_find(&other, "xeon-e5320", &err), 0);
	assert_int_equal(plan_load_for(&p, "yaml/examples/plan.yaml", &other, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "unknown frequency step 1800000 kHz"));
	platform_release(&lab);
	platform_release(&other);
}

static void an_unknown_core_names_the_known_ones(void **state)
{
	struct platform lab = load_lab();
	struct err err = ERR_INIT;
	struct plan p;

	(void)state;
	lab.n_cores = 1;
	assert_int_equal(plan_load_for(&p, "yaml/examples/plan.yaml", &lab, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "unknown core 1\n  platform `lab-4` has cores 0 to 0\n"));
	assert_non_null(strstr(err.msg, "perseus calibrate --list"));
	lab.n_cores = 4;
	platform_release(&lab);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_mistake_is_named_with_its_place),
		cmocka_unit_test(columns_are_right),
		cmocka_unit_test(a_missing_file_is_named),
		cmocka_unit_test(an_empty_or_truncated_file_is_refused),
		cmocka_unit_test(an_oversized_text_is_refused),
		cmocka_unit_test(too_many_values_are_refused),
		cmocka_unit_test(what_cannot_be_read_back_is_not_written),
		cmocka_unit_test(texts_of_any_bytes_survive_or_are_repaired),
		cmocka_unit_test(numbers_survive_exactly),
		cmocka_unit_test(a_plan_is_held_against_its_platform),
		cmocka_unit_test(an_unknown_core_names_the_known_ones),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
