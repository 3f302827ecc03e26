/* SPDX-License-Identifier: MIT */
/*
 * objcov LIST PROGRAM: runs PROGRAM, which needs no address of its own (-no-pie),
 * and notes for each conditional jump in LIST whether it was taken, and whether it
 * was not.  A line of LIST is "ADDRESS NEXT FUNCTION": the jump, the instruction
 * behind it, and where it stands.  Prints "FUNCTION+ADDRESS taken|through|both|never"
 * and ends with the status of PROGRAM; 125: it cannot be watched.  x86-64.
 *
 * Each jump is a breakpoint, which is stepped over and put back until both ways
 * were seen: the code that runs is the object's, byte for byte.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define JUMPS 20000

static struct jump {
	uint64_t at, next;
	char function[120];
	long code; /* the word at the jump, as it was */
	int seen;   /* 1: taken, 2: not */
} jump[JUMPS];
static int jumps;

static int read_list(const char *name)
{
	FILE *in = fopen(name, "r");
	struct jump *j = jump;

	while (in && jumps < JUMPS && fscanf(in, "%lx %lx %119s", &j->at, &j->next, j->function) == 3)
		j = &jump[++jumps];
	return in && jumps < JUMPS ? fclose(in) : -1;
}

static struct jump *find(uint64_t at)
{
	for (int i = 0; i < jumps; i++)
		if (jump[i].at == at)
			return &jump[i];
	return NULL;
}

/* One byte at the jump: a neighbour may stand in the same word. */
static void put(pid_t pid, const struct jump *j, long byte)
{
	long now = ptrace(PTRACE_PEEKTEXT, pid, j->at, NULL);

	ptrace(PTRACE_POKETEXT, pid, j->at, (now & ~0xffL) | (byte & 0xffL));
}

/* At breakpoint @j: one step of the true instruction. */
static int step(pid_t pid, struct jump *j, struct user_regs_struct *regs)
{
	int status;

	put(pid, j, j->code);
	regs->rip = j->at;
	ptrace(PTRACE_SETREGS, pid, NULL, regs);
	if (ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL) || waitpid(pid, &status, 0) < 0 || !WIFSTOPPED(status))
		return -1;
	ptrace(PTRACE_GETREGS, pid, NULL, regs);
	j->seen |= regs->rip == j->next ? 2 : 1;
	if (j->seen != 3)
		put(pid, j, 0xcc);
	return 0;
}

/* Exit status of the program. */
static int watch(pid_t pid)
{
	struct user_regs_struct regs;
	int status, send = 0;

	for (int i = 0; i < jumps; i++) {
		errno = 0;
		jump[i].code = ptrace(PTRACE_PEEKTEXT, pid, jump[i].at, NULL);
		if (errno)
			return 125;
	}
	for (int i = 0; i < jumps; i++)
		put(pid, &jump[i], 0xcc);
	for (;;) {
		if (ptrace(PTRACE_CONT, pid, NULL, send) || waitpid(pid, &status, 0) < 0)
			return 125;
		if (WIFEXITED(status))
			return WEXITSTATUS(status);
		if (!WIFSTOPPED(status))
			return 125;
		send = WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
		if (send)
			continue;
		ptrace(PTRACE_GETREGS, pid, NULL, &regs);
		struct jump *j = find(regs.rip - 1);

		if (!j || step(pid, j, &regs))
			return 125;
	}
}

int main(int argc, char **argv)
{
	static const char *const ways[] = {"never", "taken", "through", "both"};
	int status;
	pid_t pid;

	if (argc != 3 || read_list(argv[1]))
		return 125;
	pid = fork();
	if (!pid) {
		dup2(2, 1);
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		execl(argv[2], argv[2], (char *)NULL);
		_exit(125);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0 || !WIFSTOPPED(status))
		return 125;
	status = watch(pid);
	for (int i = 0; status != 125 && i < jumps; i++)
		printf("%s+0x%lx %s\n", jump[i].function, jump[i].at, ways[jump[i].seen]);
	return status;
}
