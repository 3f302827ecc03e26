/* SPDX-License-Identifier: MIT */
/*
 * Reservations by cpusets of cgroup v1, where an exclusive cpuset excludes its
 * siblings but not the tasks of its parent: those are moved into a sibling of
 * what is left, and back when the last reservation ends.  There is no way of
 * taking cpus from the kernel's balancing without changing it for all.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "daemon/machine/cores.h"
#include "daemon/machine/files.h"

static int write_cpus(const struct cgroup *group, const struct cpus *cpus)
{
	char list[CPUS_TEXT];

	cpus_print(cpus, list, sizeof(list) - 1);
	strcat(list, "\n");
	return file_write(group->cpus, list);
}

static struct cpus rest_without(const struct cores *cores, prs_u32 but)
{
	struct cpus rest = cores->all, taken = cores_taken(cores, but);

	cpus_remove(&rest, &taken);
	return rest;
}

static int cgroup1_take(struct cores *cores, prs_u32 slot, bool balanced, pid_t pid)
{
	const struct cgroup *group = &cores->slot[slot];
	struct cpus rest = rest_without(cores, JOURNAL_SLOTS);
	char number[16];
	int error = write_cpus(&cores->rest, &rest);

	(void)balanced; /* always */
	if (error)
		return error;
	group_move(&cores->top, &cores->rest);
	error = write_cpus(group, &cores->journal[slot].cpus);
	if (error)
		return error;
	error = file_write(group->partition, "1\n");
	if (error)
		return error;
	snprintf(number, sizeof(number), "%d\n", (int)pid);
	return file_write(group->procs, number);
}

static int cgroup1_give_back(struct cores *cores, prs_u32 slot)
{
	const struct cgroup *group = &cores->slot[slot];
	struct cpus none = {{0}}, rest = rest_without(cores, slot), others = cores_taken(cores, slot);
	bool is_last = cpus_is_empty(&others);
	int left = group_move(group, is_last ? &cores->top : &cores->rest);
	int error = file_write(group->partition, "0\n"), rest_error;

	if (!error && !left)
		error = write_cpus(group, &none);
	rest_error = write_cpus(&cores->rest, &rest);
	if (is_last)
		left += group_move(&cores->rest, &cores->top);
	if (error)
		return error;
	return rest_error ? rest_error : left ? -EBUSY : 0;
}

const struct cores_ops cores_by_cgroup1 = {
	.take = cgroup1_take, .give_back = cgroup1_give_back, .is_empty = slot_is_empty};
