/* SPDX-License-Identifier: MIT */
#include <dlfcn.h>
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
#include "lib/fs.h"

/* Instead of the library's: how many go well before one fails; negative: all do. */
static int renames_left = -1;

int rename(const char *from, const char *to)
{
	int (*real)(const char *, const char *);

	*(void **)&real = dlsym(RTLD_NEXT, "rename");
	if (renames_left < 0 || renames_left--)
		return real(from, to);
	errno = EIO;
	return -1;
}

/* The structs own their texts, these stay constant. */
#define TEXT(s) ((char *)(uintptr_t)(s))

/* A plan of four threads, two creating sites, three triggers at two points. */
struct fixture {
	struct plan plan;
	struct plan_thread thread[4];
	struct plan_site site[3];
	struct plan_trigger trigger[3];
	struct plan_action action[3];
	struct codegen_input in;
	struct codegen_output out;
	struct err err;
};

static struct plan_site site(char *id, char *callee)
{
	return (struct plan_site){.id = id,
				  .instance = TEXT("*"),
				  .unit = TEXT("a.c"),
				  .function = TEXT("f"),
				  .callee = callee,
				  .file = TEXT("a.c"),
				  .line = 7};
}

static void setup(struct fixture *x)
{
	*x = (struct fixture){.err = ERR_INIT};
	x->thread[0] = (struct plan_thread){
		.name = TEXT("main"), .creator = PLAN_NONE, .create_site = PLAN_NONE, .core = 0};
	x->thread[1] = (struct plan_thread){
		.name = TEXT("worker"), .create_site = 0, .ordinal = 0, .core = 1, .reason = TEXT("r")};
	x->thread[2] =
		(struct plan_thread){.name = TEXT("worker"), .create_site = 0, .ordinal = 1, .core = 2};
	x->thread[3] = (struct plan_thread){
		.name = TEXT("child"), .creator = 1, .create_site = 1, .core = PLAN_NONE};
	x->site[0] = site(TEXT("0000000000000001"), TEXT("pthread_create"));
	x->site[1] = site(TEXT("0000000000000002"), TEXT("pthread_create"));
	x->site[2] = site(TEXT("0000000000000003"), TEXT("fir"));
	x->action[0] = (struct plan_action){.kind = PLAN_PIN, .core = 3};
	x->action[1] = (struct plan_action){.kind = PLAN_STEP, .domain = 1, .khz = 1587000};
	x->action[2] = (struct plan_action){.kind = PLAN_PIN, .core = 0};
	for (int i = 0; i < 3; i++)
		x->trigger[i] = (struct plan_trigger){.number = (uint32_t)(5 + i),
						      .at = PLAN_AT_CALL,
						      .thread = 1,
						      .site = 2,
						      .first = 1,
						      .actions = &x->action[i],
						      .n_actions = 1};
	x->trigger[1].thread = 2;
	x->trigger[2].after = true;
	x->trigger[2].every = 4;
	x->plan = (struct plan){.program = TEXT("p"),
				.platform_name = TEXT("lab"),
				.n_cores = 4,
				.max_core_id = 3,
				.cpu = TEXT("CPU @ 1 GHz"),
				.threads = x->thread,
				.n_threads = 4,
				.sites = x->site,
				.n_sites = 3,
				.triggers = x->trigger,
				.n_triggers = 3};
	x->in = (struct codegen_input){.plan = &x->plan, .plan_name = "plan.yaml"};
	memset(x->in.sha256, 'a', 64);
}

static const char *file(const struct fixture *x, enum codegen_file f)
{
	return x->out.file[f].s ? x->out.file[f].s : "";
}

static void made(struct fixture *x)
{
	if (codegen_make(&x->out, &x->in, &x->err))
		fail_msg("%s", x->err.msg);
}

static void refused(struct fixture *x, const char *why)
{
	assert_int_equal(codegen_make(&x->out, &x->in, &x->err), -EINVAL);
	if (!strstr(x->err.msg, why))
		fail_msg("'%s' does not say '%s'", x->err.msg, why);
	codegen_release(&x->out);
}

static void has(const struct fixture *x, enum codegen_file f, const char *text)
{
	if (!strstr(file(x, f), text))
		fail_msg("no '%s' in:\n%s", text, file(x, f));
}

