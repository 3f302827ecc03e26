/* SPDX-License-Identifier: MIT */
/*
 * Reservations by partitions of cgroup v2: the kernel takes the cpus from all
 * other groups, and with `isolated` from its load balancing, too.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "daemon/machine/cores.h"
#include "daemon/machine/files.h"

/* "isolated" is what we want, "isolated invalid (...)" what the kernel makes of it if it cannot. */
static bool is_partition(int fd, const char *kind)
{
	char text[160];
	size_t n = strlen(kind);

	return file_read(fd, text, sizeof(text)) >= (int)n && !strncmp(text, kind, n) &&
	       (text[n] == '\n' || text[n] == '\0');
}

static int cgroup2_take(struct cores *cores, prs_u32 slot, bool balanced, pid_t pid)
{
	const struct cgroup *group = &cores->slot[slot];
	const char *kind = balanced ? "root" : "isolated";
	char list[CPUS_TEXT], number[16];
	int error;

	cpus_print(&cores->journal[slot].cpus, list, sizeof(list) - 1);
	strcat(list, "\n");
	error = file_write(group->cpus, list);
	if (error)
		return error;
	error = file_write(group->partition, balanced ? "root\n" : "isolated\n");
	if (error)
		return error;
	if (!is_partition(group->partition, kind))
		return -EBUSY;
	snprintf(number, sizeof(number), "%d\n", (int)pid);
	return file_write(group->procs, number);
}

/* What is frozen cannot fork; what is moved thaws. */
static int move_out(const struct cgroup *group, const struct cgroup *top)
{
	int left;

	if (group->freeze >= 0)
		file_write(group->freeze, "1\n");
	left = group_move(group, top);
	if (group->freeze >= 0)
		file_write(group->freeze, "0\n");
	return left;
}

static int cgroup2_give_back(struct cores *cores, prs_u32 slot)
{
	const struct cgroup *group = &cores->slot[slot];
	int left = move_out(group, &cores->top);
	int member = file_write(group->partition, "member\n");
	int cleared = file_write(group->cpus, "\n");

	if (member)
		return member;
	if (cleared)
		return cleared;
	return left ? -EBUSY : 0;
}

const struct cores_ops cores_by_cgroup2 = {
	.take = cgroup2_take, .give_back = cgroup2_give_back, .is_empty = slot_is_empty};
