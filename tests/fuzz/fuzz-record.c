/* SPDX-License-Identifier: MIT */
/*
 * Spoils record files, site tables and symbol lists at random and reads them:
 * every outcome but a crash, a hang or a sanitizer's complaint is fine.
 * Deterministic: the same seed and count do the same.
 *
 *   fuzz-record SEED COUNT [RUN.prec [SITES]]
 *
 * Without a file of a real run it spoils one of its own making.  Ends with
 * "N read, N refused".
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/rng.h"
#include "record/counters.h"
#include "record/parts.h"
#include "report/summary.h"
#include "report/time/paths.h"
#include "report/waits/waits.h"
#include "tests/unit/record/build.h"

#define HANG_SECONDS 30

static const char own_sites[] =
	"U\t1\t00000000000000aa\t3\t2\tGNU C17 12\tprog.c\tlto\n"
	"F\t0\tdir/my\\x20prog.c\n"
	"F\t1\t/usr/include/c++/12/mutex\n"
	"N\t0\tmain\tmain\t0\t10\n"
	"N\t1\t_Z4workv\twork()\t0\t3\n"
	"C\t0\t1111111111111111\t00000000\t0\t_Z4workv\t0\t12\t2\t0\t-\t-\n"
	"C\t1\t2222222222222222\t0000beef\t1\tindirect\t0\t5\t7\t0\twait,tail\tmain:12\n"
	"C\t2\t2222222222222223\t0000beef\t1\tmalloc\t1\t5\t7\t0\talloc\tmain:12>_ZNSt5mutex4lockEv:3\n"
	"M\t0\t3333333333333333\t00000000\t1\tR\t8\t0\t6\t3\tpair[].a\tstruct pair\ta\t8\tnear\n"
	"M\t1\t3333333333333334\t00000000\t1\tL\t4\t0\t6\t3\t*p\t-\t-\t-\t-\n"
	"A\t2\tstruct pair\t16\n"
	"G\ttotals\tstruct pair\t16\t0\t1\n"
	"T\tstruct pair\t16\tb:0:8\ta:8:8\n"
	"K\tmain\tmain2\n"
	"S\tcall\tnaked\t0\tf\t0\t3\n"
	"Z\t00000000000000aa\n";
static const char own_symbols[] = "400100 20 T main\n400120 8 t local\n400800 80 B totals\n";

struct file {
	unsigned char *bytes;
	size_t n;
};

static struct file copy_of(const void *data, size_t n)
{
	struct file f = {malloc(n + 1), n};

	memcpy(f.bytes, data, n);
	f.bytes[n] = '\0';
	return f;
}

static struct file read_file(const char *path)
{
	struct strbuf sb = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct file f;

	if (fs_read(path, 0, &sb, &err)) {
		fprintf(stderr, "%s\n", err.msg);
		exit(2);
	}
	f = copy_of(sb.s, sb.len);
	strbuf_release(&sb);
	return f;
}

static const char own_text[] = "counters.interval_us 1000\ncounters.read_ns 400\nevent.0.name cycles\n"
			       "event.0.source perf user\nevent.0.group 0\nevent.1.name page-faults\n"
			       "event.1.source system\nevent.1.group 1\nevent.2.name LLC-load-misses\n"
			       "event.2.source none\nevent.2.error 2\n";

#define BLOCK_BYTES (PRS_PAGE_BYTES - sizeof(struct prs_chunk))

/* The block of thread 1: three slots, two calls open, and one that is not accounted yet. */
static void fill_block(struct prec *r, uint64_t block, uint64_t call)
{
	unsigned char *base = (unsigned char *)r->file.s + block + sizeof(struct prs_chunk);
	uint32_t first = (uint32_t)((call + sizeof(struct prs_chunk)) / 64);
	struct prs_open open[2] = {
		{.record = first, .parent = first + 10, .start = 5000, .site = 1, .slot = 264},
		{.record = first + 10, .start = 4000, .child = 9, .slot = 256}};
	struct prs_slot slots[3] = {{.left = 12, .record = first + 10}};
	struct prs_block b = {.depth = 2,
			      .open_max = 2,
			      .open = BLOCK_BYTES,
			      .pend_record = 64 * (uint64_t)first,
			      .pend_ticks = 77};

	memcpy(base, &b, sizeof(b));
	memcpy(base + 256, slots, sizeof(slots));
	memcpy(base + BLOCK_BYTES - sizeof(open), open, sizeof(open));
}

