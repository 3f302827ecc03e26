/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/machine/audit.h"
#include "daemon/machine/cores.h"
#include "daemon/machine/files.h"

/* Rounds of moving: processes fork while they are moved. */
#define ROUNDS 64

/* What is waited for processes that are just ending. */
#define ENDING_MS 8

const char group_procs[] = "cgroup.procs";

static const struct cgroup no_cgroup = {-1, -1, -1, -1, -1};

static void close_group(struct cgroup *group)
{
	file_close(&group->dir);
	file_close(&group->cpus);
	file_close(&group->procs);
	file_close(&group->partition);
	file_close(&group->freeze);
}

/* ---- moving ----------------------------------------------------------------- */

/* What came of one pass over a list. */
struct pass {
	int seen;  /* processes in the list */
	int moved; /* of these */
	int gone;  /* of these; one that is just ending is listed until it has ended */
};

/* Write each number of the text into the file.  0 is a process of another pid namespace, and would be us. */
static void move_listed(char *text, int to, struct pass *pass)
{
	char *save = NULL;

	for (char *pid = strtok_r(text, "\n", &save); pid; pid = strtok_r(NULL, "\n", &save)) {
		int error = strcmp(pid, "0") ? file_write(to, pid) : -EPERM;

		pass->seen++;
		pass->moved += !error;
		pass->gone += error == -ESRCH;
	}
}

/* A number that a read cuts in two is put together. */
static struct pass move_pass(int list, int to)
{
	struct pass pass = {0, 0, 0};
	char text[4096 + 1];
	size_t have = 0;
	ssize_t n;

	while ((n = read(list, text + have, sizeof(text) - 1 - have)) > 0) {
		char rest[32] = "", *end;

		have += (size_t)n;
		text[have] = '\0';
		end = strrchr(text, '\n');
		if (end && strlen(end + 1) < sizeof(rest)) {
			strcpy(rest, end + 1);
			*end = '\0';
		}
		move_listed(text, to, &pass);
		have = strlen(rest);
		memcpy(text, rest, have);
	}
	text[have] = '\0';
	move_listed(text, to, &pass);
	return pass;
}

/*
 * A list of v1 that is read again within a second is the old one, unless it is
 * opened again.  So this is the one file that is: for reading, by a name that
 * the filter of system calls knows by its address.
 */
int group_move(const struct cgroup *from, const struct cgroup *to)
{
	struct pass pass = {0, 0, 0};
	int patience = ENDING_MS;

	for (int round = 0; round < ROUNDS; round++) {
		int list = openat(from->dir, group_procs, O_RDONLY | O_CLOEXEC);

		if (list < 0)
			return 1;
		pass = move_pass(list, to->procs);
		close(list);
		if (!pass.moved && (!pass.gone || !patience--))
			break;
		if (!pass.moved)
			poll(NULL, 0, 1);
	}
	return pass.seen;
}

/* ---- finding and making ----------------------------------------------------- */

static bool has_cpusets(const char *dir)
{
	char text[256], *save = NULL;

	if (file_read_at(dir, "cgroup.controllers", text, sizeof(text)) < 0)
		return false;
	for (char *word = strtok_r(text, " \n", &save); word; word = strtok_r(NULL, " \n", &save)) {
		if (!strcmp(word, "cpuset"))
			return true;
	}
	return false;
}

static bool is_v1(const char *dir)
{
	char text[16];

	return file_read_at(dir, "cpuset.cpu_exclusive", text, sizeof(text)) > 0;
}

/* v1: a cpuset can exclude others only below one that does. */
static bool is_exclusive(const char *dir)
{
	prs_u32 value;

	return !file_read_number_at(dir, "cpuset.cpu_exclusive", &value) && value == 1;
}

static bool cores_look(struct cores *cores, const char *dir)
{
	if (strlen(dir) >= sizeof(cores->dir))
		return false;
	if (has_cpusets(dir)) {
		cores->by = PRS_CTL_BY_CGROUP2;
		cores->ops = &cores_by_cgroup2;
	} else if (is_v1(dir)) {
		cores->by = PRS_CTL_BY_CGROUP1;
		cores->ops = &cores_by_cgroup1;
	} else {
		return false;
	}
	strcpy(cores->dir, dir);
	return true;
}

static bool look_around(struct cores *cores, const char *sysroot)
{
	static const char *const mounts[] = {"sys/fs/cgroup", "sys/fs/cgroup/unified",
					     "sys/fs/cgroup/cpuset"};
	char dir[4096];

	for (size_t i = 0; i < sizeof(mounts) / sizeof(mounts[0]); i++) {
		if (!file_path(dir, sizeof(dir), sysroot, mounts[i]) && cores_look(cores, dir))
			return true;
	}
	return false;
}

