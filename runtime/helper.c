/* SPDX-License-Identifier: MIT */
/*
 * A helper is made by a bare clone(): libc neither counts it (the program ends
 * with its own last thread, and single-threaded stays single-threaded) nor
 * signals it.  It has its own table of files, in which nothing but the record
 * is open, and its own working directory, so that no pipe is held open by it
 * and no system call of the program gets dearer.
 *
 * The thread pointer shows zeroed memory of its own: rt_self and rt_block are
 * NULL there.  Nothing that it calls may enter libc.
 */
#include <errno.h>
#include <linux/sched.h>

#include "runtime/arch/x86_64/helper.h"
#include "runtime/helper.h"

#define STACK_BYTES 32768u
#define TCB_BYTES   4096u
#define FILES_MAX   4096u /* where the kernel cannot close a range */

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

static void run(void *body)
{
	((void (*)(void))body)();
}

static void run_apart(void *body)
{
	close_files();
	run(body);
}

void helper_name(const char *name)
{
	rt_syscall3(SYS_prctl, 15 /* PR_SET_NAME */, (long)name, 0);
}

void helper_end(void)
{
	for (;;)
		rt_syscall1(SYS_exit, 0);
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
	ret = arch_helper(run_apart, (void *)body, memory + STACK_BYTES, (void *)tls, flags);
	if (ret == -EINVAL) /* some emulators know libc's threads only */
		ret = arch_helper(run, (void *)body, memory + STACK_BYTES, (void *)tls,
				  flags | CLONE_FS | CLONE_FILES | CLONE_SYSVSEM);
	sys_signals_restore(&old);
	return ret > 0;
}