/* Readings of three events in thread 1. */
static void add_counters(struct prec *r)
{
	struct {
		struct prs_counter c;
		struct prs_counter_value v[3];
	} readings[3] = {
		{{.tsc = 2000, .why = PRS_COUNTER_REFUSED, .n = 3}, {{0, 1, 1}, {0, 1, 1}, {13, 0, 0}}},
		{{.tsc = 5000, .site = 1, .why = PRS_COUNTER_TICK, .n = 3}, {{70, 9, 3}, {2, 9, 9}, {0}}},
		{{.tsc = 4000, .site = 1, .why = PRS_COUNTER_BLOCK, .n = 2}, {{50, 8, 3}, {1, 8, 8}}},
	};
	uint64_t at = prec_chunk(r, PRS_CHUNK_TEXT, PRS_NO_THREAD, NULL, 0, 0, 1);

	memcpy(r->file.s + at + sizeof(struct prs_chunk), own_text, sizeof(own_text));
	prec_chunk(r, PRS_CHUNK_COUNTER, 1, readings, sizeof(readings[0]), 3, 1);
	prec_header(r)->counter_rung = PRS_RUNG_READ;
	prec_header(r)->n_counters = 3;
}

/* Call records as the minor has them; returns where their chunk is. */
static uint64_t add_calls(struct prec *r, uint32_t minor)
{
	struct prs_call calls[3] = {
		{.site = 1,
		 .parent = 0,
		 .callee = 0x400100,
		 .count = 7,
		 .timed = 7,
		 .sum = 700,
		 .hist = {0, 7}},
		{.site = 0, .parent = PRS_NO_SITE, .count = 16, .timed = 3, .sum = 30000, .period = 5},
		{.site = 2,
		 .parent = 1,
		 .count = 9,
		 .parent_record = PRS_PARENT_MANY,
		 .flags = PRS_CALL_OVERFLOW}};
	struct prs_call_0 old[2] = {
		{.site = 1,
		 .parent = 0,
		 .callee = 0x400100,
		 .count = 7,
		 .timed = 7,
		 .sum = 700,
		 .hist = {0, 7}},
		{.site = 0, .parent = PRS_NO_SITE, .count = 16, .timed = 3, .sum = 30000, .open = 1}};

	if (!minor)
		return prec_chunk(r, PRS_CHUNK_CALL, 1, old, sizeof(old[0]), 2, 1);
	calls[0].parent_record = r->file.len + sizeof(struct prs_chunk) + sizeof(calls[0]);
	return prec_chunk(r, PRS_CHUNK_CALL, 1, calls, sizeof(calls[0]), 3, 1);
}

static void add_thread_things(struct prec *r)
{
	struct prs_event events[2] = {
		{.begin = 500, .end = 800, .kind = PRS_EV_MUTEX, .object = 0x400808},
		{.begin = 900, .end = 950, .kind = PRS_EV_BARRIER, .object = 9, .value = 3}};
	struct prs_log log[2] = {{.end = 3000, .ticks = 500, .site = 1},
				 {.end = 4000, .ticks = 900, .site = 0}};
	struct prs_line lines[2] = {{.line = 77, .site = 1, .from_modified = 3}, {.line = 78, .kind = 2}};
	struct prs_note notes[2] = {{.tsc = 1, .address = 64, .bytes = 16, .site = 2},
				    {.tsc = 2, .address = 64}};
	struct prs_wait waits[2] = {
		{.object = 0x400808, .count = 3, .ticks = 900, .max = 400, .kind = PRS_EV_MUTEX, .other = 0},
		{.object = 5, .count = 1, .first = 10, .last = 20, .kind = PRS_EV_READ, .site = 1, .fd = 3}};

	prec_chunk(r, PRS_CHUNK_EVENT, 1, events, sizeof(events[0]), 2, 1);
	prec_chunk(r, PRS_CHUNK_LOG, 1, log, sizeof(log[0]), 2, 1);
	prec_chunk(r, PRS_CHUNK_LINE, 1, lines, sizeof(lines[0]), 2, 1);
	prec_chunk(r, PRS_CHUNK_NOTE, 1, notes, sizeof(notes[0]), 2, 1);
	prec_chunk(r, PRS_CHUNK_WAIT, 1, waits, sizeof(waits[0]), 2, 1);
}

