/* SPDX-License-Identifier: MIT */
/*
 * step PROGRAM: executes PROGRAM one instruction at a time between its two
 * breakpoint instructions (stepped-main.c), and at each instruction of the
 * program and of the runtime asks libdw, which reads the unwind records as a
 * debugger does, for the stack.  The truth is kept beside it: a call is seen when
 * a return address has just been pushed; a return, longjmp or throw when the
 * stack pointer is above the place of that address.
 *
 *   step: N steps N checked N places N runtime N lost
 *
 * STEP_SHOW=1 prints the first lost places, STEP_PLACES=FILE writes those visited.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define DEPTH_MAX 512
#define TEXT_MAX  (1u << 22)

struct frame {
	uint64_t slot, back; /* where the return address lies, and what it is */
};
struct range {
	uint64_t low, high;
};

static pid_t child;
static struct user_regs_struct regs;
static struct frame shadow[DEPTH_MAX];
static int depth, n_seen;
static uint64_t last_ip, last_sp, seen[DEPTH_MAX], where_lost[16];
static struct range program, runtime;
static unsigned char visited[TEXT_MAX];
static unsigned long steps, checked, places, in_runtime, lost;
static Dwfl *dwfl;

static uint64_t read_word(uint64_t at)
{
	uint64_t word = 0;
	struct iovec here = { &word, 8 }, there = { (void *)at, 8 };

	process_vm_readv(child, &here, 1, &there, 1, 0);
	return word;
}

static pid_t next_thread(Dwfl *d, void *arg, void **thread)
{
	(void)d;
	(void)arg;
	if (*thread)
		return 0;
	*thread = &regs;
	return child;
}

static bool read_memory(Dwfl *d, Dwarf_Addr at, Dwarf_Word *result, void *arg)
{
	(void)d;
	(void)arg;
	*result = read_word(at);
	return true;
}

static bool first_registers(Dwfl_Thread *thread, void *arg)
{
	/* the order of the DWARF numbers */
	Dwarf_Word r[17] = { regs.rax, regs.rdx, regs.rcx, regs.rbx, regs.rsi, regs.rdi, regs.rbp, regs.rsp, regs.r8,
			     regs.r9,  regs.r10, regs.r11, regs.r12, regs.r13, regs.r14, regs.r15, regs.rip };

	(void)arg;
	return dwfl_thread_state_registers(thread, 0, 17, r);
}

static int note(Dwfl_Frame *frame, void *arg)
{
	Dwarf_Addr pc;
	bool exact;

	(void)arg;
	if (!dwfl_frame_pc(frame, &pc, &exact) || n_seen > depth)
		return DWARF_CB_ABORT;
	seen[n_seen++] = pc;
	return DWARF_CB_OK;
}

/* The call or return that the last instruction may have been. */
static void follow(void)
{
	uint64_t ip = regs.rip, sp = regs.rsp;

	while (depth && shadow[depth - 1].slot < sp)
		depth--;
	if (sp + 8 == last_sp && depth < DEPTH_MAX) {
		uint64_t back = read_word(sp);

		if (back > last_ip && back <= last_ip + 15 && ip != back)
			shadow[depth++] = (struct frame){ sp, back };
	}
	last_ip = ip;
	last_sp = sp;
}

static void check(void)
{
	int good;

	n_seen = 0;
	dwfl_getthread_frames(dwfl, child, note, NULL);
	good = n_seen > depth;
	for (int i = 0; good && i < depth; i++)
		good = seen[i + 1] == shadow[depth - 1 - i].back;
	checked++;
	if (!good && lost++ < 16)
		where_lost[lost - 1] = regs.rip - program.low;
}

static bool within(const struct range *r)
{
	return regs.rip >= r->low && regs.rip < r->high;
}

static void look(void)
{
	uint64_t at = regs.rip - program.low;

	steps++;
	follow();
	if (!depth)
		return;
	if (within(&program)) {
		/* A place that was right a few times is right. */
		if (at < TEXT_MAX && visited[at] > 5)
			return;
		if (at < TEXT_MAX && !visited[at]++)
			places++;
		check();
	} else if (within(&runtime) && in_runtime < 1500) {
		in_runtime++;
		check();
	}
}

