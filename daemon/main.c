/* SPDX-License-Identifier: MIT */
/*
 * perseusd: frequencies and cores for programs that lease them.  As root it
 * reads its configuration and opens every file that it will ever write; then
 * it forks a guard, gives up its rights, and serves.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/listener.h"
#include "daemon/loop.h"
#include "daemon/machine/audit.h"
#include "daemon/machine/energy.h"
#include "daemon/machine/files.h"

#define RUN_DIR    "run/perseus"
#define FILES_MOST 16384

static const char usage[] =
	"usage: perseusd [--config FILE] [--socket PATH] [--sysroot DIR] [--cgroup-root DIR]\n"
	"                [--check | --restore | --foreground]\n"
	"\n"
	"Leases frequencies and cores to programs over a local socket, and puts everything\n"
	"back when they end.  It stays in the foreground; man perseusd has the rest.\n"
	"\n"
	"  --config FILE      instead of /etc/perseus/perseusd.conf\n"
	"  --socket PATH      instead of /run/perseus/control\n"
	"  --sysroot DIR      a machine below DIR, for tests\n"
	"  --cgroup-root DIR  the group below which cores are reserved\n"
	"  --check            say what can be had here, change nothing, and end\n"
	"  --restore          put right what an earlier daemon left, and end\n"
	"  --foreground       as without it\n";

struct options {
	const char *config, *socket, *sysroot, *cgroup_root;
	bool is_check, is_restore;
};

static struct config config;
static struct frequency frequency;
static struct cores cores;
static struct energy energy;
static struct service service;
static struct loop loop;

/* A copy in which nothing rules the terminal, until the next one is made. */
static const char *shown(const char *text)
{
	static char copy[4096];

	snprintf(copy, sizeof(copy), "%s", text);
	problem_show(copy);
	return copy;
}

static int daemon_main_parse(int argc, char **argv, struct options *o)
{
	enum { CONFIG = 1, SOCKET_PATH, SYSROOT, CGROUP_ROOT, CHECK, RESTORE, FOREGROUND, VERSION, HELP };
	static const struct option longs[] = {{"config", required_argument, NULL, CONFIG},
					      {"socket", required_argument, NULL, SOCKET_PATH},
					      {"sysroot", required_argument, NULL, SYSROOT},
					      {"cgroup-root", required_argument, NULL, CGROUP_ROOT},
					      {"check", no_argument, NULL, CHECK},
					      {"restore", no_argument, NULL, RESTORE},
					      {"foreground", no_argument, NULL, FOREGROUND},
					      {"version", no_argument, NULL, VERSION},
					      {"help", no_argument, NULL, HELP},
					      {0}};
	int c;

	opterr = 0;
	while ((c = getopt_long(argc, argv, "", longs, NULL)) != -1) {
		switch (c) {
		case CONFIG:
			o->config = optarg;
			break;
		case SOCKET_PATH:
			o->socket = optarg;
			break;
		case SYSROOT:
			o->sysroot = optarg;
			break;
		case CGROUP_ROOT:
			o->cgroup_root = optarg;
			break;
		case CHECK:
			o->is_check = true;
			break;
		case RESTORE:
			o->is_restore = true;
			break;
		case FOREGROUND:
			break;
		case VERSION:
			puts("perseusd " PERSEUS_VERSION);
			return -1;
		case HELP:
			fputs(usage, stdout);
			return -1;
		default:
			fprintf(stderr,
				"perseusd: option '%s' is unknown, or lacks its value\n  see perseusd "
				"--help\n",
				shown(argv[optind - 1]));
			return EXIT_USAGE;
		}
	}
	if (optind == argc && !(o->is_check && o->is_restore))
		return 0;
	if (optind < argc)
		fprintf(stderr, "perseusd: unexpected word '%s'\n", shown(argv[optind]));
	else
		fputs("perseusd: --check and --restore exclude each other\n", stderr);
	fputs("  see perseusd --help\n", stderr);
	return EXIT_USAGE;
}

static int daemon_main_fail(const struct problem *problem)
{
	fprintf(stderr, "perseusd: %s\n", problem->text);
	return problem->status;
}

/* Cpus of the machine; where the kernel does not say, those of the policies. */
static struct cpus find_present(const char *sysroot)
{
	char dir[4096], list[CPUS_TEXT];
	struct cpus present = {{0}};

	if (!file_path(dir, sizeof(dir), sysroot, "sys/devices/system/cpu") &&
	    file_read_at(dir, "present", list, sizeof(list)) > 0 && !cpus_parse(&present, list))
		return present;
	for (prs_u32 i = 0; i < frequency.n; i++)
		cpus_join(&present, &frequency.policy[i].cpus);
	return present;
}

