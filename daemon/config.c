/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/config.h"
#include "daemon/machine/energy.h"
#include "daemon/machine/files.h"

#define NOBODY 65534u

/* What parsing of one line needs. */
struct context {
	struct config *config;
	const char *sysroot, *path;
	unsigned int line;
	unsigned int seen; /* a bit for each of the keys */
	struct problem *problem;
};

static int config_bad(const struct context *at, const char *key, const char *value, const char *expected)
{
	return problem_set(at->problem, EXIT_DATA, "%s line %u: %s '%.80s': expected %s", at->path, at->line,
			   key, value, expected);
}

static bool config_number(const char *text, prs_u32 largest, prs_u32 *out, const char **end)
{
	prs_u64 n = 0;
	const char *p = text;

	while (*p >= '0' && *p <= '9' && n <= largest)
		n = n * 10 + (prs_u64)(*p++ - '0');
	*out = (prs_u32)n;
	*end = p;
	return p > text && n <= largest;
}

static bool find_user(const char *sysroot, const char *name, uid_t *uid, gid_t *gid)
{
	char path[4096];
	FILE *f = file_path(path, sizeof(path), sysroot, "etc/passwd") ? NULL : fopen(path, "re");
	struct passwd *entry;
	bool is_found = false;

	while (f && !is_found && (entry = fgetpwent(f))) {
		is_found = !strcmp(entry->pw_name, name);
		if (is_found) {
			*uid = entry->pw_uid;
			*gid = entry->pw_gid;
		}
	}
	if (f)
		fclose(f);
	return is_found;
}

static bool find_group(const char *sysroot, const char *name, gid_t *gid)
{
	char path[4096];
	FILE *f = file_path(path, sizeof(path), sysroot, "etc/group") ? NULL : fopen(path, "re");
	struct group *entry;
	bool is_found = false;

	while (f && !is_found && (entry = fgetgrent(f))) {
		is_found = !strcmp(entry->gr_name, name);
		if (is_found)
			*gid = entry->gr_gid;
	}
	if (f)
		fclose(f);
	return is_found;
}

/* ---- values ----------------------------------------------------------------- */

/* What many things run as that have nothing to do with one another. */
static bool is_nobody(const struct config *c)
{
	return c->uid == NOBODY || !strcmp(c->user, "nobody");
}

static int set_user(const struct context *at, const char *key, const char *value)
{
	struct config *c = at->config;

	if (strlen(value) >= sizeof(c->user))
		return config_bad(at, key, value, "the name of a user");
	strcpy(c->user, value);
	c->has_user = find_user(at->sysroot, value, &c->uid, &c->gid);
	if (!c->has_user)
		return problem_set(at->problem, EXIT_MACHINE,
				   "%s line %u: no user '%.60s' in %.200s/etc/passwd", at->path, at->line,
				   value, at->sysroot);
	if (!c->uid)
		return config_bad(at, key, value, "a user other than root: the daemon gives its rights up");
	if (is_nobody(c))
		return config_bad(at, key, value,
				  "a user of its own: any other process of nobody could end it");
	return 0;
}

static int set_group(const struct context *at, const char *key, const char *value)
{
	struct config *c = at->config;

	if (strlen(value) >= sizeof(c->group))
		return config_bad(at, key, value, "the name of a group");
	strcpy(c->group, value);
	c->has_group = find_group(at->sysroot, value, &c->socket_gid);
	if (!c->has_group)
		return problem_set(
			at->problem, EXIT_MACHINE,
			"%s line %u: no group '%.60s' in %.200s/etc/group\n  groupadd --system %.60s",
			at->path, at->line, value, at->sysroot, value);
	return 0;
}

static int set_cpus(const struct context *at, const char *key, const char *value)
{
	struct config *c = at->config;

	c->all_cpus = !strcmp(value, "all");
	if (!c->all_cpus && (cpus_parse(&c->cpus, value) || cpus_is_empty(&c->cpus)))
		return config_bad(at, key, value, "'all' or a list like 0-3,8");
	return 0;
}

static int set_khz(const struct context *at, const char *key, const char *value)
{
	struct range *limit = &at->config->limit;
	const char *end;

	if (!config_number(value, 100000000, &limit->min, &end) || *end != '-' ||
	    !config_number(end + 1, 100000000, &limit->max, &end) || *end || !limit->min ||
	    limit->min > limit->max)
		return config_bad(at, key, value, "MIN-MAX in kHz, like 800000-2400000");
	return 0;
}

