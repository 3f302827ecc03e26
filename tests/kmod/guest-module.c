/* SPDX-License-Identifier: MIT */
/* What /dev/perseus promises, one promise after the other. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/kmod/guest.h"

static long holds_now(void)
{
	return (long)number_of("/sys/module/perseus/parameters/holds");
}

static long files_now(void)
{
	return (long)number_of("/sys/module/perseus/parameters/files");
}

/* ---- loading ------------------------------------------------------------------ */

static void bad_parameters(void)
{
	static const char *const bad[] = {
		"limits=x",
		"limits=0",
		"limits=0:",
		"limits=0:800000",
		"limits=0:800000-",
		"limits=0:0-1",
		"limits=0:5-4",
		"limits=1024:1-2",
		"limits=0:1-2147483648",
		"limits=0:1-99999999999",
		"limits=0:1-2,",
		"limits=0:1-2,0:1-2",
		"limits=0:1-2;1:1-2",
		"limits=-1:1-2",
		"file_limit=0",
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		it(load("perseus", bad[i]) == -EINVAL, "load with %s: EINVAL", bad[i]);
	it(load("perseus", "files=3") == -EPERM, "load with files=3: EPERM, a counter is not set");
	it(access(PRS_CTL_DEVICE, F_OK) != 0, "after that there is no device");
}

static void without_driver(void)
{
	struct prs_ctl_query q;
	struct prs_ctl_caps c;
	int fd;

	it(load("perseus", "") == 0, "the module loads without a frequency driver");
	fd = device();
	it(fd >= 0, "the device opens");
	it(caps(fd, &c) == 0 && c.version == PRS_CTL_VERSION && c.policies == 0 && c.files == 1 &&
		   c.file_limit == 64,
	   "no policies, 1 of 64 descriptors");
	it(hold(fd, 0, 0, 1, NULL) == -ENODEV, "hold: ENODEV");
	it(query(fd, 0, &q) == -ENODEV, "query: ENODEV");
	it(release(fd, 0) == -ENOENT, "release: ENOENT");
	close(fd);
}

static void descriptors(void)
{
	int fds[65], n = 0, more;
	struct stat st;

	it(stat(PRS_CTL_DEVICE, &st) == 0 && (st.st_mode & 07777) == 0600 && st.st_uid == 0,
	   "the device is root's, 0600");
	while (n < 64 && (fds[n] = device()) >= 0)
		n++;
	it(n == 64 && files_now() == 64, "64 descriptors open (%d)", n);
	it(device() == -EMFILE, "the 65th: EMFILE");
	it(files_now() == 64, "and it is not counted");
	close(fds[--n]);
	more = device();
	it(more >= 0, "one closed: one more");
	close(more);
	while (n)
		close(fds[--n]);
	it(files_now() == 0, "all closed: none counted");
}

/* ---- hold, clamp, replace, release ---------------------------------------------- */

static void basic(int fd)
{
	struct prs_ctl_hold h;
	struct prs_ctl_query q;
	struct prs_ctl_caps c;

	it(caps(fd, &c) == 0 && c.policies == GUEST_POLICIES && c.cpus >= GUEST_CPUS, "%d policies",
	   GUEST_POLICIES);
	it(policy_now(0) == 2400000, "cpu 0 runs at its highest");
	it(hold(fd, 0, 0, 1600000, &h) == 0, "hold below 1.6 GHz");
	it(h.granted_min_khz == 800000 && h.granted_max_khz == 1600000 && !h.flags, "granted 0.8 to 1.6");
	it(h.policy_min_khz == 800000 && h.policy_max_khz == 1600000 && h.current_khz == 1600000,
	   "and read back, with the frequency");
	it(policy_max(0) == 1600000 && policy_now(0) == 1600000, "cpufreq says the same");
	it(policy_max(3) == 2400000, "another policy is left alone");
	it(holds_now() == 1, "one hold");
	it(query(fd, 0, &q) == 0 && q.policy == 0 && q.held_min_khz == 800000 && q.held_max_khz == 1600000 &&
		   q.limit_min_khz == 800000 && q.limit_max_khz == 2400000 && q.policy_max_khz == 1600000 &&
		   q.current_khz == 1600000 && q.flags == 0,
	   "query tells the same");
	it(release(fd, 0) == 0 && policy_max(0) == 2400000 && policy_now(0) == 2400000,
	   "release: all as before, at once");
	it(query(fd, 0, &q) == 0 && q.held_min_khz == 0 && q.held_max_khz == 0, "query: nothing is held");
	it(release(fd, 0) == -ENOENT, "a second release: ENOENT");
	it(hold(fd, 0, 1600000, 0, &h) == 0 && policy_min(0) == 1600000 && policy_max(0) == 2400000,
	   "hold above 1.6");
	it(hold(fd, 0, 1600000, 1600000, &h) == 0 && policy_min(0) == 1600000 && policy_max(0) == 1600000,
	   "replaced: at 1.6");
	it(holds_now() == 1, "still one hold");
	it(release(fd, 0) == 0 && restored(), "released");
}

static void clamps(int fd)
{
	static const struct {
		prs_u32 min, max, granted_min, granted_max, flags;
	} cases[] = {
		{1, 1600000, 800000, 1600000, PRS_CTL_CLAMPED},
		{800000, 9999999, 800000, 2400000, PRS_CTL_CLAMPED},
		{1, 0xffffffff, 800000, 2400000, PRS_CTL_CLAMPED},
		{1, 2, 800000, 800000, PRS_CTL_CLAMPED},
		{0xfffffffe, 0xffffffff, 2400000, 2400000, PRS_CTL_CLAMPED},
		{0x80000000, 0, 2400000, 2400000, PRS_CTL_CLAMPED},
		{800000, 2400000, 800000, 2400000, 0},
		{0, 0, 800000, 2400000, 0},
	};
	struct prs_ctl_hold h;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		it(hold(fd, 0, cases[i].min, cases[i].max, &h) == 0 &&
			   h.granted_min_khz == cases[i].granted_min &&
			   h.granted_max_khz == cases[i].granted_max && h.flags == cases[i].flags &&
			   policy_min(0) == cases[i].granted_min && policy_max(0) == cases[i].granted_max,
		   "asked for %u to %u: in force %u to %u%s", cases[i].min, cases[i].max,
		   cases[i].granted_min, cases[i].granted_max, cases[i].flags ? ", flagged" : "");
	}
	release(fd, 0);
}

