/* SPDX-License-Identifier: MIT */
/* Two programs share a line through shm_open(). */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "known.h"

struct ring {
	volatile long head;
	GAP(apart)
	volatile long tail;
};

static int open_ring(const char *name)
{
	int fd = shm_open(name, O_CREAT | O_RDWR, 0600);

	return ftruncate(fd, 4096) ? -1 : fd;
}

int main(int argc, char **argv)
{
	char name[40];
	struct ring *r;
	pid_t child = 0;
	int fd;

	snprintf(name, sizeof(name), "/perseus-%d", argc > 1 ? (int)getppid() : (int)getpid());
	fd = open_ring(name);
	if (argc == 1) {
		child = fork();
		if (!child) {
			execl(argv[0], argv[0], "x", (char *)0);
			_exit(1);
		}
	}
	r = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0); /* = ring */
	for (long i = 0; i < N; i++)
		if (argc > 1)
			r->head++; /* <- head */
		else
			r->tail++; /* <- tail */
	if (argc > 1)
		return 0;
	waitpid(child, 0, 0);
	shm_unlink(name);
	SAY("tail", 0, r->tail);
	SAY("head", 1, r->head);
	return 0;
}
