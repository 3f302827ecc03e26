/* SPDX-License-Identifier: MIT */
/*
 * Control of frequencies and cores: the ioctls of /dev/perseus (kmod/) and the
 * messages of perseusd (daemon/).  Both sides of both include this file, the
 * kernel module too.
 *
 * Everything has a fixed size and fixed-size fields.  Fields named `reserved`
 * and unknown flag bits must be zero: whoever sends others gets an error, so
 * they can be given a meaning later.  Frequencies are kHz, times milliseconds.
 */
#ifndef PERSEUS_CTL_H
#define PERSEUS_CTL_H

#ifdef __KERNEL__
#include <linux/ioctl.h>
#include <linux/types.h>
typedef __u8 prs_u8;
typedef __u16 prs_u16;
typedef __u32 prs_u32;
typedef __u64 prs_u64;
#else
#include <stdint.h>
#include <sys/ioctl.h>
typedef uint8_t prs_u8;
typedef uint16_t prs_u16;
typedef uint32_t prs_u32;
typedef uint64_t prs_u64;
#endif

#define PRS_CTL_VERSION 1u
#define PRS_CTL_CPUS    1024u /* of a mask: bit c % 8 of byte c / 8 is cpu c */

/* ---- /dev/perseus ---------------------------------------------------------- */
/*
 * A hold bounds the frequency policy of a cpu from both sides; a descriptor
 * has at most one per policy, a second replaces it.  All holds of a descriptor
 * end when its last copy is closed, however that comes about.
 *
 *   EINVAL  version, reserved fields, min above max
 *   ENODEV  the cpu does not exist or has no frequency policy
 *   EBUSY   another descriptor holds the policy at a range without a frequency in common
 *   ENOENT  release of what this descriptor does not hold
 *   EMFILE  (open) as many descriptors as the module admits
 *   ENOTTY  no such ioctl
 */
#define PRS_CTL_DEVICE "/dev/perseus"

/* flags of a hold and of a query, from the module */
#define PRS_CTL_CLAMPED  0x1u /* a bound lay outside the hard limits and was moved to them */
#define PRS_CTL_NOT_HELD 0x2u /* read back: the policy's range is not inside what was granted */
#define PRS_CTL_OTHERS   0x4u /* other descriptors hold this policy too */

struct prs_ctl_caps {
	prs_u32 version;  /* in: PRS_CTL_VERSION; out: the module's */
	prs_u32 policies; /* frequency policies there are now */
	prs_u32 files;    /* descriptors open now */
	prs_u32 file_limit;
	prs_u32 cpus; /* possible cpu numbers */
	prs_u32 reserved[3];
};

struct prs_ctl_hold {
	prs_u32 version;
	prs_u32 cpu;
	prs_u32 min_khz; /* in: 0 = no lower bound */
	prs_u32 max_khz; /* in: 0 = no upper bound */
	prs_u32 granted_min_khz;
	prs_u32 granted_max_khz;
	prs_u32 policy_min_khz; /* out: of the policy, read back after the change */
	prs_u32 policy_max_khz;
	prs_u32 current_khz; /* out: 0 if the driver does not say */
	prs_u32 flags;       /* in: 0; out: as above */
	prs_u32 reserved[2];
};

struct prs_ctl_release {
	prs_u32 version;
	prs_u32 cpu;
	prs_u32 reserved[2];
};

struct prs_ctl_query {
	prs_u32 version;
	prs_u32 cpu;
	prs_u32 policy;        /* out: first cpu of its policy */
	prs_u32 limit_min_khz; /* out: hard limits */
	prs_u32 limit_max_khz;
	prs_u32 policy_min_khz;
	prs_u32 policy_max_khz;
	prs_u32 current_khz;
	prs_u32 held_min_khz; /* out: by this descriptor; 0 0 = it holds nothing */
	prs_u32 held_max_khz;
	prs_u32 flags;
	prs_u32 reserved;
};

#define PRS_CTL_IOC_CAPS    _IOWR('p', 0xe0, struct prs_ctl_caps)
#define PRS_CTL_IOC_HOLD    _IOWR('p', 0xe1, struct prs_ctl_hold)
#define PRS_CTL_IOC_RELEASE _IOW('p', 0xe2, struct prs_ctl_release)
#define PRS_CTL_IOC_QUERY   _IOWR('p', 0xe3, struct prs_ctl_query)

