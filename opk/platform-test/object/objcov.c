/* SPDX-License-Identifier: MIT */
/*
 * objcov LIST PROGRAM [ARGUMENT...]: runs PROGRAM, which needs no address of its
 * own (-no-pie), with its threads and children, and notes for each instruction in
 * LIST which of its ways it went.  x86-64.  Lines of LIST:
 *   c ADDRESS FUNCTION CONDITION    a jump, move or byte set by a condition, 0 to 15
 *                                   as the processor numbers them
 *   t ADDRESS FUNCTION TABLE N BYTES  a jump by TABLE of N entries: of 8 bytes, or
 *                                   of 4, which are distances from TABLE
 * Prints "FUNCTION+ADDRESS both|true|false|never" for each, for tables "both" if
 * every target was reached, else "N-of-M" or "never", and ends with the status of
 * PROGRAM; 125: it cannot be watched.
 *
 * Each instruction is a breakpoint, which is stepped over and put back until all
 * ways were seen: the code that runs is the object's, byte for byte.
 */
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define POINTS  20000
#define TARGETS 256

static struct point {
	uint64_t at;
	char function[120];
	char kind;
	unsigned condition; /* of c */
	uint64_t table;     /* of t */
	unsigned n, bytes;
	uint64_t target[TARGETS]; /* different ones */
	char reached[TARGETS];
	long code; /* the word at the point, as it was */
	int seen;  /* of c: 1 true, 2 false */
} *point;
static int points;

static int read_list(const char *name)
{
	FILE *in = fopen(name, "r");
	char line[400];

	point = calloc(POINTS, sizeof(*point));
	while (in && point && points < POINTS && fgets(line, sizeof(line), in)) {
		struct point *p = &point[points];

		if (sscanf(line, "%c %lx %119s", &p->kind, &p->at, p->function) != 3 ||
		    (p->kind == 'c' ? sscanf(line, "c %*x %*s %u", &p->condition) != 1
				    : sscanf(line, "t %*x %*s %lx %u %u", &p->table, &p->n, &p->bytes) != 3))
			return -1;
		points++;
	}
	return in && point && points < POINTS ? fclose(in) : -1;
}

static struct point *find(uint64_t at)
{
	for (int i = 0; i < points; i++)
		if (point[i].at == at)
			return &point[i];
	return NULL;
}

/* The number of @target among those of @p; one that is not in the table is added. */
static unsigned number_of(struct point *p, uint64_t target, unsigned n)
{
	unsigned i = 0;

	while (i < n && p->target[i] != target)
		i++;
	if (i < TARGETS)
		p->target[i] = target;
	return i;
}

/* Read the table of @p; afterwards n counts different targets. */
static int read_table(pid_t pid, struct point *p)
{
	unsigned n = 0;

	for (unsigned i = 0; i < p->n; i++) {
		long word;

		errno = 0;
		word = ptrace(PTRACE_PEEKDATA, pid, p->table + i * p->bytes, NULL);
		if (errno || n == TARGETS)
			return -1;
		if (number_of(p, p->bytes == 8 ? (uint64_t)word : p->table + (uint64_t)(int64_t)(int32_t)word, n) == n)
			n++;
	}
	p->n = n;
	return 0;
}

/* One byte at the point: a neighbour may stand in the same word. */
static void put(pid_t pid, const struct point *p, long byte)
{
	long now = ptrace(PTRACE_PEEKTEXT, pid, p->at, NULL);

	ptrace(PTRACE_POKETEXT, pid, p->at, (now & ~0xffL) | (byte & 0xffL));
}

/* Is condition @c true with these flags? */
static int holds(unsigned c, uint64_t flags)
{
	int carry = flags & 1, parity = flags >> 2 & 1, zero = flags >> 6 & 1, sign = flags >> 7 & 1;
	int over = flags >> 11 & 1;
	const int base[] = {over, carry, zero, carry | zero, sign, parity, sign ^ over, zero | (sign ^ over)};

	return base[c >> 1 & 7] ^ (int)(c & 1);
}

