/* SPDX-License-Identifier: MIT */
/* What is measured of denormals: a price for each operation, and none where they are flushed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "platform/denormal/denormal.h"

#if defined(__x86_64__)
static void set_flush(unsigned bits)
{
	unsigned mxcsr;

	__asm__ volatile("stmxcsr %0" : "=m"(mxcsr));
	mxcsr = (mxcsr & ~0x8040u) | bits;
	__asm__ volatile("ldmxcsr %0" : : "m"(mxcsr));
}
#endif

static void each_operation_and_type_has_one_price_and_moves_have_none_of_results(void **state)
{
	struct platform p = {0};

	(void)state;
	if (!platform_measure_denormals(&p, true))
		skip();
	assert_in_range(p.n_denormal, 14, 16); /* fma is not everywhere */
	for (size_t i = 0; i < p.n_denormal; i++) {
		const struct platform_denormal *d = &p.denormal[i];

		assert_ptr_equal(platform_denormal(&p, d->operation, d->type), d);
		if (d->operation == PLATFORM_FP_LOAD || d->operation == PLATFORM_FP_STORE ||
		    d->operation == PLATFORM_FP_SQRT)
			assert_int_equal(d->result_ps + d->result_chain_ps, 0);
	}
	free(p.denormal);
}

static void nothing_is_measured_where_they_are_flushed(void **state)
{
	struct platform p = {0};

	(void)state;
#if defined(__x86_64__)
	set_flush(0x8040);
	assert_false(platform_measure_denormals(&p, true));
	set_flush(0);
	assert_int_equal(p.n_denormal, 0);
#else
	(void)p;
	skip();
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_operation_and_type_has_one_price_and_moves_have_none_of_results),
		cmocka_unit_test(nothing_is_measured_where_they_are_flushed),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
