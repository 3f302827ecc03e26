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

static const unsigned char *base;
static uint64_t bytes;

static void print_header(const struct prs_rec_header *h)
{
	printf("header pid=%u ppid=%u epoch=%u purpose=%u state=%u reason=%u hz=%" PRIu64 " start=%" PRIu64
	       " end=%" PRIu64 " clock=%" PRIu64 " threads=%u units=%u calls=%u mems=%u lost_blocks=%" PRIu64
	       " lost_events=%" PRIu64 " lost_lines=%" PRIu64 " lost_notes=%" PRIu64 " lost_threads=%" PRIu64
	       " lost_calls=%" PRIu64 " heartbeat=%" PRIu64 " bytes=%" PRIu64 " exe=%s\n",
	       h->pid, h->ppid, h->epoch, h->purpose, h->state, h->off_reason, h->tsc_hz, h->tsc_start,
	       h->tsc_end, h->clock_ticks, h->n_threads, h->n_units, h->n_calls, h->n_mems, h->lost_blocks,
	       h->lost_events, h->lost_lines, h->lost_notes, h->lost_threads, h->lost_calls, h->heartbeat_ns,
	       bytes, h->exe);
}

static void print_thread(const struct prs_thread *t)
{
	printf("thread index=%u tid=%u creator=%d site=%d ordinal=%u state=%u detached=%u ended=%d "
	       "cpu=%" PRIu64 " block=%" PRIu64 " stack=%d name=%s\n",
	       t->index, t->tid, (int)t->creator, (int)t->create_site, t->ordinal, t->state, t->detached,
	       t->end_tsc != 0, t->cpu_end_ns - t->cpu_start_ns, t->block, t->stack_high > t->stack_low,
	       t->name);
}

static void print_call(const struct prs_call *c, uint32_t thread)
{
	uint64_t hist = 0;

	for (int i = 0; i < PRS_HIST_BUCKETS; i++)
		hist += c->hist[i];
	printf("call thread=%u site=%u parent=%d callee=%" PRIx64 " count=%" PRIu64 " timed=%" PRIu64
	       " hist=%" PRIu64 " sum=%" PRIu64 " min=%" PRIu64 " max=%" PRIu64 " child=%" PRIu64
	       " period=%u open=%u\n",
	       thread, c->site, (int)c->parent, c->callee, c->count, c->timed, hist, c->sum, c->min, c->max,
	       c->child, c->period, c->open);
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
		       " peer=%d peers=%u\n",
		       thread, l->line, l->site, l->kind, l->misses, l->from_modified, l->invalidated,
		       l->watched, l->read_mask, l->write_mask, l->peer_count[0] ? (int)l->peer[0] : -1,
		       l->peer_count[0]);
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
		       " base=%" PRIu64 " mem_base=%" PRIu64 "\n",
		       u->unit_id, u->module, u->first_call, u->n_calls, u->first_mem, u->n_mems, u->flags,
		       u->base, u->mem_base);
		break;
	case PRS_CHUNK_THREAD:
		print_thread(p);
		break;
	case PRS_CHUNK_CALL:
		print_call(p, thread);
		break;
	case PRS_CHUNK_LOG:
		printf("log thread=%u site=%u depth=%u ticks=%" PRIu64 " cpu=%" PRIu64 "\n", thread, g->site,
		       g->depth, g->ticks, g->cpu_ns);
		break;
	case PRS_CHUNK_EVENT:
		print_event(p, thread);
		break;
	case PRS_CHUNK_LINE:
		print_line(p, thread);
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
	for (uint32_t i = 0; u->mem_base && i < u->n_mems; i++) {
		uint64_t n = ((const uint64_t *)(block + u->mem_base))[i];

		if (n)
			printf("mem thread=%d site=%u count=%" PRIu64 "\n", (int)c->thread, u->first_mem + i,
			       n);
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

static void visit_units(const struct prs_chunk *c, const void *arg)
{
	(void)arg;
	for (uint64_t i = 0; c->type == PRS_CHUNK_UNIT && i < c->used; i++)
		walk(visit_block, (const struct prs_unit *)(c + 1) + i);
}

static void visit_entries(const struct prs_chunk *c, const void *arg)
{
	(void)arg;
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
	base = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, 0);
	if (base == MAP_FAILED || memcmp(base, PRS_REC_MAGIC, 8))
		return 4;
	print_header((const void *)base);
	walk(visit_entries, NULL);
	walk(visit_units, NULL);
	return 0;
}
