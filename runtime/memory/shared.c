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
 *
 * System calls are made directly: allocators map memory before libc is ready.
 */
#include <errno.h>
#include <sys/ipc.h>
#include <sys/shm.h>
#include <sys/statfs.h>

#include "runtime/attach.h"
#include "runtime/base/file.h"
#include "runtime/base/lock.h"
#include "runtime/memory/shared.h"
#include "runtime/memory/sharing.h"
#include "runtime/wrap/real.h"

#define TMPFS     0x01021994 /* shm_open(), memfd_create() */
#define ANONYMOUS (~0ull)    /* for a device */
#define SYSTEM_V  (~1ull)

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

/* From now on accesses in [start, start + bytes) are noted, also in a process of one thread. */
static void add(struct prs_shared *m)
{
	struct rt_thread *t = real_thread();
	const struct prs_open *open = t ? rt_innermost(t) : NULL;
	uint64_t old;

	m->site = open ? open->site : PRS_NO_SITE;
	rt_lock(&old);
	if (sharing.n_shared < MAPPINGS_MAX && rt_recording()) {
		m->from = rt_ticks();
		if (m->dev == ANONYMOUS)
			m->ino = (uint64_t)rt.pid << 32 | sharing.n_shared;
		mappings.all[sharing.n_shared] = *m;
		write_entry(sharing.n_shared);
		rt_publish(&sharing.n_shared, sharing.n_shared + 1);
		sharing_forget();
		attach_company();
		shared_windows_start();
	}
	rt_unlock(&old);
}

static bool wanted(void)
{
	return rt.purpose == PRS_PURPOSE_SHARING && rt_recording() && sys_getpid() == rt.pid;
}

/* The mapping that lies at @at ends; one that is cut in the middle goes on, as far as anybody asks. */
static void end_at(uint64_t at)
{
	uint64_t old;

	if (!rt_load(&sharing.n_shared) || !wanted())
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

static bool may_be_written(int prot, int fd)
{
	struct statfs fs;

	return prot & PROT_WRITE ||
	       (!rt_syscall3(SYS_fstatfs, fd, (long)&fs, 0) && (unsigned long)fs.f_type == TMPFS);
}

static void mapped(uint64_t at, uint64_t bytes, int prot, int flags, int fd, uint64_t offset)
{
	struct prs_shared m = {.start = at, .bytes = bytes, .offset = offset};
	struct stat st;

	if (flags & MAP_ANONYMOUS) {
		m.dev = ANONYMOUS;
		m.offset = 0;
	} else {
		/* Reading a device may change it, and its memory is in no cache. */
		if (sys_fstat(fd, &st) || st.st_rdev || !may_be_written(prot, fd))
			return;
		m.dev = st.st_dev;
		m.ino = st.st_ino;
	}
	add(&m);
}

static long result(long r)
{
	if (r >= 0 || r <= -4096)
		return r;
	errno = (int)-r;
	return -1;
}

RT_EXPORT void *mmap(void *at, size_t bytes, int prot, int flags, int fd, off_t offset)
{
	long p = rt_syscall(SYS_mmap, (long)at, (long)bytes, prot, flags, fd, offset);
	int type = flags & 0xf;

	if ((type == MAP_SHARED || type == 3 /* MAP_SHARED_VALIDATE */) && (p >= 0 || p <= -4096) && wanted())
		mapped((uint64_t)p, bytes, prot, flags, fd, (uint64_t)offset);
	return (void *)result(p);
}

RT_EXPORT void *mmap64(void *at, size_t bytes, int prot, int flags, int fd, off64_t offset)
	__attribute__((alias("mmap")));

RT_EXPORT int munmap(void *at, size_t bytes)
{
	long r = rt_syscall3(SYS_munmap, (long)at, (long)bytes, 0);

	if (!r)
		end_at((uint64_t)at);
	return (int)result(r);
}

RT_EXPORT void *shmat(int id, const void *at, int flags)
{
	long p = rt_syscall3(SYS_shmat, id, (long)at, flags);
	struct shmid_ds ds;

	if ((p >= 0 || p <= -4096) && wanted() && !rt_syscall3(SYS_shmctl, id, IPC_STAT, (long)&ds)) {
		struct prs_shared m = {.start = (uint64_t)p, .bytes = ds.shm_segsz};

		m.dev = SYSTEM_V;
		m.ino = (uint64_t)id;
		add(&m);
	}
	return (void *)result(p);
}

RT_EXPORT int shmdt(const void *at)
{
	long r = rt_syscall1(SYS_shmdt, (long)at);

	if (!r)
		end_at((uint64_t)at);
	return (int)result(r);
}