/* Every pair of ranges, one replaced by the other; the state between is never crossed. */
static void replaces(int fd)
{
	static const prs_u32 steps[] = {800000, 1200000, 1600000, 2000000, 2400000};
	unsigned good = 0, tried = 0;
	struct prs_ctl_hold h;

	for (unsigned pair = 0; pair < 625; pair++) {
		prs_u32 a = steps[pair % 5], b = steps[pair / 5 % 5], c = steps[pair / 25 % 5],
			d = steps[pair / 125];

		if (a > b || c > d)
			continue;
		tried++;
		good += hold(fd, 3, a, b, &h) == 0 && h.policy_min_khz == a && h.policy_max_khz == b &&
			hold(fd, 3, c, d, &h) == 0 && h.policy_min_khz == c && h.policy_max_khz == d &&
			!h.flags;
	}
	it(good == tried && tried == 225, "%u of %u ranges replaced by another", good, tried);
	release(fd, 3);
}

static void many_cpus(int fd)
{
	struct prs_ctl_query q;

	it(hold(fd, 2, 0, 2400000, NULL) == 0 && policy_max(1) == 2400000,
	   "a hold by the second cpu of a policy");
	it(query(fd, 1, &q) == 0 && q.policy == 1 && q.held_max_khz == 2400000, "is seen by the first");
	it(query(fd, 2, &q) == 0 && q.policy == 1 && q.held_max_khz == 2400000, "and by the second");
	it(hold(fd, 1, 0, 1600000, NULL) == 0 && holds_now() == 1 && policy_max(2) == 1600000,
	   "replaced by the first");
	it(release(fd, 2) == 0 && release(fd, 1) == -ENOENT && restored(), "released by the second, once");
	it(hold(fd, 0, 0, 800000, NULL) == 0 && hold(fd, 1, 0, 800000, NULL) == 0 &&
		   hold(fd, 3, 0, 800000, NULL) == 0 && holds_now() == 3,
	   "three policies by one descriptor");
}