/* A record that has something of every type, as format 1.@minor. */
static struct file own_record(uint32_t minor)
{
	struct prs_module mod = build_module();
	struct prs_unit unit = {.unit_id = 0xaa, .n_calls = 3, .n_mems = 2, .base = 256, .mem_base = 320};
	struct prs_thread threads[2] = {
		{.creator = PRS_NO_THREAD, .create_site = PRS_NO_SITE, .start_tsc = 1000},
		{.index = 1, .start_tsc = 2000, .end_tsc = 90000, .state = 1}};
	uint64_t block;
	struct prec r;
	struct file f;

	prec_start(&r, 100);
	prec_chunk(&r, PRS_CHUNK_MODULE, PRS_NO_THREAD, &mod, sizeof(mod), 1, 1);
	block = prec_chunk(&r, PRS_CHUNK_BLOCK, 1, NULL, 0, 0, 1);
	threads[1].block = block;
	prec_chunk(&r, PRS_CHUNK_UNIT, PRS_NO_THREAD, &unit, sizeof(unit), 1, 1);
	prec_chunk(&r, PRS_CHUNK_THREAD, PRS_NO_THREAD, threads, sizeof(threads[0]), 2, 1);
	fill_block(&r, block, add_calls(&r, minor));
	add_thread_things(&r);
	add_counters(&r);
	prec_header(&r)->minor = (uint16_t)minor;
	prec_header(&r)->purpose = PRS_PURPOSE_SHARING;
	prec_header(&r)->n_threads = 2;
	prec_header(&r)->n_units = 1;
	prec_header(&r)->n_calls = 3;
	prec_header(&r)->n_mems = 2;
	prec_header(&r)->seen = PRS_SEEN_WAITS;
	f = copy_of(r.file.s, r.file.len);
	strbuf_release(&r.file);
	return f;
}

/* Put checksums in, right for what the file holds: so the reader is not saved by them. */
static void seal(struct file *f)
{
	struct prs_rec_header *h = (void *)f->bytes;
	uint32_t n = 0;

	for (size_t at = PRS_PAGE_BYTES; at + PRS_PAGE_BYTES <= f->n;) {
		struct prs_chunk *c = (void *)(f->bytes + at);
		bool sane = c->magic == PRS_CHUNK_MAGIC && c->bytes >= PRS_PAGE_BYTES &&
			    c->bytes % PRS_PAGE_BYTES == 0 && c->bytes <= f->n - at;

		if (sane) {
			c->crc = sum_of_chunk(c, at);
			n++;
		}
		at += sane ? c->bytes : PRS_PAGE_BYTES;
	}
	if (f->n < PRS_PAGE_BYTES)
		return;
	h->checksum_kind = PRS_SUM_SEALED;
	h->n_chunks = n;
	h->header_crc = sum_of_header(h, PRS_SUM_SEALED);
}

/* A place that matters: the header, a chunk's header, or an entry near the front of a chunk. */
static size_t some_place(struct rng *rng, const struct file *f, size_t width)
{
	size_t page = (size_t)rng_below(rng, f->n / PRS_PAGE_BYTES + 1) * PRS_PAGE_BYTES;
	size_t at = page + (size_t)rng_below(rng, rng_below(rng, 4) ? 256 : PRS_PAGE_BYTES);

	at = at / width * width;
	return at + width <= f->n ? at : 0;
}

static void spoil_number(struct rng *rng, struct file *f)
{
	static const uint64_t odd[] = {
		0,          1,           2,          7,          63,         64,
		255,        4095,        4096,       65536,      0x7fffffff, 0x80000000,
		0xffffffff, 0x100000000, 1ull << 40, 1ull << 63, UINT64_MAX, UINT64_MAX - 63};
	uint64_t v = odd[rng_below(rng, sizeof(odd) / sizeof(odd[0]))];
	size_t width = (size_t)1 << rng_below(rng, 4);

	if (f->n < 8)
		return;
	if (!rng_below(rng, 3))
		v = rng_u64(rng) >> rng_below(rng, 64);
	memcpy(f->bytes + some_place(rng, f, width), &v, width);
}