static int set_time(const struct context *at, const char *key, const char *value, prs_u32 *out)
{
	static const struct {
		const char *unit;
		prs_u32 ms;
	} units[] = {{"ms", 1}, {"s", 1000}, {"min", 60000}, {"h", 3600000}};
	const char *end;
	prs_u32 n;

	*out = 0;
	if (!strcmp(value, "any"))
		return 0;
	if (config_number(value, UINT32_MAX, &n, &end) && n) {
		for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
			if (!strcmp(end, units[i].unit) && n <= UINT32_MAX / units[i].ms) {
				*out = n * units[i].ms;
				return 0;
			}
		}
	}
	return config_bad(at, key, value, "'any' or a time like 500ms, 30s, 10min, 8h");
}

static int set_share(const struct context *at, const char *key, const char *value)
{
	struct config *c = at->config;
	const char *end;

	c->max_cpus = 0;
	c->is_max_cpus_percent = false;
	if (!strcmp(value, "all"))
		return 0;
	if (config_number(value, PRS_CTL_CPUS, &c->max_cpus, &end) && c->max_cpus) {
		c->is_max_cpus_percent = !strcmp(end, "%");
		if (!*end || (c->is_max_cpus_percent && c->max_cpus <= 100))
			return 0;
	}
	return config_bad(at, key, value,
			  "'all', a number of cpus, or a part of those that can be leased, like 50%");
}

static int set_strangers(const struct context *at, const char *key, const char *value)
{
	static const char *const words[] = {[STRANGERS_EACH] = "each",
					    [STRANGERS_TOGETHER] = "together",
					    [STRANGERS_REFUSED] = "refused"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (!strcmp(value, words[i])) {
			at->config->persons.strangers = (enum strangers)i;
			return 0;
		}
	}
	return config_bad(at, key, value, "'together', 'refused' or 'each'");
}

static int set_count(const struct context *at, const char *key, const char *value, prs_u32 least,
		     prs_u32 most, prs_u32 *out)
{
	char expected[64];
	const char *end;

	if (config_number(value, most, out, &end) && !*end && *out >= least)
		return 0;
	snprintf(expected, sizeof(expected), "a number from %u to %u", least, most);
	return config_bad(at, key, value, expected);
}

static int add_uid(const struct context *at, const char *key, const char *word, struct uids *uids)
{
	const char *end;
	prs_u32 id;
	uid_t uid;
	gid_t gid;

	if (config_number(word, UINT32_MAX - 1, &id, &end) && !*end)
		uid = id;
	else if (!find_user(at->sysroot, word, &uid, &gid))
		return config_bad(at, key, word,
				  "numbers of users, or their names in /etc/passwd, with blanks between");
	if (uids->n == UIDS_MAX)
		return config_bad(at, key, word, "at most 64 users");
	uids->uid[uids->n++] = uid;
	return 0;
}

static int set_uids(const struct context *at, const char *key, char *value, struct uids *uids)
{
	char *save = NULL;

	*uids = (struct uids){.all = !strcmp(value, "all")};
	if (uids->all || !strcmp(value, "none"))
		return 0;
	for (char *word = strtok_r(value, " \t,", &save); word; word = strtok_r(NULL, " \t,", &save)) {
		int status = add_uid(at, key, word, uids);

		if (status)
			return status;
	}
	return 0;
}

static int set_switch(const struct context *at, const char *key, const char *value, bool *is_off)
{
	*is_off = !strcmp(value, "off");
	return *is_off || !strcmp(value, "on") ? 0 : config_bad(at, key, value, "'on' or 'off'");
}

/* Shorter windows would tell what a program computes, in longer ones a counter begins again unseen. */
static int set_window(const struct context *at, const char *key, const char *value)
{
	prs_u32 *ms = &at->config->energy_window_ms;
	int status = strcmp(value, "any") ? set_time(at, key, value, ms) : 0;

	if (status || (*ms >= ENERGY_LEAST_MS && *ms <= ENERGY_MOST_MS && strcmp(value, "any")))
		return status;
	return config_bad(at, key, value, "a time from 100ms to 60s");
}