static void several_holders(void)
{
	int a = device(), b = device(), c = device();
	struct prs_ctl_hold h;
	struct prs_ctl_query q;

	it(hold(a, 0, 800000, 1600000, &h) == 0 && !h.flags, "one holds 0.8 to 1.6");
	it(hold(b, 0, 1600000, 2400000, &h) == 0 && h.flags == PRS_CTL_OTHERS &&
		   h.policy_min_khz == 1600000 && h.policy_max_khz == 1600000,
	   "another 1.6 to 2.4: in force is what they share, flagged");
	it(query(a, 0, &q) == 0 && q.flags == PRS_CTL_OTHERS && q.held_max_khz == 1600000,
	   "the first is told, too");
	it(hold(c, 0, 800000, 800000, &h) == -EBUSY, "a third at 0.8: EBUSY");
	it(hold(c, 0, 2400000, 0, &h) == -EBUSY, "at 2.4: EBUSY");
	it(policy_min(0) == 1600000 && policy_max(0) == 1600000 && holds_now() == 2,
	   "and nothing has changed");
	it(query(c, 0, &q) == 0 && q.held_max_khz == 0 && q.flags == PRS_CTL_OTHERS,
	   "the third holds nothing");
	it(hold(b, 0, 2400000, 2400000, &h) == -EBUSY && policy_min(0) == 1600000,
	   "a replacement that does not fit: EBUSY, the old one stays");
	it(query(b, 0, &q) == 0 && q.held_min_khz == 1600000 && q.held_max_khz == 2400000, "as query says");
	close(a);
	it(policy_min(0) == 1600000 && policy_max(0) == 2400000, "the first closes: the second's range");
	it(hold(b, 0, 2400000, 2400000, &h) == 0 && !h.flags, "now the replacement fits");
	it(hold(c, 3, 0, 800000, &h) == 0 && !h.flags, "other policies are nobody's business");
	close(b);
	close(c);
	it(restored(), "all restored");

	a = device();
	b = device();
	it(hold(a, 0, 800000, 1500000, NULL) == 0 && hold(b, 0, 1000000, 2400000, NULL) == -EBUSY,
	   "ranges that share no step of the driver: EBUSY");
	it(hold(b, 0, 800000, 1000000, NULL) == 0, "that share one: granted");
	close(a);
	close(b);
}

/* ---- not honoured ------------------------------------------------------------------- */

static void not_honoured(void)
{
	struct prs_ctl_hold h;
	struct prs_ctl_query q;
	int fd = device();

	/* The next higher one up to Linux 6.11, the next lower one later. */
	it(hold(fd, 0, 900000, 1000000, &h) == 0 && (h.flags & PRS_CTL_NOT_HELD) &&
		   (h.policy_max_khz == 1600000 || h.policy_max_khz == 800000),
	   "a range between two steps: the kernel takes one beside it, flagged");
	put("/sys/devices/system/cpu/cpufreq/policy0/scaling_max_freq", "800000");
	it(hold(fd, 0, 1600000, 2400000, &h) == 0 && (h.flags & PRS_CTL_NOT_HELD) &&
		   h.policy_max_khz == 800000,
	   "above what the administrator set: not held, flagged");
	it(query(fd, 0, &q) == 0 && (q.flags & PRS_CTL_NOT_HELD), "query says so");
	put("/sys/devices/system/cpu/cpufreq/policy0/scaling_max_freq", "2400000");
	/* The kernel applies what is written there some time later. */
	for (unsigned i = 0; i < 200 && query(fd, 0, &q) == 0 && q.flags & PRS_CTL_NOT_HELD; i++)
		sleep_ms(5);
	it(!(q.flags & PRS_CTL_NOT_HELD) && q.policy_min_khz == 1600000,
	   "taken back: held, the flag is gone");
	put("/sys/module/fake_cpufreq/parameters/deaf", "1");
	it(hold(fd, 3, 800000, 800000, &h) == 0 && (h.flags & PRS_CTL_NOT_HELD) &&
		   h.policy_max_khz == 2400000,
	   "a driver that does not listen: flagged");
	put("/sys/module/fake_cpufreq/parameters/deaf", "0");
	it(hold(fd, 3, 800000, 800000, &h) == 0 && !h.flags, "one that does: not flagged");
	close(fd);
	it(restored(), "restored");
}

