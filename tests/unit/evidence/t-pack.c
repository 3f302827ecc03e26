/* SPDX-License-Identifier: MIT */
/* Generated files that are not in order: the pack says so and names the place.  No tool is run. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "codegen/codegen.h"
#include "evidence/pack/pack.h"
#include "lib/fs.h"

#define PLAN "tests/codegen/golden/plan.yaml"

struct fixture {
	struct strbuf text;
	struct plan plan;
	struct codegen_input codegen;
	struct codegen_output out;
	struct evidence_source files[CODEGEN_FILES];
	struct evidence_input in;
	struct evidence pack;
};

/* Replace @from, which must be there, in generated file @name. */
static void edit(struct fixture *f, const char *name, const char *from, const char *to)
{
	for (size_t i = 0; i < f->in.n_generated; i++) {
		struct strbuf now = STRBUF_INIT;
		char *at;

		if (strcmp(f->files[i].path, name))
			continue;
		at = strstr(f->files[i].text, from);
		assert_non_null(at);
		strbuf_add(&now, f->files[i].text, (size_t)(at - f->files[i].text));
		strbuf_puts(&now, to);
		strbuf_puts(&now, at + strlen(from));
		for (int k = 0; k < CODEGEN_FILES; k++)
			if (f->out.file[k].s == f->files[i].text) {
				strbuf_release(&f->out.file[k]);
				f->out.file[k] = now;
			}
		f->files[i].text = now.s;
		f->files[i].len = now.len;
		return;
	}
	fail_msg("no file %s", name);
}

/* @more: lines behind those of the plan. */
static void begin_with(struct fixture *f, const char *more)
{
	*f = (struct fixture){0};
	setenv("PATH", "/nonexistent", 1);
	assert_int_equal(fs_read(PLAN, 0, &f->text, NULL), 0);
	strbuf_puts(&f->text, more);
	assert_int_equal(plan_parse(&f->plan, f->text.s, f->text.len, PLAN, NULL), 0);
	f->codegen = (struct codegen_input){.plan = &f->plan, .plan_name = "plan.yaml"};
	sha256_of(f->text.s, f->text.len, f->codegen.sha256);
	assert_int_equal(codegen_make(&f->out, &f->codegen, NULL), 0);
	for (int i = 0; i < CODEGEN_FILES; i++)
		if (f->out.file[i].len)
			f->files[f->in.n_generated++] = (struct evidence_source){
				codegen_file_name(f->out.backend, (enum codegen_file)i), f->out.file[i].s,
				f->out.file[i].len};
	f->in.plan = &f->plan;
	f->in.plan_file = (struct evidence_source){PLAN, f->text.s, f->text.len};
	f->in.generated = f->files;
	f->in.version = "0";
}

static void begin(struct fixture *f)
{
	begin_with(f, "");
}

static void end(struct fixture *f)
{
	evidence_release(&f->pack);
	codegen_release(&f->out);
	plan_release(&f->plan);
	strbuf_release(&f->text);
}

static enum evidence_verdict verdict(const struct fixture *f, const char *gate)
{
	for (size_t i = 0; i < f->pack.gates.n; i++)
		if (!strcmp(f->pack.gates.at[i].name, gate))
			return f->pack.gates.at[i].verdict;
	fail_msg("no gate %s", gate);
	return EVIDENCE_FAILED;
}

static const char *file(const struct fixture *f, const char *path)
{
	for (size_t i = 0; i < f->pack.files.n; i++)
		if (!strcmp(f->pack.files.at[i].path, path))
			return f->pack.files.at[i].text.s;
	fail_msg("no file %s", path);
	return NULL;
}

static void what_is_generated_is_in_order(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	assert_int_equal(evidence_read(&f.pack, &f.in, NULL), 0);
	assert_true(evidence_traced(&f.pack));
	assert_int_equal(evidence_make(&f.pack, NULL), 0);
	assert_int_equal(verdict(&f, "MISRA deviations"), EVIDENCE_PASSED);
	assert_int_equal(verdict(&f, "MISRA C:2012"), EVIDENCE_NOT_RUN);
	assert_int_equal(evidence_count(&f.pack, EVIDENCE_FAILED), 0);
	assert_int_equal(evidence_count(&f.pack, EVIDENCE_PASSED), 1);
	end(&f);
}

static void a_function_that_nobody_asked_for_is_untraced(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	edit(&f, "perseus_triggers.c", "\nvoid perseus_trigger_0118(void)\n",
	     "\nvoid perseus_extra(void)\n{\n\tperseus_program_start();\n}\n\nvoid "
	     "perseus_trigger_0118(void)\n");
	assert_int_equal(evidence_read(&f.pack, &f.in, NULL), 0);
	assert_false(evidence_traced(&f.pack));
	assert_non_null(strstr(f.pack.untraced.at[f.pack.untraced.n - 1], "perseus_extra"));
	end(&f);
}

/* The matrix says where a trigger stands: four lines more in front of it, and it is not there. */
static void a_line_that_is_not_in_its_function_is_untraced(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	edit(&f, "perseus_triggers.c", "#include",
	     "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n#include");
	assert_int_equal(evidence_read(&f.pack, &f.in, NULL), 0);
	assert_false(evidence_traced(&f.pack));
	assert_non_null(strstr(f.pack.untraced.at[0], "is not in perseus_"));
	end(&f);
}

#define FIELD                                                                                                \
	"  - kind: field\n    type: \"%s\"\n    field: \"tx\"\n    file: \"net.h\"\n    line: 3\n"           \
	"    align: 64\n    size: 16\n    offset: 8\n    size_after: 128\n    offset_after: 64\n"

