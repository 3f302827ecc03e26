/* SPDX-License-Identifier: MIT */
/* lib/elf: facts of real objects, and no harm from damaged ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/fs.h"
#include "lib/inspect/elf.h"
#include "lib/rng.h"

/* The test program itself is the object under test: it carries these. */
__asm__(".pushsection .perseus.sites,\"\",@progbits\n\t.ascii \"U\\t1\\n\"\n\t.popsection");
int visible_variable = 7;
__thread int local_variable = 3;
int visible_function(int x);
int visible_function(int x)
{
	return x + visible_variable;
}

static void own_file_has_facts(void **state)
{
	struct err err = ERR_INIT;
	struct elf_facts facts;

	(void)state;
	assert_int_equal(elf_facts("/proc/self/exe", &facts, &err), 0);
	assert_true(facts.has_sites);
	assert_false(facts.has_hooks);
	assert_true(facts.interpreter);
	assert_true(facts.bits64);
	assert_int_equal(facts.machine, EM_X86_64);
	assert_int_equal(strlen(facts.build_id), 40);
}

static void libc_has_no_sites(void **state)
{
	struct err err = ERR_INIT;
	struct elf_facts facts;
	struct strbuf out = STRBUF_INIT;

	(void)state;
	assert_int_equal(elf_facts("/lib/x86_64-linux-gnu/libc.so.6", &facts, &err), 0);
	assert_false(facts.has_sites);
	assert_int_equal(elf_section("/lib/x86_64-linux-gnu/libc.so.6", ".perseus.sites", &out, &err),
			 -ENODATA);
	strbuf_release(&out);
}

static void section_bytes_are_exact(void **state)
{
	struct err err = ERR_INIT;
	struct strbuf out = STRBUF_INIT;

	(void)state;
	assert_int_equal(elf_section("/proc/self/exe", ".perseus.sites", &out, &err), 0);
	assert_int_equal(out.len, 4);
	assert_string_equal(out.s, "U\t1\n");
	strbuf_release(&out);
}

static void symbols_are_sorted_and_typed(void **state)
{
	struct err err = ERR_INIT;
	struct strbuf out = STRBUF_INIT;
	unsigned long last = 0;

	(void)state;
	assert_int_equal(elf_symbols("/proc/self/exe", &out, &err), 0);
	assert_non_null(strstr(out.s, " T visible_function\n"));
	assert_non_null(strstr(out.s, " 4 D visible_variable\n"));
	/* The only thread-local one: right below the thread pointer. */
	assert_non_null(strstr(out.s, "\nfffffffffffffffc 4 L local_variable\n"));
	for (char *line = strtok(out.s, "\n"); line; line = strtok(NULL, "\n")) {
		unsigned long at = strtoul(line, NULL, 16);

		assert_true(at >= last);
		last = at;
	}
	strbuf_release(&out);
}

static void a_script_is_not_an_elf_file(void **state)
{
	char path[] = "/tmp/t-elf.XXXXXX";
	struct err err = ERR_INIT;
	struct elf_facts facts;

	(void)state;
	close(mkstemp(path));
	assert_int_equal(fs_write(path, "#!/bin/sh\n", 10, &err), 0);
	assert_int_equal(elf_facts(path, &facts, &err), -ENOEXEC);
	assert_non_null(strstr(err.msg, path));
	unlink(path);
	assert_int_equal(elf_facts(path, &facts, &err), -ENOENT);
	assert_int_equal(elf_facts("/tmp", &facts, &err), -ENOEXEC);
}

static void try_all(const char *path)
{
	struct strbuf out = STRBUF_INIT;
	struct elf_facts facts;
	struct err err = ERR_INIT;

	elf_facts(path, &facts, &err);
	elf_section(path, ".perseus.sites", &out, &err);
	elf_symbols(path, &out, &err);
	strbuf_release(&out);
}

static void damaged_files_do_no_harm(void **state)
{
	char path[] = "/tmp/t-elf.XXXXXX";
	struct strbuf good = STRBUF_INIT, bad = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct rng rng = rng_keyed(1, 2, 3, 4);
	Elf64_Ehdr eh;

	(void)state;
	close(mkstemp(path));
	assert_int_equal(fs_read("/proc/self/exe", 0, &good, &err), 0);
	memcpy(&eh, good.s, sizeof(eh));
	for (int round = 0; round < 300; round++) {
		size_t len = round % 4 ? good.len : rng_below(&rng, good.len);

		bad.len = 0;
		strbuf_add(&bad, good.s, len);
		for (int i = 0; i < 12 && len; i++) {
			size_t where = i % 3 == 0 ? rng_below(&rng, 64)
						  : eh.e_shoff + rng_below(&rng, good.len - eh.e_shoff);

			if (where < len)
				bad.s[where] = (char)rng_u64(&rng);
		}
		assert_int_equal(fs_write(path, bad.s, bad.len, &err), 0);
		try_all(path);
	}
	unlink(path);
	strbuf_release(&good);
	strbuf_release(&bad);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(own_file_has_facts),          cmocka_unit_test(libc_has_no_sites),
		cmocka_unit_test(section_bytes_are_exact),     cmocka_unit_test(symbols_are_sorted_and_typed),
		cmocka_unit_test(a_script_is_not_an_elf_file), cmocka_unit_test(damaged_files_do_no_harm),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