static const char *way(prs_u32 by)
{
	switch (by) {
	case PRS_CTL_BY_MODULE:
		return "module";
	case PRS_CTL_BY_CPUFREQ:
		return "cpufreq";
	case PRS_CTL_BY_CGROUP2:
		return "cgroup2";
	case PRS_CTL_BY_CGROUP1:
		return "cgroup1";
	}
	return "none";
}

static void print_cpus(const char *title, const struct cpus *set)
{
	char list[CPUS_TEXT];

	cpus_print(set, list, sizeof(list));
	printf("%-10s %s\n", title, list);
}

static bool is_energy_told(void)
{
	return config.energy.all || config.energy.n;
}

static void print_energy(const char *sysroot)
{
	if (!is_energy_told()) {
		puts("energy     told to nobody (energy-users)");
		return;
	}
	energy_find(&energy, sysroot, config.energy_window_ms);
	if (energy.is_there)
		printf("energy     %u counters, windows of %u ms\n", energy.n, energy.window_ms);
	else
		printf("energy     none: %s\n", energy.why);
}

static void print_check(const char *socket, const char *sysroot)
{
	printf("frequency  %s%s%s\n", way(frequency.by), frequency.by ? "" : ": ",
	       frequency.by ? "" : frequency.why);
	for (prs_u32 i = 0; frequency.by && i < frequency.n; i++) {
		const struct policy *policy = &frequency.policy[i];
		char list[CPUS_TEXT];

		cpus_print(&policy->cpus, list, sizeof(list));
		printf("  policy %-3u cpus %s, %u to %u kHz\n", policy->cpu, list, policy->limit.min,
		       policy->limit.max);
	}
	printf("cores      %s%s%s\n", way(cores.by), cores.by ? " below " : ": ",
	       shown(cores.by ? cores.dir : cores.why));
	print_cpus("leasable", &service.leasable);
	print_energy(sysroot);
	printf("socket     %s, %s%s\n", shown(socket),
	       config.has_group ? "group " : "for its owner only: no group ", config.group);
	printf("runs as    %s%s\n", geteuid() ? "who starts it" : config.user,
	       geteuid() || config.has_user ? "" : ", but there is no such user");
}

/* Notes of policies that are not here any more, as long as the kernel knows nothing of them at all. */
static void drop_stale(struct journal *journal, const char *sysroot)
{
	for (prs_u32 cpu = 0; cpu < PRS_CTL_CPUS; cpu++) {
		char dir[4096], name[64];

		snprintf(name, sizeof(name), "sys/devices/system/cpu/cpufreq/policy%u", cpu);
		if (!journal->policy[cpu].held || file_path(dir, sizeof(dir), sysroot, name) ||
		    !access(dir, F_OK))
			continue;
		audit("change=left policy=%u reason=no-such-policy", cpu);
		journal->policy[cpu].held = 0;
	}
}

static prs_u32 count_held(const struct journal *journal)
{
	prs_u32 n = 0;

	for (prs_u32 cpu = 0; cpu < PRS_CTL_CPUS; cpu++)
		n += journal->policy[cpu].held ? 1 : 0;
	return n;
}

static void find_all(const struct options *o, struct journal *journal)
{
	struct cpus present;

	frequency_find(&frequency, o->sysroot, config.limit, journal);
	cores_find(&cores, o->cgroup_root, o->sysroot, journal);
	present = find_present(o->sysroot);
	service_init(&service, &config, &frequency, &cores, &present);
}

/*
 * Whatever an earlier daemon and its guard could not put right; both must have been killed.  Returns how many
 * policies remain to be put back.
 */
static prs_u32 put_right(struct journal *journal, const char *sysroot)
{
	unsigned int groups = 0;

	for (prs_u32 cpu = 0; cpu < PRS_CTL_CPUS; cpu++)
		journal->policy[cpu].pending = 0;
	frequency_restore(&frequency, NULL, NULL);
	drop_stale(journal, sysroot);
	if (cores.by)
		groups = cores_clean(&cores);
	if (groups)
		audit("change=cleaned groups=%u", groups);
	service.has_leftovers = count_held(journal);
	return count_held(journal);
}

/* What --restore could not put right; 0 if there is nothing. */
static int judge_restore(prs_u32 left, enum journal_found found, struct problem *problem)
{
	if (left)
		return problem_set(problem, EXIT_MACHINE,
				   "%u policies could not be put back; their cpus may be offline\n"
				   "  run it once more when they are not",
				   left);
	if (frequency.lost)
		return problem_set(problem, EXIT_MACHINE,
				   "the notes of %u policies say what cannot be: these stay as they are\n"
				   "  set their bounds by hand",
				   frequency.lost);
	if (found == JOURNAL_DAMAGED)
		return problem_set(problem, EXIT_MACHINE,
				   "the notes of an earlier daemon are damaged: nothing was put back\n"
				   "  look at the bounds of all policies, and set them by hand");
	return 0;
}

