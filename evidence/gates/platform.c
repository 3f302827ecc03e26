/* SPDX-License-Identifier: MIT */
/* The unit test of the platform file on a counterfeit system, and what of the file it takes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "evidence/gates/gate.h"
#include "evidence/gates/kit.h"

static const char name_test[] = "unit test of the platform file";
static const char name_cover[] = "branch coverage of the platform file", file_name[] = "platform-test.txt";
static const char prefix[] = "perseus_platform_", out_dir[] = "platform-test/out";

static void not_run(struct gate_env *b, struct strbuf *report, const char *why)
{
	gate_verdict(b, file_name, name_test, EVIDENCE_NOT_RUN, why);
	gate_verdict(b, file_name, name_cover, EVIDENCE_NOT_RUN, why);
	strbuf_printf(report, "not run: %s\n", why);
}

/* "linux" of perseus_platform_linux.c; NULL: there is none. The caller frees it. */
char *gate_backend(const struct evidence *p)
{
	for (size_t i = 0; i < p->in->n_generated; i++) {
		const char *name = p->in->generated[i].path;

		if (!strncmp(name, prefix, sizeof(prefix) - 1) && evidence_is_source(name))
			return mem_strndup(name + sizeof(prefix) - 1, strlen(name) - sizeof(prefix) - 1);
	}
	return NULL;
}

/* The variant that flies, as the compiler line says. */
const char *gate_variant(const struct evidence *p)
{
	const char *cc = p->in->cc ? p->in->cc : "";

	return strstr(cc, "-DPERSEUS_STATIC")   ? "-DPERSEUS_STATIC"
	       : strstr(cc, "-DPERSEUS_DIRECT") ? "-DPERSEUS_DIRECT"
						: NULL;
}

int gate_kit(struct gate_env *b, struct err *err)
{
	size_t n;
	const struct kit_file *files = kit_files(&n);
	int ret = run_put(&b->place, "inputs/plan.yaml", b->pack->in->plan_file.text,
			  b->pack->in->plan_file.len, err);

	for (size_t i = 0; !ret && i < n; i++)
		ret = run_put(&b->place, files[i].path, files[i].text, (size_t)(files[i].end - files[i].text),
			      err);
	return ret;
}

static int run_line(struct gate_env *b, const char *const *argv, struct strbuf *report, struct run_result *r,
		    struct err *err)
{
	int ret = gate_run(b, argv, 600, r, err);

	for (size_t i = 3; argv[i]; i++)
		strbuf_printf(report, "%s%s", i > 3 ? " " : "", argv[i]);
	strbuf_printf(report, "\nexit status %d%s\n%s\n", r->status,
		      r->too_long ? ", stopped by its time limit" : "", r->out.len ? r->out.s : "");
	return ret;
}

static int cover(struct gate_env *b, struct strbuf *report, struct err *err)
{
	const char *v = gate_variant(b->pack);
	const char *const argv[] = {"/bin/sh",
				    "-c",
				    "exec sh \"$@\"",
				    "sh",
				    "platform-test/cover",
				    out_dir,
				    v ? "static" : "dynamic",
				    NULL};
	struct run_result r = {0};
	int ret = run_line(b, argv, report, &r, err);

	if (!ret)
		gate_verdict(b, file_name, name_cover, r.status ? EVIDENCE_FAILED : EVIDENCE_PASSED,
			     r.status ? "lines or branches that no case takes: see platform-test.txt"
				      : "all lines, all branches both ways but those excluded with reason");
	strbuf_release(&r.out);
	return ret;
}

static int test(struct gate_env *b, const char *back, struct strbuf *report, struct err *err)
{
	const char *const argv[] = {"/bin/sh",
				    "-c",
				    "COVERAGE=1; export COVERAGE; exec sh \"$@\"",
				    "sh",
				    "platform-test/run",
				    "inputs/plan.yaml",
				    ".",
				    back,
				    out_dir,
				    gate_variant(b->pack),
				    NULL};
	struct run_result r = {0};
	unsigned long cases = 0;
	char detail[80];
	int ret = gate_kit(b, err);

	if (!ret)
		ret = run_line(b, argv, report, &r, err);
	if (ret)
		return ret;
	gate_lines(r.out.len ? r.out.s : "", gate_cases, &cases);
	snprintf(detail, sizeof(detail), "%lu cases, 0 failed, on a counterfeit system", cases);
	if (r.status == 3)
		gate_verdict(b, file_name, name_test, EVIDENCE_FAILED, "it cannot be built");
	else
		gate_verdict(b, file_name, name_test, !r.status && cases ? EVIDENCE_PASSED : EVIDENCE_FAILED,
			     !r.status && cases ? detail : "it does not pass");
	strbuf_release(&r.out);
	if (!r.status && cases)
		return cover(b, report, err);
	gate_verdict(b, file_name, name_cover, EVIDENCE_NOT_RUN, "the unit test does not pass");
	return 0;
}

/* So that it can be run again from the pack. */
static void keep_kit(struct evidence *p)
{
	size_t n;
	const struct kit_file *files = kit_files(&n);

	for (size_t i = 0; i < n; i++) {
		struct strbuf text = STRBUF_INIT;

		strbuf_add(&text, files[i].text, (size_t)(files[i].end - files[i].text));
		evidence_put(p, files[i].path, files[i].role, NULL, &text);
	}
}

int gate_platform(struct gate_env *b, struct err *err)
{
	static const char *const tools[] = {"gcc", "gcov",      "objcopy", "awk",
					    "sed", "sha256sum", "grep",    "sort"};
	struct strbuf report = STRBUF_INIT, why = STRBUF_INIT;
	char *back = gate_backend(b->pack);
	int ret = 0;

	for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]) && !why.len; i++)
		if (!run_has(tools[i]))
			strbuf_printf(&why, "%s is not installed", tools[i]);
	if (!back)
		strbuf_puts(&why, "the generated files hold no platform file");
	if (why.len)
		not_run(b, &report, why.s);
	else
		ret = test(b, back, &report, err);
	keep_kit(b->pack);
	evidence_put(b->pack, file_name, "unit test of the platform file and its coverage", NULL, &report);
	strbuf_release(&why);
	free(back);
	return ret;
}