static int set_value(const struct context *at, const char *key, char *value)
{
	struct config *c = at->config;

	if (!strcmp(key, "user"))
		return set_user(at, key, value);
	if (!strcmp(key, "group"))
		return set_group(at, key, value);
	if (!strcmp(key, "cpus"))
		return set_cpus(at, key, value);
	if (!strcmp(key, "khz"))
		return set_khz(at, key, value);
	if (!strcmp(key, "max-ttl"))
		return set_time(at, key, value, &c->max_ttl_ms);
	if (!strcmp(key, "max-hold"))
		return set_time(at, key, value, &c->max_hold_ms);
	if (!strcmp(key, "max-idle"))
		return set_time(at, key, value, &c->max_idle_ms);
	if (!strcmp(key, "max-cpus-per-user"))
		return set_share(at, key, value);
	if (!strcmp(key, "other-users"))
		return set_strangers(at, key, value);
	if (!strcmp(key, "max-clients"))
		return set_count(at, key, value, 1, CLIENTS_MAX, &c->max_clients);
	if (!strcmp(key, "max-clients-per-user"))
		return set_count(at, key, value, 1, CLIENTS_MAX, &c->max_clients_per_uid);
	if (!strcmp(key, "max-leases"))
		return set_count(at, key, value, 1, LEASES_MAX, &c->max_leases);
	if (!strcmp(key, "max-rate"))
		return set_count(at, key, value, 1, 100000000, &c->max_rate);
	if (!strcmp(key, "reservations"))
		return set_count(at, key, value, 1, JOURNAL_SLOTS, &c->slots);
	if (!strcmp(key, "frequency-users"))
		return set_uids(at, key, value, &c->frequency);
	if (!strcmp(key, "reserve-users"))
		return set_uids(at, key, value, &c->reserve);
	if (!strcmp(key, "energy-users"))
		return set_uids(at, key, value, &c->energy);
	if (!strcmp(key, "energy-window"))
		return set_window(at, key, value);
	if (!strcmp(key, "frequency"))
		return set_switch(at, key, value, &c->is_frequency_off);
	if (!strcmp(key, "reserve"))
		return set_switch(at, key, value, &c->is_reserve_off);
	return problem_set(at->problem, EXIT_DATA,
			   "%s line %u: no such key '%.40s'\n  man perseusd lists them", at->path, at->line,
			   key);
}

static const char *const keys[] = {"user",
				   "group",
				   "cpus",
				   "khz",
				   "max-ttl",
				   "max-hold",
				   "max-idle",
				   "max-cpus-per-user",
				   "other-users",
				   "max-clients",
				   "max-clients-per-user",
				   "max-leases",
				   "max-rate",
				   "reservations",
				   "frequency-users",
				   "reserve-users",
				   "energy-users",
				   "energy-window",
				   "frequency",
				   "reserve"};

/* A key that stands there twice: which of the two would be meant? */
static int check_once(struct context *at, const char *key)
{
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (strcmp(key, keys[i]))
			continue;
		if (at->seen & 1u << i)
			return problem_set(at->problem, EXIT_DATA,
					   "%s line %u: %s stands there a second time", at->path, at->line,
					   key);
		at->seen |= 1u << i;
	}
	return 0;
}

static int read_line(struct context *at, char *line)
{
	char *save = NULL, *key, *value;

	line[strcspn(line, "#\n")] = '\0';
	key = strtok_r(line, " \t", &save);
	if (!key)
		return 0;
	value = save + strspn(save, " \t");
	for (size_t n = strlen(value); n && strchr(" \t", value[n - 1]); n--)
		value[n - 1] = '\0';
	if (!*value)
		return config_bad(at, key, value, "a value behind the key");
	if (check_once(at, key))
		return EXIT_DATA;
	return set_value(at, key, value);
}

/* ---- the file --------------------------------------------------------------- */