/* ---- who has the descriptor ---------------------------------------------------------- */

static void holder(int ready, void *arg)
{
	int fd = arg ? *(int *)arg : device();

	if (hold(fd, 0, 0, 1600000, NULL))
		_exit(8);
	ready_now(ready);
	pause();
}

/* Holds and replaces until it is killed. */
static void busy_holder(int ready, void *arg)
{
	unsigned seed = *(unsigned *)arg;
	int fd = device();

	ready_now(ready);
	for (unsigned i = 0;; i++) {
		unsigned p = rnd(&seed, GUEST_POLICIES);

		if (rnd(&seed, 8))
			hold(fd, guest_policies[p].cpu, 0, guest_policies[p].min_khz + rnd(&seed, 1000000),
			     NULL);
		else
			release(fd, guest_policies[p].cpu);
		if (!rnd(&seed, 16)) {
			close(fd);
			fd = device();
		}
	}
}

static void killed(void)
{
	unsigned held = 0, good = 0, busy_good = 0, seed = 7;

	for (unsigned i = 0; i < 50; i++) {
		pid_t pid = child(holder, NULL);

		held += policy_max(0) == 1600000;
		end(pid, SIGKILL);
		good += restored();
	}
	it(held == 50 && good == 50, "holder killed: restored %u of 50 (held before: %u)", good, held);
	for (unsigned i = 0; i < 50; i++) {
		unsigned start = i + 1;
		pid_t pid = child(busy_holder, &start);

		sleep_ms(rnd(&seed, 20));
		end(pid, SIGKILL);
		busy_good += restored() && files_now() == 0;
	}
	it(busy_good == 50, "killed in the middle of requests: restored %u of 50", busy_good);
}

static void child_with(int ready, void *arg)
{
	(void)arg;
	ready_now(ready);
	pause();
}

static void send_fd(int socket, int fd)
{
	char control[CMSG_SPACE(sizeof(int))] = {0}, byte = 0;
	struct iovec iov = {&byte, 1};
	struct msghdr m = {
		.msg_iov = &iov, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control)};
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	it(sendmsg(socket, &m, 0) == 1, "the descriptor is sent");
}

static void shared(void)
{
	int fd = device(), pair[2], copy;
	pid_t pid;

	hold(fd, 0, 0, 1600000, NULL);
	pid = child(child_with, NULL);
	close(fd);
	it(policy_max(0) == 1600000 && files_now() == 1,
	   "a forked child has a copy: closed by the parent, still held");
	end(pid, SIGKILL);
	it(restored() && files_now() == 0, "the child is killed: restored");

	fd = device();
	pid = child(holder, &fd);
	it(policy_max(0) == 1600000, "a child holds by its parent's descriptor");
	end(pid, SIGKILL);
	it(policy_max(0) == 1600000, "killed: the parent still has it");
	it(release(fd, 0) == 0 && restored(), "and may release it");

	hold(fd, 0, 0, 1600000, NULL);
	copy = dup(fd);
	close(fd);
	it(policy_max(0) == 1600000, "dup: held until the last copy is closed");
	socketpair(AF_UNIX, SOCK_DGRAM, 0, pair);
	send_fd(pair[0], copy);
	close(copy);
	it(policy_max(0) == 1600000, "a copy in a message that nobody has read counts");
	close(pair[0]);
	close(pair[1]);
	it(restored() && files_now() == 0, "the socket is closed: restored");
}

