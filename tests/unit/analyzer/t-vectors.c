/* SPDX-License-Identifier: MIT */
/* Loops over every second element that the compiler vectorised. */
#include "fake.h"

#include "analyzer/lines/vectors.h"

#define HEAD "U\t1\t00000000000000aa\t0\t3\tGNU C17 12.2\tmix.c\t-\nF\t0\tmix.c\nN\t0\tmix\tmix\t0\t5\n"
#define SITE(n, kind, bytes, base)                                                                           \
	"M\t" n "\t0000000000000d0" n "\t00000000\t0\t" kind "\t" bytes "\t0\t9\t2\t" base "\t-\t-\t-\t-\t-" \
	"\n"
#define TAIL "Z\t00000000000000aa\n"
/* Floats of even and of odd index in the first 16 bytes. */
#define ALL  0xffffull
#define EVEN 0x0f0full
#define ODD  0xf0f0ull

/* A load of 16 bytes, a store of 4, and what a third site does; the other thread stores the odd ones. */
static struct line_use load_beside(const char *table, uint64_t own)
{
	struct run_unit unit = {0};
	struct run_process p = {.units = &unit, .n_units = 1};
	struct prs_line raw = {0};
	struct line_use u[3] = {{.raw = &raw, .thread = 1, .read = ALL},
				{.raw = &raw, .thread = 1, .written = own},
				{.raw = &raw, .thread = 2, .written = ODD}};
	struct err err = ERR_INIT;
	struct sites s;

	assert_int_equal(0, sites_parse(&s, table, strlen(table), "mix", &err));
	unit.sites = s.units;
	u[0].site = &s.units[0].mems[0];
	u[1].site = u[2].site = &s.units[0].mems[1];
	vectors_narrow(u, 3, &p);
	u[0].site = NULL;
	sites_release(&s);
	return u[0];
}

static void a_remainder_that_loads_its_own_tells(void **state)
{
	static const char table[] =
		HEAD SITE("0", "L", "16", "v[]") SITE("1", "S", "4", "v[]") SITE("2", "R", "4", "v[]") TAIL;
	struct line_use u = load_beside(table, EVEN);

	(void)state;
	assert_int_equal(u.read, EVEN);
	assert_int_equal(u.beside, 0);
	/* Its stores were not seen: the other's bytes are none of its own. */
	u = load_beside(table, 0);
	assert_int_equal(u.read, EVEN);
}

static void half_a_vector_may_bear_the_plain_name(void **state)
{
	struct line_use u = load_beside(HEAD SITE("0", "L", "8", "v") SITE("1", "S", "4", "v[]")
						SITE("2", "R", "4", "v[]") TAIL,
					EVEN);

	(void)state;
	assert_int_equal(u.read, EVEN);
}

static void without_it_nobody_knows(void **state)
{
	struct line_use u = load_beside(HEAD SITE("0", "L", "16", "v[]") SITE("1", "S", "4", "v[]")
						SITE("2", "L", "4", "v[]") TAIL,
					EVEN);

	(void)state;
	assert_int_equal(u.read, ALL);
	assert_int_equal(u.beside, ODD);
}

/* A sum over all elements, a store of vectors, and one to another array. */
static void whole_vectors_are_needed(void **state)
{
	struct line_use u = load_beside(HEAD SITE("0", "L", "16", "v[]") SITE("1", "S", "16", "v[]")
						SITE("2", "L", "4", "v[]") TAIL,
					EVEN);

	(void)state;
	assert_int_equal(u.read, ALL);
	assert_int_equal(u.beside, 0);
	u = load_beside(HEAD SITE("0", "L", "16", "v[]") SITE("1", "S", "4", "w[]") SITE("2", "R", "4", "w[]")
				TAIL,
			EVEN);
	assert_int_equal(u.read, ALL);
	assert_int_equal(u.beside, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_remainder_that_loads_its_own_tells),
		cmocka_unit_test(half_a_vector_may_bear_the_plain_name),
		cmocka_unit_test(without_it_nobody_knows),
		cmocka_unit_test(whole_vectors_are_needed),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
