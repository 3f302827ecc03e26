/* SPDX-License-Identifier: MIT */
/*
 * readrec FILE: print a record file, one line an entry, "kind key=value ...".
 * A reader for these tests alone, so that the runtime is not judged by the
 * reader of the product.  Calls are summed up as the format says: count of
 * the records less what is left in the slot.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "perseus/record.h"
#include "perseus/abi.h"
#include "perseus/counter.h"

static unsigned char *base;
static uint64_t bytes;

static void print_header(const struct prs_rec_header *h)
{
	printf("header pid=%u ppid=%u epoch=%u purpose=%u state=%u reason=%u hz=%" PRIu64 " start=%" PRIu64
	       " end=%" PRIu64 " clock=%" PRIu64 " threads=%u units=%u calls=%u mems=%u lost_blocks=%" PRIu64
	       " lost_events=%" PRIu64 " lost_lines=%" PRIu64 " lost_notes=%" PRIu64 " lost_threads=%" PRIu64
	       " lost_calls=%" PRIu64 " lost_paths=%" PRIu64 " pair=%" PRIu64 " own=%" PRIu64
	       " quantum=%u error=%u back=%u clock_kind=%u switch_kind=%u"
	       " heartbeat=%" PRIu64 " bytes=%" PRIu64 " mode=%u bursts=%u burst_ticks=%" PRIu64
	       " flip_ticks=%" PRIu64 " period=%" PRIu64
	       " places=%u hot=%u mem_ticks=%u passed_lines=%" PRIu64 " exe=%s\n",
	       h->pid, h->ppid, h->epoch, h->purpose, h->state, h->off_reason, h->tsc_hz, h->tsc_start,
	       h->tsc_end, h->clock_ticks, h->n_threads, h->n_units, h->n_calls, h->n_mems, h->lost_blocks,
	       h->lost_events, h->lost_lines, h->lost_notes, h->lost_threads, h->lost_calls, h->lost_paths,
	       h->pair_ticks, h->own_ticks, h->quantum_ticks, h->tsc_error_ppb, h->clock_offset_ticks,
	       h->clock_kind, h->switch_kind, h->heartbeat_ns, bytes, h->sharing_mode, h->n_bursts,
	       h->burst_ticks, h->flip_ticks, h->burst_period_ns, h->places, h->places_hot, h->mem_ticks,
	       h->passed_lines, h->exe);
}

static void print_thread(const struct prs_thread *t)
{
	printf("thread index=%u tid=%u creator=%d site=%d ordinal=%u state=%u detached=%u ended=%d "
	       "cpu=%" PRIu64 " block=%" PRIu64 " stack=%d name=%s\n",
	       t->index, t->tid, (int)t->creator, (int)t->create_site, t->ordinal, t->state, t->detached,
	       t->end_tsc != 0, t->cpu_end_ns - t->cpu_start_ns, t->block, t->stack_high > t->stack_low,
	       t->name);
}

/* Records of the calls that are open. */
static uint64_t open_at[65536];
static size_t n_open;

static uint64_t open_of(const struct prs_call *c)
{
	uint64_t n = 0;

	for (size_t i = 0; i < n_open; i++)
		n += open_at[i] == (uint64_t)((const unsigned char *)c - base);
	return n;
}

static void print_call(const struct prs_call *c, uint32_t thread)
{
	uint64_t hist = 0;

	for (int i = 0; i < PRS_HIST_BUCKETS; i++)
		hist += c->hist[i];
	printf("call thread=%u site=%u parent=%d callee=%" PRIx64 " count=%" PRIu64 " timed=%" PRIu64
	       " hist=%" PRIu64 " sum=%" PRIu64 " min=%" PRIu64 " max=%" PRIu64 " child=%" PRIu64
	       " period=%u flags=%u at=%" PRIu64 " up=%" PRIu64 " switched=%" PRIu64 " open=%" PRIu64 "\n",
	       thread, c->site, (int)c->parent, c->callee, c->count, c->timed, hist, c->sum, c->min, c->max,
	       c->child, c->period, c->flags, (uint64_t)((const unsigned char *)c - base), c->parent_record,
	       c->switched, open_of(c));
}