/* ---- perseusd --------------------------------------------------------------- */
/*
 * A SEQPACKET socket: one request, one reply, in order.  The first request is
 * HELLO; its reply carries the session number that all later requests must
 * carry.  A request counts only when the process that sent it is the one that
 * connected: a forked child opens a connection of its own.
 *
 * A lease is a set of cpus, a frequency range, or both a range and the cores
 * themselves.  It ends by RELEASE, by its time to live, when the connection is
 * closed, when the process ends, and when the daemon ends; then everything is
 * as it was before.  A policy and a reserved core belong to one lease at a time.
 * They have separate owners, though: cores reserved by one process may have
 * their frequency leased by another of the same user (a planned program under
 * `perseus ctl run --reserve`); for other users they are BUSY, both ways round.
 *
 * A LEASE answered NOT_HELD is granted all the same: its number is not 0, what
 * is in force differs.  Fields that an operation does not use must be zero.  A
 * connection too many is told so before it asks: one reply with operation 0.
 *
 * Root of the machine says HELLO in the name of process 1 (SCM_CREDENTIALS),
 * which the kernel lets nobody do who is root of a container only.
 */
#define PRS_CTL_SOCKET  "/run/perseus/control"
#define PRS_CTL_MAGIC   0x44535250u /* "PRSD" */
#define PRS_CTL_MESSAGE 256u        /* bytes of every request and reply */

enum prs_ctl_op {
	PRS_CTL_HELLO = 1,   /* -> session, flags: what can be had, cpus: those that can be leased */
	PRS_CTL_LEASE = 2,   /* cpus min_khz max_khz ttl_ms plan flags -> lease, and what is in force */
	PRS_CTL_SET = 3,     /* lease cpu min_khz max_khz -> read back; inside the range of the lease */
	PRS_CTL_RENEW = 4,   /* lease ttl_ms -> its time starts again */
	PRS_CTL_RELEASE = 5, /* lease */
	/*
	 * cpu flags -> cpus of its policy, range, current, and who holds it.  flags RESERVE asks for the
	 * holder of the core, 0 or FREQUENCY for that of the policy; in the reply: what the holder has.
	 */
	PRS_CTL_QUERY = 6,
	PRS_CTL_REVOKE = 7, /* lease, of anybody: for root of the machine -> whose it was */
	/*
	 * -> energy_mj windows window_ms: joules of the process that connected since it first asked, in whole
	 * windows, each rounded to 0.1 J.  It is the part of the packages' joules that its CPU time is of the
	 * machine's.  All processes have the same windows; asking more often tells nothing more.
	 */
	PRS_CTL_ENERGY = 8,
};

/* flags of LEASE, and in the replies to HELLO and QUERY */
#define PRS_CTL_FREQUENCY  0x01u  /* hold the frequency range */
#define PRS_CTL_RESERVE    0x02u  /* the cores for this process alone */
#define PRS_CTL_BALANCED   0x04u  /* with RESERVE: the kernel goes on balancing inside the reservation */
#define PRS_CTL_BY_MODULE  0x10u  /* HELLO: frequencies by /dev/perseus */
#define PRS_CTL_BY_CPUFREQ 0x20u  /* HELLO: frequencies by cpufreq's own files */
#define PRS_CTL_BY_CGROUP2 0x40u  /* HELLO: cores by partitions of cgroup v2 */
#define PRS_CTL_BY_CGROUP1 0x80u  /* HELLO: cores by cpusets of cgroup v1 */
#define PRS_CTL_BY_RAPL    0x100u /* HELLO: ENERGY by the counters of packages */

