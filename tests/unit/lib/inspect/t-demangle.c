/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "lib/inspect/demangle.h"

static void gives(const char *mangled, const char *want)
{
	char *got = demangle_short(mangled);

	assert_non_null(got);
	assert_string_equal(got, want);
	free(got);
}

static void functions_lose_return_type_and_parameters(void **state)
{
	(void)state;
	gives("_ZN3app4workIfEET_S1_i", "app::work<float>");
	gives("_ZNSt6thread4joinEv", "std::thread::join");
	gives("_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE",
	      "std::thread::_M_start_thread");
	gives("_ZNK3app3Job4nameEv", "app::Job::name");
}

static void operators_keep_their_names(void **state)
{
	(void)state;
	gives("_ZdlPvm", "operator delete");
	gives("_Znwm", "operator new");
	gives("_ZN3app3FooclEi", "app::Foo::operator()");
	gives("_ZN3app3FoocvbEv", "app::Foo::operator bool");
}

static void variables_are_left_whole(void **state)
{
	(void)state;
	gives("_ZN3app2cvE", "app::cv");
	gives("__stats_MOD_cells", "stats::cells"); /* of a Fortran module */
}

static void other_names_are_not_touched(void **state)
{
	(void)state;
	assert_null(demangle_short("main"));
	assert_null(demangle_short("_Z"));
	assert_null(demangle_short("_Znonsense"));
	assert_null(demangle_short(""));
	assert_null(demangle_short("__stats_MOD_"));
	assert_null(demangle_short("___MODE_"));
}

static void of_a_name_that_was_cut_off_the_front_is_kept(void **state)
{
	(void)state;
	gives("_ZNKSt10_HashtableINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEESt4pairIKS5_S5_ESaIS8_E"
	      "NSt8__detail10_Select1stESt8equal_toIS5_ESt4hashIS5_ENSA_18_Mod_range_hashingENSA_20_Default_r"
	      "anged_hashENSA_20_Prime",
	      "std::_Hashtable<...>");
	assert_null(demangle_short("_ZNSt10_HashtableINSt7__cxx1112basic_str"));
}

static void types_of_the_linker_are_written_out(void **state)
{
	char *type = demangle_type("N3app5BoardE");

	(void)state;
	assert_string_equal(type, "app::Board");
	free(type);
	type = demangle_type("St10shared_ptrI5BoardE");
	assert_string_equal(type, "std::shared_ptr<Board>");
	free(type);
	assert_null(demangle_type("St1"));
	assert_null(demangle_type("StatsIE"));
	assert_null(demangle_type("Board"));
	assert_null(demangle_type("NODE"));
	assert_null(demangle_type("NINE"));
	assert_null(demangle_type("struct N3"));
	assert_null(demangle_type("9"));
	assert_null(demangle_type(""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_lose_return_type_and_parameters),
		cmocka_unit_test(operators_keep_their_names),
		cmocka_unit_test(variables_are_left_whole),
		cmocka_unit_test(other_names_are_not_touched),
		cmocka_unit_test(of_a_name_that_was_cut_off_the_front_is_kept),
		cmocka_unit_test(types_of_the_linker_are_written_out),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