static void brief_holder(int ready, void *arg)
{
	(void)arg;
	hold(device(), 0, 0, 1600000, NULL);
	ready_now(ready);
}

static void exec_holder(int ready, void *arg)
{
	(void)arg;
	hold(device(), 0, 0, 1600000, NULL);
	ready_now(ready);
	execl("/init", "init", NULL);
}

/* The device is opened with O_CLOEXEC. */
static void execs(void)
{
	pid_t pid = child(exec_holder, NULL);
	bool good = false;

	for (unsigned i = 0; i < 1000 && !good; i++, sleep_ms(5))
		good = policy_max(0) == 2400000;
	it(good && kill(pid, 0) == 0, "a holder that executes another program: restored while that runs");
	end(pid, SIGKILL);
}

static void ends(void)
{
	pid_t pid = child(brief_holder, NULL);

	end(pid, 0);
	it(restored(), "a holder that ends by itself: restored");
}

/* ---- bad requests ----------------------------------------------------------------------- */

/* Each word of a request set to something odd, one at a time; what must come out. */
struct word_case {
	const char *request;
	unsigned long number;
	unsigned words;
	int wrong[12]; /* -EINVAL: must be refused; 0: may be anything; else the error of 0xffffffff */
};

static void words(int fd)
{
	static const struct word_case cases[] = {
		{"caps", PRS_CTL_IOC_CAPS, 8, {-EINVAL, 0, 0, 0, 0, -EINVAL, -EINVAL, -EINVAL}},
		{"hold",
		 PRS_CTL_IOC_HOLD,
		 12,
		 {-EINVAL, -ENODEV, -EINVAL, 0, 0, 0, 0, 0, 0, -EINVAL, -EINVAL, -EINVAL}},
		{"release", PRS_CTL_IOC_RELEASE, 4, {-EINVAL, -ENOENT, -EINVAL, -EINVAL}},
		{"query",
		 PRS_CTL_IOC_QUERY,
		 12,
		 {-EINVAL, -ENODEV, 0, 0, 0, 0, 0, 0, 0, 0, -EINVAL, -EINVAL}},
	};
	static const prs_u32 odd[] = {0xffffffff, 0x80000000, 2, 0x10000};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		for (unsigned w = 0; w < cases[i].words; w++) {
			int want = cases[i].wrong[w], got = 0;
			bool good = true;

			for (size_t o = 0; o < sizeof(odd) / sizeof(*odd); o++) {
				prs_u32 request[12] = {PRS_CTL_VERSION};

				if (want == -ENODEV && odd[o] == 2) /* a cpu that exists */
					continue;
				if (cases[i].number == PRS_CTL_IOC_HOLD)
					request[3] = 1; /* kHz, so that any minimum above is wrong */
				if (cases[i].number == PRS_CTL_IOC_RELEASE)
					hold(fd, 0, 0, 0, NULL);
				request[w] = odd[o];
				got = ioctl(fd, cases[i].number, request) ? -errno : 0;
				good = good && got == want;
			}
			it(good, "%s, word %u odd: %s (last %d)", cases[i].request, w,
			   want ? strerror(-want) : "taken", -got);
			release(fd, 0);
		}
}

static void numbers(int fd)
{
	static const unsigned long known[] = {PRS_CTL_IOC_CAPS, PRS_CTL_IOC_HOLD, PRS_CTL_IOC_RELEASE,
					      PRS_CTL_IOC_QUERY};
	prs_u32 request[4096] = {PRS_CTL_VERSION};
	unsigned refused = 0, tried = 0;

	for (unsigned bit = 0; bit < 32; bit++)
		for (unsigned k = 0; k < 4; k++) {
			unsigned long number = known[k] ^ 1ul << bit;

			if (number == known[0] || number == known[1] || number == known[2] ||
			    number == known[3])
				continue;
			tried++;
			refused += ioctl(fd, number, request) == -1 && errno == ENOTTY;
		}
	it(refused == tried && tried > 100,
	   "%u of %u numbers one bit beside a known one (size, direction): ENOTTY", refused, tried);
	refused = 0;
	for (unsigned nr = 0; nr < 256; nr++)
		if (nr < 0xe0 || nr > 0xe3)
			refused += ioctl(fd, _IOWR('p', nr, struct prs_ctl_hold), request) == -1 &&
				   errno == ENOTTY;
	it(refused == 252, "%u of 252 other numbers: ENOTTY", refused);
	it(read(fd, request, 4) == -1 && errno == EINVAL && write(fd, request, 4) == -1 && errno == EINVAL,
	   "read and write: EINVAL");
	it(mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED && errno == ENODEV, "mmap: ENODEV");
}

