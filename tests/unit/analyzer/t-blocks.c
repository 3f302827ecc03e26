/* SPDX-License-Identifier: MIT */
/* The block file of a run: what each thread did, and the barriers that are no phase boundaries. */
#include "fake.h"

#include "analyzer/analyze.h"
#include "record/blocks/blocks.h"

#define ROUNDS 200

struct made {
	struct fake *f;
	struct analysis a;
	struct strbuf file;
	struct blocks blocks;
};

/* Two workers from 50 to 400 ms, 100 ms of CPU time each. */
static struct fake *workers(void)
{
	struct fake *f = fake_new(PRS_PURPOSE_TIMING, "d/net-t", 600);

	fake_main(f, 100);
	fake_create(f, 0, 0, 50, 400, 100, 50);
	fake_create(f, 0, 1, 50, 400, 100, 50);
	return f;
}

static void join_workers(struct fake *f)
{
	fake_join(f, 0, 1, 52, 420, 50, 1);
	fake_join(f, 0, 2, 420, 420, 50, 2);
}

/* A meeting every half ms; the workers are late in turn: 0.4 and 0.1 ms of work. */
static void meet(struct fake *f, uint64_t object)
{
	uint64_t cpu[3] = {0};

	for (unsigned i = 0; i < ROUNDS; i++)
		for (uint32_t t = 1; t <= 2; t++) {
			struct prs_event *ev = fake_event(f, t, PRS_EV_BARRIER, 100, 100, 0, CALL_BARRIER, i);
			uint64_t work = (i + t) % 2 ? MS / 10 * 4 : MS / 10;

			cpu[t] += work;
			ev->end = FAKE_START + 100 * MS + (i + 1) * (MS / 2);
			ev->begin = ev->end - (MS / 2 - work);
			ev->cpu_ns = cpu[t];
			ev->object = object;
		}
}

static void make(struct made *m)
{
	const struct run *runs[1] = {&m->f->run};
	struct err err = ERR_INIT;

	m->file = (struct strbuf)STRBUF_INIT;
	if (analyze_blocks(&m->a, runs, 1, false, &m->file, &err) ||
	    blocks_parse(&m->blocks, m->file.s, m->file.len, "blocks", &m->a.model, &err))
		fail_msg("%s", err.msg);
}

static void unmake(struct made *m)
{
	blocks_close(&m->blocks);
	strbuf_release(&m->file);
	analysis_release(&m->a);
	fake_free(m->f);
}

/* Barriers in the file, and their parties summed. */
static uint64_t count_barriers(const struct made *m, uint64_t *parties)
{
	struct block_cursor c = blocks_begin(&m->blocks);
	struct block_occurrence o;
	uint64_t n = 0;

	*parties = 0;
	while (block_occurrence(&c, &o)) {
		int64_t work = -1;

		for (uint32_t i = 0; i < o.n_parts; i++) {
			struct block_cursor body = block_part(&c, &work);
			struct block b;

			while (block_next(&body, &b))
				if (b.kind == BLOCK_BARRIER) {
					n++;
					*parties += b.operand;
				}
		}
	}
	return n;
}

static uint64_t weight_of(const struct made *m, uint32_t thread)
{
	uint64_t sum = 0;

	for (size_t p = 0; p < m->a.model.n_phases; p++)
		for (size_t i = 0; i < m->a.model.phases[p].n_work; i++)
			if (m->a.model.phases[p].work[i].thread == thread)
				sum += m->blocks.weight[m->blocks.work_at[p] + i];
	return sum;
}

static void barriers_too_frequent_for_phases_are_in_the_blocks(void **state)
{
	struct made m = {.f = workers()};
	uint64_t parties;

	(void)state;
	meet(m.f, 0xb0);
	join_workers(m.f);
	make(&m);
	assert_int_equal(m.a.model.n_phases, 3);
	assert_int_equal(count_barriers(&m, &parties), 2 * ROUNDS);
	assert_int_equal(parties, 4 * ROUNDS);
	assert_int_equal(m.blocks.header.n_objects, 1);
	unmake(&m);
}

static void without_barriers_there_are_none(void **state)
{
	struct made m = {.f = workers()};
	uint64_t parties;

	(void)state;
	join_workers(m.f);
	make(&m);
	assert_int_equal(count_barriers(&m, &parties), 0);
	assert_int_equal(m.blocks.header.n_objects, 0);
	unmake(&m);
}

/* A barrier that opens a phase is a boundary for all: no block needs to say so. */
static void a_phase_boundary_is_no_barrier_in_the_blocks(void **state)
{
	struct made m = {.f = workers()};
	uint64_t parties;

	(void)state;
	fake_barrier(m.f, 1, 0xb0, 150, 200, 30, 1);
	fake_barrier(m.f, 2, 0xb0, 200, 200, 60, 1);
	join_workers(m.f);
	make(&m);
	assert_int_equal(m.a.model.n_phases, 4);
	assert_int_equal(count_barriers(&m, &parties), 0);
	unmake(&m);
}

