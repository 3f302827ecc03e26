/* SPDX-License-Identifier: MIT */
/* Granting and ending leases, and who stands in whose way. */
#ifndef PERSEUS_DAEMON_LEASE_H
#define PERSEUS_DAEMON_LEASE_H

#include "daemon/service.h"

/* The lease of a connection (NULL: of any) by its number; NULL if there is none of that number. */
struct lease *lease_find(struct service *service, const struct connection *connection, prs_u32 id);

/* The lease that has the policy, or the core, of a cpu; NULL = nobody. */
struct lease *lease_of_policy(struct service *service, const struct policy *policy);
struct lease *lease_of_core(struct service *service, prs_u32 cpu);

/*
 * A lease that keeps @uid from having @cpus for @flags, and in *cpu the first cpu concerned; NULL if nobody
 * does.  A policy and a core have one lease each, and one user's cores are nobody else's to slow down.
 */
struct lease *lease_in_the_way(struct service *service, const struct cpus *cpus, prs_u32 flags, uid_t uid,
			       prs_u32 *cpu);

/* The policy's part of a range in which 0 is no bound; min above max if they have nothing in common. */
struct range lease_narrow(const struct policy *policy, struct range range);

/*
 * Grant what was checked: @model has cpus, range, flags, ttl_ms and plan.  Returns the lease, or NULL with a
 * status, an errno and a cpu in the reply; then nothing has changed.
 */
struct lease *lease_grant(struct service *service, struct connection *connection, const struct lease *model,
			  struct prs_ctl_reply *reply);

/* Other bounds for one policy of a lease; 0 or a negative errno, and the old ones stay. */
int lease_set(struct service *service, struct lease *lease, struct policy *policy, struct range range);

/* Its time starts again. */
void lease_restart(struct service *service, struct lease *lease);

void lease_end(struct service *service, struct lease *lease, const char *reason);

/* Milliseconds that are left, 0 = for ever. */
prs_u32 lease_left(const struct service *service, const struct lease *lease);

/* True if the process at the other end still runs. */
bool connection_is_alive(const struct connection *connection);

#endif
