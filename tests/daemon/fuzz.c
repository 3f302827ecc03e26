/* SPDX-License-Identifier: MIT */
/*
 * Sends perseusd what nobody would: packets of any size and content through a
 * real socket into the parser, from many connections, with any sender, at any
 * time, on a machine whose files fail now and then.  After each one the tables
 * must fit together; at the end nothing may be held.
 *
 *   fuzz SEED SECONDS     SECONDS of processor time; ends with "N packets, N granted, N refused: NAMES"
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "daemon/lease.h"
#include "daemon/listener.h"

#define CONNECTIONS 12
#define POLICIES    6
#define CPUS        16

static prs_u64 state;

static prs_u32 rnd(prs_u32 below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (prs_u32)((state >> 20) % below);
}

static void must(int holds, const char *what)
{
	if (holds)
		return;
	printf("fuzz: not so: %s\n", what);
	fflush(stdout);
	abort();
}

/* ---- a machine in memory ---------------------------------------------------- */

static struct journal journal;
static struct frequency frequency;
static struct cores cores;
static struct config config;
static struct energy energy;
static struct service service;
static struct connection connection[CONNECTIONS];
static bool is_held[PRS_CTL_CPUS], is_slot_used[JOURNAL_SLOTS];
static struct range now_set[PRS_CTL_CPUS];

static int hold(struct frequency *all, struct policy *policy, struct range wanted)
{
	(void)all;
	must(wanted.min <= wanted.max && range_is_inside(wanted, policy->limit),
	     "a hold is inside the limits");
	is_held[policy->cpu] = true;
	if (!rnd(40))
		return -EIO;
	now_set[policy->cpu] = policy->set = wanted;
	return 0;
}

static int release(struct frequency *all, struct policy *policy)
{
	(void)all;
	is_held[policy->cpu] = false;
	return 0;
}

static int read_policy(struct frequency *all, struct policy *policy, struct in_force *out)
{
	(void)all;
	*out = (struct in_force){now_set[policy->cpu], rnd(2) * 1000};
	return rnd(40) ? 0 : -ENODEV;
}

static int settle(struct frequency *all, struct policy *policy, int *patience, struct in_force *out)
{
	if (!rnd(20))
		*patience = 0;
	return read_policy(all, policy, out);
}

static const struct frequency_ops frequency_ops = {hold, release, read_policy, settle};

static int take(struct cores *all, prs_u32 slot, bool balanced, pid_t pid)
{
	(void)balanced;
	must(!is_slot_used[slot] && all->journal[slot].used && pid > 0,
	     "a slot is taken once, and noted before");
	is_slot_used[slot] = true;
	return rnd(20) ? 0 : -EBUSY;
}

static int give_back(struct cores *all, prs_u32 slot)
{
	must((is_slot_used[slot] ? SLOT_USED : SLOT_LEFT) == all->journal[slot].used,
	     "only what is taken is given back");
	is_slot_used[slot] = false;
	return rnd(20) ? 0 : -EBUSY;
}

static bool is_empty(struct cores *all, prs_u32 slot)
{
	(void)all, (void)slot;
	return rnd(20);
}

static const struct cores_ops cores_ops = {take, give_back, is_empty};

static int file_with(const char *text)
{
	int fd = memfd_create("energy", MFD_CLOEXEC);

	must(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text), "a file");
	return fd;
}

