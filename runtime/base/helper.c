/* SPDX-License-Identifier: MIT */
/*
 * A helper is made by a bare clone(): libc neither counts it (the program ends
 * with its own last thread, and single-threaded stays single-threaded) nor
 * signals it.  It has its own table of files, in which nothing but the record
 * is open, and its own working directory, so that no pipe is held open by it
 * and no system call of the program gets more costly.
 *
 * The thread pointer shows zeroed memory of its own: rt_self and rt_block are
 * NULL there.  Nothing that it calls may enter libc.
 */
#include <errno.h>
#include <linux/sched.h>

#include "arch/helper.h"
#include "runtime/base/helper.h"

#define STACK_BYTES 32768u
#define TCB_BYTES   4096u
#define FILES_MAX   4096u /* where the kernel cannot close a range */
#define STOP_US     50000u

#define FUTEX_WAKE_ANY 1

static uint32_t last_status; /* of the program: newer kernels take that of the last thread */

/* Only where the table of files is its own. */
static void close_files(void)
{
	uint32_t keep = (uint32_t)rt.fd;

	if (!rt_syscall3(SYS_close_range, keep + 1, ~0u, 0)) {
		if (keep)
			rt_syscall3(SYS_close_range, 0, keep - 1, 0);
		return;
	}
	for (uint32_t fd = 0; fd < FILES_MAX; fd++)
		if (fd != keep)
			sys_close((int)fd);
}

static void base_helper_run(void *body)
{
	((void (*)(void))body)();
}

static void run_apart(void *body)
{
	close_files();
	base_helper_run(body);
}

void helper_begin(const char *name, uint32_t *tid)
{
	rt_syscall1(SYS_set_tid_address, (long)tid);
	rt_syscall3(SYS_prctl, 15 /* PR_SET_NAME */, (long)name, 0);
}

/* The process's first thread has ended; it stays until all others have.  *@status: with what. */
static bool first_ended(uint32_t *status)
{
	char text[1024]; /* pid (name) state ... status */
	int fd = sys_open("/proc/self/stat", O_RDONLY | O_CLOEXEC, 0);
	long n = fd < 0 ? -1 : sys_read(fd, text, sizeof(text)), end = n - 1;

	if (fd >= 0)
		sys_close(fd);
	while (n > 0 && text[n - 1] != ')') /* the name may hold anything */
		n--;
	if (n <= 0 || n + 1 >= end || text[n + 1] != 'Z')
		return false;
	*status = 0;
	while (end > n && text[end - 1] != ' ')
		end--;
	for (; text[end] >= '0' && text[end] <= '9'; end++)
		*status = *status * 10 + (uint32_t)(text[end] - '0');
	return true;
}

bool helper_alone(void)
{
	struct stat st;
	uint32_t status;

	/* The links are the directory, its parent, and one per thread: the first and ours are left. */
	if (!first_ended(&status) || sys_stat("/proc/self/task", &st) ||
	    st.st_nlink > 3 + rt_load(&rt.helpers))
		return false;
	last_status = status >> 8;
	return true;
}

bool helper_left(uint64_t *looked)
{
	uint64_t now = rt_ticks();

	if (now - *looked < rt.tick_hz / (1000000 / HELPER_LOOK_US))
		return false;
	*looked = now;
	return helper_alone();
}

void helper_nudge(uint32_t *word)
{
	rt_add(word, 1);
	rt_syscall3(SYS_futex, (long)word, FUTEX_WAKE_ANY, 1);
}

void helper_join(const uint32_t *tid, uint32_t *word)
{
	uint32_t seen;

	helper_nudge(word);
	for (uint32_t i = 0; i < 20 && (seen = rt_acquire(tid)); i++)
		sys_futex_wait(tid, seen, STOP_US);
}

void helper_end(void)
{
	rt_add(&rt.helpers, -1u);
	for (;;)
		rt_syscall1(SYS_exit, last_status);
}

/* Stack, some zeroed memory below the thread pointer, and above it as much as libc and we keep there. */
static unsigned char *helper_memory(uint64_t *tls)
{
	unsigned char *base = sys_anon(STACK_BYTES + 2 * TCB_BYTES);

	if (!base)
		return NULL;
	*tls = (uint64_t)base + STACK_BYTES + TCB_BYTES;
	*(uint64_t *)*tls = *tls;
	return base;
}

bool helper_start(void (*body)(void))
{
	uint64_t flags = CLONE_VM | CLONE_SIGHAND | CLONE_THREAD | CLONE_SETTLS, tls, old;
	unsigned char *memory = helper_memory(&tls);
	long ret;

	if (!memory)
		return false;
	sys_signals_block(&old);
	rt_add(&rt.helpers, 1);
	ret = arch_helper(run_apart, (void *)body, memory + STACK_BYTES, (void *)tls, flags);
	if (ret == -EINVAL) /* some emulators know libc's threads only */
		ret = arch_helper(base_helper_run, (void *)body, memory + STACK_BYTES, (void *)tls,
				  flags | CLONE_FS | CLONE_FILES | CLONE_SYSVSEM);
	if (ret <= 0)
		rt_add(&rt.helpers, -1u);
	sys_signals_restore(&old);
	return ret > 0;
}