/* Read from the group that all are made in; v1's own file may be wider than what is online. */
static int read_all_cpus(struct cores *cores)
{
	char list[CPUS_TEXT];
	int n = file_read_at(cores->dir,
			     cores->by == PRS_CTL_BY_CGROUP2 ? "cpuset.cpus.effective" : "cpuset.cpus", list,
			     sizeof(list));

	if (n < 0)
		return n;
	return cpus_parse(&cores->all, list);
}

static void turn_off(struct cores *cores, const char *what, int error)
{
	cores->by = 0;
	snprintf(cores->why, sizeof(cores->why), "%s: %s", what, strerror(-error));
}

void cores_find(struct cores *cores, const char *root, const char *sysroot, struct journal *journal)
{
	int error;

	memset(cores, 0, sizeof(*cores));
	cores->journal = journal->slot;
	cores->top = cores->rest = no_cgroup;
	for (int i = 0; i < JOURNAL_SLOTS; i++)
		cores->slot[i] = no_cgroup;
	if (!(root ? cores_look(cores, root) : look_around(cores, sysroot))) {
		snprintf(cores->why, sizeof(cores->why), "no cgroup hierarchy with cpusets is mounted");
		return;
	}
	error = read_all_cpus(cores);
	if (error)
		turn_off(cores, "the cpus of the top group cannot be read", error);
	else if (cores->by == PRS_CTL_BY_CGROUP1 && !is_exclusive(cores->dir))
		turn_off(cores, "the top group's cpuset.cpu_exclusive is not 1", -EACCES);
}

static int open_file(int dir, const char *name)
{
	int fd = openat(dir, name, O_RDWR | O_CLOEXEC);

	return fd < 0 && errno == EACCES ? openat(dir, name, O_WRONLY | O_CLOEXEC) : fd;
}

static int open_group(struct cgroup *group, const char *dir, prs_u32 by)
{
	group->dir = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (group->dir < 0)
		return -errno;
	group->procs = open_file(group->dir, group_procs);
	group->cpus = open_file(group->dir, "cpuset.cpus");
	group->partition = open_file(group->dir, by == PRS_CTL_BY_CGROUP2 ? "cpuset.cpus.partition"
									  : "cpuset.cpu_exclusive");
	group->freeze = by == PRS_CTL_BY_CGROUP2 ? open_file(group->dir, "cgroup.freeze") : -1;
	return group->procs < 0 || group->cpus < 0 || group->partition < 0 ? -ENOENT : 0;
}

