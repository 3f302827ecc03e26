/* SPDX-License-Identifier: MIT */
/*
 * What is built on the module: perseusd, its reservations, and a program with
 * generated triggers, with frequencies by the module and by cpufreq's files.
 * Whoever is killed, everything is as it was before.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/client.h"
#include "tests/kmod/guest.h"

#define DAEMON     "/sbin/perseusd"
#define DAEMON_LOG "/tmp/perseusd.log"
#define STEPS      "/bin/steps"
#define CGROUPS    "/sys/fs/cgroup/"
#define TIMEOUT_MS 20000

static pid_t daemon_pid, guard_pid;

/* ---- small things -------------------------------------------------------------- */

/* True as soon as CHECK is; what must never be waited for is not asked here. */
static bool soon(bool (*check)(void))
{
	for (unsigned i = 0; i < 4000; i++) {
		if (check())
			return true;
		sleep_ms(5);
	}
	return false;
}

/* As restored(), but says nothing. */
static bool is_restored(void)
{
	for (unsigned i = 0; i < GUEST_POLICIES; i++) {
		const struct guest_policy *p = &guest_policies[i];

		if (policy_min(p->cpu) != p->min_khz || policy_max(p->cpu) != p->max_khz)
			return false;
	}
	return number_of("/sys/module/perseus/parameters/holds") <= 0;
}

static bool restored_soon(void)
{
	return soon(is_restored) || restored();
}

static const char *line_of(const char *path)
{
	static char text[256];

	return text_of(path, text, sizeof(text));
}

/* Processes, cgroups: all cpus are everybody's again. */
static bool is_together(void)
{
	cpu_set_t set;

	sched_getaffinity(1, sizeof(set), &set);
	return CPU_COUNT(&set) == GUEST_CPUS && !strcmp(line_of(CGROUPS "cpuset.cpus.effective"), "0-3");
}

/* ---- the daemon ------------------------------------------------------------------- */

static bool is_ready(void)
{
	char text[4096], *ready = strstr(text_of(DAEMON_LOG, text, sizeof(text)), "guard=");

	guard_pid = ready ? atoi(ready + 6) : 0;
	return guard_pid > 0;
}

static bool daemon_begins(void)
{
	char *const argv[] = {DAEMON, NULL};
	int log = open(DAEMON_LOG, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600), saved = dup(2);

	dup2(log, 2);
	daemon_pid = start(argv);
	dup2(saved, 2);
	close(saved);
	close(log);
	if (soon(is_ready))
		return true;
	note("perseusd: %s", line_of(DAEMON_LOG));
	return false;
}

static bool no_guard(void)
{
	return kill(guard_pid, 0) && errno == ESRCH;
}

/* SIGTERM; its status, after the guard has ended, too. */
static int daemon_ends(void)
{
	int status = end(daemon_pid, SIGTERM);

	soon(no_guard);
	return status;
}

/* ---- clients -------------------------------------------------------------------------- */

struct lease {
	const char *cpus; /* "0", "12" */
	prs_u32 flags, min_khz, max_khz;
};
static const struct lease frequency = {"0", PRS_CTL_FREQUENCY, 800000, 1600000};
static const struct lease core = {"3", PRS_CTL_RESERVE, 0, 0};
static const struct lease both = {"12", PRS_CTL_FREQUENCY | PRS_CTL_RESERVE, 800000, 1600000};

static int take(struct ctl_client *c, const struct lease *lease, struct prs_ctl_reply *reply)
{
	struct prs_ctl_request q = {.op = PRS_CTL_LEASE,
				    .flags = lease->flags,
				    .min_khz = lease->min_khz,
				    .max_khz = lease->max_khz};
	int status = ctl_connect(c, NULL, TIMEOUT_MS);

	if (status)
		return status;
	for (const char *p = lease->cpus; *p; p++)
		ctl_cpus_add(q.cpus, (unsigned)(*p - '0'));
	return ctl_request(c, &q, reply);
}

static bool in_force(const struct lease *lease)
{
	unsigned cpu = (unsigned)(lease->cpus[0] - '0');

	if (lease->flags & PRS_CTL_FREQUENCY && policy_max(cpu) != lease->max_khz)
		return false;
	return !(lease->flags & PRS_CTL_RESERVE) || !is_together();
}

/*
 * The daemon waits a moment for the kernel to put bounds into force, and says NOT_HELD if that
 * was too short; the lease is there all the same, and in force later.
 */
static bool is_held(int status, const struct lease *lease, const struct prs_ctl_reply *reply)
{
	if (status != PRS_CTL_NOT_HELD_STATUS || !reply->lease)
		return !status;
	for (unsigned i = 0; i < 4000; i++) {
		if (in_force(lease))
			return true;
		sleep_ms(5);
	}
	return false;
}

