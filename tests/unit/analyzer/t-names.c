/* SPDX-License-Identifier: MIT */
#include "fake.h"

#include "analyzer/objects/names.h"
#include "analyzer/sharing/sharing.h"

#define MOVES 60000u

static void check(char *got, const char *want)
{
	if (!got || !want)
		assert_true(!got && !want);
	else
		assert_string_equal(got, want);
	free(got);
}

static void symbols_are_written_as_in_the_source(void **state)
{
	struct fake *f = fake_new(PRS_PURPOSE_SHARING, "runs/n", 10);
	/* rx_thread begins at line 50 of net.c, tx_thread at 90. */
	const struct run_variable rx = {.name = "count.0", .type = "long", .file = "src/net.c", .line = 55};
	const struct run_variable tx = {.name = "count.1", .type = "long", .file = "src/net.c", .line = 91};
	const struct run_variable other = {.name = "count.0", .type = "long", .file = "src/b.c", .line = 55};
	/* What the table says of the function counts, whatever begins in front of it. */
	const struct run_variable told = {
		.name = "count.1", .type = "long", .file = "src/net.c", .line = 91, .function = "second"};
	const struct run_variable of_none = {
		.name = "count.0", .type = "long", .file = "src/net.c", .line = 91, .function = ""};

	(void)state;
	check(name_of_symbol(&f->run, "count.1", &told), "second()::count");
	check(name_of_symbol(&f->run, "count.0.lto_priv.0", &told), "second()::count");
	check(name_of_symbol(&f->run, "count.0", &of_none), "count");
	check(name_of_symbol(&f->run, "stats", NULL), "stats");
	check(name_of_symbol(&f->run, "count.0", &rx), "rx_thread()::count");
	check(name_of_symbol(&f->run, "count.1", &tx), "tx_thread()::count");
	check(name_of_symbol(&f->run, "count.0", &other), "count");
	check(name_of_symbol(&f->run, "count.0", NULL), "count");
	check(name_of_symbol(&f->run, "table.lto_priv.0", &rx), "table");
	check(name_of_symbol(&f->run, "_ZN3app5statsE", NULL), "app::stats");
	check(name_of_symbol(&f->run, "_ZZN3app1W3runEiE5calls", NULL), "app::W::run(int)::calls");
	assert_string_equal(name_stem("app::W<a::b>::run(c::d)::calls"), "calls");
	assert_string_equal(name_stem("stats"), "stats");
	fake_free(f);
}

static void containers_have_their_own_words(void **state)
{
	(void)state;
	check(name_of_container("std::__detail::_Hash_node<std::pair<const int, long int>, false>", NULL),
	      "std::unordered_map node");
	check(name_of_container("std::__detail::_Hash_node<int, false>", NULL), "std::unordered_set node");
	check(name_of_container("std::_Rb_tree_node<std::pair<const int, long int> >", NULL),
	      "std::map node");
	check(name_of_container("std::_List_node<long int>", NULL), "std::list node");
	check(name_of_container("std::_Sp_counted_ptr_inplace<app::Box<long int>, std::allocator<void>, x>",
				NULL),
	      "std::shared_ptr<app::Box<long int>> object");
	check(name_of_container("int", "_ZNSt12_Vector_baseIiSaIiEE11_M_allocateEm:346"),
	      "std::vector<int> element");
	check(name_of_container("app::Stats", "std::_Deque_base<app::Stats, x>::_M_allocate_node"),
	      "std::deque<app::Stats> element");
	check(name_of_container("struct job", "main"), NULL);
	check(name_of_container(NULL, "_ZNSt6vectorIiSaIiEED2Ev"), NULL);
}

