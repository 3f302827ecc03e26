/* SPDX-License-Identifier: MIT */
/*
 * perseusd.conf(5): lines `key value`, # begins a comment.  The file is read
 * once, before anything else, and only if nobody but root (or who runs the
 * daemon) can have written it.
 */
#ifndef PERSEUS_DAEMON_CONFIG_H
#define PERSEUS_DAEMON_CONFIG_H

#include <sys/types.h>

#include "daemon/machine/cpus.h"
#include "daemon/machine/frequency.h"
#include "daemon/machine/journal.h"
#include "daemon/machine/problem.h"
#include "daemon/persons.h"

#define CONFIG_PATH "/etc/perseus/perseusd.conf"

#define UIDS_MAX    64
#define CLIENTS_MAX 1024
#define LEASES_MAX  1024 /* of all clients together */

/* Users that may have something; `all` is whoever can reach the socket. */
struct uids {
	bool all;
	unsigned int n;
	uid_t uid[UIDS_MAX];
};

struct config {
	char user[64], group[64]; /* names as given */
	bool has_user, has_group; /* they were found */
	uid_t uid;
	gid_t gid, socket_gid;
	bool all_cpus;
	struct cpus cpus;    /* that can be leased, unless all */
	struct range limit;  /* 0 = as the hardware */
	prs_u32 max_ttl_ms;  /* 0 = any */
	prs_u32 max_hold_ms; /* however often it is renewed; 0 = any */
	prs_u32 max_idle_ms; /* of a connection without a lease; 0 = any */
	prs_u32 max_cpus;    /* of one person; 0 = all */
	bool is_max_cpus_percent;
	struct persons persons;
	prs_u32 max_clients, max_clients_per_uid, max_leases, max_rate, slots;
	struct uids frequency, reserve;
	struct uids energy; /* who is told joules; nobody by default */
	prs_u32 energy_window_ms;
	bool is_frequency_off, is_reserve_off;
};

/*
 * The defaults, then the file.  @path NULL: SYSROOT/etc/perseus/perseusd.conf, which need not be there.
 * Users and groups are looked up in SYSROOT/etc/passwd and group, nowhere else.  Returns 0 or an exit status.
 */
int config_load(struct config *config, const char *path, const char *sysroot, struct problem *problem);

/* Who the daemon becomes is there, unless it has no rights to give up; 0 or an exit status. */
int config_check_user(const struct config *config, const char *sysroot, struct problem *problem);

bool uids_have(const struct uids *uids, uid_t uid);

#endif
