/* SPDX-License-Identifier: MIT */
/*
 * What must be put right when the daemon ends, however it ends.  A file below
 * /run, mapped by the daemon and its guard: a store is all it takes to note
 * something down, so it is done before each change, and the note survives
 * whoever is killed.  The guard reads it when the daemon is gone, the next
 * daemon when both are.
 */
#ifndef PERSEUS_DAEMON_MACHINE_JOURNAL_H
#define PERSEUS_DAEMON_MACHINE_JOURNAL_H

#include <stdbool.h>

#include "daemon/machine/cpus.h"
#include "daemon/machine/problem.h"

#define JOURNAL_MAGIC 0x5045454bu /* "KEEP" */
#define JOURNAL_SLOTS 16

/*
 * One file of a policy.  While it is changed from `set` to `next` it can say
 * either; `made` is what the kernel made of the last one that it took.
 */
struct journal_bound {
	prs_u32 saved;
	prs_u32 set;
	prs_u32 next;
	prs_u32 made;
	prs_u32 unsettled; /* written, and not taken over yet: what the file says proves nothing */
};

struct journal_policy {
	prs_u32 held;    /* until it has been put back, whoever does it, and however often it fails */
	prs_u32 pending; /* that it failed was said */
	struct journal_bound min, max;
};

enum { SLOT_FREE, SLOT_USED, SLOT_LEFT };

struct journal_slot {
	prs_u32 used; /* SLOT_LEFT: its cpus were given back, but processes remain in it */
	struct cpus cpus;
};

struct journal {
	prs_u32 magic;
	prs_u32 bytes;
	prs_u32 daemon, guard; /* pids, for messages */
	char boot[40];         /* after a restart of the machine nothing of it is true any more */
	struct journal_policy policy[PRS_CTL_CPUS]; /* by first cpu */
	struct journal_slot slot[JOURNAL_SLOTS];
};

/* What was found when they were opened. */
enum journal_found { JOURNAL_OURS, JOURNAL_NONE, JOURNAL_OLD, JOURNAL_DAMAGED };

/*
 * Open and map DIR/state (DIR is made if need be), locked against a second daemon.  The caller and its
 * children share the mapping and the lock.  If another has the lock it is waited for, for some seconds: a
 * guard may still be restoring.  What does not belong to this boot, or is not of this form, is cleared;
 * @found says what it was.  Returns 0 or an exit status.
 */
int journal_open(struct journal **journal, const char *dir, const char *sysroot, enum journal_found *found,
		 struct problem *problem);

/*
 * The file that a directory or configuration holds is trusted if it belongs to root or to who runs the
 * daemon, and nobody else can write it.  @what is for the message.  Returns 0 or EXIT_MACHINE.
 */
int trust_file(int fd, const char *path, const char *what, struct problem *problem);

/* The same for all directories on the way to a file, and links: who can write one can put another file there. */
int trust_dir_of(const char *path, struct problem *problem);

/* Stores before it are made before stores behind it: a signal can end the process in between. */
static inline void journal_barrier(void)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

#endif