static void spoil_bytes(struct rng *rng, struct file *f)
{
	size_t page = PRS_PAGE_BYTES;

	switch (rng_below(rng, 24)) {
	case 0: /* cut short */
		f->n = (size_t)rng_below(rng, f->n + 1);
		break;
	case 1: /* cut to a page */
		f->n = (size_t)rng_below(rng, f->n / page + 1) * page;
		break;
	case 2: /* a page twice */
		if (f->n >= 3 * page)
			memcpy(f->bytes + (size_t)rng_below(rng, f->n / page) * page,
			       f->bytes + (size_t)rng_below(rng, f->n / page) * page, page);
		break;
	case 3:
		if (f->n)
			f->bytes[rng_below(rng, f->n)] ^= (unsigned char)(1u << rng_below(rng, 8));
		break;
	default:
		spoil_number(rng, f);
	}
}

static void spoil_text(struct rng *rng, struct file *f)
{
	static const char letters[] = "\t\t\n\n-0123456789abcdefUFNCMAGTSZ\\x:,>[]~\x01\xff";
	size_t a = (size_t)rng_below(rng, f->n + 1), b = (size_t)rng_below(rng, f->n + 1), n;

	if (!f->n)
		return;
	switch (rng_below(rng, 6)) {
	case 0: /* take a piece out */
		n = (size_t)rng_below(rng, 40);
		if (a + n < f->n) {
			memmove(f->bytes + a, f->bytes + a + n, f->n - a - n);
			f->n -= n;
		}
		break;
	case 1: /* write one piece over another */
		n = (size_t)rng_below(rng, 60);
		if (a + n < f->n && b + n < f->n)
			memmove(f->bytes + a, f->bytes + b, n);
		break;
	case 2:
		if (!rng_below(rng, 8))
			f->n = a;
		break;
	case 3: /* a NUL */
		if (!rng_below(rng, 4))
			f->bytes[a % f->n] = 0;
		break;
	default:
		f->bytes[a % f->n] = (unsigned char)letters[rng_below(rng, sizeof(letters) - 1)];
	}
}

/* Calls, the way up their paths, and those that are open. */
static uint64_t use_calls(const struct run_process *p, const struct run_thread *t)
{
	uint64_t sum = 0;

	for (size_t k = 0; k < t->n_calls; k++) {
		const struct rec_call *c = t->calls[k];
		size_t steps = 0;

		sum += t->totals[k] + (run_call_site(p, c->site) != NULL) + c->hist[PRS_HIST_BUCKETS - 1];
		for (; c->up; c = c->up)
			if (++steps > t->n_calls)
				abort(); /* a path that goes round in a circle */
	}
	for (size_t k = 0; k < t->n_open; k++)
		sum += (t->open[k].call ? t->open[k].call->site : 0) + t->open[k].start +
		       (run_call_site(p, t->open[k].site) != NULL);
	return sum;
}

static uint64_t use_counters(const struct run_process *p)
{
	const struct run_counters *c = p->counters;
	double sum = 0;

	for (size_t i = 0; c && i < c->n_threads && i < p->n_threads; i++)
		for (size_t e = 0; e < c->n_events; e++)
			sum += run_count_at(c, &p->threads[i], e, 4500) + run_count_total(c, (uint32_t)i, e) +
			       (double)strlen(c->events[e].name);
	return sum > 0;
}

/* Touch everything that a reader promises to be usable. */
static uint64_t use_process(const struct run *run, const struct run_process *p)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < p->n_threads; i++) {
		const struct run_thread *t = &p->threads[i];

		sum += t->raw->index +
		       (t->raw->creator < p->n_threads ? p->threads[t->raw->creator].n_calls : 0);
		sum += use_calls(p, t);
		for (size_t k = 0; k < t->n_waits; k++)
			sum += (run_call_site(p, t->waits[k].site) != NULL) +
			       (t->waits[k].other < p->n_threads ? p->threads[t->waits[k].other].n_calls : 0);
		for (size_t k = 0; k < t->n_events; k++)
			sum += run_symbol(run, p, t->events[k].object, NULL) != NULL;
		for (size_t k = 0; k < t->n_lines; k++)
			sum += run_mem_site(p, t->lines[k]->site) != NULL;
		for (uint32_t k = 0; t->mem_counts && k < p->header->n_mems; k++)
			sum += t->mem_counts[k];
		for (size_t k = 0; k < t->n_notes; k++)
			sum += run_call_site(p, t->notes[k].site) != NULL;
	}
	return sum + use_counters(p);
}

