/* SPDX-License-Identifier: MIT */
/*
 * Runs made by hand: one process of one program, its threads, events and
 * cache lines.  One tick is one nanosecond; times are given in milliseconds
 * from the start of the process.  Cores run at 1 GHz, so that a millisecond
 * of CPU time is a million cycles.
 */
#ifndef PERSEUS_TESTS_ANALYZER_FAKE_H
#define PERSEUS_TESTS_ANALYZER_FAKE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/mem.h"
#include "perseus/abi.h"
#include "record/run.h"

#define MS          1000000ull
#define FAKE_START  (1000 * MS)
#define FAKE_BIAS   0x550000000000ull
#define FAKE_MAX    400
#define FAKE_EVENTS 600
#define FAKE_LINES  64
#define FAKE_NOTES  16

/* Call slots. */
enum {
	CALL_CREATE,
	CALL_JOIN,
	CALL_BARRIER,
	CALL_MALLOC,
	CALL_OTHER_CREATE,
	CALL_CRATE,
	CALL_SECOND_BARRIER,
	CALL_THIRD_BARRIER,
	N_CALLS
};
/* Memory sites: fields of `stats`, of heap jobs, a scalar, an array. */
enum {
	MEM_RX,
	MEM_TX,
	MEM_READ_TX,
	MEM_JOB_A,
	MEM_JOB_B,
	MEM_TOTAL,
	MEM_SLOT,
	MEM_READ_RX,
	MEM_LEFT,
	MEM_RIGHT,
	MEM_RX_AGAIN,
	MEM_TX_AGAIN,
	N_MEMS
};
/* Run-time addresses of the variables. */
#define ADDR_STATS (FAKE_BIAS + 0x4000)
#define ADDR_TOTAL (FAKE_BIAS + 0x4080)
#define ADDR_SLOTS (FAKE_BIAS + 0x4100)
#define ADDR_HEAP  0x7f0000001000ull

