/* SPDX-License-Identifier: MIT */
/* Frequency steps for training: one lease of all cores, and the same step on each. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "cmd/energy/energy.h"
#include "platform/topology.h"

/* The first line of a refusal. */
static int in_short(struct err *err)
{
	err->msg[strcspn(err->msg, "\n")] = '\0';
	return err->code;
}

/* Take the lease, or take it again. */
static int take_lease(struct energy_steps *s, struct err *err)
{
	struct prs_ctl_request q = {
		.op = PRS_CTL_LEASE, .flags = PRS_CTL_FREQUENCY, .ttl_ms = s->link.client.hello.ttl_ms};
	struct prs_ctl_reply r;
	int ret;

	memcpy(q.cpus, s->cpus, sizeof(q.cpus));
	ret = ctl_lease(&s->link, &q, &r, err);
	if (ret < 0)
		return in_short(err);
	s->lease = r.lease;
	return 0;
}

static int set_policy(struct energy_steps *s, uint32_t cpu, uint32_t khz, struct err *err)
{
	struct prs_ctl_request q = {
		.op = PRS_CTL_SET, .lease = s->lease, .cpu = cpu, .min_khz = khz, .max_khz = khz};
	struct prs_ctl_reply r;
	int ret = ctl_ask(&s->link, &q, &r, err);

	if (ret == PRS_CTL_NO_LEASE_STATUS) {
		ret = take_lease(s, err);
		if (ret)
			return ret;
		q.lease = s->lease;
		ret = ctl_ask(&s->link, &q, &r, err);
	}
	/* A step outside of what perseusd.conf lends is one that cannot be had. */
	if (ret == PRS_CTL_NOT_HELD_STATUS || ret == PRS_CTL_BAD_RANGE_STATUS)
		return 1;
	if (ret > 0)
		ret = ctl_refused(&s->link, &q, &r, err);
	return ret ? in_short(err) : r.min_khz != khz || r.max_khz != khz;
}

static int steps_set(void *context, size_t i, struct err *err)
{
	struct energy_steps *s = context;
	int ret = 0;

	for (size_t k = 0; k < s->n_policies && !ret; k++)
		ret = set_policy(s, s->policy[k], s->khz[i], err);
	return ret;
}

/* The lease was not lost meanwhile. */
static bool steps_held(void *context)
{
	struct energy_steps *s = context;
	struct prs_ctl_request q = {
		.op = PRS_CTL_RENEW, .lease = s->lease, .ttl_ms = s->link.client.hello.ttl_ms};
	struct prs_ctl_reply r;
	struct err err = ERR_INIT;

	return !ctl_ask(&s->link, &q, &r, &err);
}

/* All cores of the machine and the policies that they are in. */
static int find_policies(struct energy_steps *s, const struct platform *p, struct err *err)
{
	const prs_u8 *lent = s->link.client.hello.cpus;

	for (uint32_t i = 0; i < p->n_cores; i++) {
		uint32_t cpu = p->cores[i].id;
		struct prs_ctl_reply r;
		int ret;

		if (!ctl_cpus_has(lent, cpu))
			return err_set(err, -EACCES,
				       "perseusd does not lend core %" PRIu32
				       ", on which programs would run at another step",
				       cpu);
		if (ctl_cpus_has(s->cpus, cpu))
			continue;
		ret = ctl_query(&s->link, cpu, PRS_CTL_FREQUENCY, &r, err);
		if (ret)
			return ret < 0 ? in_short(err)
				       : err_set(err, -EACCES, "perseusd knows no steps of core %" PRIu32,
						 cpu);
		for (uint32_t c = 0; c < PRS_CTL_CPUS; c++)
			if (ctl_cpus_has(r.cpus, c))
				ctl_cpus_add(s->cpus, c);
		ctl_cpus_add(s->cpus, cpu);
		s->policy[s->n_policies++] = cpu;
	}
	return 0;
}

static int find_khz(struct energy_steps *s, const struct platform *p, struct train_steps *out,
		    struct err *err)
{
	if (p->n_steps < 2)
		return err_set(err, -ENOENT, "this machine offers no frequency steps (perseus doctor)");
	if (p->n_steps > TRAIN_MOST_STEPS)
		return err_set(err, -E2BIG, "%" PRIu32 " frequency steps, at most %d", p->n_steps,
			       TRAIN_MOST_STEPS);
	for (uint32_t i = 0; i < p->n_steps; i++) {
		s->khz[i] = p->steps[i].khz;
		out->mhz[i] = (p->steps[i].khz + 500) / 1000;
	}
	out->n = p->n_steps;
	return 0;
}

int energy_steps_open(struct energy_steps *s, const char *sysroot, struct train_steps *out, struct err *err)
{
	struct platform p;
	int ret = platform_read(&p, sysroot, err);

	if (ret)
		return in_short(err);
	ret = find_khz(s, &p, out, err);
	if (!ret && ctl_open(&s->link, s->socket, err))
		ret = in_short(err);
	else if (!ret && !(s->link.client.hello.flags & PRS_CTL_FREQUENCY))
		ret = err_set(err, -EACCES, "perseusd lends this user none");
	if (!ret)
		ret = find_policies(s, &p, err);
	if (!ret)
		ret = take_lease(s, err);
	platform_release(&p);
	out->set = steps_set;
	out->held = steps_held;
	out->context = s;
	if (ret)
		energy_steps_close(s);
	return ret;
}

void energy_steps_close(struct energy_steps *s)
{
	struct prs_ctl_request q = {.op = PRS_CTL_RELEASE, .lease = s->lease};
	struct prs_ctl_reply r;
	struct err err = ERR_INIT;

	if (s->lease)
		ctl_ask(&s->link, &q, &r, &err);
	s->lease = 0;
	ctl_close(&s->link.client);
}
