/* SPDX-License-Identifier: MIT */
/* denormal_add() on a file that is whole, and on spoiled ones. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "record/denormal/denormal.h"

#define SIZE 6144

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

/* One operation that counted 7 denormals, 3 of them born, and a store of 5. */
static void make(struct file *f)
{
	static const char text[] = "a.c\0work\0in\0out";
	static const uint64_t counts[3] = {7, 3, 5};
	struct prs_den_head *h = (void *)f->bytes;

	memset(f, 0, sizeof(*f));
	memcpy(h->magic, PRS_DEN_MAGIC, 8);
	h->version = PRS_DEN_VERSION;
	h->pid = 12;
	f->used = PRS_DEN_HEAD_SIZE;

	struct prs_den_unit *u = take(f, PRS_DEN_ITEM_UNIT, 64 + 3 * 64 + sizeof(text));
	struct prs_den_row *row = (void *)(u + 1);

	u->n_slots = 3;
	u->text_bytes = sizeof(text);
	row[0] = (struct prs_den_row){
		.site = 0x10, .id = 1, .kind = PRS_DEN_LOAD, .line = 3, .function = 4, .name = 9};
	row[1] = row[0];
	row[1].role = PRS_DEN_BIRTH;
	row[2] = (struct prs_den_row){
		.site = 0x20, .id = 2, .kind = PRS_DEN_STORE, .line = 4, .function = 4, .name = 12};
	memcpy(row + 3, text, sizeof(text));
	take(f, PRS_DEN_ITEM_THREAD, sizeof(struct prs_den_thread));
	memcpy(((struct prs_den_table *)take(f, PRS_DEN_ITEM_TABLE, 64 + 24))->count, counts, sizeof(counts));
	((struct prs_den_object *)take(f, PRS_DEN_ITEM_OBJECT, sizeof(struct prs_den_object)))->bytes = 4096;

	struct prs_den_module *m = take(f, PRS_DEN_ITEM_MODULE, sizeof(*m) + 8);

	m->start = 0x1000;
	m->end = 0x9000;
	m->build_id_bytes = 2;
	m->build_id[0] = 0xa5;
	m->build_id[1] = 0x07;
	memcpy(m->path, "/bin/x", 7);

	struct prs_den_arrays *a = take(f, PRS_DEN_ITEM_ARRAYS, 64 + 2 * 32);
	struct prs_den_array_row *at = (void *)(a + 1);

	a->n = 2;
	at[0] = (struct prs_den_array_row){.site = 0x10, .count = 7};
	at[1] = (struct prs_den_array_row){.site = 0x20, .count = 5};
}

static void counts_of_two_processes_are_merged(void **state)
{
	struct denormal d = {0};
	struct err err = ERR_INIT;
	struct file f;

	(void)state;
	make(&f);
	assert_int_equal(denormal_add(&d, f.bytes, sizeof(f.bytes), "x", &err), 0);
	assert_int_equal(denormal_add(&d, f.bytes, sizeof(f.bytes), "y", &err), 0);
	denormal_settle(&d);
	assert_int_equal(d.sites.n, 2);
	assert_int_equal(d.sites.at[0].results, 14);
	assert_int_equal(d.sites.at[0].births, 6);
	assert_int_equal(d.sites.at[1].results, 10);
	assert_string_equal(d.sites.at[1].name, "out");
	assert_int_equal(d.objects.n, 2);
	assert_int_equal(d.objects.at[1].loads, 7);
	assert_int_equal(d.objects.at[1].stores, 5);
	assert_int_equal(d.threads.at[0].results, 12);
	denormal_release(&d);
}

static void what_each_site_did_to_each_array_is_kept(void **state)
{
	struct denormal d = {0};
	struct err err = ERR_INIT;
	struct file f;

	(void)state;
	make(&f);
	assert_int_equal(denormal_add(&d, f.bytes, sizeof(f.bytes), "x", &err), 0);
	assert_int_equal(denormal_add(&d, f.bytes, sizeof(f.bytes), "y", &err), 0);
	denormal_settle(&d);
	assert_int_equal(d.rows.n, 4);
	for (size_t i = 0; i < d.rows.n; i++) {
		const struct denormal_row *row = &d.rows.at[i];

		assert_int_equal(row->object, i / 2);
		assert_int_equal(d.sites.at[row->site].kind, i % 2 ? PRS_DEN_STORE : PRS_DEN_LOAD);
		assert_int_equal(row->count, i % 2 ? 5 : 7);
	}
	assert_int_equal(d.modules.n, 2);
	assert_string_equal(d.modules.at[1].path, "/bin/x");
	assert_string_equal(d.modules.at[1].build_id, "a507");
	assert_int_equal(d.modules.at[1].file, 1);
	assert_int_equal(d.files.at[1].pid, 12);
	assert_int_equal(d.n_units, 2);
	assert_false(d.full);
	denormal_release(&d);
}

static void refused(struct file *f, size_t size, const char *why)
{
	struct denormal d = {0};
	struct err err = ERR_INIT;

	assert_int_equal(denormal_add(&d, f->bytes, size, "x", &err), -EINVAL);
	assert_non_null(strstr(err.msg, why));
	denormal_release(&d);
}

static void foreign_cut_and_damaged_files_are_refused_with_the_place(void **state)
{
	struct file f;

	(void)state;
	make(&f);
	refused(&f, 100, "holds no counts");
	refused(&f, f.used - 64, "is cut");
	((struct prs_den_head *)f.bytes)->version = 9;
	refused(&f, sizeof(f.bytes), "version 9");
	make(&f);
	((struct prs_den_row *)(f.bytes + PRS_DEN_HEAD_SIZE + 64))->name = 999;
	refused(&f, sizeof(f.bytes), "at byte 4160");
	make(&f);
	((struct prs_den_item *)(f.bytes + PRS_DEN_HEAD_SIZE))->bytes = 0;
	refused(&f, sizeof(f.bytes), "impossible length");
}

static void a_file_with_any_bytes_changed_is_read_or_refused(void **state)
{
	uint32_t seed = 1;

	(void)state;
	for (int run = 0; run < 200000; run++) {
		struct denormal d = {0};
		struct err err = ERR_INIT;
		struct file f;
		uint64_t used;

		make(&f);
		used = f.used;
		for (int i = 0; i < 1 + run % 3; i++) {
			seed = seed * 1664525u + 1013904223u;
			f.bytes[PRS_DEN_HEAD_SIZE + (seed >> 8) % (used - PRS_DEN_HEAD_SIZE)] =
				(unsigned char)(seed >> 24);
		}
		unsigned char *exact = malloc(used);

		memcpy(exact, f.bytes, used);
		if (!denormal_add(&d, exact, used, "x", &err))
			denormal_settle(&d);
		else
			assert_int_equal(err.code, -EINVAL);
		denormal_release(&d);
		free(exact);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_of_two_processes_are_merged),
		cmocka_unit_test(what_each_site_did_to_each_array_is_kept),
		cmocka_unit_test(foreign_cut_and_damaged_files_are_refused_with_the_place),
		cmocka_unit_test(a_file_with_any_bytes_changed_is_read_or_refused),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
