/* SPDX-License-Identifier: MIT */
/* perseus doctor: who may set frequencies and reserve cores here, and by what. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/ctl/ctl.h"
#include "cmd/doctor/doctor.h"
#include "daemon/client.h"
#include "lib/fs.h"

#define ANSWER_MS 1000

static bool exists(const struct doctor *d, const char *path)
{
	char full[PATH_MAX];

	snprintf(full, sizeof(full), "%s%s", d->sysroot, path);
	return !access(full, F_OK);
}

/* The first of @paths (NULL-terminated) that there is, or NULL. */
static const char *first_of(const struct doctor *d, const char *const *paths)
{
	while (*paths && !exists(d, *paths))
		paths++;
	return *paths;
}

/* ---- the daemon ---- */

void doctor_ask_daemon(struct doctor *d)
{
	struct ctl_client client;
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s%s", d->sysroot, PRS_CTL_SOCKET);
	d->daemon = ctl_connect(&client, path, ANSWER_MS);
	d->lent = d->daemon ? 0 : client.hello.flags;
	d->able = d->daemon ? 0 : ctl_abilities(&client);
	if (!d->daemon)
		ctl_close(&client);
}

static void start_it(struct doctor *d)
{
	static const char *const units[] = {
		"/etc/systemd/system/perseusd.socket", "/usr/local/lib/systemd/system/perseusd.socket",
		"/usr/lib/systemd/system/perseusd.socket", "/lib/systemd/system/perseusd.socket", NULL};
	static const char *const programs[] = {"/usr/local/sbin/perseusd", "/usr/sbin/perseusd", NULL};
	const char *program = first_of(d, programs);

	if (first_of(d, units))
		doctor_remedy(d, "as root: systemd-sysusers; systemctl enable --now perseusd.socket");
	else if (program)
		doctor_remedy(d, "as root: %s (there is no unit of systemd for it)", program);
	else
		doctor_remedy(d, "as root: make install; systemd-sysusers; systemctl enable --now "
				 "perseusd.socket");
}

static void not_running(struct doctor *d)
{
	if (d->daemon == -ECONNREFUSED) {
		doctor_row(d, "daemon", DOCTOR_ABSENT, "%s is there, but no perseusd listens at it",
			   PRS_CTL_SOCKET);
		doctor_remedy(d, "as root: systemctl restart perseusd.socket; journalctl -u perseusd says "
				 "why it ended");
		return;
	}
	doctor_row(d, "daemon", DOCTOR_ABSENT,
		   "perseusd does not run: nobody lends frequencies or cores to this user");
	start_it(d);
}

static void no_permission(struct doctor *d)
{
	char path[PATH_MAX], remedy[256];

	snprintf(path, sizeof(path), "%s%s", d->sysroot, PRS_CTL_SOCKET);
	doctor_row(d, "daemon", DOCTOR_LIMITED, "perseusd runs, but this user may not open %s",
		   PRS_CTL_SOCKET);
	doctor_remedy(d, "%s", ctl_group_remedy(remedy, sizeof(remedy), path));
}

static const char *lends(const struct doctor *d)
{
	switch (d->lent & (PRS_CTL_FREQUENCY | PRS_CTL_RESERVE)) {
	case PRS_CTL_FREQUENCY | PRS_CTL_RESERVE:
		return "frequencies and cores";
	case PRS_CTL_FREQUENCY:
		return "frequencies, no cores";
	case PRS_CTL_RESERVE:
		return "cores, no frequencies";
	default:
		return d->able ? "nothing to this user" : "nothing on this machine";
	}
}

/* The keys that say whom it lends what this user does not get. */
static const char *withheld(const struct doctor *d)
{
	switch (d->able & ~d->lent) {
	case PRS_CTL_FREQUENCY:
		return "frequency-users";
	case PRS_CTL_RESERVE:
		return "reserve-users";
	default:
		return "frequency-users and reserve-users";
	}
}

static void check_daemon(struct doctor *d)
{
	switch (d->daemon) {
	case 0:
		doctor_row(d, "daemon",
			   d->lent & (PRS_CTL_FREQUENCY | PRS_CTL_RESERVE) ? DOCTOR_OK : DOCTOR_LIMITED,
			   "perseusd answers, and lends %s%s", lends(d),
			   d->lent & PRS_CTL_BY_MODULE ? " (by the module)" : "");
		if (d->able & ~d->lent)
			doctor_remedy(d, "for the rest see %s of perseusd.conf, which root changes",
				      withheld(d));
		break;
	case -ENOENT:
	case -ECONNREFUSED:
	case -ENOTDIR:
		not_running(d);
		break;
	case -EACCES:
	case -EPERM:
		no_permission(d);
		break;
	case -ENAMETOOLONG:
		doctor_row(d, "daemon", DOCTOR_NOT_TRIED,
			   "the path of this sysroot is too long for a socket");
		break;
	default:
		doctor_row(d, "daemon", DOCTOR_LIMITED, "%s answers wrongly or not at all: %s",
			   PRS_CTL_SOCKET,
			   d->daemon > 0 ? ctl_status_meaning((uint32_t)d->daemon) : strerror(-d->daemon));
		doctor_remedy(d, "as root: systemctl restart perseusd; daemon and perseus must be of one "
				 "installation");
		break;
	}
}

/* ---- the module ---- */

/* Where depmod would find it: the running kernel's directory. */
static bool module_is_installed(const struct doctor *d)
{
	static const char *const places[] = {"updates/dkms", "extra", "updates", NULL};
	char release[128], path[PATH_MAX];

	if (fs_read_small(d->sysroot, "/proc/sys/kernel/osrelease", release, sizeof(release)))
		return false;
	for (size_t i = 0; places[i]; i++) {
		snprintf(path, sizeof(path), "/lib/modules/%s/%s/perseus.ko", release, places[i]);
		if (exists(d, path))
			return true;
	}
	return false;
}

