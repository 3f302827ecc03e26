/* SPDX-License-Identifier: MIT */
/* perseus doctor: what the machine can measure and control. */
#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/doctor/doctor.h"
#include "lib/fs.h"
#include "lib/num.h"
#include "perseus/ctl.h"
#include "platform/base/clock.h"
#include "platform/cpufreq.h"
#include "platform/events/counters.h"
#include "platform/events/events.h"
#include "platform/topology.h"

#define RDPMC_CHEAP_NS 50.0 /* above it counters are read by read(2), at intervals */

static void check_clock(struct doctor *d)
{
	char step[32], cost[32];
	struct clock_facts f;
	bool here = !*d->sysroot;

	clock_facts(&f, d->sysroot);
	if (!here) {
		doctor_row(d, "clock", !strcmp(f.source, "tsc") ? DOCTOR_OK : DOCTOR_LIMITED,
			   "the kernel's clock source is %s", *f.source ? f.source : "not known");
	} else if (!f.invariant) {
		doctor_row(d, "clock", DOCTOR_LIMITED, "no invariant TSC: times come from clock_gettime (%s)",
			   *f.source ? f.source : "source not known");
	} else {
		doctor_row(d, "clock", DOCTOR_OK, "invariant TSC, %.3f GHz, step %s, read %s", f.tsc_hz / 1e9,
			   num_time(step, sizeof(step), f.step_ns * 1e-9),
			   num_time(cost, sizeof(cost), f.read_ns * 1e-9));
	}
	if (*f.source && strcmp(f.source, "tsc") && strncmp(f.source, "kvm", 3))
		doctor_remedy(d, "the kernel distrusts the TSC: see dmesg, or boot with tsc=reliable");
}

static const char *refusal(int error)
{
	switch (error) {
	case 0:
		return "the cycle counter stands still";
	case ENOENT:
	case ENODEV:
	case EOPNOTSUPP:
		return "the kernel offers none";
	default:
		return strerror(error);
	}
}

static void refused_counters(struct doctor *d, int error, int paranoid)
{
	static const struct event clock = {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_TASK_CLOCK};
	bool user_only;

	doctor_row(d, "counters", DOCTOR_ABSENT,
		   "not usable (%s): cycles are CPU time times calibrated frequency%s", refusal(error),
		   event_try(&clock, &user_only) ? "" : "; software events work");
	if (error == EACCES || error == EPERM)
		doctor_remedy(
			d, paranoid > 2
				   ? "as root: sysctl kernel.perf_event_paranoid=2"
				   : "a container: --cap-add PERFMON, and allow perf_event_open in seccomp");
	else if (counters_virtual(d->sysroot))
		doctor_remedy(d, "give the virtual machine a PMU: on the host, -cpu host,pmu=on");
	else
		doctor_remedy(d, "a kernel with CONFIG_PERF_EVENTS that knows this processor");
}

static void check_counters(struct doctor *d)
{
	int paranoid = counters_paranoid(d->sysroot);
	char text[120] = "";
	struct counter_facts f;
	size_t used;

	if (*d->sysroot) {
		doctor_row(d, "counters", paranoid > 2 ? DOCTOR_ABSENT : DOCTOR_NOT_TRIED,
			   "perf_event_paranoid is %d%s; counters cannot be tried in a sysroot", paranoid,
			   paranoid > 2 ? " (closed to users)" : "");
		if (paranoid > 2)
			doctor_remedy(d, "as root: sysctl kernel.perf_event_paranoid=2");
		return;
	}
	counters_probe(&f);
	if (f.error || f.dead_cycles) {
		refused_counters(d, f.error, paranoid);
		return;
	}
	if (f.rdpmc && f.rdpmc_ns >= RDPMC_CHEAP_NS)
		snprintf(text, sizeof(text), "; rdpmc traps (%.2f us): reading every 1 ms",
			 f.rdpmc_ns / 1000);
	else if (!f.rdpmc)
		snprintf(text, sizeof(text), "; no rdpmc: reading every 1 ms");
	used = strlen(text);
	if (!*f.library_pmu)
		snprintf(text + used, sizeof(text) - used, "; libpfm4 does not know this processor");
	doctor_row(d, "counters", *text ? DOCTOR_LIMITED : DOCTOR_OK,
		   "%" PRIu32 " at once, user mode, read %.2f us%s", f.at_once, f.read_ns / 1000, text);
	if (!*f.library_pmu)
		doctor_remedy(d, "generic events work; event names of this processor need a newer libpfm4");
}