static void note_range(struct range *r, uint64_t low, uint64_t high)
{
	if (!r->high)
		r->low = low;
	r->high = high;
}

/* Where the two lie: all their mappings, as the places are file addresses. */
static void find_ranges(const char *path)
{
	char name[64], line[4400], *real = realpath(path, NULL);
	FILE *f;

	snprintf(name, sizeof(name), "/proc/%d/maps", child);
	f = fopen(name, "r");
	while (f && fgets(line, sizeof(line), f)) {
		unsigned long low, high;

		if (sscanf(line, "%lx-%lx", &low, &high) != 2)
			continue;
		if (real && strstr(line, real))
			note_range(&program, low, high);
		else if (strstr(line, "libperseus-rt.so"))
			note_range(&runtime, low, high);
	}
	free(real);
	if (f)
		fclose(f);
}

static void attach_unwinder(void)
{
	static char *no_path;
	static const Dwfl_Callbacks find = {
		.find_elf = dwfl_linux_proc_find_elf, .find_debuginfo = dwfl_standard_find_debuginfo, .debuginfo_path = &no_path,
	};
	static const Dwfl_Thread_Callbacks threads = {
		.next_thread = next_thread, .memory_read = read_memory, .set_initial_registers = first_registers,
	};

	dwfl = dwfl_begin(&find);
	if (!dwfl || dwfl_linux_proc_report(dwfl, child) || dwfl_report_end(dwfl, NULL, NULL) ||
	    !dwfl_attach_state(dwfl, NULL, child, &threads, NULL)) {
		fprintf(stderr, "step: %s\n", dwfl_errmsg(-1));
		exit(3);
	}
}

/* Let it run to the next stop: 0 at a breakpoint or after a step, else it ended. */
static int go(enum __ptrace_request how)
{
	int st;

	for (int sig = 0;;) {
		ptrace(how, child, NULL, (void *)(long)sig);
		if (waitpid(child, &st, 0) < 0 || !WIFSTOPPED(st))
			return 1;
		if (WSTOPSIG(st) == SIGTRAP) {
			ptrace(PTRACE_GETREGS, child, NULL, &regs);
			return 0;
		}
		sig = WSTOPSIG(st);
	}
}

static void start(char **argv)
{
	const char *preload = getenv("STEP_PRELOAD");
	int st;

	child = fork();
	if (!child) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		if (preload)
			setenv("LD_PRELOAD", preload, 1);
		execv(argv[0], argv);
		_exit(127);
	}
	waitpid(child, &st, 0); /* the exec */
	if (!WIFSTOPPED(st) || go(PTRACE_CONT)) {
		fprintf(stderr, "step: %s did not reach its first breakpoint\n", argv[0]);
		exit(3);
	}
	last_sp = regs.rsp;
	last_ip = regs.rip;
	find_ranges(argv[0]);
	attach_unwinder();
}

static void write_places(const char *path)
{
	FILE *f = path ? fopen(path, "w") : NULL;
	/* A program that cannot be moved has its addresses in the file. */
	uint64_t base = (read_word(program.low + 16) & 0xffff) == ET_EXEC ? program.low : 0;

	for (unsigned long i = 0; f && i < TEXT_MAX; i++)
		if (visited[i])
			fprintf(f, "%lx\n", base + i);
	if (f)
		fclose(f);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	start(argv + 1);
	/* A breakpoint is a one-byte instruction that was executed: the byte before. */
	while (!go(PTRACE_SINGLESTEP) && (read_word(regs.rip) & 0xff) != 0xcc)
		look();
	for (unsigned long i = 0; getenv("STEP_SHOW") && i < lost && i < 16; i++)
		fprintf(stderr, "lost at %lx\n", (unsigned long)where_lost[i]);
	write_places(getenv("STEP_PLACES"));
	printf("step: %lu steps %lu checked %lu places %lu runtime %lu lost\n", steps, checked, places, in_runtime, lost);
	fflush(stdout);
	while (!go(PTRACE_CONT))
		;
	return 0;
}