/* What the device says of itself: the number of policies, or a negative errno. */
static int ask_module(const struct doctor *d)
{
	struct prs_ctl_caps caps = {.version = PRS_CTL_VERSION};
	char path[PATH_MAX];
	int fd, ret;

	snprintf(path, sizeof(path), "%s%s", d->sysroot, PRS_CTL_DEVICE);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	ret = ioctl(fd, PRS_CTL_IOC_CAPS, &caps) ? -errno : (int)caps.policies;
	close(fd);
	return ret;
}

static void module_missing(struct doctor *d, bool has_cpufreq)
{
	if (!has_cpufreq) {
		doctor_row(d, "module", DOCTOR_NOT_NEEDED,
			   "not loaded; without cpufreq it has nothing to hold");
		return;
	}
	doctor_row(d, "module", DOCTOR_NOT_NEEDED,
		   "not loaded: perseusd does with cpufreq's files, which a second process restores");
	doctor_remedy(d, module_is_installed(d)
				 ? "for restores by the kernel itself, as root: modprobe perseus"
				 : "for restores by the kernel itself: kmod/README.md");
}

static void check_module(struct doctor *d, bool has_cpufreq)
{
	int policies;

	if (!exists(d, PRS_CTL_DEVICE)) {
		module_missing(d, has_cpufreq);
		return;
	}
	if (*d->sysroot) {
		doctor_row(d, "module", DOCTOR_NOT_TRIED, "%s is there; it cannot be tried in a sysroot",
			   PRS_CTL_DEVICE);
		return;
	}
	policies = ask_module(d);
	if (policies >= 0)
		doctor_row(d, "module", DOCTOR_OK, "%s answers, with %d frequency polic%s", PRS_CTL_DEVICE,
			   policies, policies == 1 ? "y" : "ies");
	else if (policies == -EACCES || policies == -EPERM)
		doctor_row(d, "module", DOCTOR_OK, "loaded, for perseusd alone");
	else
		doctor_row(d, "module", DOCTOR_LIMITED, "%s does not answer: %s", PRS_CTL_DEVICE,
			   strerror(-policies));
	if (policies == -ENOTTY || policies == -EINVAL)
		doctor_remedy(
			d, "it is of another version: build it again from kmod/, as root: rmmod, modprobe");
}

/* ---- reservation ---- */

/* True if the word stands alone in a file such as cgroup.controllers or /proc/filesystems. */
static bool has_word(const struct doctor *d, const char *path, const char *word)
{
	char text[8192], *save = NULL;

	if (fs_read_small(d->sysroot, path, text, sizeof(text)))
		return false;
	for (char *w = strtok_r(text, " \t\n", &save); w; w = strtok_r(NULL, " \t\n", &save))
		if (!strcmp(w, word))
			return true;
	return false;
}

/* Linux 6.1 brought isolated partitions; where the version cannot be read, it is a new one. */
static bool has_isolated(const struct doctor *d)
{
	unsigned major = 0, minor = 0;
	char release[128];

	if (fs_read_small(d->sysroot, "/proc/sys/kernel/osrelease", release, sizeof(release)) ||
	    sscanf(release, "%u.%u", &major, &minor) < 2)
		return true;
	return major > 6 || (major == 6 && minor >= 1);
}

static void reserve_v2(struct doctor *d, const char *by)
{
	if (has_isolated(d)) {
		doctor_row(d, "reserve", DOCTOR_OK,
			   "cores can be reserved, by isolated partitions of cgroup v2%s", by);
		return;
	}
	doctor_row(d, "reserve", DOCTOR_LIMITED,
		   "cgroup v2 without isolated partitions: reserved cores are still balanced%s", by);
	doctor_remedy(d, "Linux 6.1 or later has them");
}

static void reserve_v1(struct doctor *d, const char *by)
{
	doctor_row(d, "reserve", DOCTOR_LIMITED,
		   "cores can be reserved, by cpusets of cgroup v1: others are moved away meanwhile%s", by);
	doctor_remedy(d, "for isolated partitions boot with systemd.unified_cgroup_hierarchy=1");
}

static void reserve_not(struct doctor *d)
{
	bool known = has_word(d, "/proc/filesystems", "cgroup2"),
	     mounted = exists(d, "/sys/fs/cgroup/cgroup.controllers");

	doctor_row(d, "reserve", DOCTOR_ABSENT, "cores cannot be reserved: no cpusets, of cgroup v2 or v1%s",
		   mounted ? ", in this part of the hierarchy" : "");
	if (mounted)
		doctor_remedy(d, "a container: perseusd must run on the host, its socket can be shared");
	else if (known)
		doctor_remedy(d, "as root: mount -t cgroup2 none /sys/fs/cgroup, then start perseusd again");
	else
		doctor_remedy(d, "a kernel with CONFIG_CPUSETS");
}

static void check_reserve(struct doctor *d)
{
	const char *by = d->daemon || d->lent & PRS_CTL_RESERVE ? ""
			 : d->able & PRS_CTL_RESERVE            ? "; not by this user"
								: "; perseusd did not find them at its start";

	if (has_word(d, "/sys/fs/cgroup/cgroup.controllers", "cpuset"))
		reserve_v2(d, by);
	else if (exists(d, "/sys/fs/cgroup/cpuset/cpuset.cpus") || exists(d, "/sys/fs/cgroup/cpuset/cpus"))
		reserve_v1(d, by);
	else
		reserve_not(d);
}

void doctor_control(struct doctor *d, bool has_cpufreq)
{
	check_daemon(d);
	check_module(d, has_cpufreq);
	check_reserve(d);
}
