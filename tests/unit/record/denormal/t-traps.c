/* SPDX-License-Identifier: MIT */
/* denormal_traps_add() on files of the trap route, whole and spoiled. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "record/denormal/traps.h"

#define SIZE 5120

struct file {
	_Alignas(64) unsigned char bytes[SIZE];
	uint64_t used;
};

static void *take(struct file *f, uint32_t type, size_t bytes)
{
	struct prs_den_item *item = (void *)(f->bytes + f->used);

	item->type = type;
	item->bytes = (bytes + 63) & ~(size_t)63;
	f->used += item->bytes;
	((struct prs_den_head *)f->bytes)->used = f->used;
	return item;
}

/* A program at @base whose instructions at 0x10 and 0x20 trapped, and one that no file holds. */
static void make(struct file *f, uint32_t pid, uint64_t base)
{
	struct prs_den_head *h = (void *)f->bytes;
	struct prs_den_traps *t;
	struct prs_den_trap_row *row;
	struct prs_den_module *m;
	struct prs_den_note *n;

	memset(f, 0, sizeof(*f));
	memcpy(h->magic, PRS_DEN_MAGIC, 8);
	h->version = PRS_DEN_VERSION;
	h->pid = pid;
	h->end_ns = 1;
	f->used = PRS_DEN_HEAD_SIZE;
	((struct prs_den_thread *)take(f, PRS_DEN_ITEM_THREAD, sizeof(struct prs_den_thread)))->threads = 2;
	t = take(f, PRS_DEN_ITEM_TRAPS, sizeof(*t) + 4 * sizeof(*row));
	row = (void *)(t + 1);
	t->n = 4;
	row[0] = (struct prs_den_trap_row){base + 0x10, 5, 0, 40};
	row[1] = (struct prs_den_trap_row){base + 0x20, 0, 7, 0};
	row[2] = (struct prs_den_trap_row){0x7000, 1, 0, 1};
	row[3] = (struct prs_den_trap_row){base + 0x30, 0, 0, 0};
	m = take(f, PRS_DEN_ITEM_MODULE, sizeof(*m) + sizeof("/bin/x"));
	m->start = m->bias = base;
	m->end = base + 0x1000;
	m->build_id_bytes = 2;
	m->build_id[0] = 0xab;
	strcpy(m->path, "/bin/x");
	n = take(f, PRS_DEN_ITEM_NOTE, sizeof(*n));
	n->kind = PRS_DEN_NOTE_DECODE;
	n->value = base + 0x40;
	n->count = 3;
}

static void two_processes_are_one_row_an_instruction(void **state)
{
	struct denormal_traps t = {0};
	struct err err = ERR_INIT;
	struct file f;

	(void)state;
	make(&f, 12, 0x100000);
	assert_int_equal(denormal_traps_add(&t, f.bytes, SIZE, "x", &err), 0);
	make(&f, 13, 0x200000);
	assert_int_equal(denormal_traps_add(&t, f.bytes, SIZE, "y", &err), 0);
	denormal_traps_settle(&t);
	assert_int_equal(t.n_files, 2);
	assert_int_equal(t.n_threads, 4);
	assert_int_equal(t.modules.n, 1);
	assert_string_equal(t.modules.at[0].build_id, "ab00");
	assert_int_equal(t.rows.n, 3);
	assert_int_equal(t.rows.at[0].address, 0x20);
	assert_int_equal(t.rows.at[0].results, 14);
	assert_int_equal(t.rows.at[1].address, 0x10);
	assert_int_equal(t.rows.at[1].operands, 10);
	assert_int_equal(t.rows.at[1].lanes, 80);
	assert_int_equal(t.rows.at[2].module, DENORMAL_NO_MODULE);
	assert_int_equal(t.rows.at[2].address, 0x7000);
	assert_int_equal(t.notes.n, 2);
	assert_int_equal(t.notes.at[1].value, 0x40);
	assert_int_equal(t.notes.at[1].pid, 13);
	denormal_traps_release(&t);
}