static void make_machine(void)
{
	struct cpus present = {{0}};

	memset(&frequency, 0, sizeof(frequency));
	frequency.by = PRS_CTL_BY_CPUFREQ;
	frequency.ops = &frequency_ops;
	frequency.n = POLICIES;
	for (prs_u32 cpu = 0; cpu < PRS_CTL_CPUS; cpu++)
		frequency.of_cpu[cpu] = NO_POLICY;
	/* Two cpus a policy, the last four have none; one policy has limits of its own. */
	for (prs_u32 i = 0; i < POLICIES; i++) {
		struct policy *p = &frequency.policy[i];

		*p = (struct policy){.cpu = 2 * i,
				     .limit = {800, i == 3 ? 1200 : 2400},
				     .journal = &journal.policy[2 * i]};
		cpus_add(&p->cpus, 2 * i);
		cpus_add(&p->cpus, 2 * i + 1);
		frequency.of_cpu[2 * i] = frequency.of_cpu[2 * i + 1] = (prs_u16)i;
		now_set[2 * i] = p->limit;
	}
	for (prs_u32 cpu = 0; cpu < CPUS; cpu++)
		cpus_add(&present, cpu);
	cores = (struct cores){
		.by = PRS_CTL_BY_CGROUP2, .ops = &cores_ops, .journal = journal.slot, .n = 4, .all = present};
	config = (struct config){.max_clients = CONNECTIONS,
				 .max_leases = 3,
				 .max_rate = 100,
				 .max_clients_per_uid = CONNECTIONS,
				 .max_hold_ms = 2000,
				 .max_cpus = 9,
				 .max_ttl_ms = 500,
				 .frequency = {.n = 2, .uid = {1, 2}},
				 .energy = {.n = 2, .uid = {1, 3}},
				 .reserve = {.n = 2, .uid = {2, 3}}};
	config.cpus = present;
	config.cpus.bits[1] &= 0x7f;
	service_init(&service, &config, &frequency, &cores, &present);
	service.now_ms = 1;
	energy = (struct energy){.is_there = true, .n = 1, .window_ms = ENERGY_LEAST_MS};
	energy.zone[0] = (struct energy_zone){.fd = file_with("5000000\n"), .range_uj = 9000000};
	energy.stat = file_with("cpu  1 2 3 4 5 6 7\n");
	service.energy = &energy;
}

/* ---- what must always be true ----------------------------------------------- */

static void check_policies(void)
{
	for (prs_u32 i = 0; i < POLICIES; i++) {
		const struct policy *p = &frequency.policy[i];
		const struct lease *lease = lease_of_policy(&service, p);

		must(is_held[p->cpu] == (lease != NULL), "a policy is held as long as a lease has it");
		if (!lease)
			continue;
		must(lease->id && lease->flags & PRS_CTL_FREQUENCY && cpus_has(&lease->cpus, p->cpu) &&
			     cpus_has(&lease->cpus, p->cpu + 1),
		     "the lease that has a policy has its cpus");
		must(range_is_inside(now_set[p->cpu], lease_narrow(p, lease->range)) || !is_held[p->cpu],
		     "what is set is inside the lease");
	}
}

/* Who is told of joules has a place, and nobody else has one. */
static void check_shares(void)
{
	prs_u32 told = 0, places = 0;

	for (prs_u32 i = 0; i < CONNECTIONS; i++) {
		const struct connection *c = &connection[i];

		told += c->energy != NULL;
		must(!c->energy || energy.share[c->energy_place].pid == c->pid,
		     "a place is its connection's");
		must(!c->energy || uids_have(&config.energy, c->uid), "only who is named is told");
	}
	for (prs_u32 i = 0; i < ENERGY_SHARES; i++) {
		places += energy.share[i].pid != 0;
		must(energy.share[i].mj % ENERGY_ROUNDED_MJ == 0, "joules are rounded");
	}
	must(told == places, "each place is somebody's");
}

static void check_leases(void)
{
	prs_u32 of_connection[CONNECTIONS] = {0}, slots = 0;

	for (prs_u32 i = 0; i < LEASES_MAX; i++) {
		const struct lease *lease = &service.lease[i];

		if (!lease->id)
			continue;
		must(lease->owner >= connection && lease->owner < connection + CONNECTIONS,
		     "a lease has an owner");
		must(lease->uid == lease->owner->uid, "... who is who asked for it");
		must(!lease->ends_ms || (service.next_ms && service.next_ms <= lease->ends_ms),
		     "its end is known");
		of_connection[lease->owner - connection]++;
		if (!(lease->flags & PRS_CTL_RESERVE))
			continue;
		slots++;
		cpus_for_each(cpu, &lease->cpus)
		{
			must(lease_of_core(&service, cpu) == lease, "its cores are its own");
		}
	}
	for (prs_u32 i = 0; i < CONNECTIONS; i++)
		must(of_connection[i] == connection[i].leases && of_connection[i] <= config.max_leases,
		     "leases are counted");
	check_shares();
	for (prs_u32 i = 0; i < JOURNAL_SLOTS; i++) {
		must(is_slot_used[i] == (journal.slot[i].used == SLOT_USED), "slots are noted");
		slots -= is_slot_used[i];
	}
	must(!slots, "a reservation has a slot");
}