#define FAKE_SITES                                                                                           \
	"U\t1\t00000000000000aa\t8\t12\tGNU C17 12.2\tnet.c\t-\n"                                            \
	"F\t0\tsrc/net.c\n"                                                                                  \
	"N\t0\tmain\tmain\t0\t100\n"                                                                         \
	"N\t1\trx_thread\trx_thread\t0\t50\n"                                                                \
	"N\t2\ttx_thread\ttx_thread\t0\t90\n"                                                                \
	"C\t0\t0000000000000c01\t00000000\t0\tpthread_create\t0\t110\t2\t0\tcreate\t-\n"                     \
	"C\t1\t0000000000000c02\t00000000\t0\tpthread_join\t0\t120\t2\t0\twait\t-\n"                         \
	"C\t2\t0000000000000c03\t00000000\t1\tpthread_barrier_wait\t0\t61\t2\t0\twait\t-\n"                  \
	"C\t3\t0000000000000c04\t00000000\t0\tmalloc\t0\t105\t2\t0\talloc\t-\n"                              \
	"C\t4\t0000000000000c05\t00000000\t0\tpthread_create\t0\t130\t2\t1\tcreate\t-\n"                     \
	"C\t5\t0000000000000c06\t00000000\t0\tmalloc\t0\t106\t2\t1\talloc\t-\n"                              \
	"C\t6\t0000000000000c07\t00000000\t1\tpthread_barrier_wait\t0\t63\t2\t1\twait\t-\n"                  \
	"C\t7\t0000000000000c08\t00000000\t1\tpthread_barrier_wait\t0\t65\t2\t2\twait\t-\n"                  \
	"M\t0\t0000000000000d01\t00000000\t1\tR\t8\t0\t57\t2\tstats.rx\tstruct traffic\trx\t0\t-\n"          \
	"M\t1\t0000000000000d02\t00000000\t2\tR\t8\t0\t93\t2\tstats.tx\tstruct traffic\ttx\t8\t-\n"          \
	"M\t2\t0000000000000d03\t00000000\t1\tL\t8\t0\t58\t2\tstats.tx\tstruct traffic\ttx\t8\t-\n"          \
	"M\t3\t0000000000000d04\t00000000\t1\tS\t8\t0\t70\t2\t*job.a\tstruct job\ta\t0\t-\n"                 \
	"M\t4\t0000000000000d05\t00000000\t2\tS\t8\t0\t95\t2\t*job.b\tstruct job\tb\t8\t-\n"                 \
	"M\t5\t0000000000000d06\t00000000\t1\tA\t8\t0\t75\t2\ttotal\t-\t-\t-\t-\n"                           \
	"M\t6\t0000000000000d07\t00000000\t1\tR\t8\t0\t80\t2\tslots[]\t-\t-\t-\t-\n"                         \
	"M\t7\t0000000000000d08\t00000000\t2\tL\t8\t0\t94\t2\tstats.rx\tstruct traffic\trx\t0\t-\n"          \
	"M\t8\t0000000000000d09\t00000000\t1\tS\t8\t0\t71\t2\t*left.n\tstruct left\tn\t0\t-\n"               \
	"M\t9\t0000000000000d0a\t00000000\t2\tS\t8\t0\t96\t2\t*right.m\tstruct right\tm\t0\t-\n"             \
	"M\t10\t0000000000000d0b\t00000000\t1\tR\t8\t0\t64\t2\tstats.rx\tstruct traffic\trx\t0\t-\n"         \
	"M\t11\t0000000000000d0c\t00000000\t2\tR\t8\t0\t98\t2\tstats.tx\tstruct traffic\ttx\t8\t-\n"         \
	"A\t5\tstruct crate\t16\n"                                                                           \
	"A\t3\tstruct job\t16\n"                                                                             \
	"G\tstats\tstruct traffic\t16\tsrc/net.c\t21\n"                                                      \
	"G\ttotal\tlong\t8\tsrc/net.c\t22\n"                                                                 \
	"G\tslots\tlong[8]\t64\tsrc/net.c\t23\n"                                                             \
	"T\tstruct traffic\t16\trx:0:8\ttx:8:8\n"                                                            \
	"T\tstruct job\t16\ta:0:8\tb:8:8\n"                                                                  \
	"T\tstruct crate\t16\tin.n:0:8\tout.m:8:8\n"                                                         \
	"Z\t00000000000000aa\n"

struct fake {
	struct run run;
	struct run_process p;
	struct run_module module;
	struct run_module *tables;
	struct prs_rec_header header;
	struct prs_module raw_module;
	struct prs_unit raw_unit;
	struct run_unit unit;
	struct manifest_module manifest_module;
	uint32_t zero;
	struct prs_thread raw[FAKE_MAX];
	struct run_thread thread[FAKE_MAX];
	struct run_symbol symbols[5];
};