/* The block knows the call that was left last and those that are open: into their records. */
static void complete(const struct prs_chunk *c, const void *arg)
{
	const struct prs_block *b = (const void *)(c + 1);

	(void)arg;
	if (c->type != PRS_CHUNK_BLOCK)
		return;
	if (b->pend_record && !(b->pend_record & PRS_PEND_BUSY)) {
		struct prs_call *r = (struct prs_call *)(base + b->pend_record);

		r->timed++;
		r->sum += b->pend_ticks;
		r->min = b->pend_ticks < r->min ? b->pend_ticks : r->min;
		r->max = b->pend_ticks > r->max ? b->pend_ticks : r->max;
		r->hist[prs_hist_index(b->pend_ticks)]++;
	}
	for (uint32_t d = 1; d <= b->depth; d++) {
		const struct prs_open *o = (const void *)((const char *)b + b->open - 32 * d);

		if (o->record && n_open < sizeof(open_at) / sizeof(*open_at))
			open_at[n_open++] = 64ull * o->record;
		printf("open thread=%u depth=%u site=%u record=%" PRIu64 " started=%d\n", c->thread, d,
		       o->site, 64 * (uint64_t)o->record, o->start != 0);
	}
}

static void print_event(const struct prs_event *e, uint32_t thread)
{
	printf("event thread=%u kind=%u other=%d site=%d visit=%u value=%" PRId64 " object=%" PRIx64
	       " ticks=%" PRIu64 " end=%" PRIu64 "\n",
	       thread, e->kind, (int)e->other, (int)e->site, e->visit, e->value, e->object, e->end - e->begin,
	       e->end);
}

static void print_line(const struct prs_line *l, uint32_t thread)
{
	if (l->line)
		printf("line thread=%u line=%" PRIx64 " site=%u kind=%u misses=%" PRIu64 " from=%" PRIu64
		       " inval=%" PRIu64 " watched=%" PRIu64 " read=%016" PRIx64 " write=%016" PRIx64
		       " peer=%d peers=%u burst_misses=%" PRIu64 " burst_accesses=%" PRIu64
		       " gap_ticks=%" PRIu64 " gaps=%" PRIu64 " trips=%" PRIu64 " times=%" PRIu64
		       " path=%" PRIu64 " extent=%u\n",
		       thread, l->line, l->site, l->kind, l->misses, l->from_modified, l->invalidated,
		       l->watched, l->read_mask, l->write_mask, l->peer_count[0] ? (int)l->peer[0] : -1,
		       l->peer_count[0], l->burst_misses, l->burst_accesses, l->gap_ticks, l->gaps, l->trips,
		       l->times, l->path, l->extent);
}

static void print_counter(const struct prs_counter *c, uint32_t thread)
{
	const struct prs_counter_value *v = (const struct prs_counter_value *)(c + 1);

	printf("counter thread=%u tick=%" PRIu64 " why=%u site=%d n=%u", thread, c->tsc, c->why, (int)c->site,
	       c->n);
	for (uint16_t i = 0; i < c->n; i++)
		printf(" v%u=%" PRIu64 " e%u=%" PRIu64 " r%u=%" PRIu64, i, v[i].value, i, v[i].enabled, i,
		       v[i].running);
	printf("\n");
}

static void print_wait(const struct prs_wait *w, uint32_t thread)
{
	printf("wait thread=%u kind=%u flags=%u count=%" PRIu64 " ticks=%" PRIu64 " max=%" PRIu64
	       " timed=%" PRIu64 " first=%" PRIu64 " last=%" PRIu64 " site=%d other=%d fd=%d object=%" PRIx64
	       " pair=%" PRIx64 " caller=%d\n",
	       thread, w->kind, w->flags, w->count, w->ticks, w->max, w->timed, w->first, w->last,
	       (int)w->site, (int)w->other, w->fd, w->object, w->pair, w->caller != 0);
}