/* ---- packets ---------------------------------------------------------------- */

static prs_u32 any_khz(void)
{
	static const prs_u32 some[] = {0, 1, 799, 800, 1000, 1200, 1600, 2400, 2401, UINT32_MAX};

	return some[rnd(sizeof(some) / sizeof(some[0]))];
}

static prs_u32 any_lease(const struct connection *c)
{
	const struct lease *lease = &service.lease[rnd(rnd(4) ? 8 : LEASES_MAX)];

	for (prs_u32 i = 0; i < 32 && rnd(8); i++) {
		if (service.lease[i].id && service.lease[i].owner == c)
			return service.lease[i].id;
	}
	return rnd(10) ? lease->id : rnd(UINT32_MAX);
}

/* A request that could be right. */
static struct prs_ctl_request sensible(const struct connection *c)
{
	static const prs_u16 ops[] = {PRS_CTL_LEASE,   PRS_CTL_LEASE, PRS_CTL_SET,    PRS_CTL_RENEW,
				      PRS_CTL_RELEASE, PRS_CTL_QUERY, PRS_CTL_REVOKE, PRS_CTL_ENERGY};
	struct prs_ctl_request q = {.magic = PRS_CTL_MAGIC,
				    .version = PRS_CTL_VERSION,
				    .op = ops[rnd(8)],
				    .session = c->session,
				    .tag = rnd(1000)};

	if (!c->is_greeted) {
		q.op = PRS_CTL_HELLO;
		q.session = 0;
	} else if (q.op == PRS_CTL_LEASE) {
		q.flags = 1 + rnd(7);
		for (prs_u32 n = rnd(3) + 1, cpu = rnd(CPUS); n; n--, cpu += rnd(3))
			q.cpus[cpu % CPUS / 8] |= (prs_u8)((rnd(50) ? 3u : 1u) << (cpu % 8 & 6u));
		q.min_khz = q.flags & 1 ? any_khz() : 0;
		q.max_khz = q.flags & 1 ? any_khz() : 0;
		q.ttl_ms = rnd(2) ? rnd(600) : 0;
		memset(q.plan, (int)rnd(3), sizeof(q.plan));
	} else if (q.op != PRS_CTL_ENERGY) {
		q.lease = q.op == PRS_CTL_QUERY ? 0 : any_lease(c);
		q.cpu = q.op == PRS_CTL_SET || q.op == PRS_CTL_QUERY ? rnd(CPUS + 1) : 0;
		q.min_khz = q.op == PRS_CTL_SET ? any_khz() : 0;
		q.max_khz = q.op == PRS_CTL_SET ? any_khz() : 0;
		q.ttl_ms = q.op == PRS_CTL_RENEW ? rnd(600) : 0;
		q.flags = q.op == PRS_CTL_QUERY ? rnd(3) : 0;
	}
	return q;
}

static size_t spoil(unsigned char *bytes, size_t n, size_t most)
{
	prs_u32 kind = rnd(12);

	if (kind == 0)
		return rnd((prs_u32)most + 1);
	if (kind == 1) {
		for (size_t i = 0; i < most; i++)
			bytes[i] = (unsigned char)rnd(256);
	} else if (kind < 5) {
		for (prs_u32 i = rnd(6) + 1; i; i--)
			bytes[rnd((prs_u32)n)] ^= (unsigned char)(1u << rnd(8));
	}
	return n;
}

/* Through a socket, some with descriptors. */
static int deliver(const int ends[2], void *bytes, size_t n, void *buffer, struct packet *packet, int n_fds)
{
	union {
		char bytes[CMSG_SPACE(3 * sizeof(int))];
		struct cmsghdr align;
	} control = {{0}};
	struct iovec part = {bytes, n};
	struct msghdr m = {.msg_iov = &part, .msg_iovlen = 1};

	if (n_fds) {
		struct cmsghdr *c;

		m.msg_control = control.bytes;
		m.msg_controllen = CMSG_SPACE((size_t)n_fds * sizeof(int));
		c = CMSG_FIRSTHDR(&m);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN((size_t)n_fds * sizeof(int));
		memcpy(CMSG_DATA(c), (int[]){0, 1, 2}, (size_t)n_fds * sizeof(int));
	}
	must(sendmsg(ends[0], &m, MSG_NOSIGNAL) == (ssize_t)n, "a packet can be sent");
	return listener_receive(ends[1], buffer, packet);
}

