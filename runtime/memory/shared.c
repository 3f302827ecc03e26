/* SPDX-License-Identifier: MIT */
/*
 * Mappings that several processes may have: MAP_SHARED, System V segments.
 *
 * The directory of a process knows of its own threads only.  So what other
 * processes do to a line is found later, by the analyzer, from what each of them
 * has recorded, by the identity of the memory: device, inode and offset; of
 * anonymous memory, which only children inherit, a number made here.  Lines of
 * such mappings leave an entry with bytes, times and gaps though nobody
 * of the process took them, as far as their accesses are looked at (shared-windows.c).
 */
#include "runtime/base/file.h"
#include "runtime/base/lock.h"
#include "runtime/memory/shared.h"
#include "runtime/memory/sharing.h"
#include "runtime/base/self.h"

#define MAPPINGS_MAX 64u

static struct {
	struct prs_chunk *chunk;
	struct prs_shared all[MAPPINGS_MAX];
} mappings;

bool shared_line(uint64_t line)
{
	uint64_t at = line << PRS_LINE_SHIFT;

	for (uint32_t i = rt_acquire(&sharing.n_shared); i-- > 0;)
		if (at - mappings.all[i].start < mappings.all[i].bytes && !rt_load(&mappings.all[i].to))
			return true;
	return false;
}

/* Put the mapping into the record.  Under rt_lock(). */
static void write_entry(uint32_t i)
{
	struct prs_chunk *c = mappings.chunk;

	if (!c) {
		c = file_chunk(PRS_CHUNK_SHARED, sizeof(struct prs_shared), PRS_NO_THREAD, 8192, 8192);
		if (!c)
			return;
		file_publish(c);
		mappings.chunk = c;
	}
	((struct prs_shared *)(c + 1))[i] = mappings.all[i];
	rt_publish(&c->used, i + 1);
}

void shared_forked(void)
{
	mappings.chunk = NULL;
	if (rt_self)
		rt_self->shared_window = 0;
	for (uint32_t i = 0; i < sharing.n_shared; i++)
		write_entry(i);
	if (sharing.n_shared)
		shared_windows_start();
}

void shared_add(struct prs_shared *m)
{
	struct rt_thread *t = rt_recording() ? thread_self() : NULL;
	const struct prs_open *open = t ? rt_innermost(t) : NULL;
	uint64_t old;

	m->site = open ? open->site : PRS_NO_SITE;
	rt_lock(&old);
	if (sharing.n_shared < MAPPINGS_MAX && rt_recording()) {
		m->from = rt_ticks();
		if (m->dev == SHARED_ANONYMOUS)
			m->ino = (uint64_t)rt.pid << 32 | sharing.n_shared;
		mappings.all[sharing.n_shared] = *m;
		write_entry(sharing.n_shared);
		rt_publish(&sharing.n_shared, sharing.n_shared + 1);
		sharing_forget();
		sharing_objects.company();
		shared_windows_start();
	}
	rt_unlock(&old);
}

bool shared_wanted(void)
{
	return rt.purpose == PRS_PURPOSE_SHARING && rt_recording() && sys_getpid() == rt.pid;
}

void shared_end(uint64_t at)
{
	uint64_t old;

	if (!rt_load(&sharing.n_shared) || !shared_wanted())
		return;
	rt_lock(&old);
	for (uint32_t i = 0; i < sharing.n_shared; i++)
		if (mappings.all[i].start == at && !mappings.all[i].to) {
			rt_store(&mappings.all[i].to, rt_ticks());
			write_entry(i);
			rt_publish(&mappings.chunk->used, sharing.n_shared);
		}
	rt_unlock(&old);
}