static void files_with_other_build_ids_are_two_modules(void **state)
{
	struct denormal_traps t = {0};
	struct err err = ERR_INIT;
	struct file f;

	(void)state;
	make(&f, 12, 0x100000);
	assert_int_equal(denormal_traps_add(&t, f.bytes, SIZE, "x", &err), 0);
	for (size_t i = PRS_DEN_HEAD_SIZE; i + 1 < f.used; i++)
		if (f.bytes[i] == 0xab)
			f.bytes[i] = 0xac;
	assert_int_equal(denormal_traps_add(&t, f.bytes, SIZE, "y", &err), 0);
	denormal_traps_settle(&t);
	assert_int_equal(t.modules.n, 2);
	assert_int_equal(t.rows.n, 5);
	denormal_traps_release(&t);
}

static void a_file_of_probes_adds_nothing(void **state)
{
	struct denormal_traps t = {0};
	struct err err = ERR_INIT;
	struct file f;

	(void)state;
	make(&f, 12, 0x100000);
	((struct prs_den_item *)(f.bytes + PRS_DEN_HEAD_SIZE + sizeof(struct prs_den_thread)))->type =
		PRS_DEN_ITEM_FREE;
	assert_int_equal(denormal_traps_add(&t, f.bytes, SIZE, "x", &err), 0);
	assert_int_equal(t.n_files, 0);
	assert_int_equal(t.notes.n, 0);
	denormal_traps_release(&t);
}

static void instructions_are_named_by_the_files_symbols(void **state)
{
	struct denormal_traps t = {0};
	struct denormal_trap row = {.operands = 1};

	(void)state;
	extern char __executable_start;
	vec_push(&t.modules, ((struct denormal_trap_module){.path = mem_strdup("/proc/self/exe")}));
	row.address = (uint64_t)(uintptr_t)&instructions_are_named_by_the_files_symbols -
		      (uint64_t)(uintptr_t)&__executable_start;
	vec_push(&t.rows, row);
	row.address = 8; /* the file's head is no function */
	vec_push(&t.rows, row);
	denormal_traps_name(&t);
	assert_string_equal(t.rows.at[0].function, "instructions_are_named_by_the_files_symbols");
	assert_int_equal(t.rows.at[0].into, 0);
	assert_null(t.rows.at[1].function);
	denormal_traps_release(&t);
}

static void a_file_that_is_another_one_now_gives_no_names(void **state)
{
	struct denormal_traps t = {0};
	struct denormal_trap row = {.operands = 1};
	struct denormal_trap_module m = {.path = mem_strdup("/proc/self/exe"), .build_id = "00112233"};

	(void)state;
	extern char __executable_start;
	vec_push(&t.modules, m);
	row.address = (uint64_t)(uintptr_t)&a_file_that_is_another_one_now_gives_no_names -
		      (uint64_t)(uintptr_t)&__executable_start;
	vec_push(&t.rows, row);
	denormal_traps_name(&t);
	assert_null(t.rows.at[0].function);
	denormal_traps_release(&t);
}

/* Every bit of the head and the items, and every length. */
static void spoiled_files_are_read_or_refused(void **state)
{
	struct err err = ERR_INIT;
	struct file f, whole;
	unsigned refused = 0;

	(void)state;
	make(&whole, 12, 0x100000);
	for (size_t bit = 0; bit < 8 * whole.used;
	     bit += bit / 8 >= 64 && bit / 8 < PRS_DEN_HEAD_SIZE ? 997 : 1) {
		struct denormal_traps t = {0};

		f = whole;
		f.bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
		refused += denormal_traps_add(&t, f.bytes, SIZE, "x", &err) == -EINVAL;
		denormal_traps_settle(&t);
		denormal_traps_release(&t);
	}
	assert_true(refused > 100);
	for (size_t size = 0; size < whole.used; size++) {
		struct denormal_traps t = {0};
		unsigned char *cut = malloc(size + 1);

		memcpy(cut, whole.bytes, size);
		assert_int_equal(denormal_traps_add(&t, cut, size, "x", &err), -EINVAL);
		denormal_traps_release(&t);
		free(cut);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_processes_are_one_row_an_instruction),
		cmocka_unit_test(files_with_other_build_ids_are_two_modules),
		cmocka_unit_test(a_file_of_probes_adds_nothing),
		cmocka_unit_test(instructions_are_named_by_the_files_symbols),
		cmocka_unit_test(a_file_that_is_another_one_now_gives_no_names),
		cmocka_unit_test(spoiled_files_are_read_or_refused),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
