/* SPDX-License-Identifier: MIT */
/* monitor/families: the file of events against libpfm4's tables, texts that are none, machines, sets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <perfmon/pfmlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/strbuf.h"
#include "monitor/families/families.h"

#define HEAD "perseus-families 1\n"

static struct families builtin;

static void load(void)
{
	struct err err = ERR_INIT;

	if (families_builtin(&builtin, &err))
		fail_msg("%s", err.msg);
}

/* All that libpfm4's table says of @event, its masks too. */
static void table_words(const char *event, struct strbuf *out)
{
	pfm_event_info_t e = {.size = sizeof(e)};
	int id = pfm_find_event(event);

	if (id < 0)
		fail_msg("%s is not in libpfm4's table: %s", event, pfm_strerror(id));
	assert_int_equal(pfm_get_event_info(id, PFM_OS_NONE, &e), PFM_SUCCESS);
	strbuf_printf(out, "%s\n", e.desc);
	for (int i = 0; i < e.nattrs; i++) {
		pfm_event_attr_info_t a = {.size = sizeof(a)};

		if (!pfm_get_event_attr_info(id, i, PFM_OS_NONE, &a) && a.type == PFM_ATTR_UMASK)
			strbuf_printf(out, "%s\n", a.desc);
	}
}

static void each_event_is_in_the_table_that_it_names_with_its_words(void **state)
{
	size_t n = 0;

	(void)state;
	setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
	assert_int_equal(pfm_initialize(), PFM_SUCCESS);
	load();
	for (size_t i = 0; i < builtin.n; i++)
		for (size_t k = 0; k < builtin.at[i].events.n; k++, n++) {
			const struct family_event *e = &builtin.at[i].events.at[k];
			const char *quote = strchr(e->source, '"'),
				   *end = quote ? strchr(quote + 1, '"') : NULL;
			struct strbuf words = STRBUF_INIT, said = STRBUF_INIT, name = STRBUF_INIT;

			if (!strstr(e->event, "::"))
				strbuf_printf(&name, "%s::", builtin.at[i].name);
			strbuf_puts(&name, e->event);
			table_words(name.s, &words);
			if (end)
				strbuf_add(&said, quote + 1, (size_t)(end - quote) - 1);
			if (end && !strstr(words.s, said.s))
				fail_msg("%s: the table does not say \"%s\", but: %s", name.s, said.s,
					 words.s);
			if (!strcmp(builtin.at[i].name, "generic"))
				assert_true(!strncmp(e->source, "perf_event_open(2): PERF_COUNT_", 31));
			else
				assert_true(!strncmp(e->source, "libpfm4 ", 8));
			strbuf_release(&words);
			strbuf_release(&said);
			strbuf_release(&name);
		}
	assert_in_range(n, 90, 1000);
	families_release(&builtin);
}

static void every_processor_of_the_file_has_coherence_and_generic_has_none(void **state)
{
	(void)state;
	load();
	for (size_t i = 0; i < builtin.n; i++) {
		bool found = false;

		for (size_t k = 0; k < builtin.at[i].events.n; k++)
			found |= !strcmp(builtin.at[i].events.at[k].family, "coherence");
		assert_int_equal(found, strcmp(builtin.at[i].name, "generic") != 0);
	}
	families_release(&builtin);
}

static void is_machine(const char *vendor, uint32_t family, uint32_t model, const char *name, bool nearest)
{
	struct machine_id id = {.family = family, .model = model};
	const struct family_machine *m;
	bool near;

	snprintf(id.vendor, sizeof(id.vendor), "%s", vendor);
	m = families_choose(&builtin, &id, &near);
	assert_string_equal(m ? m->name : "none", name);
	assert_int_equal(near, nearest);
}

static void an_unknown_processor_is_the_nearest_of_its_vendor_and_marked(void **state)
{
	(void)state;
	load();
	is_machine("AuthenticAMD", 25, 1, "amd64_fam19h_zen3", false);
	is_machine("AuthenticAMD", 25, 17, "amd64_fam19h_zen4", false);
	is_machine("AuthenticAMD", 26, 17, "amd64_fam19h_zen4", true);
	is_machine("AuthenticAMD", 23, 1, "amd64_fam17h_zen2", true);
	is_machine("GenuineIntel", 6, 23, "core", false);
	is_machine("GenuineIntel", 6, 144, "spr", true);
	is_machine("GenuineIntel", 6, 173, "skl", true); /* 166 is nearer than 143 */
	is_machine("CentaurHauls", 6, 15, "none", false);
	families_release(&builtin);
}

static void a_machine_is_read_from_cpuinfo(void **state)
{
	char root[] = "/tmp/t-families.XXXXXX", path[64], command[128];
	struct machine_id id;
	FILE *f;

	(void)state;
	assert_non_null(mkdtemp(root));
	assert_false(machine_id_read(root, &id));
	snprintf(path, sizeof(path), "%s/proc", root);
	snprintf(command, sizeof(command), "mkdir %s", path);
	assert_int_equal(system(command), 0);
	snprintf(path, sizeof(path), "%s/proc/cpuinfo", root);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs("processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\nmodel name\t: x\n",
	      f);
	fclose(f);
	assert_true(machine_id_read(root, &id));
	assert_string_equal(id.vendor, "GenuineIntel");
	assert_int_equal(id.family, 6);
	assert_int_equal(id.model, 85);
	f = fopen(path, "w");
	fputs("processor\t: 0\nvendor_id\t: GenuineIntel\nmodel name\t: x\n", f);
	fclose(f);
	assert_false(machine_id_read(root, &id));
	snprintf(command, sizeof(command), "rm -r %s", root);
	assert_int_equal(system(command), 0);
}

