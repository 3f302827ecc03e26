/* SPDX-License-Identifier: MIT */
#include "fake.h"

#include "analyzer/objects/heap.h"

/* Blocks in order of their starts; reach as heap_blocks() has it. */
static const struct heap_block blocks[] = {
	{.start = 0x1000, .bytes = 0x200, .born = 50, .freed = 90, .reach = 0x1200, .site = 1},
	{.start = 0x1100, .bytes = 0x40, .born = 10, .freed = UINT64_MAX, .reach = 0x1200, .site = 2},
	{.start = 0x1100, .bytes = 0x40, .born = 100, .freed = 120, .reach = 0x1200, .site = 3},
	{.start = 0x2000, .bytes = 0x40, .born = 10, .freed = 20, .reach = 0x2040, .site = 4},
};

static uint32_t site_at(uint64_t address, uint64_t tick)
{
	const struct heap_block *b = heap_find(blocks, sizeof(blocks) / sizeof(blocks[0]), address, tick);

	return b ? b->site : 0;
}

static void a_block_is_found_while_it_lives(void **state)
{
	(void)state;
	assert_int_equal(site_at(0x1010, 60), 1);
	assert_int_equal(site_at(0x1110, 20), 2);
	assert_int_equal(site_at(0x1110, 110), 3);
	assert_int_equal(site_at(0x2000, 15), 4);
	assert_int_equal(site_at(0x2040, 15), 0);
	assert_int_equal(site_at(0xfff, 60), 0);
	assert_int_equal(site_at(0x1110, 5), 0);
}

/* The release of the one that began nearer was never noted: what came later held the address. */
static void a_later_block_counts_more_than_a_nearer_one(void **state)
{
	(void)state;
	assert_int_equal(site_at(0x1110, 60), 1);
	assert_int_equal(site_at(0x1110, 95), 2);
}

static void a_release_may_be_stamped_early(void **state)
{
	(void)state;
	assert_int_equal(site_at(0x2010, 21), 4);
	assert_int_equal(site_at(0x1010, 95), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_block_is_found_while_it_lives),
		cmocka_unit_test(a_later_block_counts_more_than_a_nearer_one),
		cmocka_unit_test(a_release_may_be_stamped_early),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