static int whole(const struct point *p)
{
	unsigned n = 0;

	if (p->kind == 'c')
		return p->seen == 3;
	for (unsigned i = 0; i < p->n; i++)
		n += p->reached[i];
	return n == p->n;
}

/* At breakpoint @p: one step of the true instruction.  -1: the process is gone. */
static int step(pid_t pid, struct point *p, struct user_regs_struct *regs)
{
	int status;

	if (p->kind == 'c')
		p->seen |= holds(p->condition, regs->eflags) ? 1 : 2;
	put(pid, p, p->code);
	regs->rip = p->at;
	ptrace(PTRACE_SETREGS, pid, NULL, regs);
	if (ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL) || waitpid(pid, &status, __WALL) < 0 || !WIFSTOPPED(status))
		return -1;
	ptrace(PTRACE_GETREGS, pid, NULL, regs);
	if (p->kind == 't') {
		unsigned i = number_of(p, regs->rip, p->n);

		p->n += i == p->n;
		p->reached[i % TARGETS] = 1;
	}
	if (!whole(p))
		put(pid, p, 0xcc);
	return 0;
}

static int begin(pid_t pid)
{
	for (int i = 0; i < points; i++) {
		errno = 0;
		point[i].code = ptrace(PTRACE_PEEKTEXT, pid, point[i].at, NULL);
		if (errno || (point[i].kind == 't' && read_table(pid, &point[i])))
			return -1;
	}
	for (int i = 0; i < points; i++)
		put(pid, &point[i], 0xcc);
	return ptrace(PTRACE_SETOPTIONS, pid, NULL,
		      PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL);
}

/* The signal to go on with behind a stop of @pid; -1: it stands nowhere known. */
static int stopped(pid_t pid, int status)
{
	struct user_regs_struct regs;
	struct point *p;

	/* Events of ptrace, and the first stop of a child or thread. */
	if (status >> 16 || WSTOPSIG(status) == SIGSTOP)
		return 0;
	if (WSTOPSIG(status) != SIGTRAP)
		return WSTOPSIG(status);
	ptrace(PTRACE_GETREGS, pid, NULL, &regs);
	p = find(regs.rip - 1);
	return p ? step(pid, p, &regs) : -1;
}

/* Exit status of the program. */
static int watch(pid_t first)
{
	int status, send, result = 125;
	pid_t pid = first;

	if (begin(first) || ptrace(PTRACE_CONT, first, NULL, 0))
		return 125;
	while ((pid = waitpid(-1, &status, __WALL)) > 0) {
		if (!WIFSTOPPED(status)) {
			if (pid == first)
				result = WIFEXITED(status) ? WEXITSTATUS(status) : 125;
			continue;
		}
		send = stopped(pid, status);
		if (send < 0)
			return 125;
		ptrace(PTRACE_CONT, pid, NULL, send);
	}
	return result;
}

static void report(const struct point *p)
{
	static const char *const ways[] = {"never", "true", "false", "both"};
	unsigned n = 0;

	for (unsigned i = 0; i < p->n; i++)
		n += p->reached[i];
	printf("%s+0x%lx ", p->function, p->at);
	if (p->kind == 'c' || !n || n == p->n)
		printf("%s\n", ways[p->kind == 'c' ? p->seen : n ? 3 : 0]);
	else
		printf("%u-of-%u\n", n, p->n);
}

int main(int argc, char **argv)
{
	int status;
	pid_t pid;

	if (argc < 3 || read_list(argv[1]))
		return 125;
	pid = fork();
	if (!pid) {
		dup2(2, 1);
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		execv(argv[2], argv + 2);
		_exit(125);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0 || !WIFSTOPPED(status))
		return 125;
	status = watch(pid);
	for (int i = 0; status != 125 && i < points; i++)
		report(&point[i]);
	return status;
}