static void refused(const char *text, const char *message)
{
	struct err err = ERR_INIT;
	struct families f;

	assert_int_equal(families_read(&f, "test", text, strlen(text), &err), -22);
	if (!strstr(err.msg, message))
		fail_msg("'%s', expected '%s'", err.msg, message);
}

#define MACHINE HEAD "machine m V 6 1\n"

static void a_text_that_is_none_is_refused_with_its_line(void **state)
{
	(void)state;
	refused("", "expected 'perseus-families 1'");
	refused("perseus-families 2\n", "line 1: expected");
	refused(HEAD, "no machine");
	refused(HEAD "event a b thread X y\n", "line 2: an event before");
	refused(HEAD "machine m V 6\n", "line 2: 4 words");
	refused(HEAD "machine m V six 1\n", "'six' is no family");
	refused(HEAD "machine m V 6 1-\n", "no ranges");
	refused(HEAD "machine m V 6 9-1\n", "no ranges");
	refused(HEAD "machine m V 6 ,\n", "no ranges");
	refused(MACHINE "machine m V 6 2\n", "line 3: machine 'm' stands twice");
	refused(MACHINE "event a b thread X\n", "line 3: 5 words");
	refused(MACHINE "event a b core X y\n", "'core' is no scope");
	refused(MACHINE "event a. b thread X y\n", "letters, digits");
	refused(MACHINE "event a b thread X y\n# no\n\nevent a b thread Z y\n", "line 6: a.b stands twice");
	refused(MACHINE "events\n", "expected machine or event");
}

/* ---- sets ------------------------------------------------------------------------------- */

static const char *const three_families =
	MACHINE "event a 1 thread X s\nevent a 2 thread X s\nevent b 1 thread X s\nevent b 2 thread X s\n"
		"event b 3 thread X s\nevent c 1 thread X s\nevent k 1 kernel X s\nevent p 1 package X s\n"
		"event k 2 kernel X s\nevent p 2 package X s\n";

/* "0 1|2 3|...": the sets for @counters. */
static void are_sets(const char *wanted, unsigned counters, const char *expected)
{
	struct strbuf out = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct family_sets sets;
	struct families f;

	assert_int_equal(families_read(&f, "test", three_families, strlen(three_families), &err), 0);
	family_sets_make(&sets, &f.at[0], wanted, counters);
	strbuf_puts(&out, "");
	for (size_t i = 0; i < sets.n; i++)
		for (size_t k = 0; k < sets.at[i].n; k++)
			strbuf_printf(&out, "%s%zu", k ? " " : i ? "|" : "", sets.at[i].at[k]);
	assert_string_equal(out.s, expected);
	strbuf_release(&out);
	family_sets_release(&sets);
	families_release(&f);
}

static void a_family_that_fits_is_counted_at_once_and_no_set_has_more_than_the_counters(void **state)
{
	(void)state;
	are_sets(NULL, 6, "0 1 2 3 4 5|6 8|7|9");
	are_sets(NULL, 4, "0 1 5|2 3 4|6 8|7|9");
	are_sets(NULL, 3, "0 1 5|2 3 4|6 8|7|9");
	are_sets(NULL, 2, "0 1|2 3|4 5|6 8|7|9");
	are_sets(NULL, 0, "0|1|2|3|4|5|6 8|7|9");
	are_sets("b,k", 4, "2 3 4|6 8");
	are_sets("kk", 4, "");
}

static void a_set_that_is_refused_is_halved_down_to_single_events(void **state)
{
	struct err err = ERR_INIT;
	struct family_sets sets;
	struct families f;
	size_t n = 0;

	(void)state;
	assert_int_equal(families_read(&f, "test", three_families, strlen(three_families), &err), 0);
	family_sets_make(&sets, &f.at[0], NULL, 4);
	for (size_t i = 0; i < sets.n; i++)
		while (family_sets_halve(&sets, i))
			;
	assert_int_equal(sets.n, f.at[0].events.n);
	for (size_t i = 0; i < sets.n; i++)
		n += sets.at[i].at[0];
	assert_int_equal(n, 45);
	assert_int_equal(sets.at[1].at[0], 1); /* the halves follow each other */
	family_sets_release(&sets);
	families_release(&f);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_event_is_in_the_table_that_it_names_with_its_words),
		cmocka_unit_test(every_processor_of_the_file_has_coherence_and_generic_has_none),
		cmocka_unit_test(an_unknown_processor_is_the_nearest_of_its_vendor_and_marked),
		cmocka_unit_test(a_machine_is_read_from_cpuinfo),
		cmocka_unit_test(a_text_that_is_none_is_refused_with_its_line),
		cmocka_unit_test(a_family_that_fits_is_counted_at_once_and_no_set_has_more_than_the_counters),
		cmocka_unit_test(a_set_that_is_refused_is_halved_down_to_single_events),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
