/* SPDX-License-Identifier: MIT */
#include "two.h"

/* Allocated memory begins anywhere in a line; what lies beside the array is of one thread. */
struct board {
	long first;
	int seen[2];
	long last;
};
static struct board *board;

static void *run(void *arg)
{
	long me = (long)arg;
	long i;

	for (i = 0; i < TURNS; i++) {
		board->seen[me]++;
		AGAIN;
	}
	return NULL;
}

int main(void)
{
	int sum = 0;
	size_t i;

	board = malloc(sizeof(*board));
	memset(board->seen, 0, sizeof(board->seen));
	mine(0, &board->seen[0], sizeof(int));
	mine(1, &board->seen[1], sizeof(int));
	for (i = 0; i < sizeof(board->seen) / sizeof(board->seen[0]); i++)
		sum += board->seen[i];
	return sum + two(run, (void *)0, run, (void *)1);
}
