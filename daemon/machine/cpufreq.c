/* SPDX-License-Identifier: MIT */
/*
 * Frequencies by cpufreq's own files, scaling_min_freq and scaling_max_freq.
 * They are common property: what they said is noted down before the first
 * change, and put back only where they still say what was written here.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>

#include "daemon/machine/audit.h"
#include "daemon/machine/clock.h"
#include "daemon/machine/files.h"
#include "daemon/machine/frequency.h"

static int read_range(const struct policy *policy, struct range *out)
{
	int error = file_read_number(policy->min_fd, &out->min);

	return error ? error : file_read_number(policy->max_fd, &out->max);
}

int cpufreq_open(struct policy *policy, const char *dir)
{
	struct range now;

	policy->min_fd = file_open(dir, "scaling_min_freq", O_RDWR);
	policy->max_fd = file_open(dir, "scaling_max_freq", O_RDWR);
	policy->current_fd = file_open(dir, "scaling_cur_freq", O_RDONLY);
	if (policy->min_fd < 0)
		return policy->min_fd;
	if (policy->max_fd < 0)
		return policy->max_fd;
	return read_range(policy, &now);
}

static int cpufreq_read(struct frequency *all, struct policy *policy, struct in_force *out)
{
	int error = read_range(policy, &out->range);

	(void)all;
	if (policy->current_fd < 0 || file_read_number(policy->current_fd, &out->current))
		out->current = 0;
	return error;
}

/* At no time may the lower bound be above the upper one. */
static int write_range(const struct policy *policy, struct range now, struct range wanted)
{
	bool is_max_first = wanted.max >= now.max;
	int error = is_max_first ? file_write_number(policy->max_fd, wanted.max)
				 : file_write_number(policy->min_fd, wanted.min);

	if (error)
		return error;
	return is_max_first ? file_write_number(policy->min_fd, wanted.min)
			    : file_write_number(policy->max_fd, wanted.max);
}

/* Note down what there is, before the first change. */
static void note_first(struct policy *policy, struct range now)
{
	struct journal_policy *journal = policy->journal;

	journal->pending = 0;
	journal->min = (struct journal_bound){now.min, now.min, now.min, now.min, 0};
	journal->max = (struct journal_bound){now.max, now.max, now.max, now.max, 0};
	journal_barrier();
	journal->held = 1;
	journal_barrier();
}

/* The file says what was written, what the kernel made of it, or what it said before and will say no more. */
static bool cpufreq_is_ours(const struct journal_bound *bound, prs_u32 value)
{
	return bound->unsettled || value == bound->set || value == bound->next || value == bound->made ||
	       value == bound->saved;
}

/* Somebody else has changed it since: that is what will be put back. */
static void note_others(const struct policy *policy, struct journal_bound *bound, const char *name,
			prs_u32 value)
{
	if (cpufreq_is_ours(bound, value))
		return;
	audit("change=noted policy=%u bound=%s found=%u set=%u saved=%u reason=changed-by-others",
	      policy->cpu, name, value, bound->set, bound->saved);
	bound->saved = value;
}

static void begin_change(struct journal_bound *bound, prs_u32 now, prs_u32 wanted)
{
	bound->made = now;
	journal_barrier();
	bound->unsettled = now != wanted;
	bound->next = wanted;
}

static int cpufreq_hold(struct frequency *all, struct policy *policy, struct range wanted)
{
	struct journal_policy *journal = policy->journal;
	struct range now;
	int error = read_range(policy, &now);

	(void)all;
	if (error)
		return error;
	if (journal->held) {
		note_others(policy, &journal->min, "min", now.min);
		note_others(policy, &journal->max, "max", now.max);
	} else {
		note_first(policy, now);
	}
	begin_change(&journal->min, now.min, wanted.min);
	begin_change(&journal->max, now.max, wanted.max);
	journal_barrier();
	error = write_range(policy, now, wanted);
	if (error)
		return error;
	journal_barrier();
	journal->min.set = wanted.min;
	journal->max.set = wanted.max;
	policy->set = wanted;
	return 0;
}

/*
 * What it says now is what the kernel made of it, if it is as it was wanted or has changed at all.  Otherwise
 * the work may be still to come.
 */
static void end_change(struct journal_bound *bound, prs_u32 value, bool is_inside)
{
	if (bound->unsettled && !is_inside && value == bound->made)
		return;
	bound->made = value;
	journal_barrier();
	bound->unsettled = 0;
}

/* Bounds are taken over by work of the kernel some time after the write, and moved to steps of the driver. */
static int cpufreq_settle(struct frequency *all, struct policy *policy, int *patience, struct in_force *out)
{
	prs_u64 start = clock_us(), waited = 0;
	struct range *now = &out->range;
	int error;

	while (!(error = cpufreq_read(all, policy, out)) && !range_is_inside(*now, policy->set) &&
	       waited < (prs_u64)*patience) {
		poll(NULL, 0, 1);
		waited = (clock_us() - start) / 1000;
	}
	*patience -= waited < (prs_u64)*patience ? (int)waited : *patience;
	if (error)
		return error;
	end_change(&policy->journal->min, now->min, now->min >= policy->set.min);
	end_change(&policy->journal->max, now->max, now->max <= policy->set.max);
	return 0;
}

/* What to write so that only what is ours changes; says what is left alone. */
static prs_u32 to_restore(const struct policy *policy, const struct journal_bound *bound, const char *name,
			  prs_u32 now)
{
	if (cpufreq_is_ours(bound, now))
		return bound->saved;
	audit("change=left policy=%u bound=%s found=%u set=%u saved=%u reason=changed-by-others", policy->cpu,
	      name, now, bound->set, bound->saved);
	return now;
}

static int put_back(struct frequency *all, const struct policy *policy, struct range now)
{
	const struct journal_policy *journal = policy->journal;
	struct range back = {to_restore(policy, &journal->min, "min", now.min),
			     to_restore(policy, &journal->max, "max", now.max)};
	int error, min_error, max_error;

	/* Notes that somebody has tampered with, or bounds of others that cross ours. */
	if (back.min > back.max || !range_is_inside(back, policy->hardware)) {
		audit("change=left policy=%u min=%u max=%u reason=impossible", policy->cpu, back.min,
		      back.max);
		all->lost++;
		return 0;
	}
	error = write_range(policy, now, back);
	if (error) {
		/* Each file by itself: one that cannot be written must not keep the other. */
		max_error = file_write_number(policy->max_fd, back.max);
		min_error = file_write_number(policy->min_fd, back.min);
		error = max_error ? max_error : min_error;
	}
	if (!error && !all->is_quiet)
		audit("change=restored policy=%u min=%u max=%u was=%u-%u error=0", policy->cpu, back.min,
		      back.max, now.min, now.max);
	return error;
}

/* The policy of a cpu that is offline can neither be read nor written: what is not put back stays noted. */
static int cpufreq_release(struct frequency *all, struct policy *policy)
{
	struct journal_policy *journal = policy->journal;
	struct range now;
	int error;

	if (!journal->held)
		return 0;
	error = read_range(policy, &now);
	if (!error)
		error = put_back(all, policy, now);
	if (error) {
		if (!journal->pending)
			audit("change=pending policy=%u min=%u max=%u error=%d", policy->cpu,
			      journal->min.saved, journal->max.saved, -error);
		journal->pending = 1;
		return error;
	}
	journal_barrier();
	journal->held = 0;
	return 0;
}

const struct frequency_ops frequency_by_cpufreq = {
	.hold = cpufreq_hold,
	.release = cpufreq_release,
	.read = cpufreq_read,
	.settle = cpufreq_settle,
};
