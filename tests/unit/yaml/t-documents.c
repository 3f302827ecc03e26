/* SPDX-License-Identifier: MIT */
/* The five documents: canonical round trip, the shipped examples, checks. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/fs.h"
#include "yaml/energy.h"
#include "yaml/manifest.h"
#include "yaml/model.h"
#include "yaml/plan.h"
#include "yaml/platform.h"

#define ROUND_TRIP(type, text)                                                                               \
	do {                                                                                                 \
		struct strbuf one_ = STRBUF_INIT, two_ = STRBUF_INIT;                                        \
		struct err err_ = ERR_INIT;                                                                  \
		struct type a_, b_;                                                                          \
		if (type##_parse(&a_, text, strlen(text), "test.yaml", &err_))                               \
			fail_msg("%s", err_.msg);                                                            \
		type##_text(&a_, &one_);                                                                     \
		if (type##_parse(&b_, one_.s, one_.len, "again.yaml", &err_))                                \
			fail_msg("%s", err_.msg);                                                            \
		type##_text(&b_, &two_);                                                                     \
		assert_string_equal(one_.s, two_.s);                                                         \
		type##_release(&a_);                                                                         \
		type##_release(&b_);                                                                         \
		strbuf_release(&one_);                                                                       \
		strbuf_release(&two_);                                                                       \
	} while (0)

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

static void examples_load(void **state)
{
	char *text;

	(void)state;
	text = read_example("model");
	ROUND_TRIP(model, text);
	free(text);
	text = read_example("platform");
	ROUND_TRIP(platform, text);
	free(text);
	text = read_example("energy");
	ROUND_TRIP(energy, text);
	free(text);
	text = read_example("plan");
	ROUND_TRIP(plan, text);
	free(text);
	text = read_example("manifest");
	ROUND_TRIP(manifest, text);
	free(text);
}

static void builtins_load_canonical(void **state)
{
	(void)state;
	for (const char *const *name = platform_builtin_names(); *name; name++) {
		struct err err = ERR_INIT;
		struct platform p;

		if (platform_find(&p, *name, &err))
			fail_msg("%s", err.msg);
		assert_string_equal(p.name, *name);
		assert_int_equal(p.n_cores, 8);
		assert_int_equal(p.n_packages, 2);
		assert_int_equal(p.n_domains, 8);
		assert_int_equal(p.steps[1].dominated, !strcmp(*name, "xeon-e5320"));
		assert_int_equal(platform_distance(&p, 0, 1), DIST_CACHE);
		assert_int_equal(platform_distance(&p, 1, 2), DIST_PACKAGE);
		assert_int_equal(platform_distance(&p, 3, 4), DIST_REMOTE);
		assert_int_equal(platform_migrate_ns(&p, 0, 3), 312840);
		assert_int_equal(p.price[PRS_KIND_ATOMIC].shared_ps[DIST_REMOTE] -
					 p.price[PRS_KIND_ATOMIC].alone_ps,
				 35077);
		platform_release(&p);
	}
}

static void unknown_platform_names_the_known(void **state)
{
	struct err err = ERR_INIT;
	struct platform p;

	(void)state;
	assert_int_equal(platform_find(&p, "lab-8", &err), -ENOENT);
	assert_non_null(strstr(err.msg, "'lab-8'"));
	assert_non_null(strstr(err.msg, "xeon-e5320"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(examples_load),
		cmocka_unit_test(builtins_load_canonical),
		cmocka_unit_test(unknown_platform_names_the_known),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