static void lacks(const struct fixture *x, enum codegen_file f, const char *text)
{
	if (strstr(file(x, f), text))
		fail_msg("'%s' in:\n%s", text, file(x, f));
}

static void triggers_at_one_site_and_side_are_one_function(void **state)
{
	struct fixture x;

	(void)state;
	setup(&x);
	made(&x);
	assert_int_equal(x.out.n_points, 2);
	has(&x, CODEGEN_SOURCE, "void perseus_trigger_0005(void)");
	lacks(&x, CODEGEN_SOURCE, "perseus_trigger_0006");
	has(&x, CODEGEN_SOURCE, "void perseus_trigger_0007(void)");
	has(&x, CODEGEN_PLAN,
	    "call 0005 0000000000000003 * before a.c f fir 7\ncall 0007 0000000000000003 * after a.c f "
	    "fir 7\nend 6 ");
	has(&x, CODEGEN_MATRIX, "triggers[1],trigger,0006,perseus_trigger_0005,");
	codegen_release(&x.out);
}

static void creating_sites_are_numbered_as_threads_name_them(void **state)
{
	struct fixture x;

	(void)state;
	setup(&x);
	x.thread[3].create_site = 0;
	x.thread[3].ordinal = 0;
	x.thread[1].create_site = 1;
	x.thread[2].create_site = 1;
	made(&x);
	has(&x, CODEGEN_PLAN,
	    "start\ncreate 1 0000000000000002 * a.c f pthread_create 7\ncreate 2 0000000000000001 * a.c f "
	    "pthread_create 7\n");
	codegen_release(&x.out);
}

static void threads_of_one_name_get_numbers_and_never_collide(void **state)
{
	struct fixture x;

	(void)state;
	setup(&x);
	x.thread[3].name = TEXT("worker_1");
	made(&x);
	has(&x, CODEGEN_HEADER,
	    "#define THREAD_WORKER_0 (1u)\n#define THREAD_WORKER_1 (2u)\n#define THREAD_WORKER_1_0 (3u)\n");
	codegen_release(&x.out);
}

static void the_same_plan_gives_the_same_bytes(void **state)
{
	struct fixture x, y;

	(void)state;
	setup(&x);
	setup(&y);
	made(&x);
	made(&y);
	for (int f = 0; f < CODEGEN_FILES; f++)
		assert_string_equal(file(&x, f), file(&y, f));
	codegen_release(&x.out);
	codegen_release(&y.out);
}

static size_t lines_that_differ(const char *a, const char *b)
{
	size_t n = 0;

	while (*a && *b) {
		size_t la = strcspn(a, "\n"), lb = strcspn(b, "\n");

		n += la != lb || memcmp(a, b, la) != 0;
		a += la + (a[la] != '\0');
		b += lb + (b[lb] != '\0');
	}
	return n + (*a || *b);
}

static void a_changed_core_changes_one_line_of_code(void **state)
{
	struct fixture x, y;

	(void)state;
	setup(&x);
	setup(&y);
	y.thread[2].core = 1;
	made(&x);
	made(&y);
	assert_int_equal(lines_that_differ(file(&x, CODEGEN_SOURCE), file(&y, CODEGEN_SOURCE)), 1);
	codegen_release(&x.out);
	codegen_release(&y.out);
}

static void what_a_plan_does_not_use_is_not_generated(void **state)
{
	struct fixture x;

	(void)state;
	setup(&x);
	x.plan.n_triggers = 1;
	x.plan.cpu = NULL;
	made(&x);
	lacks(&x, CODEGEN_SOURCE, "perseus_step");
	lacks(&x, CODEGEN_SOURCE, "perseus_due");
	lacks(&x, CODEGEN_PLATFORM_H, "perseus_platform_step");
	lacks(&x, CODEGEN_PLATFORM_C, "scaling_");
	lacks(&x, CODEGEN_PLATFORM_C, "cpuinfo");
	for (int f = 0; f < CODEGEN_FILES; f++)
		lacks(&x, f, "\n@");
	codegen_release(&x.out);
}

