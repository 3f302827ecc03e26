/* SPDX-License-Identifier: MIT */
/*
 * Frequencies by the module.  A policy has one lease at a time, so one
 * descriptor carries all holds.  The guard has no copy of it: when the daemon
 * is killed the kernel drops them at once, whether or not anyone is left.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "daemon/machine/audit.h"
#include "daemon/machine/files.h"
#include "daemon/machine/frequency.h"

static int query(const struct frequency *all, prs_u32 cpu, struct prs_ctl_query *q)
{
	*q = (struct prs_ctl_query){.version = PRS_CTL_VERSION, .cpu = cpu};
	return ioctl(all->device, PRS_CTL_IOC_QUERY, q) ? -errno : 0;
}

int module_open(struct frequency *all, const char *sysroot)
{
	struct prs_ctl_caps caps = {.version = PRS_CTL_VERSION};
	struct prs_ctl_query q;

	all->device = file_open(sysroot, &PRS_CTL_DEVICE[1], O_RDWR);
	if (all->device < 0)
		return all->device;
	if (ioctl(all->device, PRS_CTL_IOC_CAPS, &caps))
		return -errno;
	if (caps.version != PRS_CTL_VERSION)
		return -EPROTO;
	for (prs_u32 i = 0; i < all->n; i++) {
		int error = query(all, all->policy[i].cpu, &q);

		if (error)
			return error;
		all->policy[i].limit = (struct range){q.limit_min_khz, q.limit_max_khz};
	}
	return 0;
}

static int module_hold(struct frequency *all, struct policy *policy, struct range wanted)
{
	struct prs_ctl_hold hold = {
		.version = PRS_CTL_VERSION, .cpu = policy->cpu, .min_khz = wanted.min, .max_khz = wanted.max};

	if (ioctl(all->device, PRS_CTL_IOC_HOLD, &hold))
		return -errno;
	policy->set = wanted;
	return 0;
}

static int module_release(struct frequency *all, struct policy *policy)
{
	struct prs_ctl_release release = {.version = PRS_CTL_VERSION, .cpu = policy->cpu};
	int error = ioctl(all->device, PRS_CTL_IOC_RELEASE, &release) ? errno : 0;

	if (error || !all->is_quiet)
		audit("change=released policy=%u error=%d", policy->cpu, error);
	/* The driver may have gone, and the hold with it. */
	return error == ENOENT || error == ENODEV ? 0 : -error;
}

static int module_read(struct frequency *all, struct policy *policy, struct in_force *out)
{
	struct prs_ctl_query q;
	int error = query(all, policy->cpu, &q);

	if (error)
		return error;
	out->range = (struct range){q.policy_min_khz, q.policy_max_khz};
	out->current = q.current_khz;
	return 0;
}

/* The module waits until it is so. */
static int module_settle(struct frequency *all, struct policy *policy, int *patience, struct in_force *out)
{
	(void)patience;
	return module_read(all, policy, out);
}

const struct frequency_ops frequency_by_module = {
	.hold = module_hold,
	.release = module_release,
	.read = module_read,
	.settle = module_settle,
};
