/* SPDX-License-Identifier: MIT */
/*
 * Who has what, and the answer to each request.  Knows nothing of sockets: a
 * packet comes in as bytes with its sender, a reply goes out.  Everything has
 * a fixed place; nothing is allocated.
 */
#ifndef PERSEUS_DAEMON_SERVICE_H
#define PERSEUS_DAEMON_SERVICE_H

#include <sys/types.h>

#include "daemon/account.h"
#include "daemon/config.h"
#include "daemon/machine/cores.h"
#include "daemon/machine/cpus.h"
#include "daemon/machine/energy.h"
#include "daemon/machine/frequency.h"

#define USER_RATES 4    /* requests of one user's connections together, in rates of one */
#define GREET_MS   5000 /* a connection that has not said HELLO by then is closed */

struct connection {
	int fd, pidfd; /* -1: free; of the peer, -1: none (tests) */
	pid_t pid;
	uid_t uid;
	struct account *account; /* of the person that the user is; NULL: there are too many */
	prs_u64 session;
	bool is_greeted;
	bool is_root;    /* of this machine, and not of a container only: it has shown that */
	bool needs_root; /* it is in a place that is kept for root */
	prs_u32 leases;
	prs_u64 since_ms, heard_ms; /* when it came, and last asked for something */
	prs_u64 tokens, filled_ms;  /* thousandths of a request */
	struct energy *energy;      /* that it is told of, NULL: not */
	int energy_place;
};

struct lease {
	prs_u32 id; /* 0: free */
	struct connection *owner;
	pid_t pid;
	uid_t uid;
	struct cpus cpus;
	struct range range; /* as asked for; each policy narrows it to its own limits */
	prs_u32 flags;
	prs_u32 ttl_ms;
	prs_u64 ends_ms; /* 0: never */
	prs_u64 last_ms; /* no renewal goes beyond, 0: any */
	uid_t person;
	prs_u32 sets, unsaid; /* of its SETs, and those without a line of the audit */
	prs_u8 plan[32];
	prs_u32 slot; /* with RESERVE */
};

struct service {
	const struct config *config;
	struct frequency *frequency;
	struct cores *cores;
	struct energy *energy; /* set behind service_init(); NULL: nobody is told */
	struct cpus present;   /* cpus of the machine */
	struct cpus leasable;  /* of these, by the configuration */
	prs_u64 now_ms;
	prs_u64 (*clock)(void); /* us: what requests take; tests have one of their own */
	bool is_stopping;
	bool has_leftovers; /* something could not be put back yet */
	prs_u32 last_id;
	struct account root, account[ACCOUNTS];
	prs_u64 waited_us; /* by the request that is being answered, on its account already */
	prs_u64 next_ms;   /* no lease ends before; 0: none has an end */
	struct lease lease[LEASES_MAX];
	/* Index of a lease and 1, 0 = nobody; policies by their index. */
	prs_u16 policy_lease[PRS_CTL_CPUS], core_lease[PRS_CTL_CPUS];
};

/* What came in one packet. */
struct packet {
	const void *bytes;
	size_t size;          /* of the packet, also if it was longer than a request */
	bool has_descriptors; /* it came with some, which are closed */
	pid_t sender;
};

/* @service is cleared but for what it points to. */
void service_init(struct service *service, const struct config *config, struct frequency *frequency,
		  struct cores *cores, const struct cpus *present);

/* Begin with a connection: its peer, account and session are set, time starts. */
void connection_init(struct service *service, struct connection *connection, pid_t pid, uid_t uid,
		     prs_u64 session);

/* It is over: the account has one less. */
void connection_end(struct connection *connection);

/* When it is to be closed if nothing comes, 0: not at all; and the reason, a word for the audit. */
prs_u64 connection_deadline(const struct service *service, const struct connection *connection,
			    const char **reason);

/* Handle one packet: service->now_ms is set. */
void service_answer(struct service *service, struct connection *connection, const struct packet *packet,
		    struct prs_ctl_reply *reply);

/* A reply to nothing: why there will be no other. */
void service_last_word(enum prs_ctl_status status, struct prs_ctl_reply *reply);

/* End all leases of a connection, or of all if it is NULL; @reason is a word for the audit. */
void service_end(struct service *service, const struct connection *connection, const char *reason);

/* Try again to put back what could not be, and see whether anything remains. */
void service_retry(struct service *service);

/* End the leases whose time is over, and find service->next_ms anew. */
void service_expire(struct service *service);

#endif