static void set_defaults(struct config *c, const char *sysroot)
{
	memset(c, 0, sizeof(*c));
	c->all_cpus = true;
	c->frequency.all = true;
	/* A process that reserves leaves the groups, and the limits, that it was put into. */
	c->reserve = (struct uids){.n = 2, .uid = {0, geteuid()}};
	c->max_hold_ms = 24 * 3600000;
	c->max_idle_ms = 60000;
	c->persons.strangers = STRANGERS_TOGETHER;
	c->max_clients = 128;
	c->max_clients_per_uid = 64;
	c->max_leases = 8;
	c->max_rate = 2000;
	c->slots = 4;
	c->energy_window_ms = ENERGY_DEFAULT_MS;
	strcpy(c->user, "perseus");
	c->has_user = find_user(sysroot, c->user, &c->uid, &c->gid) && c->uid;
	c->has_user = c->has_user && !is_nobody(c);
	strcpy(c->group, "perseus");
	c->has_group = find_group(sysroot, c->group, &c->socket_gid);
}

/* The file as a stream, or NULL with the problem's status, which is 0 if there need not be one. */
static FILE *open_trusted(const char *path, bool must_exist, struct problem *problem)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	struct stat st;

	if (fd < 0) {
		if (errno == ELOOP)
			problem_set(problem, EXIT_MACHINE,
				    "configuration '%s' is not trusted: it is a symbolic link", path);
		else if (errno != ENOENT || must_exist)
			problem_set(problem, EXIT_MACHINE, "configuration '%s': %s", path, strerror(errno));
		return NULL;
	}
	if (trust_dir_of(path, problem) || trust_file(fd, path, "configuration", problem) || fstat(fd, &st))
		goto fail;
	if (!S_ISREG(st.st_mode) && strcmp(path, "/dev/null")) {
		problem_set(problem, EXIT_MACHINE, "configuration '%s' is not trusted: it is not a file",
			    path);
		goto fail;
	}
	return fdopen(fd, "r");
fail:
	close(fd);
	return NULL;
}

/* The bytes of a line, its new line too, and a NUL behind them; 0 at the end. */
static size_t take_line(FILE *f, char *line, size_t size)
{
	size_t n = 0;
	int c;

	while (n < size - 1 && (c = getc(f)) != EOF) {
		line[n++] = (char)c;
		if (c == '\n')
			break;
	}
	line[n] = '\0';
	return n;
}

/* Users that a directory service knows, and passwd does not. */
static void add_named(struct config *config, const struct uids *uids)
{
	for (unsigned int i = 0; i < uids->n; i++)
		persons_add(&config->persons, uids->uid[i]);
}

int config_load(struct config *config, const char *path, const char *sysroot, struct problem *problem)
{
	char own[4096], line[1024];
	struct context at = {.config = config, .sysroot = sysroot, .path = path, .problem = problem};
	int status = 0;
	size_t n;
	FILE *f;

	set_defaults(config, sysroot);
	persons_load(&config->persons, sysroot);
	if (!path) {
		if (file_path(own, sizeof(own), sysroot, &CONFIG_PATH[1]))
			return problem_set(problem, EXIT_USAGE, "the name of the sysroot is too long");
		at.path = own;
	}
	problem->status = 0;
	f = open_trusted(at.path, path, problem);
	if (!f)
		return problem->status;
	while (!status && (n = take_line(f, line, sizeof(line)))) {
		at.line++;
		if (memchr(line, '\0', n))
			status = problem_set(problem, EXIT_DATA, "%s line %u: a NUL byte", at.path, at.line);
		else if (n == sizeof(line) - 1 && line[n - 1] != '\n')
			status = problem_set(problem, EXIT_DATA, "%s line %u: longer than %zu bytes", at.path,
					     at.line, sizeof(line) - 2);
		else
			status = read_line(&at, line);
	}
	fclose(f);
	add_named(config, &config->frequency);
	add_named(config, &config->reserve);
	return status;
}

int config_check_user(const struct config *config, const char *sysroot, struct problem *problem)
{
	if (geteuid() || config->has_user)
		return 0;
	return problem_set(
		problem, EXIT_MACHINE,
		"no user '%s' in %.200s/etc/passwd to become: it needs one that nothing else runs as\n"
		"  systemd-sysusers, or useradd --system --no-create-home --shell /bin/false %s",
		config->user, sysroot, config->user);
}

bool uids_have(const struct uids *uids, uid_t uid)
{
	for (unsigned int i = 0; i < uids->n; i++) {
		if (uids->uid[i] == uid)
			return true;
	}
	return uids->all;
}
