/* SPDX-License-Identifier: MIT */
#include <time.h>

#include "cmd/ctl/ctl.h"
#include "cmd/try/try.h"

#define BY_PERSEUSD 1 /* perseus_status.steps_way */

/* Does @pid hold the frequency policy of a cpu?  What cannot be asked is not held. */
static bool holds_policy(struct ctl_link *l, uint32_t pid)
{
	prs_u8 asked[PRS_CTL_CPUS / 8] = {0};
	struct prs_ctl_reply r;

	for (uint32_t cpu = 0; cpu < PRS_CTL_CPUS; cpu++) {
		if (!ctl_cpus_has(l->client.hello.cpus, cpu) || ctl_cpus_has(asked, cpu))
			continue;
		if (ctl_query(l, cpu, PRS_CTL_FREQUENCY, &r, NULL))
			continue;
		if (r.lease && r.holder_pid == pid)
			return true;
		for (size_t i = 0; i < sizeof(asked); i++)
			asked[i] |= r.cpus[i];
	}
	return false;
}

void try_given_back(const char *socket, const struct prs_trial_status *s)
{
	static const struct timespec pause = {0, 1000000}; /* a millisecond */
	struct ctl_link l;

	if (s->words[PRS_TRIAL_STEPS_WAY] != BY_PERSEUSD || ctl_open(&l, socket, NULL))
		return;
	for (int i = 0; i < CTL_TIMEOUT_MS && holds_policy(&l, s->pid); i++)
		nanosleep(&pause, NULL);
	ctl_close(&l.client);
}
