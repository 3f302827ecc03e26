/* SPDX-License-Identifier: MIT */
/*
 * Spoils the streams and the description of a trace at random and reads them:
 * every outcome but a crash, a hang or a sanitizer's complaint is fine.
 * Deterministic: the same seed and count do the same.
 *
 *   fuzz-trace SEED COUNT
 *
 * Ends with "N whole, N damaged, N refused".
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/rng.h"
#include "report/trace/trace.h"
#include "tests/unit/record/build-trace.h"

#define HANG_SECONDS 30
#define CALLS        3
#define MEMS         2

static void make_run(const char *dir)
{
	struct prs_thread threads[2] = {
		{.creator = PRS_NO_THREAD, .create_site = PRS_NO_SITE, .start_tsc = 1000},
		{.index = 1, .creator = 0, .create_site = PRS_NO_SITE, .start_tsc = 2000}};
	struct prs_module mod = build_module();
	struct prs_unit unit = {
		.unit_id = 0xaa, .n_calls = CALLS, .n_mems = MEMS, .base = 256, .mem_base = 320};
	struct prec r;

	prec_start(&r, 100);
	prec_chunk(&r, PRS_CHUNK_MODULE, PRS_NO_THREAD, &mod, sizeof(mod), 1, 1);
	prec_chunk(&r, PRS_CHUNK_UNIT, PRS_NO_THREAD, &unit, sizeof(unit), 1, 1);
	prec_chunk(&r, PRS_CHUNK_THREAD, PRS_NO_THREAD, threads, sizeof(threads[0]), 2, 1);
	prec_header(&r)->n_threads = 2;
	prec_header(&r)->n_units = 1;
	prec_header(&r)->n_calls = CALLS;
	prec_header(&r)->n_mems = MEMS;
	prec_save(&r, dir);
	build_manifest(dir, "exited", 0, NULL);
}

/* Three packets with everything that a stream may hold. */
static struct ctf_build make_stream(uint32_t thread)
{
	struct ctf_build b = {0};
	uint64_t at = 2000;

	for (int packet = 0; packet < 3; packet++) {
		ctf_begin(&b, thread, (uint64_t)packet * 5);
		for (uint32_t i = 0; i < 12; i++, at += 100)
			ctf_call(&b, i % CALLS, at - 50 * i, at);
		ctf_long(&b, PRS_CLASS_MEMORY, at, (uint64_t)(at % MEMS) | 8ull << 32, 0x7f0000001000ull, 0);
		ctf_long(&b, PRS_CLASS_NOTE, at + 1, (uint64_t)PRS_TRACE_ALLOC << 32 | 1, 0x5000, 64);
		ctf_long(&b, PRS_CLASS_NOTE, at + 2, (uint64_t)PRS_TRACE_GAP << 32, at - 20, 5);
		at += 200;
	}
	return b;
}

static void spoil(struct rng *rng, struct strbuf *s)
{
	static const uint64_t odd[] = {0,          1,          16,       127,        128,        4096,
				       0x7fffffff, 0xffffffff, 1u << 30, 1ull << 62, 1ull << 63, UINT64_MAX};
	size_t width = (size_t)1 << rng_below(rng, 4), at;
	uint64_t v = rng_below(rng, 3) ? odd[rng_below(rng, sizeof(odd) / sizeof(odd[0]))] : rng_u64(rng);

	if (s->len < 16)
		return;
	at = (size_t)rng_below(rng, s->len - 8) / width * width;
	switch (rng_below(rng, 10)) {
	case 0:
		s->len = (size_t)rng_below(rng, s->len);
		break;
	case 1:
		s->s[at] = (char)(s->s[at] ^ 1 << rng_below(rng, 8));
		break;
	case 2: /* a piece over another */
		memmove(s->s + at, s->s + rng_below(rng, s->len - 8), 8);
		break;
	default: /* often in a packet's front, where it matters most */
		if (rng_below(rng, 2))
			at %= sizeof(struct prs_packet);
		memcpy(s->s + at, &v, width);
	}
}

enum outcome { WHOLE, DAMAGED, REFUSED, OUTCOMES };

static enum outcome try_trace(const struct run *run)
{
	static const struct report_view view = {.rows = 50};
	struct strbuf out = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct trace_figures f;
	bool whole;

	if (trace_read(&f, run, &err)) {
		if (!err.msg[0] || !err.code)
			abort(); /* refused without a word */
		return REFUSED;
	}
	trace_text(&f, &view, &out);
	trace_json(&f, &view, &out);
	if (trace_timeline(run, 5, &out, &whole, &err))
		abort();
	whole = !f.damage;
	trace_release(&f);
	strbuf_release(&out);
	return whole ? WHOLE : DAMAGED;
}

static enum outcome one(struct rng rng, const struct run *run, const char *dir)
{
	static const char meta[] = BUILD_TRACE_STATE("complete");
	struct strbuf text = STRBUF_INIT;
	uint64_t which = rng_below(&rng, 8);
	enum outcome got;

	for (uint32_t thread = 0; thread < 2; thread++) {
		struct ctf_build b = make_stream(thread);
		char name[32];

		for (uint64_t i = rng_below(&rng, 4); which && i > 0; i--)
			spoil(&rng, &b.file);
		snprintf(name, sizeof(name), "100.0.%u", thread);
		ctf_save(&b, dir, name);
	}
	strbuf_puts(&text, meta);
	for (uint64_t i = rng_below(&rng, 3); !which && i > 0; i--)
		spoil(&rng, &text);
	build_write(dir, "trace/metadata", text.s, text.len);
	strbuf_release(&text);
	alarm(HANG_SECONDS);
	got = try_trace(run);
	alarm(0);
	return got;
}

int main(int argc, char **argv)
{
	uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
	uint64_t count = argc > 2 ? strtoull(argv[2], NULL, 10) : 1000, n[OUTCOMES] = {0};
	char *dir = build_dir();
	struct err err = ERR_INIT;
	struct run run;

	make_run(dir);
	ctf_metadata(dir, BUILD_TRACE_STATE("complete"));
	if (run_open(&run, dir, &err)) {
		fprintf(stderr, "%s\n", err.msg);
		return 1;
	}
	for (uint64_t i = 0; i < count; i++)
		n[one(rng_keyed(seed, i, 0, 0), &run, dir)]++;
	printf("%llu whole, %llu damaged, %llu refused\n", (unsigned long long)n[WHOLE],
	       (unsigned long long)n[DAMAGED], (unsigned long long)n[REFUSED]);
	run_close(&run);
	build_remove(dir);
	return 0;
}