static void plans_that_contradict_themselves_are_refused(void **state)
{
	struct fixture x;

	(void)state;
	setup(&x), x.thread[1].core = 4, refused(&x, "unknown core 4");
	setup(&x), x.action[0].core = 77, refused(&x, "unknown core 77");
	setup(&x), x.thread[2].ordinal = 0, refused(&x, "same creator, site and ordinal");
	setup(&x), x.thread[1].creator = 2, refused(&x, "creator");
	setup(&x), x.thread[2].creator = PLAN_NONE, refused(&x, "creation was not seen");
	setup(&x), x.trigger[1].number = 5, refused(&x, "ascend");
	setup(&x), x.trigger[1].thread = 9, refused(&x, "unknown thread");
	setup(&x), x.trigger[1].site = 9, refused(&x, "unknown site");
	setup(&x), x.trigger[1].first = 0, refused(&x, "counted from 1");
	setup(&x), x.trigger[2].number = 10000, refused(&x, "1 to 9999");
	setup(&x), x.site[1].id = TEXT("12"), refused(&x, "16 hexadecimal");
	setup(&x), x.site[1].instance = TEXT("zz"), refused(&x, "8 hexadecimal");
	setup(&x), x.plan.cpu = TEXT("a\"; evil();"), refused(&x, "processor's name");
	setup(&x), x.plan.n_threads = 0, refused(&x, "threads");
	setup(&x), x.trigger[1].n_actions = 0, refused(&x, "trigger 6 sets nothing");
	setup(&x), x.trigger[1].thread = 1, x.action[1] = (struct plan_action){.kind = PLAN_PIN, .core = 1};
	refused(&x, "triggers 5 and 6 set one thing to two values in thread 1");
}

static void two_settings_contradict_only_where_visits_meet(void **state)
{
	static const uint32_t visits[][5] = {/* first, every, first, every, 1: they meet */
					     {1, 0, 1, 0, 1}, {1, 0, 2, 0, 0}, {1, 2, 5, 0, 1},
					     {1, 2, 6, 0, 0}, {2, 4, 4, 6, 1}, {2, 4, 5, 6, 0},
					     {7, 1, 3, 0, 0}, {7, 1, 3, 2, 1}};
	struct fixture x;

	(void)state;
	for (size_t i = 0; i < sizeof(visits) / sizeof(*visits); i++) {
		setup(&x);
		x.trigger[1].thread = 1;
		x.action[1] = (struct plan_action){.kind = PLAN_PIN, .core = 1};
		x.trigger[0].first = visits[i][0], x.trigger[0].every = visits[i][1];
		x.trigger[1].first = visits[i][2], x.trigger[1].every = visits[i][3];
		if (visits[i][4]) {
			refused(&x, "two values");
		} else {
			made(&x);
			codegen_release(&x.out);
		}
	}
}

static void a_site_is_planned_as_a_whole_or_by_copies(void **state)
{
	struct fixture x;

	(void)state;
	setup(&x);
	x.site[1] = x.site[2];
	x.site[1].instance = TEXT("0000000a");
	x.thread[3].create_site = 0;
	x.trigger[1].site = 1;
	refused(&x, "one at all of its copies");
	setup(&x);
	x.site[1] = x.site[0];
	x.site[1].instance = TEXT("0000000a");
	refused(&x, "one at all of its copies");
}

static void a_plan_needs_the_kind_that_it_uses(void **state)
{
	struct fixture x;

	(void)state;
	setup(&x), x.in.limit = PLAN_KIND_START, refused(&x, "trigger 5 needs a plan of kind call");
	setup(&x), x.plan.kind = PLAN_KIND_START, refused(&x, "trigger 5 stands at a call");
	setup(&x), x.plan.kind = PLAN_KIND_PHASE, refused(&x, "trigger 5 stands before a call");
	setup(&x), x.plan.n_triggers = 0, x.in.limit = PLAN_KIND_START;
	made(&x);
	assert_int_equal(x.out.kind, PLAN_KIND_START);
	lacks(&x, CODEGEN_SOURCE, "visits_");
	codegen_release(&x.out);
}

/* Ids that are those of calls in f(): public, of a.c alone, and the third of its kind. */
static void name_truly(struct fixture *x)
{
	x->site[0].id = TEXT("60186d24d0cbb82a");
	x->site[1].id = TEXT("95fda6ce827860d3");
	x->site[2].id = TEXT("9e371e6b05bf7fc6");
}