static void client(int ready, void *arg)
{
	struct prs_ctl_reply reply;
	struct ctl_client c;
	int status = take(&c, arg, &reply);

	if (!is_held(status, arg, &reply)) {
		fprintf(stderr, "guest: no lease: %s\n",
			status > 0 ? ctl_status_name((prs_u32)status) : strerror(-status));
		_exit(8);
	}
	ready_now(ready);
	pause();
}

static pid_t client_begins(const struct lease *lease)
{
	return child(client, (void *)(uintptr_t)lease);
}

/* ---- somebody is killed ------------------------------------------------------------------ */

enum victim { CLIENT, THE_DAEMON, GUARD, DAEMON_AND_GUARD };
static const char *const victims[] = {"client", "daemon", "guard", "daemon and guard"};

static pid_t kill_them(enum victim who, pid_t client_pid)
{
	if (who == CLIENT) {
		end(client_pid, SIGKILL);
		return 0;
	}
	if (who == THE_DAEMON || who == DAEMON_AND_GUARD)
		kill(daemon_pid, SIGKILL);
	if (who == GUARD || who == DAEMON_AND_GUARD)
		kill(guard_pid, SIGKILL);
	/* A daemon whose guard is gone ends by itself. */
	waitpid(daemon_pid, NULL, 0);
	soon(no_guard);
	return client_pid;
}

/* With both gone only a hold of the module is dropped; the rest is put right at the next start. */
static bool one_round(enum victim who, const struct lease *lease, bool by_module)
{
	pid_t client_pid = client_begins(lease), left;
	bool held = in_force(lease), good;

	left = kill_them(who, client_pid);
	good = who != DAEMON_AND_GUARD || !by_module || soon(is_restored);
	if (who == THE_DAEMON || who == GUARD)
		good = soon(is_restored) && soon(is_together);
	if (who != CLIENT)
		good = daemon_begins() && good;
	good = good && soon(is_restored) && soon(is_together);
	if (left)
		end(left, SIGKILL);
	if (!held || !good)
		note("killed %s: held %d, restored %d; effective %s", victims[who], held, good,
		     line_of(CGROUPS "cpuset.cpus.effective"));
	return held && good;
}

/* A hundred in all, over both ways. */
static void killed(const char *way)
{
	static const struct lease *const leases[] = {&frequency, &both, &core};
	static const unsigned rounds[] = {
		[CLIENT] = 30, [THE_DAEMON] = 8, [GUARD] = 4, [DAEMON_AND_GUARD] = 8};

	for (unsigned who = CLIENT; who <= DAEMON_AND_GUARD; who++) {
		unsigned good = 0;

		for (unsigned i = 0; i < rounds[who]; i++)
			good += one_round((enum victim)who, leases[i % 3], !strcmp(way, "the module"));
		it(good == rounds[who], "%s: %s killed, restored %u of %u", way, victims[who], good,
		   rounds[who]);
	}
}

/* ---- leases ------------------------------------------------------------------------------------ */

static void leases(const char *way, prs_u32 flag)
{
	struct prs_ctl_request set = {.op = PRS_CTL_SET, .cpu = 0, .min_khz = 800000, .max_khz = 800000};
	struct prs_ctl_reply reply, other;
	struct ctl_client a, b;
	int status;

	status = take(&a, &frequency, &reply);
	it(status == 0 && a.hello.flags & flag && a.hello.flags & PRS_CTL_BY_CGROUP2,
	   "%s: a lease, status %d, ways 0x%x", way, status, a.hello.flags);
	it(policy_max(0) == 1600000 && policy_now(0) == 1600000 && reply.max_khz == 1600000 &&
		   reply.current_khz == 1600000,
	   "%s: in force, and read back", way);
	set.lease = reply.lease;
	status = ctl_request(&a, &set, &reply);
	it(status == 0 && policy_now(0) == 800000 && reply.current_khz == 800000, "%s: a step, status %d",
	   way, status);
	status = take(&b, &frequency, &other);
	it(status == PRS_CTL_BUSY_STATUS && other.holder_pid == (prs_u32)getpid(),
	   "%s: a second client: %s, with the holder", way, ctl_status_name((prs_u32)status));
	it(policy_now(0) == 800000, "%s: which changes nothing", way);
	ctl_close(&b);
	ctl_close(&a);
	it(restored_soon(), "%s: closed, restored", way);
}

/* ---- reserved cores -------------------------------------------------------------------------------- */

/* Bits: where a process may run. */
static unsigned cpus_of(pid_t pid)
{
	cpu_set_t set;
	unsigned seen = 0;

	if (sched_getaffinity(pid, sizeof(set), &set))
		return 0;
	for (unsigned i = 0; i < GUEST_CPUS; i++)
		seen |= (unsigned)CPU_ISSET(i, &set) << i;
	return seen;
}

static pid_t other_pid;

/* The kernel changes one process after the other. */
static bool is_other_free(void)
{
	return is_together() && cpus_of(other_pid) == 0xf;
}

static void busy(int ready, void *arg)
{
	(void)arg;
	ready_now(ready);
	for (;;)
		;
}

