/* SPDX-License-Identifier: MIT */
/* Which instructions decide something, from lines as objdump prints them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "evidence/gates/decisions.h"

static bool ours(void *ctx, const char *function)
{
	(void)ctx;
	return !strncmp(function, "perseus_", 8);
}

/* The list for @text, lines of a disassembly. */
static struct decisions read_lines(const char *const *text)
{
	struct decisions d = {.ours = ours};
	char line[200];

	for (; *text; text++) {
		snprintf(line, sizeof(line), "%s", *text);
		decisions_line(&d, line);
	}
	return d;
}

static void release(struct decisions *d)
{
	strbuf_release(&d->list);
	strbuf_release(&d->unknown);
}

static void conditions_of_our_functions_only(void **state)
{
	static const char *const text[] = {"0000000000401000 <perseus_pin>:",
					   "  401000:\tcmp    $0x1,%edi",
					   "  401003:\tjbe    401010 <perseus_pin+0x10>",
					   "  401005:\tjmp    401020 <perseus_pin+0x20>",
					   "  401007:\tcmovne %eax,%ebx",
					   "  401009:\tsete   %al",
					   "  40100b:\tsbb    %eax,%eax",
					   "  40100d:\tcall   401100 <main>",
					   "0000000000401100 <main>:",
					   "  401100:\tje     401110 <main+0x10>",
					   NULL};
	struct decisions d = read_lines(text);

	(void)state;
	assert_string_equal(d.list.s,
			    "c 401003 perseus_pin 6\nc 401007 perseus_pin 5\nc 401009 perseus_pin 4\n"
			    "c 40100b perseus_pin 2\n");
	assert_true(d.jumps == 1 && d.moves == 3 && !d.tables && !d.n_unknown);
	release(&d);
}

static void a_table_of_distances(void **state)
{
	static const char *const text[] = {"0000000000401000 <perseus_place>:",
					   "  401000:\tcmp    $0x6,%ebx",
					   "  401003:\tja     401070 <perseus_place+0x70>",
					   "  401005:\tlea    0xd5b(%rip),%rdx        # 402010 <x>",
					   "  40100c:\tmovslq (%rdx,%rbx,4),%rax",
					   "  401010:\tadd    %rdx,%rax",
					   "  401013:\tnotrack jmp *%rax",
					   NULL};
	struct decisions d = read_lines(text);

	(void)state;
	assert_string_equal(d.list.s, "c 401003 perseus_place 7\nt 401013 perseus_place 402010 7 4\n");
	assert_true(d.tables == 1 && !d.n_unknown);
	release(&d);
}

static void a_table_of_addresses(void **state)
{
	static const char *const text[] = {
		"0000000000401000 <perseus_place>:", "  401000:\tcmp    $0x14,%edi",
		"  401003:\tja     401070 <perseus_place+0x70>", "  401005:\tjmp    *0x402010(,%rdi,8)",
		NULL};
	struct decisions d = read_lines(text);

	(void)state;
	assert_string_equal(d.list.s, "c 401003 perseus_place 7\nt 401005 perseus_place 402010 21 8\n");
	release(&d);
}

static void what_cannot_be_watched_is_named(void **state)
{
	static const char *const text[] = {"0000000000401000 <perseus_place>:",
					   "  401005:\tlea    0xd5b(%rip),%rdx        # 402010 <x>",
					   "  40100c:\tmovslq (%rdx,%rbx,4),%rax",
					   "  401013:\tjmp    *%rax",
					   "  401015:\tjrcxz  401000 <perseus_place>",
					   NULL};
	struct decisions d = read_lines(text);

	(void)state;
	assert_string_equal(
		d.unknown.s,
		"perseus_place+0x401013 a table of unknown length\nperseus_place+0x401015 jrcxz\n");
	assert_true(d.n_unknown == 2);
	release(&d);
}

static void a_call_by_a_pointer_is_no_table(void **state)
{
	static const char *const text[] = {"0000000000401000 <perseus_thread_main>:",
					   "  401000:\tcmp    $0x6,%ebx",
					   "  401003:\tlea    0xd5b(%rip),%rdx        # 402010 <x>",
					   "  401010:\tjmp    *%rax",
					   "  401012:\tjmp    *0x2fe2(%rip)        # 404000 <free>",
					   NULL};
	struct decisions d = read_lines(text);

	(void)state;
	assert_true(!d.tables && !d.n_unknown && !d.list.len);
	release(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(conditions_of_our_functions_only),
		cmocka_unit_test(a_table_of_distances),
		cmocka_unit_test(a_table_of_addresses),
		cmocka_unit_test(what_cannot_be_watched_is_named),
		cmocka_unit_test(a_call_by_a_pointer_is_no_table),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("decisions", tests, NULL, NULL);
}