static void pointers(int fd)
{
	size_t page = (size_t)getpagesize();
	char *two = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct prs_ctl_hold *read_only;
	void *bad[] = {NULL, (void *)16, (void *)0x7ffffffffff0, (void *)-4096l, (void *)0xffffffff81000000ul,
		       NULL};
	unsigned refused = 0;

	mprotect(two + page, page, PROT_NONE);
	bad[5] = two + page - 8;
	for (size_t i = 0; i < 6; i++)
		refused += ioctl(fd, PRS_CTL_IOC_HOLD, bad[i]) == -1 && errno == EFAULT;
	it(refused == 6, "%u of 6 bad pointers: EFAULT", refused);
	read_only = (struct prs_ctl_hold *)two;
	*read_only = (struct prs_ctl_hold){.version = PRS_CTL_VERSION, .cpu = 0, .max_khz = 800000};
	mprotect(two, page, PROT_READ);
	it(ioctl(fd, PRS_CTL_IOC_HOLD, two) == -1 && errno == EFAULT && restored(),
	   "an answer that cannot be written: EFAULT, and nothing has changed");
	munmap(two, 2 * page);
}

/* The entry of 32-bit programs, whose numbers and sizes are the same. */
static void compat(int fd)
{
	struct prs_ctl_hold *h =
		mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	long ret;

	*h = (struct prs_ctl_hold){.version = PRS_CTL_VERSION, .cpu = 0, .max_khz = 800000};
	__asm__ volatile("int $0x80"
			 : "=a"(ret)
			 : "a"(54l), "b"((long)fd), "c"((long)PRS_CTL_IOC_HOLD), "d"((long)(intptr_t)h)
			 : "memory", "r8", "r9", "r10", "r11");
	it(ret == 0 && h->granted_max_khz == 800000 && policy_max(0) == 800000, "a hold by the 32-bit call");
	release(fd, 0);
	munmap(h, 4096);
}

static void nobody(int ready, void *arg)
{
	(void)arg;
	ready_now(ready);
	if (setresuid(65534, 65534, 65534))
		_exit(1);
	_exit(device() == -EACCES ? 42 : 0);
}

static void bad_requests(void)
{
	int fd = device();

	words(fd);
	numbers(fd);
	pointers(fd);
	compat(fd);
	close(fd);
	it(WEXITSTATUS(end(child(nobody, NULL), 0)) == 42, "another user: EACCES at open");
	it(restored(), "after all of it: restored");
}

/* ---- leaks -------------------------------------------------------------------------------- */

static long objects(const char *cache)
{
	char path[96];

	snprintf(path, sizeof(path), "/sys/kernel/slab/%s/shrink", cache);
	put(path, "1");
	return (long)number_of("/sys/kernel/slab/%s/objects", cache);
}

static long unreclaimed_kb(void)
{
	char text[4096], *line = strstr(text_of("/proc/meminfo", text, sizeof(text)), "SUnreclaim:");

	return line ? strtol(line + 11, NULL, 10) : -1;
}

