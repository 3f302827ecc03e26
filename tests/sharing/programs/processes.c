/* SPDX-License-Identifier: MIT */
/*
 * Two processes and a line of memory that both have: KIND 1 anonymous memory and
 * fork, 2 POSIX shared memory at two addresses, 3 one word that both need, 4 read
 * by both, 5 private memory, which the child has a copy of, 6 System V memory.
 */
#include "crew.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <unistd.h>

struct board {
	APART long parent;
	APART long child;
	APART long both;
};

static struct board *board;

static NOIPA void step_parent(void)
{
	board->parent++; /* <- */
}

static NOIPA void step_child(void)
{
	board->child++; /* <- */
}

static NOIPA void step_both(void)
{
	__atomic_fetch_add(&board->both, 1, __ATOMIC_RELAXED); /* <- */
}

static NOIPA long look(void)
{
	return board->both;
}

static void work(int id)
{
	long sum = 0;

	crew_pin(id);
	FOR_A_WHILE for (int i = 0; i < 200; i++)
	{
#if KIND == 3
#ifdef FIXED
		if (!id)
#endif
			step_both();
#elif KIND == 4
		sum += look();
#else
		if (id)
			step_child();
		else
			step_parent();
#endif
	}
	(void)step_both;
	(void)step_parent;
	(void)step_child;
	(void)look;
	if (sum)
		exit(3);
}

static void *attach(int fd, int flags)
{
	return mmap(NULL, 4096, PROT_READ | PROT_WRITE, flags, fd, 0);
}

int main(void)
{
	int fd = -1, status;
	pid_t pid;

#if KIND == 2
	fd = memfd_create("board", 0);
	if (ftruncate(fd, 4096))
		return 3;
	board = attach(fd, MAP_SHARED);
#elif KIND == 5
	board = attach(fd, MAP_PRIVATE | MAP_ANONYMOUS);
#elif KIND == 6
	int id = shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600);

	board = shmat(id, NULL, 0);
	shmctl(id, IPC_RMID, NULL);
#else
	board = attach(fd, MAP_SHARED | MAP_ANONYMOUS);
#endif
	if (board == MAP_FAILED)
		return 3;
	pid = fork();
	if (!pid) {
#if KIND == 2
		board = attach(fd, MAP_SHARED);
#endif
		work(1);
		_exit(0);
	}
	work(0);
	return pid < 0 || waitpid(pid, &status, 0) != pid || status;
}