/* X(NUMBER, NAME, meaning) */
#define PRS_CTL_STATUSES(X)                                                                                  \
	X(0, OK, "done")                                                                                     \
	X(1, BAD_SIZE, "a request has 256 bytes and carries no descriptors")                                 \
	X(2, BAD_MAGIC, "not a request to perseusd")                                                         \
	X(3, BAD_VERSION, "a version of the protocol that this daemon does not speak")                       \
	X(4, BAD_OP, "no such operation")                                                                    \
	X(5, BAD_FIELD, "a reserved field or an unknown flag is set")                                        \
	X(6, BAD_SESSION, "not the session number of this connection; HELLO comes first, once")              \
	X(7, NOT_PEER, "sent by another process than the one that connected")                                \
	X(8, BAD_CPUS, "no cpu, or one that does not exist here")                                            \
	X(9, PART_OF_POLICY, "the policy has cpus that were not asked for: ask for all of them")             \
	X(10, BAD_RANGE, "the range is empty, or outside the limits of the policy or of the lease")          \
	X(11, BAD_TTL, "a time to live beyond what the daemon admits")                                       \
	X(12, NOT_ALLOWED, "the daemon's configuration does not give this to this user")                     \
	X(13, BUSY, "another lease holds it: see the holder in the reply")                                   \
	X(14, NO_LEASE, "no such lease of this connection")                                                  \
	X(15, NO_FREQUENCY, "frequencies cannot be set here")                                                \
	X(16, NO_RESERVE, "cores cannot be reserved here")                                                   \
	X(17, LIMIT, "too many connections or leases")                                                       \
	X(18, RATE, "too many requests in too short a time")                                                 \
	X(19, REFUSED, "the kernel refused: see the error number in the reply")                              \
	X(20, NOT_HELD, "accepted by the kernel, but what is in force differs")                              \
	X(21, STOPPING, "the daemon is ending")                                                              \
	X(22, NO_ENERGY, "joules are not told here")

#define PRS_CTL_STATUS_ENUM(NUMBER, NAME, MEANING) PRS_CTL_##NAME##_STATUS = (NUMBER),
enum prs_ctl_status { PRS_CTL_STATUSES(PRS_CTL_STATUS_ENUM) PRS_CTL_STATUS_COUNT };

struct prs_ctl_request {
	prs_u32 magic;
	prs_u16 version;
	prs_u16 op;
	prs_u64 session; /* 0 in HELLO */
	prs_u32 tag;     /* comes back in the reply */
	prs_u32 flags;
	prs_u32 lease;
	prs_u32 cpu;
	prs_u32 min_khz;
	prs_u32 max_khz;
	prs_u32 ttl_ms; /* 0 = as long as the process lives */
	prs_u32 reserved0;
	prs_u8 plan[32]; /* SHA-256 of plan.yaml, or zeros; only for the audit */
	prs_u8 cpus[PRS_CTL_CPUS / 8];
	prs_u8 reserved[48];
};

struct prs_ctl_reply {
	prs_u32 magic;
	prs_u16 version;
	prs_u16 op;
	prs_u64 session;
	prs_u32 tag;
	prs_u32 status;  /* enum prs_ctl_status */
	prs_u32 lease;   /* QUERY: of the holder, 0 = nobody */
	prs_u32 cpu;     /* BUSY and PART_OF_POLICY: the first one concerned */
	prs_u32 min_khz; /* in force, read back; HELLO: hard limits over all policies */
	prs_u32 max_khz;
	prs_u32 ttl_ms;      /* left; 0 = no limit; HELLO: the largest admitted, 0 = any */
	prs_u32 current_khz; /* 0 if the driver does not say */
	prs_u32 holder_pid;
	prs_u32 holder_uid;
	prs_u32 flags;
	prs_u32 error;   /* errno, with REFUSED */
	prs_u8 plan[32]; /* QUERY and BUSY: the holder's */
	prs_u8 cpus[PRS_CTL_CPUS / 8];
	prs_u64 energy_mj;          /* ENERGY */
	prs_u32 windows, window_ms; /* ENERGY: whole ones, and the least length of one */
	prs_u8 reserved[16];
};

_Static_assert(sizeof(struct prs_ctl_request) == PRS_CTL_MESSAGE, "format");
_Static_assert(sizeof(struct prs_ctl_reply) == PRS_CTL_MESSAGE, "format");
_Static_assert(sizeof(struct prs_ctl_hold) == 48, "format");
_Static_assert(sizeof(struct prs_ctl_query) == 48, "format");
_Static_assert(sizeof(struct prs_ctl_caps) == 32, "format");
_Static_assert(sizeof(struct prs_ctl_release) == 16, "format");

#endif