static void use_types(const struct run *run)
{
	char name[40];

	for (size_t m = 0; m < run->n_modules; m++)
		for (size_t i = 0; i < run->modules[m].sites.n_types; i++)
			for (uint64_t at = 0; at < 20; at++)
				run_field_name(&run->modules[m].sites.types[i], at, name, sizeof(name));
}

static void show_paths(struct report_summary *s, const struct report_view *view, struct strbuf *out)
{
	struct report_paths paths, turned;
	struct err err = ERR_INIT;

	if (report_paths_make(&paths, s, &err)) {
		if (!err.msg[0])
			abort();
		return;
	}
	report_paths_text(&paths, view, out);
	report_paths_json(&paths, view, out);
	report_paths_folded(&paths, out);
	report_paths_turn(&turned, &paths);
	report_paths_text(&turned, view, out);
	report_paths_release(&turned);
	report_paths_release(&paths);
}

/* True if the run could be opened. */
static bool try_run(const char *dir)
{
	static const struct report_view view = {.rows = 50, .threads = true};
	volatile uint64_t sink = 0;
	struct strbuf out = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct report_summary s;
	struct run run;

	if (run_open(&run, dir, &err)) {
		if (!err.msg[0] || !err.code)
			abort(); /* refused without a word */
		return false;
	}
	for (size_t i = 0; i < run.n_processes; i++)
		sink = sink + use_process(&run, &run.processes[i]);
	use_types(&run);
	if (report_summary_text(&run, &out, &err))
		abort();
	report_summarise(&s, &run);
	report_text(&s, &view, &out);
	report_json(&s, &view, &out);
	show_paths(&s, &view, &out);
	waits_text(&s, true, &out);
	waits_json(&s, &out);
	report_summary_release(&s);
	strbuf_release(&out);
	run_close(&run);
	return true;
}

struct seeds {
	struct file record[2], sites, symbols; /* records as minor 0 and 1 */
};

static bool one(struct rng rng, const struct seeds *seeds, const char *dir)
{
	const struct file *record = &seeds->record[rng_below(&rng, 4) != 0];
	struct file r = copy_of(record->bytes, record->n);
	struct file s = copy_of(seeds->sites.bytes, seeds->sites.n);
	struct file y = copy_of(seeds->symbols.bytes, seeds->symbols.n);
	uint64_t which = rng_below(&rng, 4);
	bool opened;

	for (uint64_t i = 1 + rng_below(&rng, 6); which != 1 && i > 0; i--)
		spoil_bytes(&rng, &r);
	if (!rng_below(&rng, 3))
		seal(&r);
	if (!rng_below(&rng, 8)) /* and damage that the checksums see */
		spoil_bytes(&rng, &r);
	for (uint64_t i = 1 + rng_below(&rng, 4); which == 1 && i > 0; i--)
		spoil_text(&rng, &s);
	for (uint64_t i = rng_below(&rng, 3); which == 2 && i > 0; i--)
		spoil_text(&rng, &y);
	build_write(dir, "100.0.prec", r.bytes, r.n);
	build_write(dir, "modules/" BUILD_BUILD_ID ".sites", s.bytes, s.n);
	build_write(dir, "modules/" BUILD_BUILD_ID ".symbols", y.bytes, y.n);
	free(r.bytes);
	free(s.bytes);
	free(y.bytes);
	alarm(HANG_SECONDS);
	opened = try_run(dir);
	alarm(0);
	return opened;
}

int main(int argc, char **argv)
{
	struct seeds seeds = {{own_record(0), own_record(1)},
			      copy_of(own_sites, sizeof(own_sites) - 1),
			      copy_of(own_symbols, sizeof(own_symbols) - 1)};
	uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
	uint64_t count = argc > 2 ? strtoull(argv[2], NULL, 10) : 1000, opened = 0;
	char *dir = build_dir();

	if (argc > 3) {
		free(seeds.record[1].bytes);
		seeds.record[1] = read_file(argv[3]);
	}
	if (argc > 4) {
		free(seeds.sites.bytes);
		seeds.sites = read_file(argv[4]);
	}
	for (uint64_t i = 0; i < count; i++)
		opened += one(rng_keyed(seed, i, 0, 0), &seeds, dir);
	printf("%llu read, %llu refused\n", (unsigned long long)opened, (unsigned long long)(count - opened));
	free(seeds.record[0].bytes);
	free(seeds.record[1].bytes);
	free(seeds.sites.bytes);
	free(seeds.symbols.bytes);
	build_remove(dir);
	return 0;
}
