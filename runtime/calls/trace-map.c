/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "runtime/base/file.h"
#include "runtime/calls/trace-map.h"

#define MAGIC 0x4543415254535250ull /* PRS_TRACE_MAGIC as a word */

struct rt_trace trace;

/* ---- the memory file ------------------------------------------------------------------ */

/* The number at *text, and *text behind it and what follows. */
static uint64_t next_number(const char **text)
{
	uint64_t v = 0;

	while (**text >= '0' && **text <= '9')
		v = v * 10 + (uint64_t)(*(*text)++ - '0');
	*text += **text != 0;
	return v;
}

/*
 * The recorder's descriptor.  None is inherited: a program that is executed as another user, or by a
 * process that has become one, gets nothing.  The bytes of the file, 0: it is not that one.
 */
static uint64_t open_file(const uint64_t word[4], int *fd)
{
	struct stat st;
	char path[64];
	const char *end = path + sizeof(path) - 1;
	char *p = file_put_number(file_put_text(path, end, "/proc/"), end, (uint32_t)word[3]);

	*file_put_number(file_put_text(p, end, "/fd/"), end, (uint32_t)word[0]) = '\0';
	*fd = sys_open(path, O_RDWR | O_CLOEXEC, 0);
	if (*fd < 0 || sys_fstat(*fd, &st) || !S_ISREG(st.st_mode) || st.st_ino != word[2] ||
	    st.st_size < PRS_PAGE_BYTES)
		return 0;
	trace.owner = st.st_uid;
	return (uint64_t)st.st_size;
}

static bool sane(const struct prs_trace *h, uint64_t bytes)
{
	return h->version == PRS_TRACE_VERSION && h->slots && h->slots <= PRS_TRACE_SLOTS_MAX &&
	       h->ring_bytes >= PRS_TRACE_RING_MIN && h->ring_bytes <= PRS_TRACE_RING_MAX &&
	       !(h->ring_bytes & (h->ring_bytes - 1)) && h->bytes == bytes &&
	       h->rings >= PRS_PAGE_BYTES + h->slots * sizeof(struct prs_ring) && h->rings <= bytes &&
	       (bytes - h->rings) / h->ring_bytes >= h->slots;
}

/* @mapped of the @bytes of the file are at @base. */
static void use(unsigned char *base, uint64_t mapped, uint64_t bytes)
{
	struct prs_trace *shared = (struct prs_trace *)base;
	/* What others write there after this look at it changes nothing here. */
	const struct prs_trace h = {.version = rt_load(&shared->version),
				    .slots = rt_load(&shared->slots),
				    .ring_bytes = rt_load(&shared->ring_bytes),
				    .rings = rt_load(&shared->rings),
				    .bytes = rt_load(&shared->bytes)};
	uint64_t most = (1ull << PRS_LENGTH_BITS) / (rt.tick_hz / 1000000 + 1);
	uint32_t none = 0;
	struct stat st;

	if (rt_load((uint64_t *)(void *)base) != MAGIC || !sane(&h, bytes) ||
	    mapped < h.rings + h.ring_bytes) {
		sys_munmap(base, mapped);
		return;
	}
	trace.rings = (struct prs_ring *)(base + PRS_PAGE_BYTES);
	trace.data = base + h.rings;
	trace.ring_bytes = h.ring_bytes;
	trace.slots = (uint32_t)((mapped - h.rings) / h.ring_bytes);
	if (trace.slots > h.slots)
		trace.slots = h.slots;
	trace.mapped = mapped;
	trace.pid_ns = sys_stat("/proc/self/ns/pid", &st) ? 0 : st.st_ino;
	rt_store(&shared->tick_hz, rt.tick_hz);
	__atomic_compare_exchange_n(&shared->clock_kind, &none, rt.tsc ? 1 : 2, false, __ATOMIC_RELEASE,
				    __ATOMIC_RELAXED);
	rt_publish(&trace.head, shared);
	if (!rt.period) /* a trace has every call */
		rt.period = 1;
	/* What the block log takes goes through call.c: let it be all that is longer than a record can say exactly. */
	if (rt.block_us > most)
		rt.block_us = most;
}

/* All of it, or as much of its front as the process may still map. */
static void map(int fd, uint64_t bytes)
{
	for (uint64_t some = bytes; some > PRS_TRACE_RING_MIN;
	     some = some / 4 & ~(uint64_t)(PRS_PAGE_BYTES - 1)) {
		unsigned char *base = sys_mmap(some, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd);

		if (base) {
			use(base, some, bytes);
			return;
		}
	}
}

void trace_setup(void)
{
	const char *text = secure_getenv(PRS_ENV_TRACE);
	uint64_t word[4], bytes;
	int fd;

	if (!text || trace.head)
		return;
	for (int i = 0; i < 4; i++)
		word[i] = next_number(&text);
	trace.policy = (uint32_t)word[1];
	bytes = open_file(word, &fd);
	if (bytes)
		map(fd, bytes);
	if (fd >= 0)
		sys_close(fd);
}

uint64_t trace_mapped(void)
{
	return trace.mapped;
}

/* ---- giving it up ----------------------------------------------------------------------- */

void trace_leave(void)
{
	/* A vfork child runs in its parent's memory. */
	if (!trace.head || sys_getpid() != rt.pid)
		return;
	if (rt_self)
		trace_thread_end(rt_self);
	/* Other threads may be writing: they find memory there, and soon that there is no recorder. */
	rt_syscall(SYS_mmap, (long)trace.head, (long)trace.mapped, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
	rt_publish(&trace.head->state, PRS_TRACE_ENDED);
}

void trace_check_user(void)
{
	uint32_t id[3];

	if (!trace.head || rt_acquire(&trace.head->state) == PRS_TRACE_ENDED ||
	    rt_syscall3(SYS_getresuid, (long)&id[0], (long)&id[1], (long)&id[2]))
		return;
	if (id[0] != trace.owner && id[1] != trace.owner && id[2] != trace.owner)
		trace_leave();
}