static void the_weights_are_the_cpu_time_of_the_run(void **state)
{
	struct made m = {.f = workers()};

	(void)state;
	meet(m.f, 0xb0);
	join_workers(m.f);
	make(&m);
	assert_int_equal(weight_of(&m, 1), 100 * MS);
	assert_int_equal(weight_of(&m, 2), 100 * MS);
	for (size_t p = 0; p < m.a.model.n_phases; p++)
		assert_int_equal(m.blocks.occurrences[p], m.a.model.phases[p].repeats);
	unmake(&m);
}

/* The log cuts the time between boundaries into blocks. */
static void calls_of_the_log_are_blocks(void **state)
{
	struct made m = {.f = workers()};
	struct prs_log log[3] = {{.end = FAKE_START + 100 * MS, .ticks = 20 * MS, .cpu_ns = 20 * MS},
				 {.end = FAKE_START + 200 * MS, .ticks = 20 * MS, .cpu_ns = 50 * MS},
				 {.end = FAKE_START + 300 * MS, .ticks = 20 * MS, .cpu_ns = 80 * MS}};
	uint64_t before;

	(void)state;
	join_workers(m.f);
	make(&m);
	before = m.blocks.header.n_blocks;
	blocks_close(&m.blocks);
	strbuf_release(&m.file);
	analysis_release(&m.a);
	m.f->thread[1].log = log;
	m.f->thread[1].n_log = 3;
	make(&m);
	assert_int_equal(m.blocks.header.n_blocks, before + 3);
	assert_int_equal(weight_of(&m, 1), 100 * MS);
	m.f->thread[1].n_log = 0;
	unmake(&m);
}

/* Both workers take lock @objects[i] 50 times for 1 ms, from 100 ms on. */
static uint64_t locks_in_file(const uint64_t objects[2], uint64_t *under)
{
	struct prs_wait waits[2];
	struct made m = {.f = workers()};
	struct block_cursor c;
	struct block_occurrence o;
	uint64_t n = 0;

	join_workers(m.f);
	for (int i = 0; i < 2; i++) {
		waits[i] = (struct prs_wait){
			.object = objects[i], .kind = PRS_EV_MUTEX, .flags = PRS_WAIT_TAKEN};
		waits[i].count = 50;
		waits[i].timed = 4;
		waits[i].ticks = 3 * MS + 30 * MS; /* in one of four the core was lost */
		waits[i].max = 30 * MS;
		waits[i].first = FAKE_START + 100 * MS;
		m.f->thread[1 + i].waits = &waits[i];
		m.f->thread[1 + i].n_waits = 1;
	}
	make(&m);
	*under = 0;
	for (c = blocks_begin(&m.blocks); block_occurrence(&c, &o);) {
		int64_t work = -1;

		for (uint32_t i = 0; i < o.n_parts; i++) {
			struct block_cursor body = block_part(&c, &work);
			struct block b;
			bool held = false;

			while (block_next(&body, &b)) {
				if (b.kind == BLOCK_WORK && held)
					*under += b.value;
				if (b.kind != BLOCK_LOCK)
					continue;
				assert_int_equal(b.value & 1, held);
				held = !held;
				n++;
			}
			assert_false(held);
		}
	}
	for (int i = 0; i < 2; i++)
		m.f->thread[1 + i].n_waits = 0;
	unmake(&m);
	return n;
}

static void locks_that_two_threads_take_are_in_the_blocks(void **state)
{
	static const uint64_t same[2] = {0xa0, 0xa0}, apart[2] = {0xa0, 0xc0};
	uint64_t under;

	(void)state;
	assert_true(locks_in_file(same, &under) >= 4 * 50);
	assert_true(under > 98 * MS && under <= 100 * MS);
	assert_int_equal(locks_in_file(apart, &under), 0);
	assert_int_equal(under, 0);
}

static void the_file_of_another_model_is_refused(void **state)
{
	struct made m = {.f = workers()};
	struct blocks other;
	struct err err = ERR_INIT;

	(void)state;
	join_workers(m.f);
	make(&m);
	m.a.model.wall_ns++;
	assert_int_equal(blocks_parse(&other, m.file.s, m.file.len, "blocks", &m.a.model, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "belongs to model"));
	m.a.model.wall_ns--;
	for (size_t len = 0; len < m.file.len; len++)
		assert_int_not_equal(blocks_parse(&other, m.file.s, len, "blocks", &m.a.model, &err), 0);
	for (size_t i = 0; i < m.file.len; i++) {
		m.file.s[i] ^= 0x10;
		assert_int_not_equal(blocks_parse(&other, m.file.s, m.file.len, "blocks", &m.a.model, &err),
				     0);
		m.file.s[i] ^= 0x10;
	}
	unmake(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(barriers_too_frequent_for_phases_are_in_the_blocks),
		cmocka_unit_test(without_barriers_there_are_none),
		cmocka_unit_test(a_phase_boundary_is_no_barrier_in_the_blocks),
		cmocka_unit_test(the_weights_are_the_cpu_time_of_the_run),
		cmocka_unit_test(calls_of_the_log_are_blocks),
		cmocka_unit_test(locks_that_two_threads_take_are_in_the_blocks),
		cmocka_unit_test(the_file_of_another_model_is_refused),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