static void print_entry(uint16_t type, const void *p, uint32_t thread)
{
	const struct prs_module *m = p;
	const struct prs_unit *u = p;
	const struct prs_log *g = p;
	const struct prs_note *n = p;

	switch (type) {
	case PRS_CHUNK_MODULE:
		printf("module epoch=%u build_id=%u size=%d path=%s\n", m->epoch, m->build_id_bytes,
		       m->end > m->start, m->path);
		break;
	case PRS_CHUNK_UNIT:
		printf("unit id=%" PRIx64
		       " module=%u first_call=%u n_calls=%u first_mem=%u n_mems=%u flags=%u"
		       " base=%" PRIu64 "\n",
		       u->unit_id, u->module, u->first_call, u->n_calls, u->first_mem, u->n_mems, u->flags,
		       u->base);
		break;
	case PRS_CHUNK_THREAD:
		print_thread(p);
		break;
	case PRS_CHUNK_CALL:
		print_call(p, thread);
		break;
	case PRS_CHUNK_LOG:
		printf("log thread=%u site=%u depth=%u ticks=%" PRIu64 " cpu=%" PRIu64 " end=%" PRIu64 "\n",
		       thread, g->site, g->depth, g->ticks, g->cpu_ns, g->end);
		break;
	case PRS_CHUNK_EVENT:
		print_event(p, thread);
		break;
	case PRS_CHUNK_WAIT:
		print_wait(p, thread);
		break;
	case PRS_CHUNK_LINE:
		print_line(p, thread);
		break;
	case PRS_CHUNK_COUNTER:
		print_counter(p, thread);
		break;
	case PRS_CHUNK_NOTE:
		printf("note thread=%u site=%u address=%" PRIx64 " bytes=%" PRIu64 " live=%d\n", thread,
		       n->site, n->address, n->bytes, n->tsc != 0);
		break;
	default:
		break;
	}
}

/* Everything a unit's slots and counters in one thread's block say. */
static void print_unit_block(const struct prs_unit *u, const struct prs_chunk *c)
{
	const unsigned char *block = (const unsigned char *)(c + 1);

	for (uint32_t i = 0; u->base && i < u->n_calls; i++) {
		const struct prs_slot *s = (const struct prs_slot *)(block + u->base) + i;
		uint64_t sum = 0;

		for (uint64_t at = s->record * 64ull; at; at = ((const struct prs_call *)(base + at))->next)
			sum += ((const struct prs_call *)(base + at))->count;
		if (s->record)
			printf("total thread=%u site=%u calls=%" PRIu64 "\n", c->thread, u->first_call + i,
			       sum - (uint64_t)(int64_t)s->left);
	}
}

typedef void visit_fn(const struct prs_chunk *c, const void *arg);

static void walk(visit_fn *visit, const void *arg)
{
	for (uint64_t at = PRS_PAGE_BYTES; at + PRS_PAGE_BYTES <= bytes;) {
		const struct prs_chunk *c = (const void *)(base + at);

		if (c->magic != PRS_CHUNK_MAGIC) {
			at += PRS_PAGE_BYTES;
			continue;
		}
		if (c->bytes > bytes - at || !c->bytes || c->bytes % PRS_PAGE_BYTES) {
			printf("damage at=%" PRIu64 "\n", at);
			return;
		}
		visit(c, arg);
		at += c->bytes;
	}
}

static void visit_block(const struct prs_chunk *c, const void *arg)
{
	if (c->type == PRS_CHUNK_BLOCK)
		print_unit_block(arg, c);
}

/* What came to the runtime of each thread's memory probes. */
static void visit_slow(const struct prs_chunk *c, const void *arg)
{
	(void)arg;
	if (c->type == PRS_CHUNK_BLOCK)
		printf("slow thread=%u count=%" PRIu64 "\n", c->thread,
		       ((const struct prs_block *)(c + 1))->slow);
}

static void visit_units(const struct prs_chunk *c, const void *arg)
{
	(void)arg;
	for (uint64_t i = 0; c->type == PRS_CHUNK_UNIT && i < c->used; i++)
		walk(visit_block, (const struct prs_unit *)(c + 1) + i);
}

static void visit_entries(const struct prs_chunk *c, const void *arg)
{
	(void)arg;
	if (c->type == PRS_CHUNK_TEXT)
		printf("%.*s", (int)c->used, (const char *)(c + 1));
	if (!c->entry_bytes)
		return;
	if (c->used * c->entry_bytes > c->bytes - sizeof(*c)) {
		printf("damage used=%" PRIu64 "\n", c->used);
		return;
	}
	for (uint64_t i = 0; i < c->used; i++)
		print_entry(c->type, (const unsigned char *)(c + 1) + i * c->entry_bytes, c->thread);
}

int main(int argc, char **argv)
{
	struct stat st;
	int fd = argc == 2 ? open(argv[1], O_RDONLY) : -1;

	if (fd < 0 || fstat(fd, &st) || st.st_size < PRS_PAGE_BYTES)
		return 2;
	bytes = (uint64_t)st.st_size;
	base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	if (base == MAP_FAILED || memcmp(base, PRS_REC_MAGIC, 8))
		return 4;
	print_header((const void *)base);
	walk(complete, NULL);
	walk(visit_entries, NULL);
	walk(visit_units, NULL);
	walk(visit_slow, NULL);
	return 0;
}
