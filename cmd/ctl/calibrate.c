/* SPDX-License-Identifier: MIT */
#include "cmd/ctl/calibrate.h"

#include <errno.h>
#include <string.h>

#include "platform/cpufreq.h"

/* What was refused and why, in one sentence: a note has no room for the next step. */
static int in_one_line(struct err *err)
{
	char *second = strchr(err->msg, '\n'), *third = second ? strchr(second + 1, '\n') : NULL;

	if (third)
		*third = '\0';
	if (second)
		memcpy(second, "; ", 2);
	if (second)
		memmove(second + 2, second + 3, strlen(second + 3) + 1);
	return err->code;
}

/* ---- through the daemon: as the triggers of a plan do it ---- */

static int calibrate_release(struct calibrate_control *c)
{
	struct prs_ctl_request q = {.op = PRS_CTL_RELEASE, .lease = c->lease};
	struct prs_ctl_reply r;
	int ret = c->lease ? ctl_ask(&c->link, &q, &r, NULL) : 0;

	c->lease = 0;
	return ret;
}

/* The domain of @core, all its steps, for as long as this process lives. */
static int lease(struct calibrate_control *c, uint32_t core, struct err *err)
{
	const struct platform *p = c->platform;
	struct prs_ctl_request q = {.op = PRS_CTL_LEASE, .flags = PRS_CTL_FREQUENCY};
	struct prs_ctl_reply r;
	int ret;

	calibrate_release(c);
	ret = ctl_query(&c->link, core, PRS_CTL_FREQUENCY, &r, err);
	if (!ret) {
		memcpy(q.cpus, r.cpus, sizeof(q.cpus));
		q.min_khz = p->steps[p->n_steps - 1].khz;
		q.max_khz = p->steps[0].khz;
		q.ttl_ms = c->link.client.hello.ttl_ms;
		ret = ctl_lease(&c->link, &q, &r, err);
	} else if (ret > 0) {
		ret = ctl_refused(&c->link, &q, &r, err);
	}
	if (ret < 0)
		return in_one_line(err);
	c->lease = r.lease;
	c->leased_core = core;
	return 0;
}

static int daemon_set(void *context, uint32_t core, uint32_t khz, struct err *err)
{
	struct calibrate_control *c = context;
	struct prs_ctl_request q = {.op = PRS_CTL_SET, .cpu = core, .min_khz = khz, .max_khz = khz};
	struct prs_ctl_reply r;
	int ret = c->lease && c->leased_core == core ? 0 : lease(c, core, err);

	if (ret)
		return ret;
	q.lease = c->lease;
	ret = ctl_ask(&c->link, &q, &r, err);
	/* A step outside of what perseusd.conf lends is one that cannot be had. */
	if (ret == PRS_CTL_NOT_HELD_STATUS || ret == PRS_CTL_BAD_RANGE_STATUS)
		return 1;
	if (ret > 0)
		ret = ctl_refused(&c->link, &q, &r, err);
	return ret ? in_one_line(err) : r.min_khz != khz || r.max_khz != khz;
}

static int daemon_end(void *context, struct err *err)
{
	struct calibrate_control *c = context;
	int ret = calibrate_release(c);

	ctl_close(&c->link.client);
	return ret ? err_set(err, -EIO,
			     "perseusd had taken the lease back before the end: steps may be wrong")
		   : 0;
}

/* ---- through cpufreq's files ---- */

static int files_set(void *context, uint32_t core, uint32_t khz, struct err *err)
{
	struct calibrate_control *c = context;

	return hold_set(c->hold, core, khz, err);
}

static int files_end(void *context, struct err *err)
{
	struct calibrate_control *c = context;

	return hold_close(c->hold, err);
}

/* ---- which of them ---- */

static int why_not(const struct calibrate_control *c, int daemon, struct err *err)
{
	if (daemon == -ENOENT || daemon == -ECONNREFUSED)
		return err_set(err, -EACCES,
			       "perseusd does not run, and this user may not write cpufreq's files "
			       "(perseus doctor)");
	if (daemon == -EACCES)
		return err_set(err, -EACCES,
			       "this user may use neither perseusd nor cpufreq's files (perseus doctor)");
	return err_set(err, -EACCES,
		       "perseusd at '%.80s' sets none, and this user may not write cpufreq's files",
		       c->link.socket);
}

static int nothing_to_measure(const struct platform *p, struct err *err)
{
	struct cpufreq_facts facts;

	cpufreq_facts(&facts, p, "");
	if (!facts.present)
		return err_set(err, -ENOENT, "this machine has no cpufreq (perseus doctor)");
	return err_set(err, -ENOENT, "%s offers one step only", facts.driver);
}

int calibrate_control_find(void *context, const struct platform *p, struct step_control *control,
			   struct err *err)
{
	struct calibrate_control *c = context;
	struct err ignored = ERR_INIT;
	int ret;

	if (p->n_steps < 2)
		return nothing_to_measure(p, err);
	c->platform = p;
	ret = ctl_open(&c->link, c->socket, &ignored);
	if (!ret && c->link.client.hello.flags & PRS_CTL_FREQUENCY) {
		*control = (struct step_control){"perseusd", daemon_set, daemon_end, c};
		return 0;
	}
	if (!ret)
		ctl_close(&c->link.client);
	if (hold_open(&c->hold, "", p->cores[0].id, &ignored))
		return why_not(c, ret, err);
	*control = (struct step_control){"cpufreq's files", files_set, files_end, c};
	return 0;
}