static void noted(struct fixture *x, const char *text)
{
	made(x);
	if (!strstr(x->out.notes.s, text))
		fail_msg("'%s' is not in: %s", text, x->out.notes.s);
	codegen_release(&x->out);
}

static void names_that_an_id_was_not_made_of_are_noted(void **state)
{
	struct fixture x;

	(void)state;
	setup(&x), name_truly(&x), x.site[2].function = TEXT("g");
	noted(&x, "site 2: 9e371e6b05bf7fc6 is not the id of a call of `fir` in `g`: was");
	setup(&x), name_truly(&x), x.site[2].callee = TEXT("fires");
	noted(&x, "is not the id of a call of `fires` in `f`: was");
	setup(&x), name_truly(&x), x.site[1].unit = TEXT("b.c");
	noted(&x, "site 1: 95fda6ce827860d3 is not the id");
	setup(&x), name_truly(&x), x.site[0].id = x.site[2].id, x.site[1].id = x.site[2].id;
	noted(&x, "site 0: 9e371e6b05bf7fc6 is not the id of a call of `pthread_create` in `f`, and so with "
		  "1 more: was");
	/* Twins: the unit of a public function is no part of its id, and under LTO no unit is known. */
	setup(&x), name_truly(&x), x.site[2].unit = TEXT("b.c");
	made(&x);
	assert_int_equal(x.out.notes.len, 0);
	codegen_release(&x.out);
	setup(&x), name_truly(&x), x.site[1].unit = TEXT("-");
	made(&x);
	assert_int_equal(x.out.notes.len, 0);
	codegen_release(&x.out);
}

static void what_need_not_appear_is_noted(void **state)
{
	struct fixture x;

	(void)state;
	setup(&x);
	name_truly(&x);
	made(&x);
	assert_int_equal(x.out.notes.len, 0);
	codegen_release(&x.out);
	setup(&x);
	x.thread[1].creator = PLAN_NONE, x.thread[1].core = PLAN_NONE;
	x.thread[3].core = 1, x.plan.n_triggers = 0;
	made(&x);
	assert_non_null(strstr(x.out.notes.s, "thread 3 never appears"));
	codegen_release(&x.out);
}

static size_t count(const char *s, char c)
{
	size_t n = 0;

	for (; *s; s++)
		n += *s == c;
	return n;
}

/* Drop the comments as a compiler does and look at the rest. */
static void only_comments_name_it(const char *text)
{
	char *copy = strdup(text);

	for (char *open, *close; (open = strstr(copy, "/*")) && (close = strstr(open, "*/"));)
		memmove(open, close + 2, strlen(close + 2) + 1);
	assert_null(strstr(copy, "EVIL()"));
	assert_null(strstr(copy, "#define EVIL"));
	assert_null(strstr(copy, "*/"));
	free(copy);
}

/* Every string of the plan tries to become code: nothing but comments and fields may come of it. */
static void hostile_strings_do_not_become_code(void **state)
{
	static char evil[] = "x */ EVIL(); /* ?\?/\n#define EVIL\n\" , EVIL(); // \\\n\xff\x01";
	static const enum codegen_file c_files[] = {CODEGEN_HEADER, CODEGEN_SOURCE, CODEGEN_PLATFORM_H,
						    CODEGEN_PLATFORM_C};
	struct fixture x;

	(void)state;
	setup(&x);
	x.plan.program = x.plan.platform_name = x.plan.build_id = evil;
	x.in.plan_name = evil;
	for (int i = 0; i < 4; i++)
		x.thread[i].name = x.thread[i].reason = x.thread[i].evidence = evil;
	for (int i = 0; i < 3; i++) {
		x.site[i].unit = x.site[i].function = x.site[i].callee = x.site[i].file = evil;
		x.trigger[i].reason = x.trigger[i].evidence = evil;
	}
	made(&x);
	for (size_t i = 0; i < sizeof(c_files) / sizeof(*c_files); i++)
		only_comments_name_it(file(&x, c_files[i]));
	/* One line each: 4 threads, 3 triggers; and the plan file keeps its fields. */
	assert_int_equal(count(file(&x, CODEGEN_MATRIX), '\n'), 1 + 4 + 3);
	assert_int_equal(count(file(&x, CODEGEN_PLAN), '\n'), 3 + 2 + 2 + 1);
	assert_int_equal(count(file(&x, CODEGEN_PLAN), ' '), 1 + 1 + 2 * 7 + 2 * 8 + 2);
	codegen_release(&x.out);
}

