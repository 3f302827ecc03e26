/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "daemon/drop.h"

static int set_capabilities(prs_u32 low)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {{.effective = low, .permitted = low}};

	return syscall(SYS_capset, &header, data) ? -errno : 0;
}

/* Nothing that is executed from here could get one back; nothing is. */
static void empty_bounding_set(void)
{
	for (unsigned long cap = 0; !prctl(PR_CAPBSET_DROP, cap, 0, 0, 0); cap++)
		;
}

static int drop_become(const struct config *config)
{
	empty_bounding_set();
	if (prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) || setgroups(0, NULL) ||
	    setresgid(config->gid, config->gid, config->gid) ||
	    setresuid(config->uid, config->uid, config->uid))
		return -errno;
	return 0;
}

static int set_limit(int what, rlim_t n)
{
	return setrlimit(what, &(struct rlimit){n, n}) ? -errno : 0;
}

int drop_rights(const struct config *config, struct needs needs, unsigned int files, struct problem *problem)
{
	bool is_root = !geteuid();
	int error = is_root ? drop_become(config) : 0;

	if (!error)
		error = set_capabilities(is_root && needs.cores ? 1u << CAP_SYS_NICE : 0);
	if (!error)
		error = set_limit(RLIMIT_CORE, 0);
	if (!error)
		error = set_limit(RLIMIT_NOFILE, files);
	if (!error)
		error = set_limit(RLIMIT_NPROC, 0);
	if (!error && (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)))
		error = -errno;
	if (!error && is_root && (!getuid() || !geteuid() || setuid(0) == 0))
		error = -EPERM;
	if (error)
		return problem_set(problem, EXIT_MACHINE, "rights cannot be given up (to be user '%s'): %s",
				   config->user, strerror(-error));
	return 0;
}