static void turn_off(void)
{
	if (config.is_frequency_off)
		frequency.by = 0;
	if (config.is_reserve_off)
		cores.by = 0;
}

/* Behind the fork of the guard, which needs no counters; always 0. */
static int open_energy(const char *sysroot)
{
	if (!is_energy_told())
		return 0;
	energy_find(&energy, sysroot, config.energy_window_ms);
	service.energy = &energy;
	if (energy.is_there)
		audit("energy=ready counters=%u window=%u", energy.n, energy.window_ms);
	else
		audit("energy=none");
	return 0;
}

static int serve(const char *socket, const char *sysroot, struct journal *journal, struct problem *problem)
{
	pid_t self = getpid();
	struct needs needs;
	struct guard guard;
	int listener, status;

	if (cores.by)
		cores_make(&cores, config.slots);
	needs = (struct needs){.module = frequency.by == PRS_CTL_BY_MODULE, .cores = cores.by != 0};
	listener = listener_open(&config, socket, problem);
	if (listener < 0)
		return daemon_main_fail(problem);
	if (guard_start(&guard, &config, &frequency, &cores, needs, listener, problem) ||
	    open_energy(sysroot) || loop_open(&loop, &service, &guard, listener, problem) ||
	    drop_rights(&config, needs, loop_files(&loop), problem) || drop_calls(needs, problem))
		return daemon_main_fail(problem);
	journal->daemon = (prs_u32)self;
	journal->guard = (prs_u32)guard.pid;
	audit("ready pid=%d guard=%d frequency=%s policies=%u cores=%s", (int)self, (int)guard.pid,
	      way(frequency.by), frequency.n, way(cores.by));
	status = loop_run(&loop);
	guard_stop(&guard);
	return status;
}

/*
 * What is opened must not become standard output by chance, and then be written to.  Nobody's umask decides
 * who reaches the socket, and nobody's limit how many policies can be opened.
 */
static int daemon_main_prepare(void)
{
	struct rlimit files;
	int fd;

	do
		fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd < 0)
		return EXIT_MACHINE;
	close(fd);
	umask(022);
	audit_open();
	if (!getrlimit(RLIMIT_NOFILE, &files)) {
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	/* As root: three files a policy, and clients. */
	setrlimit(RLIMIT_NOFILE, &(struct rlimit){FILES_MOST, FILES_MOST});
	return 0;
}

/* Putting right needs nothing of the configuration: what is wrong with it is said, and no more. */
static int daemon_main_load(const struct options *o, struct problem *problem)
{
	int status = config_load(&config, o->config, o->sysroot, problem);

	if (!status || !o->is_restore)
		return status;
	daemon_main_fail(problem);
	config_load(&config, "/dev/null", o->sysroot, problem);
	return 0;
}

int main(int argc, char **argv)
{
	static struct journal nothing;
	struct options o = {.sysroot = ""};
	char dir[4096], socket[4096];
	struct problem problem;
	struct journal *journal = &nothing;
	enum journal_found found = JOURNAL_NONE;
	int status = daemon_main_prepare();
	prs_u32 left;

	if (!status)
		status = daemon_main_parse(argc, argv, &o);
	if (status)
		return status < 0 ? 0 : status;
	if (daemon_main_load(&o, &problem))
		return daemon_main_fail(&problem);
	if (file_path(dir, sizeof(dir), o.sysroot, RUN_DIR) ||
	    file_path(socket, sizeof(socket), dir, "control"))
		return daemon_main_fail(
			(problem_set(&problem, EXIT_USAGE, "the name of the sysroot is too long"), &problem));
	if (!o.is_check && journal_open(&journal, dir, o.sysroot, &found, &problem))
		return daemon_main_fail(&problem);
	find_all(&o, journal);
	if (cpus_is_empty(&service.present))
		return daemon_main_fail(
			(problem_set(&problem, EXIT_MACHINE,
				     "there is no machine below '%s': no cpu in sys/devices/system/cpu",
				     *o.sysroot ? o.sysroot : "/"),
			 &problem));
	if (!o.is_check && !o.is_restore && config_check_user(&config, o.sysroot, &problem))
		return daemon_main_fail(&problem);
	left = o.is_check ? 0 : put_right(journal, o.sysroot);
	turn_off();
	if (o.is_check)
		print_check(o.socket ? o.socket : socket, o.sysroot);
	if (o.is_restore && judge_restore(left, found, &problem))
		return daemon_main_fail(&problem);
	return o.is_check || o.is_restore ? 0
					  : serve(o.socket ? o.socket : socket, o.sysroot, journal, &problem);
}