static void begin_layout(struct fixture *f, const char *type)
{
	char text[400];

	snprintf(text, sizeof(text), "layouts:\n" FIELD, type);
	begin_with(f, text);
}

/* An assertion that says something else, or is gone, is not that of the layout. */
static void a_layout_is_traced_by_its_assertions(void **state)
{
	static const char *const lines[][2] = {{"== 128u", "== 136u"},
					       {"== 64u", "== 65u"},
					       {">= 64u", ">= 32u"},
					       {"layouts[0]: size", "layouts[1]: size"},
					       {"layouts[0]: place", "place"}};
	struct fixture f;

	(void)state;
	begin_layout(&f, "struct stats");
	assert_int_equal(evidence_read(&f.pack, &f.in, NULL), 0);
	assert_true(evidence_traced(&f.pack));
	assert_int_equal(evidence_make(&f.pack, NULL), 0);
	assert_non_null(strstr(file(&f, "requirements-derived.csv"), "\"DR-L000\",\"layout 0\""));
	assert_int_equal(evidence_count(&f.pack, EVIDENCE_FAILED), 0);
	end(&f);
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		begin_layout(&f, "struct stats");
		edit(&f, "perseus_layouts.h", lines[i][0], lines[i][1]);
		assert_int_equal(evidence_read(&f.pack, &f.in, NULL), 0);
		assert_false(evidence_traced(&f.pack));
		assert_non_null(strstr(f.pack.untraced.at[0], "layout 0: perseus_layouts.h does not assert"));
		end(&f);
	}
	/* What a comment says is no assertion. */
	begin_layout(&f, "struct stats");
	edit(&f, "perseus_layouts.h", "#ifdef PERSEUS_LAYOUTS",
	     "/* ) == 128u, \"layouts[0]: size\"); */\n#ifdef PERSEUS_LAYOUTS");
	edit(&f, "perseus_layouts.h", "== 128u, \"layouts[0]: size\");\nPERSEUS_LAYOUT",
	     "== 136u, \"layouts[0]: size\");\nPERSEUS_LAYOUT");
	assert_int_equal(evidence_read(&f.pack, &f.in, NULL), 0);
	assert_false(evidence_traced(&f.pack));
	end(&f);
	/* A type that has no name in the source has no assertion, and lacks none. */
	begin_layout(&f, "0-anonymous");
	assert_int_equal(evidence_read(&f.pack, &f.in, NULL), 0);
	assert_true(evidence_traced(&f.pack));
	end(&f);
}

static void a_suppression_without_a_record_fails(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	edit(&f, "perseus_triggers.c", "void perseus_trigger_0118(void)\n{\n",
	     "void perseus_trigger_0118(void)\n{\n\t/* cppcheck-suppress misra-c2012-15.5 */\n");
	assert_int_equal(evidence_read(&f.pack, &f.in, NULL), 0);
	assert_int_equal(evidence_make(&f.pack, NULL), 0);
	assert_int_equal(verdict(&f, "MISRA deviations"), EVIDENCE_FAILED);
	assert_non_null(
		strstr(file(&f, "deviations.md"), "a suppression without a recorded deviation of rule 15.5"));
	end(&f);
}

static void a_deviation_that_is_not_on_the_list_fails(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	edit(&f, "perseus_platform_linux.c", "; D3 */", "; D33 */");
	assert_int_equal(evidence_read(&f.pack, &f.in, NULL), 0);
	assert_int_equal(evidence_make(&f.pack, NULL), 0);
	assert_int_equal(verdict(&f, "MISRA deviations"), EVIDENCE_FAILED);
	assert_non_null(strstr(file(&f, "deviations.md"), "D33 is not on the list of deviations"));
	assert_non_null(strstr(file(&f, "deviations.md"), "D3 stands on the list and occurs nowhere"));
	end(&f);
}

static void a_deviation_of_another_rule_fails(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	edit(&f, "perseus_platform_linux.c", "misra-c2012-11.5 ; D3", "misra-c2012-11.3 ; D3");
	assert_int_equal(evidence_read(&f.pack, &f.in, NULL), 0);
	assert_int_equal(evidence_make(&f.pack, NULL), 0);
	assert_int_equal(verdict(&f, "MISRA deviations"), EVIDENCE_FAILED);
	assert_non_null(strstr(file(&f, "deviations.md"), "deviation of rule 11.3"));
	end(&f);
}

static void a_matrix_of_another_plan_is_refused(void **state)
{
	struct err err = ERR_INIT;
	struct fixture f;

	(void)state;
	begin(&f);
	edit(&f, "perseus_matrix.csv", "triggers[5]", "triggers[6]");
	assert_int_equal(evidence_read(&f.pack, &f.in, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "'triggers[6]' is no item of the plan"));
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_generated_is_in_order),
		cmocka_unit_test(a_function_that_nobody_asked_for_is_untraced),
		cmocka_unit_test(a_line_that_is_not_in_its_function_is_untraced),
		cmocka_unit_test(a_layout_is_traced_by_its_assertions),
		cmocka_unit_test(a_suppression_without_a_record_fails),
		cmocka_unit_test(a_deviation_that_is_not_on_the_list_fails),
		cmocka_unit_test(a_deviation_of_another_rule_fails),
		cmocka_unit_test(a_matrix_of_another_plan_is_refused),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("pack", tests, NULL, NULL);
}