static void cycles(void)
{
	long before, after;
	unsigned good = 0;
	int fd = device();

	hold(fd, 0, 0, 1600000, NULL);
	it(objects("prs_hold") == 1 && objects("prs_file") == 1,
	   "one hold and one file are seen as slab objects");
	release(fd, 0);
	before = unreclaimed_kb();
	for (unsigned i = 0; i < 1000; i++)
		good += hold(fd, i % GUEST_CPUS, 0, 1600000, NULL) == 0 && release(fd, i % GUEST_CPUS) == 0;
	close(fd);
	it(good == 1000, "%u of 1000 times held and released", good);
	for (good = 0; good < 1000 && (fd = device()) >= 0; good++) {
		if (hold(fd, good % GUEST_CPUS, 0, 1600000, NULL))
			break;
		close(fd);
	}
	it(good == 1000, "%u of 1000 times opened, held and closed", good);
	after = unreclaimed_kb();
	it(objects("prs_hold") == 0 && objects("prs_file") == 0, "no slab object is left");
	it(holds_now() == 0 && files_now() == 0, "the counters are 0");
	it(after - before < 400, "the kernel's memory grew by %ld kB", after - before);
	it(restored(), "restored");
}

/* ---- the driver, the cpus and the module go away ---------------------------------------------- */

static void driver_away(void)
{
	int a = device(), b = device();
	struct prs_ctl_query q;
	struct prs_ctl_caps c;

	hold(a, 0, 0, 800000, NULL);
	hold(a, 1, 0, 800000, NULL);
	hold(a, 3, 1600000, 1600000, NULL);
	hold(b, 0, 800000, 1600000, NULL);
	it(holds_now() == 4, "four holds by two descriptors");
	it(unload("fake_cpufreq") == 0, "the frequency driver is unloaded meanwhile");
	it(holds_now() == 0 && files_now() == 2, "the holds are gone, the descriptors are not");
	it(caps(a, &c) == 0 && c.policies == 0, "no policies");
	it(query(a, 0, &q) == -ENODEV && hold(a, 0, 0, 0, NULL) == -ENODEV, "query and hold: ENODEV");
	it(release(a, 0) == -ENOENT && release(a, 3) == -ENOENT, "release: ENOENT");
	it(load("fake-cpufreq", "") == 0, "the driver comes back");
	governor("performance");
	it(restored(), "with full ranges: old holds do not come back");
	it(query(a, 0, &q) == 0 && !q.held_max_khz && !q.flags, "query: nothing held, no others");
	it(hold(a, 0, 0, 800000, NULL) == 0 && policy_max(0) == 800000, "the old descriptor holds anew");
	close(a);
	close(b);
	it(restored(), "closed: restored");

	a = device();
	hold(a, 0, 0, 800000, NULL);
	unload("fake_cpufreq");
	close(a);
	it(holds_now() == 0 && load("fake-cpufreq", "") == 0, "closed while there is no driver");
	governor("performance");
	it(restored(), "and restored afterwards");
}

static void cpu_away(void)
{
	struct prs_ctl_query q;
	int fd = device();

	hold(fd, 3, 0, 1200000, NULL);
	hold(fd, 1, 0, 2400000, NULL);
	it(put("/sys/devices/system/cpu/cpu3/online", "0") == 0, "cpu 3 goes offline while held");
	it(query(fd, 3, &q) == -ENODEV && hold(fd, 3, 0, 800000, NULL) == -ENODEV, "query and hold: ENODEV");
	it(put("/sys/devices/system/cpu/cpu3/online", "1") == 0, "and comes back");
	it(query(fd, 3, &q) == 0 && q.held_max_khz == 1200000 && policy_max(3) == 1200000,
	   "its policy was only asleep: still held");
	put("/sys/devices/system/cpu/cpu3/online", "0");
	it(release(fd, 3) == 0, "released while offline");
	put("/sys/devices/system/cpu/cpu3/online", "1");
	governor("performance");
	it(policy_max(3) == 2400000, "and back with its full range");
	put("/sys/devices/system/cpu/cpu1/online", "0");
	it(query(fd, 2, &q) == 0 && q.policy == 1 && q.policy_max_khz == 2400000,
	   "one of two cpus offline: the other is held");
	close(fd);
	put("/sys/devices/system/cpu/cpu1/online", "1");
	governor("performance");
	it(restored(), "restored");
}