/* A run of @ms milliseconds without threads. */
static inline struct fake *fake_new(uint32_t purpose, const char *name, uint64_t ms)
{
	struct fake *f = mem_new(1, sizeof(*f));
	struct err err = ERR_INIT;

	if (sites_parse(&f->module.sites, FAKE_SITES, strlen(FAKE_SITES), "fake", &err))
		fail_msg("%s", err.msg);
	f->symbols[0] = (struct run_symbol){0x1000, 64, 'T', "rx_thread"};
	f->symbols[1] = (struct run_symbol){0x1100, 64, 'T', "tx_thread"};
	f->symbols[2] = (struct run_symbol){0x4000, 16, 'B', "stats"};
	f->symbols[3] = (struct run_symbol){0x4080, 8, 'B', "total"};
	f->symbols[4] = (struct run_symbol){0x4100, 64, 'B', "slots"};
	f->module.symbols = f->symbols;
	f->module.n_symbols = 5;
	f->module.info = &f->manifest_module;
	f->manifest_module = (struct manifest_module){.path = (char *)"/bin/net", .key = (char *)"aa"};
	f->manifest_module.build_id = (char *)"00aa";
	f->manifest_module.sites_sha256 =
		(char *)"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
	f->raw_module =
		(struct prs_module){.start = FAKE_BIAS, .end = FAKE_BIAS + 0x10000, .bias = FAKE_BIAS};
	f->raw_unit = (struct prs_unit){.unit_id = 0xaa, .n_calls = N_CALLS, .n_mems = N_MEMS};
	f->unit = (struct run_unit){&f->raw_unit, &f->raw_module, &f->module, f->module.sites.units};
	f->tables = &f->module;
	f->header = (struct prs_rec_header){.pid = 7, .purpose = purpose, .tsc_start = FAKE_START};
	/* Recordings differ in when they began; @name stands for that. */
	for (const char *c = name; *c; c++)
		f->header.mono_start_ns = f->header.mono_start_ns * 31 + (unsigned char)*c;
	f->header.state = PRS_REC_CLOSED;
	f->header.n_calls = N_CALLS;
	f->header.n_mems = N_MEMS;
	strcpy(f->header.exe, "/bin/net");
	f->p = (struct run_process){.file = (char *)"7.0.prec", .header = &f->header, .complete = true};
	f->p.modules = &f->raw_module;
	f->p.n_modules = 1;
	f->p.module_tables = &f->tables;
	f->p.units = &f->unit;
	f->p.n_units = 1;
	f->p.by_call = f->p.by_mem = &f->zero;
	f->p.n_by_call = f->p.n_by_mem = 1;
	f->p.threads = f->thread;
	f->p.ns_per_tick = 1;
	f->p.end = FAKE_START + ms * MS;
	f->run = (struct run){.path = (char *)name, .modules = &f->module, .n_modules = 1};
	f->run.processes = &f->p;
	f->run.n_processes = 1;
	f->run.complete = true;
	f->run.manifest = (struct manifest){.program = (char *)"net", .cores = 2, .core_khz = 1000000};
	f->run.manifest.wall_ns = ms * MS;
	f->run.manifest.modules = &f->manifest_module;
	f->run.manifest.n_modules = 1;
	return f;
}

static inline void fake_free(struct fake *f)
{
	for (size_t i = 0; i < f->p.n_threads; i++) {
		for (size_t k = 0; k < f->thread[i].n_lines; k++)
			free((void *)f->thread[i].lines[k]);
		free(f->thread[i].lines);
		free(f->thread[i].events);
		free(f->thread[i].notes);
		free((void *)f->thread[i].mem_counts);
	}
	sites_release(&f->module.sites);
	free(f);
}

/* A thread that lives from @from to @to ms and uses @cpu ms of CPU time; returns its index. */
static inline uint32_t fake_thread(struct fake *f, uint32_t creator, uint32_t site, uint32_t ordinal,
				   uint64_t from, uint64_t to, uint64_t cpu)
{
	uint32_t i = (uint32_t)f->p.n_threads++;
	struct prs_thread *t = &f->raw[i];

	*t = (struct prs_thread){.index = i, .tid = 100 + i, .creator = creator, .create_site = site};
	t->ordinal = ordinal;
	t->create_tsc = i ? FAKE_START + from * MS : 0;
	t->start_tsc = FAKE_START + from * MS;
	t->end_tsc = FAKE_START + to * MS;
	t->cpu_end_ns = cpu * MS;
	t->start_routine = i ? FAKE_BIAS + 0x1000 : 0;
	t->state = PRS_THREAD_EXITED;
	t->stack_low = 0x7e0000000000ull + i * 0x100000;
	t->stack_high = t->stack_low + 0x100000;
	strcpy(t->name, "net");
	f->thread[i] = (struct run_thread){.raw = t};
	f->thread[i].events = mem_new(FAKE_EVENTS, sizeof(struct prs_event));
	f->thread[i].lines = mem_new(FAKE_LINES, sizeof(struct prs_line *));
	f->thread[i].notes = mem_new(FAKE_NOTES, sizeof(struct prs_note));
	f->thread[i].mem_counts = mem_new(N_MEMS, sizeof(uint64_t));
	return i;
}

