/* SPDX-License-Identifier: MIT */
/* Two processes share a line through memory that fork() hands on. */
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "known.h"

struct shared {
	volatile long parent_count;
	GAP(apart)
	volatile long child_count;
};
static struct shared *sh;

static void parent(void)
{
	for (long i = 0; i < N; i++)
		sh->parent_count++; /* <- parent */
}

static void child(void)
{
	for (long i = 0; i < N; i++)
		sh->child_count++; /* <- child */
}

int main(void)
{
	pid_t c;

	sh = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0); /* = sh */
	c = fork();
	if (!c) {
		child();
		_exit(0);
	}
	parent();
	waitpid(c, 0, 0);
	SAY("parent", 0, sh->parent_count);
	SAY("child", 1, sh->child_count);
	return 0;
}
