/* SPDX-License-Identifier: MIT */
/* denormal_add() on origins, states and maps: whole, and spoiled. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/rng.h"
#include "record/denormal/denormal.h"

#define SIZE  8192
#define TURNS 20000

struct file {
	_Alignas(64) unsigned char bytes[SIZE];
	uint64_t used;
	struct prs_den_flow_row *flows;
	struct prs_den_state *state;
	struct prs_den_map *map;
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

/* Two arrays, one multiplication with births, which explains 7 stores of the second; a map of 2 x 3 tiles. */
static void make(struct file *f)
{
	static const char text[] = "a.c\0work\0in\0out";
	struct prs_den_head *h = (void *)f->bytes;
	struct prs_den_arrays *rows;

	memset(f, 0, sizeof(*f));
	memcpy(h->magic, PRS_DEN_MAGIC, 8);
	h->version = PRS_DEN_VERSION;
	f->used = PRS_DEN_HEAD_SIZE;

	struct prs_den_unit *u = take(f, PRS_DEN_ITEM_UNIT, 64 + 64 + sizeof(text));
	struct prs_den_row *row = (void *)(u + 1);

	u->n_slots = 1;
	u->mode = PRS_DEN_ORIGIN;
	u->text_bytes = sizeof(text);
	row[0] = (struct prs_den_row){
		.site = 0x10, .id = 1, .kind = PRS_DEN_MUL, .line = 3, .function = 4, .name = 9};
	memcpy(row + 1, text, sizeof(text));
	for (int i = 0; i < 2; i++)
		take(f, PRS_DEN_ITEM_OBJECT, sizeof(struct prs_den_object));

	rows = take(f, PRS_DEN_ITEM_FLOWS, 64 + 4 * 32);
	rows->n = 4;
	f->flows = (void *)(rows + 1);
	f->flows[0] = (struct prs_den_flow_row){
		.site = 0x10, .count = 7, .kind = PRS_DEN_FLOW_BORN, .from = ~0u, .to = 1};
	f->flows[1] = (struct prs_den_flow_row){
		.site = PRS_DEN_TAG_BROUGHT, .count = 2, .kind = PRS_DEN_FLOW_BORN, .from = ~0u, .to = 1};
	f->flows[2] = (struct prs_den_flow_row){.count = 5, .kind = PRS_DEN_FLOW_EDGE, .from = 0, .to = 1};
	f->flows[3] = f->flows[2];
	rows = take(f, PRS_DEN_ITEM_STATES, 64 + 64);
	rows->n = 1;
	f->state = (void *)(rows + 1);
	*f->state = (struct prs_den_state){.site = 0x10, .count = 30, .bits = 500, .run = 20, .most = 20};
	f->map = take(f, PRS_DEN_ITEM_MAP, sizeof(*f->map) + PRS_DEN_EPOCHS * 6 * 4);
	f->map->object = 1;
	f->map->rows = 2;
	f->map->columns = 3;
	f->map->epochs = 2;
	f->map->pitch = 24;
	f->map->bytes = 48;
	f->map->row_lines = 1;
	f->map->column_bytes = 8;
	f->map->count[5] = 4;
	f->map->count[6] = 3;
}

static void origins_of_two_processes_are_kept_by_array(void **state)
{
	struct denormal d = {0};
	struct err err = ERR_INIT;
	struct file f;

	(void)state;
	make(&f);
	assert_int_equal(denormal_add(&d, f.bytes, SIZE, "x", &err), 0);
	assert_int_equal(denormal_add(&d, f.bytes, SIZE, "y", &err), 0);
	denormal_settle(&d);
	assert_true(d.origins);
	assert_int_equal(d.flows.n, 6);
	assert_int_equal(d.flows.at[0].to, 1);
	assert_int_equal(d.flows.at[0].site, 0);
	assert_int_equal(d.flows.at[0].count, 7);
	assert_int_equal(d.flows.at[1].tag, PRS_DEN_TAG_BROUGHT);
	assert_int_equal(d.flows.at[1].site, DENORMAL_NONE);
	assert_int_equal(d.flows.at[4].kind, PRS_DEN_FLOW_EDGE);
	assert_int_equal(d.flows.at[4].from, 0);
	assert_int_equal(d.flows.at[4].count, 10);
	assert_int_equal(d.flows.at[5].from, 2);
	assert_int_equal(d.states.n, 2);
	assert_int_equal(d.states.at[1].run, 20);
	assert_int_equal(d.maps.n, 2);
	assert_int_equal(d.maps.at[1].object, 3);
	assert_int_equal(d.maps.at[1].count[5], 4);
	assert_int_equal(d.maps.at[1].count[6], 3);
	denormal_release(&d);
}

static void refused(struct file *f, const char *why)
{
	struct denormal d = {0};
	struct err err = ERR_INIT;

	assert_int_equal(denormal_add(&d, f->bytes, SIZE, "spoiled", &err), -EINVAL);
	assert_non_null(strstr(err.msg, "spoiled"));
	assert_non_null(strstr(err.msg, why));
	denormal_release(&d);
}

static void rows_of_what_is_not_there_are_refused(void **state)
{
	struct file f;

	(void)state;
	make(&f);
	f.flows[0].to = 2;
	refused(&f, "an origin of what is not there");
	make(&f);
	f.flows[2].kind = 9;
	refused(&f, "an origin of what is not there");
	make(&f);
	((struct prs_den_arrays *)f.flows - 1)->n = 9;
	refused(&f, "more rows than the item holds");
	make(&f);
	((struct prs_den_arrays *)f.state - 1)->n = 2;
	refused(&f, "more variables than the item holds");
	make(&f);
	f.map->object = 7;
	refused(&f, "a map of what is not there");
	make(&f);
	f.map->rows = 65536;
	f.map->columns = 65536;
	refused(&f, "a map of impossible size");
	make(&f);
	f.map->rows = 64;
	f.map->columns = 64;
	refused(&f, "a map is longer than its item");
	make(&f);
	f.map->pitch = 0;
	refused(&f, "a map of what is not there");
}

static void a_file_with_any_bytes_changed_is_read_or_refused(void **state)
{
	struct rng rng = rng_keyed(22, 0, 0, 0);
	struct file f;

	(void)state;
	for (int i = 0; i < TURNS; i++) {
		struct denormal d = {0};
		struct err err = ERR_INIT;
		unsigned char *exact;
		int ret;

		make(&f);
		exact = malloc(f.used);
		assert_non_null(exact);
		for (uint64_t n = rng_below(&rng, 4) + 1; n; n--)
			f.bytes[PRS_DEN_HEAD_SIZE + rng_below(&rng, f.used - PRS_DEN_HEAD_SIZE)] =
				(unsigned char)rng_below(&rng, 256);
		memcpy(exact, f.bytes, f.used);
		ret = denormal_add(&d, exact, f.used, "x", &err);
		assert_true(ret == 0 || ret == -EINVAL);
		if (!ret)
			denormal_settle(&d);
		denormal_release(&d);
		free(exact);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(origins_of_two_processes_are_kept_by_array),
		cmocka_unit_test(rows_of_what_is_not_there_are_refused),
		cmocka_unit_test(a_file_with_any_bytes_changed_is_read_or_refused),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