static void a_name_of_any_length_is_cut(void **state)
{
	struct fixture x;
	char *name = malloc(1 << 20);

	(void)state;
	memset(name, '*', (1 << 20) - 1);
	name[(1 << 20) - 1] = '\0';
	setup(&x);
	x.thread[1].name = x.thread[1].reason = name;
	made(&x);
	assert_true(x.out.file[CODEGEN_SOURCE].len < 40000);
	codegen_release(&x.out);
	free(name);
}

static void a_directory_that_cannot_be_made_is_an_error(void **state)
{
	struct fixture x;

	(void)state;
	setup(&x);
	made(&x);
	assert_int_not_equal(codegen_write(&x.out, "/proc/nowhere/x", &x.err), 0);
	assert_non_null(strstr(x.err.msg, "/proc/nowhere"));
	codegen_release(&x.out);
}

/* Write into @dir while rename number @n fails; how many of its files are as before. */
static size_t files_as_before(const struct fixture *x, const char *dir, int n, int *ret)
{
	struct fs_names names = VEC_INIT;
	struct err err = ERR_INIT;
	size_t before = 0;

	renames_left = n;
	*ret = codegen_write(&x->out, dir, &err);
	renames_left = -1;
	assert_int_equal(fs_list(dir, NULL, &names, &err), 0);
	for (size_t i = 0; i < names.n; i++) {
		struct strbuf path = STRBUF_INIT, text = STRBUF_INIT;

		strbuf_printf(&path, "%s/%s", dir, names.at[i]);
		assert_int_equal(fs_read(path.s, 0, &text, &err), 0);
		assert_null(strstr(names.at[i], ".part"));
		assert_null(strstr(names.at[i], ".old"));
		before += !strcmp(text.s, "before");
		strbuf_release(&path);
		strbuf_release(&text);
	}
	assert_true(!before || before == names.n);
	before = names.n;
	fs_names_release(&names);
	return *ret ? before : 0;
}

static void files_are_replaced_all_or_none(void **state)
{
	static const char *const there[] = {"perseus_triggers.c", "perseus_triggers.h", "perseus_matrix.csv"};
	char dir[] = "/tmp/t-make.XXXXXX";
	struct fixture x;
	int ret = -1, n;

	(void)state;
	setup(&x);
	made(&x);
	assert_non_null(mkdtemp(dir));
	for (size_t i = 0; i < 3; i++) {
		struct strbuf path = STRBUF_INIT;

		strbuf_printf(&path, "%s/%s", dir, there[i]);
		assert_int_equal(fs_write(path.s, "before", 6, &x.err), 0);
		strbuf_release(&path);
	}
	for (n = 0; ret && n < 100; n++) {
		size_t same = files_as_before(&x, dir, n, &ret);

		assert_int_equal(same, ret ? 3 : 0);
	}
	assert_in_range(n, 12, 40);
	fs_remove_all(dir);
	codegen_release(&x.out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(triggers_at_one_site_and_side_are_one_function),
		cmocka_unit_test(creating_sites_are_numbered_as_threads_name_them),
		cmocka_unit_test(threads_of_one_name_get_numbers_and_never_collide),
		cmocka_unit_test(the_same_plan_gives_the_same_bytes),
		cmocka_unit_test(a_changed_core_changes_one_line_of_code),
		cmocka_unit_test(what_a_plan_does_not_use_is_not_generated),
		cmocka_unit_test(two_settings_contradict_only_where_visits_meet),
		cmocka_unit_test(a_site_is_planned_as_a_whole_or_by_copies),
		cmocka_unit_test(a_plan_needs_the_kind_that_it_uses),
		cmocka_unit_test(names_that_an_id_was_not_made_of_are_noted),
		cmocka_unit_test(what_need_not_appear_is_noted),
		cmocka_unit_test(plans_that_contradict_themselves_are_refused),
		cmocka_unit_test(hostile_strings_do_not_become_code),
		cmocka_unit_test(a_name_of_any_length_is_cut),
		cmocka_unit_test(a_directory_that_cannot_be_made_is_an_error),
		cmocka_unit_test(files_are_replaced_all_or_none),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
