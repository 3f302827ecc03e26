/* SPDX-License-Identifier: MIT */
/*
 * Waiting for the recorder's word.
 *
 * A signal would be the program's: it may hold or handle it, and its blocking
 * calls would come back with EINTR.  So a thread of our own sleeps on the
 * control page.  It is made by a bare clone(): libc neither counts it (the
 * program ends with its own last thread, and single-threaded stays
 * single-threaded) nor signals it.  It has its own table of files, in which
 * nothing but the record is open, and its own working directory, so that no
 * pipe is held open by it and no system call of the program gets dearer.
 *
 * The thread pointer shows zeroed memory of its own: rt_self and rt_block are
 * NULL there.  Nothing that it calls may enter libc.
 */
#include <errno.h>
#include <errno.h>
#include <linux/sched.h>
#include <stdlib.h>
#include <stdlib.h>

#include "runtime/arch/x86_64/helper.h"
#include "runtime/control.h"

#define STACK_BYTES 32768u
#define TCB_BYTES   4096u
#define FILES_MAX   4096u /* where the kernel cannot close a range */

#define FUTEX_WAIT_SHARED 0

static bool is_set(const char *text)
{
	return text && text[0] == '1' && !text[1];
}

static void *map_page(const char *path)
{
	struct stat st;
	int fd = sys_open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW, 0);
	void *page = NULL;

	if (fd < 0)
		return NULL;
	if (!sys_fstat(fd, &st) && st.st_size >= PRS_PAGE_BYTES)
		page = sys_mmap(PRS_PAGE_BYTES, PROT_READ, MAP_SHARED, fd);
	sys_close(fd);
	return page;
}

bool control_open(void)
{
	static const char name[] = "/" PRS_CONTROL_FILE;
	char path[sizeof(rt.dir) + sizeof(name)];
	const struct prs_control *c;
	size_t n = 0;

	if (!is_set(secure_getenv(PRS_ENV_START)))
		return true;
	while (rt.dir[n]) {
		path[n] = rt.dir[n];
		n++;
	}
	for (size_t i = 0; i < sizeof(name); i++)
		path[n + i] = name[i];
	c = map_page(path);
	if (!c || c->magic != PRS_CONTROL_MAGIC)
		return false;
	rt.control = c;
	return true;
}

bool control_present(void)
{
	return rt.control;
}

uint32_t control_word(void)
{
	return rt.control ? rt_acquire(&rt.control->word) : PRS_CONTROL_OPEN;
}

/* ---- the thread ------------------------------------------------------------------- */

/* Only where the table of files is its own. */
static void close_files(void)
{
	uint32_t keep = (uint32_t)rt.fd;

	if (!rt_syscall(SYS_close_range, keep + 1, ~0u, 0, 0, 0, 0)) {
		if (keep)
			rt_syscall(SYS_close_range, 0, keep - 1, 0, 0, 0, 0);
		return;
	}
	for (uint32_t fd = 0; fd < FILES_MAX; fd++)
		if (fd != keep)
			sys_close((int)fd);
}

/* Sleep while the word is @seen; a page that went away ends the thread. */
static bool wait_word(uint32_t seen)
{
	long ret = rt_syscall(SYS_futex, (long)&rt.control->word, FUTEX_WAIT_SHARED, (long)seen, 0, 0, 0);

	return !ret || ret == -EAGAIN || ret == -EINTR;
}

static __attribute__((noreturn)) void helper_end(void)
{
	for (;;)
		rt_syscall(SYS_exit, 0, 0, 0, 0, 0, 0);
}

static void helper_run(void)
{
	uint32_t word;

	rt_syscall(SYS_prctl, 15 /* PR_SET_NAME */, (long)"perseus-wait", 0, 0, 0, 0);
	while ((word = control_word()) != PRS_CONTROL_STOP) {
		if (word == PRS_CONTROL_OPEN)
			process_begin();
		if (!wait_word(word))
			helper_end();
	}
	process_stop();
	helper_end();
}

static void own_helper(void)
{
	close_files();
	helper_run();
}

/* Stack, then as much zeroed memory below the thread pointer as static TLS takes, then what libc keeps above it. */
static unsigned char *helper_memory(uint64_t *tls)
{
	uint64_t below = (0 - arch_tls_offset(&rt_block) + 4096 + 63) & ~63ull;
	unsigned char *base = sys_anon(STACK_BYTES + below + TCB_BYTES);

	if (!base)
		return NULL;
	*tls = (uint64_t)base + STACK_BYTES + below;
	*(uint64_t *)*tls = *tls;
	return base;
}

bool control_watch(void)
{
	uint64_t flags = CLONE_VM | CLONE_SIGHAND | CLONE_THREAD | CLONE_SETTLS, tls, old;
	unsigned char *memory = helper_memory(&tls);
	long ret;

	if (!memory)
		return false;
	sys_signals_block(&old);
	ret = arch_helper(own_helper, memory + STACK_BYTES, (void *)tls, flags);
	if (ret == -EINVAL) /* some emulators know libc's threads only */
		ret = arch_helper(helper_run, memory + STACK_BYTES, (void *)tls,
				  flags | CLONE_FS | CLONE_FILES | CLONE_SYSVSEM);
	sys_signals_restore(&old);
	return ret > 0;
}
