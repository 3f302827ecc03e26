/* SPDX-License-Identifier: MIT */
/*
 * Cores for one process alone: partitions of cgroup v2, or cpusets of cgroup
 * v1.  A fixed number of groups is made at the start and their files opened;
 * a reservation takes one of them.
 */
#ifndef PERSEUS_DAEMON_MACHINE_CORES_H
#define PERSEUS_DAEMON_MACHINE_CORES_H

#include <sys/types.h>

#include "daemon/machine/cpus.h"
#include "daemon/machine/journal.h"

#define SLOT_NAME "perseusd-" /* and a number; what has it is ours, also after a crash */
#define REST_NAME "perseusd-rest"

/* One group.  -1: not open, or not of this version of cgroups. */
struct cgroup {
	int dir;
	int cpus, procs;
	int partition; /* v2: cpuset.cpus.partition; v1: cpuset.cpu_exclusive */
	int freeze;    /* v2: cgroup.freeze, if there is one */
};

struct cores {
	prs_u32 by; /* PRS_CTL_BY_CGROUP2, PRS_CTL_BY_CGROUP1, 0 = there is no way */
	const struct cores_ops *ops;
	struct journal_slot *journal; /* one a slot: what is taken, which the guard must know, too */
	prs_u32 n;
	struct cgroup top;  /* the group below which all are, and where processes go back to */
	struct cgroup rest; /* v1: where the others go meanwhile */
	struct cgroup slot[JOURNAL_SLOTS];
	struct cpus all; /* that can be given out or stay with the others */
	char dir[4096];
	char why[160]; /* why there is no way, for people */
};

/* Both leave the notes in cores->kept to the caller and return 0 or a negative errno. */
struct cores_ops {
	/* Give the cpus noted for the slot to the process; a failure can leave it half done. */
	int (*take)(struct cores *cores, prs_u32 slot, bool balanced, pid_t pid);
	/* Processes back, cpus back; the slot is still noted as used. */
	int (*give_back)(struct cores *cores, prs_u32 slot);
	/* Nobody is in the slot, or could be moved out of it: nobody gets a group that somebody else is in. */
	bool (*is_empty)(struct cores *cores, prs_u32 slot);
};

/*
 * Look for a hierarchy with cpusets below @root (NULL: where they are mounted below SYSROOT).  Changes
 * nothing.  Always succeeds: the result may be that there is no way, and why.
 */
void cores_find(struct cores *cores, const char *root, const char *sysroot, struct journal *journal);

/* Make the groups and open their files.  What fails turns reservations off, and says why. */
void cores_make(struct cores *cores, prs_u32 slots);

/* Give back what the notes say is taken, also if this process does not know of it.  Returns what remains. */
prs_u32 cores_restore(struct cores *cores);

/* Try once more to empty the slots that processes remained in.  Returns how many still have some. */
prs_u32 cores_retry(struct cores *cores);

/* Put back and remove what has our name, whoever made it.  Returns how many groups there were. */
unsigned int cores_clean(struct cores *cores);

void cores_close(struct cores *cores);

/*
 * Reserve @cpus for the process @pid.  The slot, or a negative errno: -EMFILE all slots are taken, -ENOSPC
 * no cpu would stay with the others, -EBUSY the partition is invalid to the kernel, or what else it says.
 */
int cores_take(struct cores *cores, const struct cpus *cpus, bool balanced, pid_t pid);
void cores_give_back(struct cores *cores, prs_u32 slot);

/* Cpus that reservations have taken, but for the one of @but (JOURNAL_SLOTS: all). */
struct cpus cores_taken(const struct cores *cores, prs_u32 but);

/*
 * Write all processes of @from into @to; goes on until none is left, or what is left cannot be moved, or for
 * a number of rounds: processes that fork and end are hard to catch.  Returns how many the last look found.
 */
int group_move(const struct cgroup *from, const struct cgroup *to);

/* cores_ops.is_empty of both. */
bool slot_is_empty(struct cores *cores, prs_u32 slot);

extern const struct cores_ops cores_by_cgroup2, cores_by_cgroup1;

/* The name that a reading of processes is opened by: the only open() that is left to the daemon. */
extern const char group_procs[];

#endif