static void module_away(void)
{
	int fd = device();

	hold(fd, 0, 0, 800000, NULL);
	it(unload("perseus") == -EWOULDBLOCK && policy_max(0) == 800000,
	   "rmmod while held: refused, still held");
	close(fd);
	it(restored() && unload("perseus") == 0, "closed: rmmod works");
	it(access(PRS_CTL_DEVICE, F_OK) != 0 && restored(), "no device, all ranges full");
}

static void hard_limits(void)
{
	struct prs_ctl_hold h;
	struct prs_ctl_query q;
	int fd, other;

	it(load("perseus", "limits=0:1000000-2000000,2:1-1500000,900:1-2 file_limit=2") == 0,
	   "load with limits");
	fd = device();
	it(query(fd, 0, &q) == 0 && q.limit_min_khz == 1000000 && q.limit_max_khz == 2000000,
	   "policy 0: narrowed");
	it(query(fd, 1, &q) == 0 && q.limit_min_khz == 800000 && q.limit_max_khz == 1500000,
	   "policy 1, by its second cpu: narrowed above only");
	it(query(fd, 3, &q) == 0 && q.limit_min_khz == 800000 && q.limit_max_khz == 2400000,
	   "policy 3: the driver's");
	hold(fd, 0, 800000, 2400000, &h);
	it(h.flags == PRS_CTL_CLAMPED && h.granted_min_khz == 1000000 && h.granted_max_khz == 2000000,
	   "a hold is clamped to them: %u to %u, flags 0x%x", h.granted_min_khz, h.granted_max_khz, h.flags);
	it(policy_min(0) == 1600000 && policy_max(0) == 1600000, "and in force is the one step between them");
	other = device();
	it(other >= 0 && device() == -EMFILE, "and two descriptors are all");
	close(other);
	close(fd);
	it(unload("perseus") == 0, "unloaded");
}

/* A driver without table and target, as intel_pstate. */
static void setpolicy_driver(void)
{
	struct prs_ctl_hold h;
	int a, b;

	it(unload("fake_cpufreq") == 0 && load("fake-cpufreq", "setpolicy=1") == 0,
	   "a driver that is told ranges");
	a = device();
	b = device();
	it(hold(a, 0, 900000, 1234567, &h) == 0 && !h.flags && h.policy_max_khz == 1234567 &&
		   h.current_khz == 1234567,
	   "has no steps: any range is held");
	it(hold(b, 0, 1234567, 0, &h) == 0 && h.policy_min_khz == 1234567,
	   "one frequency in common is enough");
	it(hold(b, 0, 1234568, 0, &h) == -EBUSY, "none is not");
	close(a);
	close(b);
	it(restored(), "restored");
	it(unload("fake_cpufreq") == 0 && load("fake-cpufreq", "") == 0, "back to the one with steps");
	governor("performance");
}

static void powercap(void)
{
	const char *energy = "/sys/class/powercap/intel-rapl:0/energy_uj";
	long long first;
	struct stat st;

	it(load("fake-powercap", "") == 0, "the energy zone loads");
	first = number_of("%s", energy);
	sleep_ms(20);
	it(first > 0 && number_of("%s", energy) > first, "its counter rises");
	it(stat(energy, &st) == 0 && !(st.st_mode & 077), "and is root's alone");
}

static void with_device(void (*scenario)(int fd))
{
	int fd = device();

	scenario(fd);
	close(fd);
	it(restored() && files_now() == 0, "closed: all restored");
}

void module_scenarios(void)
{
	bad_parameters();
	without_driver();
	descriptors();
	it(load("fake-cpufreq", "") == 0, "a frequency driver loads");
	governor("performance");
	it(restored(), "full ranges at first");
	with_device(basic);
	with_device(clamps);
	with_device(replaces);
	with_device(many_cpus);
	several_holders();
	not_honoured();
	killed();
	shared();
	ends();
	execs();
	bad_requests();
	cycles();
	driver_away();
	cpu_away();
	setpolicy_driver();
	module_away();
	hard_limits();
	powercap();
	it(load("perseus", "") == 0, "loaded again");
}