static void check_sampling(struct doctor *d)
{
	const char *how = counters_sampling(d->sysroot);

	if (how)
		doctor_row(d, "sampling", DOCTOR_OK, "data addresses can be sampled (%s); probes need none",
			   how);
	else
		doctor_row(d, "sampling", DOCTOR_NOT_NEEDED,
			   "no IBS, no precise events%s: sharing is found by probes instead",
			   counters_virtual(d->sysroot) ? " (this is a virtual machine)" : "");
}

static void cannot_set(struct doctor *d)
{
	if (d->daemon)
		doctor_remedy(d,
			      "perseusd sets them for %s: see the next line; or, as root: chown USER "
			      "/sys/devices/system/cpu/cpufreq/policy*/scaling_m*_freq",
			      d->daemon == -EACCES ? "those who may open its socket"
						   : "ordinary users, once it runs");
	else if (d->able & PRS_CTL_FREQUENCY)
		doctor_remedy(d, "perseusd sets them for others: frequency-users of perseusd.conf; as root, "
				 "then systemctl restart perseusd");
	else
		doctor_remedy(d, "perseusd found none when it started: as root: systemctl restart perseusd");
}

/* True if there is cpufreq. */
static bool check_frequency(struct doctor *d, const struct platform *p)
{
	bool lent = d->lent & PRS_CTL_FREQUENCY;
	struct cpufreq_facts f;

	cpufreq_facts(&f, p, d->sysroot);
	if (!f.present) {
		doctor_row(d, "frequency", DOCTOR_ABSENT,
			   "no cpufreq: plans can be made and simulated, triggers act on affinity only");
		doctor_remedy(d, counters_virtual(d->sysroot)
					 ? "none in a virtual machine: plan for another with --platform "
					   "FILE, run it there"
					 : "modprobe acpi-cpufreq, then perseus doctor again");
		return false;
	}
	doctor_row(d, "frequency", f.can_set || lent ? DOCTOR_OK : DOCTOR_LIMITED,
		   "%s, governor %s, %" PRIu32 " steps from %.2f to %.2f GHz, %" PRIu32 " domain%s%s",
		   f.driver, *f.governor ? f.governor : "none", p->n_steps,
		   p->steps[p->n_steps - 1].khz / 1e6, p->steps[0].khz / 1e6, p->n_domains,
		   p->n_domains == 1 ? "" : "s",
		   lent        ? "; perseusd sets them"
		   : f.can_set ? ""
			       : "; this user cannot set them");
	if (!f.can_set && !lent)
		cannot_set(d);
	else if (strcmp(f.governor, "performance") && strcmp(f.governor, "userspace"))
		doctor_remedy(d, "for steady timings, as root: cpupower frequency-set -g performance");
	return true;
}

static void check_cores(struct doctor *d, const struct platform *p)
{
	uint32_t usable = 0;

	for (uint32_t i = 0; i < p->n_cores; i++)
		usable += p->cores[i].usable;
	doctor_row(d, "affinity", usable > 1 ? DOCTOR_OK : DOCTOR_LIMITED,
		   "%" PRIu32 " of %" PRIu32 " cores usable, %" PRIu32 " package%s%s", usable, p->n_cores,
		   p->n_packages, p->n_packages == 1 ? "" : "s",
		   usable > 1 ? "" : ": threads cannot run in parallel, nothing can be placed");
	if (usable == 1 && p->n_cores > 1)
		doctor_remedy(d, "taskset or the container's cpuset leaves one core: give it at least two");
}

static void check_load(struct doctor *d, const struct platform *p)
{
	char buf[128];
	double load;

	if (fs_read_small(d->sysroot, "/proc/loadavg", buf, sizeof(buf)))
		return;
	load = strtod(buf, NULL);
	doctor_row(d, "load", load > 0.3 * p->n_cores ? DOCTOR_LIMITED : DOCTOR_OK,
		   "load average %.2f on %" PRIu32 " cores%s", load, p->n_cores,
		   load > 0.3 * p->n_cores ? ": timings will be noisy" : "");
	if (load > 0.3 * p->n_cores)
		doctor_remedy(d, "record, calibrate and prove when the machine is quiet");
}

void doctor_machine(struct doctor *d)
{
	struct err err = ERR_INIT;
	struct platform p;

	check_clock(d);
	check_counters(d);
	check_sampling(d);
	doctor_energy(d);
	if (platform_read(&p, d->sysroot, &err)) {
		doctor_row(d, "affinity", DOCTOR_LIMITED, "%s", err.msg);
		return;
	}
	doctor_ask_daemon(d);
	doctor_control(d, check_frequency(d, &p));
	check_cores(d, &p);
	check_load(d, &p);
	platform_release(&p);
}
