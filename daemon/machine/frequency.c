/* SPDX-License-Identifier: MIT */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/machine/audit.h"
#include "daemon/machine/files.h"
#include "daemon/machine/frequency.h"

static struct range narrow(struct range hardware, struct range limit)
{
	if (limit.min > hardware.min)
		hardware.min = limit.min;
	if (limit.max && limit.max < hardware.max)
		hardware.max = limit.max;
	return hardware;
}

static void close_policy(struct policy *policy)
{
	file_close(&policy->min_fd);
	file_close(&policy->max_fd);
	file_close(&policy->current_fd);
}

/* Its cpus and what the hardware can; false if they cannot be read or contradict one another. */
static bool frequency_describe(struct policy *policy, const char *dir)
{
	char list[CPUS_TEXT];

	*policy = (struct policy){.min_fd = -1, .max_fd = -1, .current_fd = -1};
	return file_read_at(dir, "related_cpus", list, sizeof(list)) > 0 &&
	       !cpus_parse(&policy->cpus, list) && !cpus_is_empty(&policy->cpus) &&
	       !file_read_number_at(dir, "cpuinfo_min_freq", &policy->limit.min) &&
	       !file_read_number_at(dir, "cpuinfo_max_freq", &policy->limit.max) &&
	       policy->limit.min <= policy->limit.max;
}

static bool frequency_is_known(const struct frequency *all, const struct cpus *cpus)
{
	cpus_for_each(cpu, cpus)
	{
		if (all->of_cpu[cpu] != NO_POLICY)
			return true;
	}
	return false;
}

static void add_policy(struct frequency *all, const char *dir, struct journal *journal)
{
	struct policy *policy = &all->policy[all->n];

	if (all->n == PRS_CTL_CPUS || !frequency_describe(policy, dir) ||
	    frequency_is_known(all, &policy->cpus))
		return;
	policy->cpu = cpus_next(&policy->cpus, 0);
	policy->hardware = policy->limit;
	policy->journal = &journal->policy[policy->cpu];
	cpus_for_each(cpu, &policy->cpus)
	{
		all->of_cpu[cpu] = (prs_u16)all->n;
	}
	all->n++;
}

static int is_policy(const struct dirent *entry)
{
	return !strncmp(entry->d_name, "policy", 6);
}

static void find_policies(struct frequency *all, const char *top, struct journal *journal)
{
	struct dirent **entries;
	char dir[4096];
	int n = scandir(top, &entries, is_policy, versionsort);

	for (int i = 0; i < n; i++) {
		if (!file_path(dir, sizeof(dir), top, entries[i]->d_name))
			add_policy(all, dir, journal);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
}

static void withdraw(struct frequency *all, const struct policy *policy)
{
	cpus_for_each(cpu, &policy->cpus)
	{
		all->of_cpu[cpu] = NO_POLICY;
	}
}

/* How many can be used; *error is why another cannot. */
static prs_u32 open_files(struct frequency *all, const char *top, int *error)
{
	char dir[4096], name[32];
	prs_u32 n = 0;

	for (prs_u32 i = 0; i < all->n; i++) {
		struct policy *policy = &all->policy[i];
		int own;

		snprintf(name, sizeof(name), "policy%u", policy->cpu);
		own = file_path(dir, sizeof(dir), top, name);
		if (!own)
			own = cpufreq_open(policy, dir);
		policy->is_unusable = own;
		if (own)
			*error = own;
		else
			n++;
	}
	return n;
}

/* Policies that the limits leave nothing of are not offered, nor those that cannot be set. */
static void apply_limit(struct frequency *all, struct range limit)
{
	for (prs_u32 i = 0; i < all->n; i++) {
		struct policy *policy = &all->policy[i];

		policy->limit = narrow(policy->limit, limit);
		if (policy->limit.min > policy->limit.max ||
		    (all->by == PRS_CTL_BY_CPUFREQ && policy->is_unusable))
			withdraw(all, policy);
	}
}

void frequency_find(struct frequency *all, const char *sysroot, struct range limit, struct journal *journal)
{
	char top[4096];
	prs_u32 usable;
	int error = 0;

	memset(all, 0, sizeof(*all));
	all->device = -1;
	for (prs_u32 cpu = 0; cpu < PRS_CTL_CPUS; cpu++)
		all->of_cpu[cpu] = NO_POLICY;
	if (file_path(top, sizeof(top), sysroot, "sys/devices/system/cpu/cpufreq"))
		return;
	find_policies(all, top, journal);
	if (!all->n) {
		snprintf(all->why, sizeof(all->why), "the kernel offers no cpufreq policy");
		return;
	}
	/* The files are opened in both cases: what an earlier daemon left in them is put right. */
	usable = open_files(all, top, &error);
	if (!module_open(all, sysroot)) {
		all->by = PRS_CTL_BY_MODULE;
		all->ops = &frequency_by_module;
	} else if (usable) {
		all->by = PRS_CTL_BY_CPUFREQ;
		all->ops = &frequency_by_cpufreq;
	} else {
		snprintf(all->why, sizeof(all->why), "no %s, and cpufreq's files cannot be used: %s",
			 PRS_CTL_DEVICE, strerror(-error));
	}
	apply_limit(all, limit);
}

struct policy *frequency_policy(struct frequency *all, prs_u32 cpu)
{
	if (!all->by || cpu >= PRS_CTL_CPUS || all->of_cpu[cpu] == NO_POLICY)
		return NULL;
	return &all->policy[all->of_cpu[cpu]];
}

prs_u32 frequency_restore(struct frequency *all,
			  bool (*is_busy)(const void *context, const struct policy *policy),
			  const void *context)
{
	prs_u32 left = 0;

	for (prs_u32 i = 0; i < all->n; i++) {
		struct policy *policy = &all->policy[i];

		if (policy->journal->held && !(is_busy && is_busy(context, policy)) &&
		    frequency_by_cpufreq.release(all, policy))
			left++;
	}
	return left;
}

void frequency_close(struct frequency *all)
{
	for (prs_u32 i = 0; i < all->n; i++)
		close_policy(&all->policy[i]);
	file_close(&all->device);
}
