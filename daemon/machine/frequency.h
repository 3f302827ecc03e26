/* SPDX-License-Identifier: MIT */
/*
 * Frequency policies of this machine, and one way of bounding them: requests
 * to the module, or cpufreq's own files.  Everything is opened at the start.
 */
#ifndef PERSEUS_DAEMON_MACHINE_FREQUENCY_H
#define PERSEUS_DAEMON_MACHINE_FREQUENCY_H

#include "daemon/machine/cpus.h"
#include "daemon/machine/journal.h"

#define NO_POLICY 0xffffu

struct range {
	prs_u32 min, max; /* kHz */
};

static inline bool range_is_inside(struct range inner, struct range outer)
{
	return inner.min >= outer.min && inner.max <= outer.max;
}

struct policy {
	prs_u32 cpu; /* the first one, which is its number */
	struct cpus cpus;
	struct range hardware;
	struct range limit;             /* of the hardware and the configuration */
	int min_fd, max_fd, current_fd; /* cpufreq's files, -1: not open */
	struct range set;               /* of the last hold */
	bool is_unusable;               /* its files could not be opened, or not be read */
	struct journal_policy *journal;
};

struct in_force {
	struct range range;
	prs_u32 current; /* 0 = the driver does not say */
};

struct frequency;

/* All return 0 or a negative errno. */
struct frequency_ops {
	/* Bound it; a second time without a release in between, other bounds.  A failure can leave it half done. */
	int (*hold)(struct frequency *all, struct policy *policy, struct range wanted);
	/* As it was before the first hold, and an audit line unless @all is quiet; nothing if it is not held. */
	int (*release)(struct frequency *all, struct policy *policy);
	int (*read)(struct frequency *all, struct policy *policy, struct in_force *out);
	/*
	 * The same after a hold: what came of it.  The kernel may take its time, so *patience, in milliseconds, is
	 * waited for at most, and is what remains of it.
	 */
	int (*settle)(struct frequency *all, struct policy *policy, int *patience, struct in_force *out);
};

struct frequency {
	prs_u32 by; /* PRS_CTL_BY_MODULE, PRS_CTL_BY_CPUFREQ, 0 = there is no way */
	const struct frequency_ops *ops;
	int device;    /* of the module, -1: not open */
	bool is_quiet; /* a release that succeeds is not spoken of: the end of a lease says it all */
	prs_u32 n;
	struct policy policy[PRS_CTL_CPUS];
	prs_u16 of_cpu[PRS_CTL_CPUS]; /* index of the policy, or NO_POLICY */
	prs_u32 lost;                 /* policies whose notes are impossible: they stay as they are */
	char why[160];                /* why there is no way, for people */
};

/*
 * Find the policies below SYSROOT/sys, and /dev/perseus or the policies' files.  @limit narrows what the
 * hardware can; 0 = not.  A policy that it leaves nothing of is not offered.  Always succeeds: the result
 * may be that there is no way, and why.
 */
void frequency_find(struct frequency *all, const char *sysroot, struct range limit, struct journal *journal);

/* The policy of a cpu, NULL if it has none. */
struct policy *frequency_policy(struct frequency *all, prs_u32 cpu);

/*
 * Put back whatever the notes say is held and nobody has (@is_busy NULL: nobody has anything).  Returns how
 * many policies remain to be put back.
 */
prs_u32 frequency_restore(struct frequency *all,
			  bool (*is_busy)(const void *context, const struct policy *policy),
			  const void *context);

void frequency_close(struct frequency *all);

/* The ways. */
extern const struct frequency_ops frequency_by_cpufreq, frequency_by_module;

/* Open the policy's files, and note their limits; 0 or a negative errno. */
int cpufreq_open(struct policy *policy, const char *dir);

/* Open the device and ask it for the limits of all policies; 0 or a negative errno. */
int module_open(struct frequency *all, const char *sysroot);

#endif