static void partition(void)
{
	pid_t peer;

	other_pid = child(busy, NULL);
	it(is_other_free(), "at first every cpu is everybody's");
	peer = client_begins(&core);
	it(cpus_of(peer) == 0x8, "who reserved cpu 3 runs there alone: 0x%x", cpus_of(peer));
	it(cpus_of(other_pid) == 0x7 && cpus_of(1) == 0x7,
	   "and others, busy or asleep, on the other three: 0x%x, 0x%x", cpus_of(other_pid), cpus_of(1));
	it(!strcmp(line_of(CGROUPS "cpuset.cpus.effective"), "0-2"), "as the kernel's cpuset says: %s",
	   line_of(CGROUPS "cpuset.cpus.effective"));
	if (!access(CGROUPS "cpuset.cpus.isolated", F_OK))
		it(!strcmp(line_of(CGROUPS "cpuset.cpus.isolated"), "3"), "isolated: 3");
	end(peer, SIGKILL);
	it(soon(is_other_free), "killed: every cpu is everybody's again");
	end(other_pid, SIGKILL);
}

/* ---- a generated program ------------------------------------------------------------------------------ */

struct program {
	pid_t pid;
	int in;
	FILE *out;
	char line[160];
};

static void program_begins(struct program *p, char *const argv[])
{
	int in[2], out[2];

	if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC))
		return;
	p->pid = fork();
	if (!p->pid) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		execv(argv[0], argv);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	p->in = in[1];
	p->out = fdopen(out[0], "r");
}

/* What it prints after WORD. */
static bool program_says(struct program *p, const char *line)
{
	if (!fgets(p->line, sizeof(p->line), p->out))
		strcpy(p->line, "(nothing)");
	if (!strncmp(p->line, line, strlen(line)))
		return true;
	note("steps: %s, expected %s", p->line, line);
	return false;
}

static long long changes(unsigned cpu)
{
	return number_of("/sys/devices/system/cpu/cpufreq/policy%u/stats/total_trans", cpu);
}

static void program(const char *way, unsigned number, bool is_killed)
{
	/* A build for each way: the generated code has one. */
	char path[] = STEPS "1", *const argv[] = {path, "wait", "slow", "wait", "fast", "wait", NULL};
	long long before = changes(1);
	struct program p;
	char want[80];

	path[sizeof(path) - 2] = (char)('0' + number);
	program_begins(&p, argv);
	snprintf(want, sizeof(want), "start: way %u steps 2 not_held 0 refused 0 unavailable 0", number);
	it(program_says(&p, want) && policy_now(0) == 1600000 && policy_now(1) == 1600000,
	   "%s: a generated program sets both domains at its start", way);
	dprintf(p.in, "\n");
	it(program_says(&p, "wait") && program_says(&p, "slow") && policy_now(1) == 800000 &&
		   policy_now(0) == 1600000,
	   "%s: its trigger slows one of them", way);
	if (is_killed) {
		end(p.pid, SIGKILL);
	} else {
		dprintf(p.in, "\n");
		it(program_says(&p, "wait") && program_says(&p, "fast") && policy_now(1) == 2400000,
		   "%s: another trigger speeds it up", way);
		snprintf(want, sizeof(want), "wait: way %u steps 4 not_held 0 refused 0 unavailable 0",
			 number);
		dprintf(p.in, "\n");
		it(program_says(&p, want), "%s: 4 steps, none refused", way);
		end(p.pid, 0);
	}
	it(changes(1) - before >= (is_killed ? 2 : 3), "%s: cpufreq counted %lld changes", way,
	   changes(1) - before);
	fclose(p.out);
	close(p.in);
}

/* ---- all of it --------------------------------------------------------------------------------------------- */

static void with_daemon(const char *way, prs_u32 flag)
{
	if (!it(daemon_begins(), "perseusd with frequencies by %s", way))
		return;
	leases(way, flag);
	partition();
	if (!access(STEPS "1", X_OK)) {
		program("perseusd", 1, false);
		it(restored_soon(), "perseusd: restored when the program has ended");
		program("perseusd", 1, true);
		it(restored_soon(), "perseusd: restored when it was killed");
	}
	killed(way);
	it(daemon_ends() == 0 && restored() && is_together(), "%s: perseusd ends, all as before", way);
}

void control_scenarios(void)
{
	if (access(DAEMON, X_OK)) {
		skip("perseusd in the guest", "not packed");
		return;
	}
	put(CGROUPS "cgroup.subtree_control", "+cpuset");
	with_daemon("the module", PRS_CTL_BY_MODULE);
	if (!access(STEPS "1", X_OK)) {
		program("module", 2, false);
		it(restored(), "module: restored when the program has ended");
		program("module", 2, true);
		it(restored(), "module: restored when it was killed");
	}
	it(unload("perseus") == 0, "the module is unloaded");
	with_daemon("cpufreq's files", PRS_CTL_BY_CPUFREQ);
	if (!access(STEPS "1", X_OK))
		program("files", 3, false);
	it(load("perseus", "") == 0, "and loaded again");
}