static void fields_lose_what_the_library_added(void **state)
{
	(void)state;
	check(name_of_field("tx._M_i"), "tx");
	check(name_of_field("tally.1"), "tally"); /* points to what is tally[n] in the source */
	check(name_of_field("in.tally.12[]"), "in.tally[]");
	check(name_of_field("in.v1.w[1]"), "in.v1.w[1]");
	check(name_of_field("slot._M_b._M_p"), "slot");
	check(name_of_field("_M_i"), "");
	check(name_of_field("_M_impl._M_finish"), "end");
	check(name_of_field("_M_storage._M_storage.__data"), "value");
	check(name_of_field("in_lock.__size[]"), "in_lock");
	check(name_of_field("in_lock.__align"), "in_lock");
	check(name_of_field("__data.__nusers"), "");
	check(name_of_field("__size[]"), "");
	check(name_of_field("__sizes[]"), "__sizes[]");
	check(name_of_field("in.__size_hint"), "in.__size_hint");
	check(name_of_field("_M_elems[]"), "[]");
	check(name_of_field("_M_elems[].odd"), "[].odd");
	check(name_of_field("slots._M_elems[].n._M_i"), "slots[].n");
	check(name_of_field("slots[]._M_base._M_i"), "slots[]");
	check(name_of_field("list._M_impl._M_finish"), "list.end");
	check(name_of_field("_M_func._M_t._M_head_impl"), "");
	check(name_of_field("_M_func._M_t._M_head_impl.__left"), "left");
	check(name_of_field("at._M_i.x"), "at.x");
	check(name_of_field("_Mine.x"), "_Mine.x");
	check(name_of_field("_vptr.Board"), "_vptr.Board");
	check(name_of_field("rx"), "rx");
	check(name_of_field(""), "");
	check(name_of_field("[]"), "[]");
}

static void only_names_of_variables_are_direct(void **state)
{
	(void)state;
	assert_true(name_is_direct("sum"));
	assert_true(name_is_direct("all[].rx"));
	assert_true(name_is_direct("thisone.x"));
	assert_false(name_is_direct("*p"));
	assert_false(name_is_direct("p->next"));
	assert_false(name_is_direct("all[].p->x"));
	assert_false(name_is_direct("this->n"));
	assert_false(name_is_direct("-"));
	assert_false(name_is_direct(""));
}

/* Two threads use thread 0's variable; its own access by name says which variable it is. */
static void variables_of_frames_are_named(void **state)
{
	struct fake *f = fake_new(PRS_PURPOSE_SHARING, "runs/stack", 1010);
	struct sharing_opts opts = {.platform = NULL};
	struct sharing_report rep;
	struct err err = ERR_INIT;
	uint64_t at;

	(void)state;
	fake_main(f, 1000);
	fake_create(f, 0, 0, 5, 1005, 1000, 1);
	at = f->raw[0].stack_low + 0x8000;
	fake_line(f, 0, MEM_RX, at, 200000000, MOVES, 1);        /* "stats.rx" in rx_thread() */
	fake_line(f, 1, MEM_JOB_B, at + 8, 200000000, MOVES, 0); /* "*job.b" */
	if (sharing_make(&rep, &f->run, &opts, &err))
		fail_msg("%s", err.msg);
	assert_int_equal(rep.n, 1);
	assert_string_equal(rep.findings[0].object_name, "stats of rx_thread()");
	assert_non_null(strstr(rep.findings[0].subject, "stats@rx_thread()"));
	assert_int_equal(rep.findings[0].verdict, SHARING_FALSE);
	sharing_release(&rep);
	fake_free(f);
}

/* What lies beside a number that is used by its name is another variable: it has no name. */
static void neighbours_of_frames_are_not_named(void **state)
{
	struct fake *f = fake_new(PRS_PURPOSE_SHARING, "runs/beside", 1010);
	struct sharing_opts opts = {.platform = NULL};
	struct sharing_report rep;
	struct err err = ERR_INIT;
	uint64_t at;

	(void)state;
	fake_main(f, 1000);
	fake_create(f, 0, 0, 5, 1005, 1000, 1);
	at = f->raw[0].stack_low + 0x8000;
	fake_line(f, 0, MEM_TOTAL, at, 200000000, 1, 1); /* "total" in rx_thread(), 8 bytes */
	fake_line(f, 0, MEM_JOB_A, at + 8, 200000000, MOVES, 1);
	fake_line(f, 1, MEM_JOB_B, at + 16, 200000000, MOVES, 0);
	if (sharing_make(&rep, &f->run, &opts, &err))
		fail_msg("%s", err.msg);
	assert_int_equal(rep.n, 1);
	assert_string_equal(rep.findings[0].pairs[0].b.object, "stack@main");
	sharing_release(&rep);
	fake_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(symbols_are_written_as_in_the_source),
		cmocka_unit_test(containers_have_their_own_words),
		cmocka_unit_test(fields_lose_what_the_library_added),
		cmocka_unit_test(only_names_of_variables_are_direct),
		cmocka_unit_test(variables_of_frames_are_named),
		cmocka_unit_test(neighbours_of_frames_are_not_named),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
