/* SPDX-License-Identifier: MIT */
/*
 * The reader guarantees offsets and sizes, not sense: times, numbers of
 * threads and sites, masks and counts may be anything.  Whatever they are,
 * the analyzer ends, stays in its memory (run under a sanitizer), and gives a
 * model that can be written, or an error.
 */
#include "fake.h"

#include "analyzer/analyze.h"
#include "analyzer/sharing/sharing.h"
#include "lib/rng.h"
#include "record/blocks/blocks.h"
#include "tests/unit/fuzz.h"

/* A run with something of everything. */
static struct fake *everything(uint32_t purpose)
{
	struct fake *f = fake_new(purpose, "d/net", 400);

	fake_main(f, 40);
	for (uint32_t i = 0; i < 4; i++)
		fake_create(f, 0, i, 20 + i, 390, 300, 20);
	for (uint32_t t = 1; t <= 4; t++) {
		for (uint32_t r = 1; r <= 6; r++)
			fake_barrier(f, t, 0xb0, 50 * r, 50 * r + 2, 40 * r, r);
		fake_line(f, t, MEM_RX + t % 2, ADDR_STATS + 8 * (t % 2), 1000000, 5000, t % 4 + 1);
		fake_line(f, t, MEM_SLOT, ADDR_SLOTS + 8 * t, 1000000, 900, t % 4 + 1);
		fake_line(f, t, MEM_JOB_A, ADDR_HEAP, 1000000, 900, t % 4 + 1);
	}
	fake_note(f, 0, 1, ADDR_HEAP, 16);
	fake_note(f, 0, 395, ADDR_HEAP, 0);
	for (uint32_t i = 0; i < 4; i++)
		fake_join(f, 0, i + 1, 30, 392, 21, i + 1);
	return f;
}

/* A value that is likely to hurt. */
static uint64_t nasty(struct rng *rng)
{
	static const uint64_t values[] = {0,          1,          2,          5,          63,
					  64,         0x7fffffff, 0xffffffff, FAKE_START, FAKE_START + 1,
					  UINT64_MAX, 1ull << 63};
	uint64_t pick = rng_below(rng, sizeof(values) / sizeof(values[0]) + 2);

	if (pick < sizeof(values) / sizeof(values[0]))
		return values[pick];
	return pick & 1 ? rng_u64(rng) : FAKE_START + rng_below(rng, 500 * MS);
}

/* Overwrite some 4 or 8 bytes of @n. */
static void spoil(struct rng *rng, void *at, size_t n)
{
	uint64_t value = nasty(rng);
	size_t bytes = rng_below(rng, 2) ? 8 : 4;

	memcpy((char *)at + rng_below(rng, n / 4 - 1) * 4, &value, bytes);
}

static void spoil_thread(struct rng *rng, struct run_thread *t)
{
	switch (rng_below(rng, 4)) {
	case 0:
		spoil(rng, (void *)t->raw, offsetof(struct prs_thread, name));
		break;
	case 1:
		if (t->n_events)
			spoil(rng, &t->events[rng_below(rng, t->n_events)], sizeof(*t->events));
		break;
	case 2:
		if (t->n_lines)
			spoil(rng, (void *)t->lines[rng_below(rng, t->n_lines)], sizeof(**t->lines));
		break;
	default:
		if (t->n_notes)
			spoil(rng, &t->notes[rng_below(rng, t->n_notes)], sizeof(*t->notes));
		break;
	}
}

/* What the reader guarantees: lines are not empty, events stand in order of end. */
static int by_end(const void *a, const void *b)
{
	const struct prs_event *x = a, *y = b;

	return x->end < y->end ? -1 : x->end > y->end;
}

static void repair(struct fake *f)
{
	for (size_t i = 0; i < f->p.n_threads; i++)
		qsort(f->thread[i].events, f->thread[i].n_events, sizeof(struct prs_event), by_end);
}

static void survives(struct fake *timing, struct fake *sharing)
{
	const struct run *runs[2] = {&timing->run, &sharing->run};
	struct sharing_opts opts = {.platform = NULL};
	struct sharing_report rep;
	struct err err = ERR_INIT;
	struct analysis a;
	struct strbuf file = STRBUF_INIT;
	struct blocks blocks;
	char hash[65];

	if (!analyze_blocks(&a, runs, 2, true, &file, &err)) {
		if (!blocks_parse(&blocks, file.s, file.len, "blocks", &a.model, &err))
			blocks_close(&blocks);
		for (size_t i = 1; i < a.model.n_threads; i++)
			assert_true(a.model.threads[i].creator < i);
		model_hash(&a.model, hash);
		if (model_save(&a.model, "/dev/null", &err))
			fail_msg("%s", err.msg);
		analysis_release(&a);
	}
	strbuf_release(&file);
	if (!sharing_make(&rep, &sharing->run, &opts, &err))
		sharing_release(&rep);
}

static void senseless_values_do_no_harm(void **state)
{
	unsigned long rounds = fuzz_rounds(1500);

	(void)state;
	for (unsigned long round = 0; round < rounds; round++) {
		struct rng rng = rng_keyed(1, round, 0, fuzz_seed());
		struct fake *f[2] = {everything(PRS_PURPOSE_TIMING), everything(PRS_PURPOSE_SHARING)};

		for (uint64_t n = 1 + rng_below(&rng, 6); n; n--)
			spoil_thread(&rng, &f[rng_below(&rng, 2)]->thread[rng_below(&rng, 5)]);
		for (int i = 0; i < 2; i++)
			repair(f[i]);
		survives(f[0], f[1]);
		fake_free(f[0]);
		fake_free(f[1]);
	}
}

static void empty_process_does_no_harm(void **state)
{
	struct fake *f[2] = {fake_new(PRS_PURPOSE_TIMING, "d/a", 0), fake_new(PRS_PURPOSE_SHARING, "d/b", 0)};

	(void)state;
	survives(f[0], f[1]);
	fake_free(f[0]);
	fake_free(f[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(senseless_values_do_no_harm),
		cmocka_unit_test(empty_process_does_no_harm),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