static int open_files(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int n = 0;

	while (dir && readdir(dir))
		n++;
	closedir(dir);
	return n;
}

static void renew_connection(prs_u32 i)
{
	service_end(&service, &connection[i], "closed");
	connection_end(&connection[i]);
	must(!connection[i].leases, "the leases of a closed connection have ended");
	connection[i].fd = connection[i].pidfd = -1;
	connection_init(&service, &connection[i], getpid(), rnd(4), 1 + rnd(1000000));
}

static prs_u64 seen[PRS_CTL_STATUS_COUNT];

static void one_packet(const int ends[2])
{
	struct connection *c = &connection[rnd(CONNECTIONS)];
	unsigned char bytes[2 * PRS_CTL_MESSAGE] = {0}, buffer[PRS_CTL_MESSAGE];
	struct prs_ctl_request q = sensible(c);
	int n_fds = rnd(30) ? 0 : (int)rnd(3) + 1;
	struct prs_ctl_reply r;
	struct packet packet;
	size_t n;

	memcpy(bytes, &q, sizeof(q));
	n = spoil(bytes, sizeof(q), sizeof(bytes));
	memcpy(&q, bytes, sizeof(q));
	must(deliver(ends, bytes, n, buffer, &packet, n_fds) == 1, "a packet arrives");
	must(packet.size == n && packet.has_descriptors == (n_fds > 0) && packet.sender == getpid(),
	     "... with its size, its sender, and what it carried");
	if (!rnd(60))
		packet.sender = (pid_t)rnd(100000);
	service_answer(&service, c, &packet, &r);
	must(r.magic == PRS_CTL_MAGIC && r.version == PRS_CTL_VERSION && r.status < PRS_CTL_STATUS_COUNT,
	     "a reply");
	must(n != sizeof(q) || (r.tag == q.tag && r.op == q.op), "... to this request");
	must(r.status != PRS_CTL_OK_STATUS || (n == sizeof(q) && !n_fds && packet.sender == c->pid),
	     "... as it must be");
	seen[r.status]++;
}

int main(int argc, char **argv)
{
	double seconds = argc > 2 ? atof(argv[2]) : 1;
	prs_u64 packets = 0, granted;
	prs_u32 hurry = 0; /* packets that come at one time, more than the rate allows */
	int ends[2], on = 1, files;

	state = 88172645463325252ull + (argc > 1 ? strtoull(argv[1], NULL, 0) : 1);
	make_machine();
	must(!socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) &&
		     !setsockopt(ends[1], SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)),
	     "a pair of sockets");
	for (prs_u32 i = 0; i < CONNECTIONS; i++)
		renew_connection(i);
	files = open_files();
	for (; (double)clock() / CLOCKS_PER_SEC < seconds; packets++) {
		one_packet(ends);
		hurry = hurry ? hurry - 1 : rnd(5000) ? 0 : 3 * CONNECTIONS * config.max_rate;
		service.now_ms += hurry || rnd(4) ? 0 : rnd(20);
		service_expire(&service);
		if (service.has_leftovers && !rnd(50))
			service_retry(&service);
		if (!rnd(300))
			renew_connection(rnd(CONNECTIONS));
		check_policies();
		if (!rnd(16))
			check_leases();
	}
	for (int i = 0; i < 1000 && service.has_leftovers; i++)
		service_retry(&service);
	must(open_files() == files, "no descriptor has stayed");
	service_end(&service, NULL, "stopping");
	check_policies();
	check_leases();
	granted = seen[PRS_CTL_OK_STATUS];
	printf("%llu packets, %llu granted, %llu refused:", (unsigned long long)packets,
	       (unsigned long long)granted, (unsigned long long)(packets - granted));
	for (prs_u32 i = 1; i < PRS_CTL_STATUS_COUNT; i++) {
		if (seen[i])
			printf(" %u", i);
	}
	putchar('\n');
	return 0;
}
