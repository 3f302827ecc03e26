/* SPDX-License-Identifier: MIT */
#include "daemon/machine/energy.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "daemon/machine/files.h"

#define FOLDER "sys/class/powercap"
#define MJ     1000 /* uJ */

/* ---- finding ---------------------------------------------------------------- */

static int read_big(int fd, prs_u64 *out)
{
	char text[32], *end;
	int n = file_read(fd, text, sizeof(text));

	if (n < 0)
		return n;
	errno = 0;
	*out = strtoull(text, &end, 10);
	return errno || end == text || *text == '-' || (*end && *end != '\n') ? -EINVAL : 0;
}

static int read_big_at(const char *dir, const char *name, prs_u64 *out)
{
	int fd = file_open(dir, name, O_RDONLY), ret = fd < 0 ? fd : read_big(fd, out);

	if (fd >= 0)
		close(fd);
	return ret;
}

/* Cores and the uncore are inside of packages, psys holds all and more. */
static bool is_of_sum(const char *dir)
{
	char name[64];

	return file_read_at(dir, "name", name, sizeof(name)) > 0 &&
	       (!strncmp(name, "package", 7) || !strncmp(name, "dram", 4));
}

static int add_zone(struct energy *energy, const char *dir)
{
	struct energy_zone *zone = &energy->zone[energy->n];
	int ret;

	if (energy->n == ENERGY_ZONES)
		return -E2BIG;
	zone->fd = file_open(dir, "energy_uj", O_RDONLY);
	if (zone->fd < 0)
		return zone->fd;
	if (read_big_at(dir, "max_energy_range_uj", &zone->range_uj))
		zone->range_uj = 0;
	ret = read_big(zone->fd, &zone->last_uj);
	if (ret)
		close(zone->fd);
	else
		energy->n++;
	return ret;
}

static void close_all(struct energy *energy)
{
	for (prs_u32 i = 0; i < energy->n; i++)
		close(energy->zone[i].fd);
	energy->n = 0;
	file_close(&energy->stat);
}

/* Of two packages one is no sum: whatever cannot be read ends it. */
static int add_zones(struct energy *energy, const char *folder)
{
	const struct dirent *e;
	char zone[4096];
	DIR *dir = opendir(folder);
	int ret = 0;

	while (dir && !ret && (e = readdir(dir)))
		if (!strncmp(e->d_name, "intel-rapl:", 11) &&
		    !file_path(zone, sizeof(zone), folder, e->d_name) && is_of_sum(zone))
			ret = add_zone(energy, zone);
	if (dir)
		closedir(dir);
	return ret;
}

void energy_find(struct energy *energy, const char *sysroot, prs_u32 window_ms)
{
	char folder[4096], proc[4096];
	int ret = 0;

	energy->window_ms = window_ms;
	energy->stat = -1;
	if (!file_path(folder, sizeof(folder), sysroot, FOLDER))
		ret = add_zones(energy, folder);
	if (!ret && !energy->n)
		snprintf(energy->why, sizeof(energy->why), "no package in /" FOLDER);
	else if (ret)
		snprintf(energy->why, sizeof(energy->why), "a counter in /" FOLDER " cannot be read: %s",
			 strerror(-ret));
	if (!*energy->why && !file_path(proc, sizeof(proc), sysroot, "proc"))
		energy->stat = file_open(proc, "stat", O_RDONLY);
	if (!*energy->why && energy->stat < 0)
		snprintf(energy->why, sizeof(energy->why), "/proc/stat cannot be read");
	energy->is_there = !*energy->why;
	if (!energy->is_there)
		close_all(energy);
}

/* ---- windows ---------------------------------------------------------------- */

/* CPU time of all that ran since the machine was started. */
static int read_busy(const struct energy *energy, prs_u64 *ns)
{
	unsigned long long user, nice, system, idle, wait, irq, softirq;
	char text[256];
	int ret = file_read(energy->stat, text, sizeof(text));

	if (ret < 0)
		return ret;
	if (sscanf(text, "cpu %llu %llu %llu %llu %llu %llu %llu", &user, &nice, &system, &idle, &wait, &irq,
		   &softirq) != 7)
		return -EINVAL;
	*ns = (user + nice + system + irq + softirq) * (1000000000ull / (prs_u64)sysconf(_SC_CLK_TCK));
	return 0;
}

/* CPU time of a process, as clock_getcpuclockid(3) has it; 0: it is gone. */
static prs_u64 own_ns(pid_t pid)
{
	struct timespec ts;

	if (clock_gettime((clockid_t)((~(unsigned int)pid) << 3 | 2), &ts))
		return 0;
	return (prs_u64)ts.tv_sec * 1000000000ull + (prs_u64)ts.tv_nsec;
}

/* What the zone counted since the last look; false: it was set anew, or cannot be read. */
static bool zone_advance(struct energy_zone *zone, prs_u64 ms, prs_u64 *uj)
{
	prs_u64 now, before = zone->last_uj;

	if (read_big(zone->fd, &now))
		return false;
	zone->last_uj = now;
	if (now < before && before > zone->range_uj)
		return false;
	*uj = now >= before ? now - before : zone->range_uj - before + now;
	return *uj <= ms * 1000 * ENERGY_MOST_W;
}

static void energy_deal(struct energy_share *share, prs_u64 uj, prs_u64 busy, bool is_whole_window)
{
	prs_u64 now = own_ns(share->pid), own = now > share->own_ns ? now - share->own_ns : 0;
	double mj;

	share->own_ns = now;
	if (!share->is_new && is_whole_window) {
		mj = own ? (double)uj / MJ * (double)own / (double)(own > busy ? own : busy) : 0;
		share->mj += (prs_u64)(mj / ENERGY_ROUNDED_MJ + 0.5) * ENERGY_ROUNDED_MJ;
		share->windows++;
	}
	share->is_new = false;
}

void energy_look(struct energy *energy, prs_u64 now_ms)
{
	prs_u64 ms = now_ms - energy->at_ms, uj = 0, busy = energy->busy_ns;
	bool is_whole_window = energy->has_begun;

	if (energy->has_begun && ms < energy->window_ms)
		return;
	for (prs_u32 i = 0; i < energy->n; i++) {
		prs_u64 part = 0;

		is_whole_window &= zone_advance(&energy->zone[i], ms, &part);
		uj += part;
	}
	is_whole_window &= !read_busy(energy, &energy->busy_ns) && energy->busy_ns >= busy;
	/* In a longer one a counter may have begun again more than once. */
	is_whole_window &= ms <= ENERGY_MOST_MS + energy->window_ms;
	energy->at_ms = now_ms;
	energy->has_begun = true;
	for (prs_u32 i = 0; i < ENERGY_SHARES; i++)
		if (energy->share[i].pid)
			energy_deal(&energy->share[i], uj, energy->busy_ns - busy, is_whole_window);
}

int energy_join(struct energy *energy, pid_t pid)
{
	for (int i = 0; i < ENERGY_SHARES; i++) {
		if (energy->share[i].pid)
			continue;
		energy->share[i] = (struct energy_share){.pid = pid, .is_new = true};
		return i;
	}
	return -1;
}

void energy_leave(struct energy *energy, int place)
{
	energy->share[place] = (struct energy_share){0};
}