/* The main thread. */
static inline void fake_main(struct fake *f, uint64_t cpu)
{
	fake_thread(f, PRS_NO_THREAD, PRS_NO_SITE, 0, 0, (f->p.end - FAKE_START) / MS, cpu);
}

/* An event of @thread from @from to @to ms, with @cpu ms used at its end. */
static inline struct prs_event *fake_event(struct fake *f, uint32_t thread, uint32_t kind, uint64_t from,
					   uint64_t to, uint64_t cpu, uint32_t site, uint32_t visit)
{
	struct prs_event *ev = &f->thread[thread].events[f->thread[thread].n_events++];

	*ev = (struct prs_event){.begin = FAKE_START + from * MS, .end = FAKE_START + to * MS, .kind = kind};
	ev->cpu_ns = cpu * MS;
	ev->site = site;
	ev->visit = visit;
	ev->other = PRS_NO_THREAD;
	return ev;
}

/* Thread @creator creates a thread at @from ms; it ends at @to ms. */
static inline uint32_t fake_create(struct fake *f, uint32_t creator, uint32_t ordinal, uint64_t from,
				   uint64_t to, uint64_t cpu, uint64_t creators_cpu)
{
	uint32_t i = fake_thread(f, creator, CALL_CREATE, ordinal, from, to, cpu);
	struct prs_event *ev =
		fake_event(f, creator, PRS_EV_CREATE, from, from, creators_cpu, CALL_CREATE, ordinal + 1);

	ev->other = i;
	return i;
}

static inline void fake_join(struct fake *f, uint32_t joiner, uint32_t other, uint64_t from, uint64_t to,
			     uint64_t joiners_cpu, uint32_t visit)
{
	fake_event(f, joiner, PRS_EV_JOIN, from, to, joiners_cpu, CALL_JOIN, visit)->other = other;
}

static inline void fake_barrier(struct fake *f, uint32_t thread, uint64_t object, uint64_t from, uint64_t to,
				uint64_t cpu, uint32_t visit)
{
	fake_event(f, thread, PRS_EV_BARRIER, from, to, cpu, CALL_BARRIER, visit)->object = object;
}

/*
 * Thread @thread touches the bytes of @site at @address @count times;
 * @moves times the line came from @peer.
 */
static inline struct prs_line *fake_line(struct fake *f, uint32_t thread, uint32_t site, uint64_t address,
					 uint64_t count, uint32_t moves, uint32_t peer)
{
	const struct run_mem_site *m = &f->module.sites.units[0].mems[site];
	uint64_t mask = ((1ull << m->bytes) - 1) << (address % 64);
	struct prs_line *l = mem_new(1, sizeof(*l));

	*l = (struct prs_line){.line = address / 64, .site = site, .misses = moves, .from_modified = moves};
	l->kind = m->kind;
	l->bytes = m->bytes;
	l->read_mask = m->kind == PRS_KIND_STORE ? 0 : mask;
	l->write_mask = m->kind == PRS_KIND_LOAD ? 0 : mask;
	l->watched = 500;
	l->first = f->raw[thread].start_tsc;
	l->last = f->raw[thread].end_tsc - 1;
	l->peer[0] = peer;
	l->peer_count[0] = moves;
	f->thread[thread].lines[f->thread[thread].n_lines++] = l;
	((uint64_t *)f->thread[thread].mem_counts)[site] += count;
	return l;
}

static inline void fake_note(struct fake *f, uint32_t thread, uint64_t ms, uint64_t address, uint64_t bytes)
{
	struct prs_note *n = &f->thread[thread].notes[f->thread[thread].n_notes++];

	*n = (struct prs_note){FAKE_START + ms * MS, address, bytes, CALL_MALLOC, 0};
}

#endif