/* v1: a cpuset without memory nodes takes no task. */
static int copy_mems(const struct cores *cores, const struct cgroup *group)
{
	char mems[256];
	int n = file_read_at(cores->dir, "cpuset.mems", mems, sizeof(mems)), fd, error;

	if (n < 0)
		return n;
	fd = openat(group->dir, "cpuset.mems", O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	error = file_write(fd, mems);
	close(fd);
	return error;
}

static int make_group(const struct cores *cores, const char *name, struct cgroup *group)
{
	char dir[4096];
	int error = file_path(dir, sizeof(dir), cores->dir, name);

	if (!error && mkdir(dir, 0755) && errno != EEXIST)
		error = -errno;
	if (!error)
		error = open_group(group, dir, cores->by);
	if (!error && cores->by == PRS_CTL_BY_CGROUP1)
		error = copy_mems(cores, group);
	return error;
}

/* Groups below have cpusets only where the group above passes them on. */
static int pass_on(const struct cores *cores)
{
	int fd, error;

	if (cores->by != PRS_CTL_BY_CGROUP2)
		return 0;
	fd = file_open(cores->dir, "cgroup.subtree_control", O_WRONLY);
	if (fd < 0)
		return fd;
	error = file_write(fd, "+cpuset\n");
	close(fd);
	return error;
}

static int open_top(struct cores *cores)
{
	struct cgroup *top = &cores->top;

	top->dir = open(cores->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (top->dir < 0)
		return -errno;
	top->procs = open_file(top->dir, group_procs);
	return top->procs < 0 ? -errno : 0;
}

static void slot_name(char out[32], prs_u32 slot)
{
	snprintf(out, 32, SLOT_NAME "%u", slot);
}

void cores_make(struct cores *cores, prs_u32 slots)
{
	int error = pass_on(cores);
	char name[32];

	if (!error)
		error = open_top(cores);
	if (!error && cores->by == PRS_CTL_BY_CGROUP1)
		error = make_group(cores, REST_NAME, &cores->rest);
	for (cores->n = 0; cores->n < slots && !error; cores->n++) {
		slot_name(name, cores->n);
		error = make_group(cores, name, &cores->slot[cores->n]);
	}
	if (!error)
		return;
	turn_off(cores, "the groups for reservations cannot be made", error);
	cores_clean(cores);
}

/* ---- putting right ---------------------------------------------------------- */

/* A group of our name: what is in it goes back, its partition ends, and it is removed. */
static bool clean_group(struct cores *cores, const char *name)
{
	struct cgroup group = no_cgroup;
	char dir[4096];

	if (file_path(dir, sizeof(dir), cores->dir, name) || access(dir, F_OK))
		return false;
	open_group(&group, dir, cores->by);
	if (group.dir >= 0 && group.procs >= 0)
		group_move(&group, &cores->top);
	if (group.freeze >= 0)
		file_write(group.freeze, "0\n");
	if (group.partition >= 0)
		file_write(group.partition, cores->by == PRS_CTL_BY_CGROUP2 ? "member\n" : "0\n");
	close_group(&group);
	if (rmdir(dir))
		audit("change=left group=%s error=%d", name, errno);
	return true;
}

unsigned int cores_clean(struct cores *cores)
{
	unsigned int n = 0;
	char name[32];

	if (cores->top.procs < 0 && open_top(cores))
		return 0;
	for (prs_u32 i = 0; i < JOURNAL_SLOTS; i++) {
		slot_name(name, i);
		n += clean_group(cores, name);
		cores->journal[i].used = SLOT_FREE;
	}
	if (cores->by == PRS_CTL_BY_CGROUP1)
		n += clean_group(cores, REST_NAME);
	return n;
}

prs_u32 cores_retry(struct cores *cores)
{
	prs_u32 left = 0;

	for (prs_u32 i = 0; i < cores->n; i++) {
		if (cores->journal[i].used != SLOT_LEFT)
			continue;
		if (cores->ops->give_back(cores, i))
			left++;
		else
			cores->journal[i].used = SLOT_FREE;
	}
	return left;
}

prs_u32 cores_restore(struct cores *cores)
{
	for (prs_u32 i = 0; i < cores->n; i++) {
		if (cores->journal[i].used == SLOT_USED)
			cores_give_back(cores, i);
	}
	return cores_retry(cores);
}

void cores_close(struct cores *cores)
{
	for (prs_u32 i = 0; i < JOURNAL_SLOTS; i++)
		close_group(&cores->slot[i]);
	close_group(&cores->rest);
	close_group(&cores->top);
}

/* ---- taking ----------------------------------------------------------------- */

struct cpus cores_taken(const struct cores *cores, prs_u32 but)
{
	struct cpus taken = {{0}};

	for (prs_u32 i = 0; i < cores->n; i++) {
		if (i != but && cores->journal[i].used == SLOT_USED)
			cpus_join(&taken, &cores->journal[i].cpus);
	}
	return taken;
}

bool slot_is_empty(struct cores *cores, prs_u32 slot)
{
	return !group_move(&cores->slot[slot], &cores->top);
}

int cores_take(struct cores *cores, const struct cpus *cpus, bool balanced, pid_t pid)
{
	struct cpus rest = cores->all, taken = cores_taken(cores, JOURNAL_SLOTS);
	prs_u32 slot = 0;
	int error;

	/* What is left of an earlier one may have ended by now. */
	cores_retry(cores);
	cpus_remove(&rest, &taken);
	cpus_remove(&rest, cpus);
	if (cpus_is_empty(&rest))
		return -ENOSPC;
	while (slot < cores->n && (cores->journal[slot].used || !cores->ops->is_empty(cores, slot)))
		slot++;
	if (slot == cores->n)
		return -EMFILE;
	cores->journal[slot].cpus = *cpus;
	journal_barrier();
	cores->journal[slot].used = SLOT_USED;
	journal_barrier();
	error = cores->ops->take(cores, slot, balanced, pid);
	if (!error)
		return (int)slot;
	cores_give_back(cores, slot);
	return error;
}

void cores_give_back(struct cores *cores, prs_u32 slot)
{
	char list[CPUS_TEXT];
	int error = cores->ops->give_back(cores, slot);

	cpus_print(&cores->journal[slot].cpus, list, sizeof(list));
	audit("change=given-back slot=%u cpus=%.200s error=%d", slot, list, -error);
	journal_barrier();
	cores->journal[slot].used = error ? SLOT_LEFT : SLOT_FREE;
}
