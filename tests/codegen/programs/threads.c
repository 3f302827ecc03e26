/* SPDX-License-Identifier: MIT */
/*
 * Threads that say where they find themselves at their first instruction.
 * The calls that the plugin would insert stand here by hand.  One line each:
 *   NAME MASK        cores of its affinity mask, ascending, comma separated
 * then the counters of the triggers.  First argument: more | nested | fail |
 * detached | plain.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perseus_triggers.h"

#define WORKERS 4

struct job {
	int number;
	char mask[256];
	struct job *child;
};

static sem_t ended;

static void look(char *text, size_t size)
{
	cpu_set_t mask;
	size_t n = 0;

	text[0] = '\0';
	if (sched_getaffinity(0, sizeof(mask), &mask))
		return;
	for (int i = 0; i < CPU_SETSIZE && n < size; i++)
		if (CPU_ISSET(i, &mask))
			n += (size_t)snprintf(text + n, size - n, "%s%d", n ? "," : "", i);
}

static void *work(void *arg)
{
	struct job *job = arg;

	look(job->mask, sizeof(job->mask));
	if (job->child) {
		pthread_t t;

		perseus_create_2_begin();
		if (pthread_create(&t, NULL, work, job->child))
			abort();
		perseus_create_end();
		pthread_join(t, NULL);
	}
	sem_post(&ended);
	return arg;
}

static int spawn(pthread_t *t, struct job *job, const pthread_attr_t *attr)
{
	int error;

	perseus_create_1_begin();
	error = pthread_create(t, attr, work, job);
	perseus_create_end();
	return error;
}

/* A stack that no machine has: the creation must fail. */
static void fail_once(struct job *job)
{
	pthread_attr_t attr;
	pthread_t t;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, (size_t)1 << 47);
	printf("failed %d\n", spawn(&t, job, &attr) != 0);
	pthread_attr_destroy(&attr);
}

static void counters(void)
{
	printf("machine %u started %u unplanned %u not_created %u\n", perseus_status.machine, perseus_status.started,
	       perseus_status.unplanned, perseus_status.not_created);
	printf("pins %u not_held %u refused %u outside %u suppressed %u\n", perseus_status.pins[0],
	       perseus_status.pins[1], perseus_status.pins[2], perseus_status.pins[3], perseus_status.suppressed);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "plain";
	int n = strcmp(mode, "more") ? WORKERS : WORKERS + 2;
	struct job job[WORKERS + 2] = {0}, child = {0};
	pthread_t thread[WORKERS + 2];
	pthread_attr_t detached;
	char mask[256];

	perseus_program_start();
	perseus_program_start();
	sem_init(&ended, 0, 0);
	pthread_attr_init(&detached);
	pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
	look(mask, sizeof(mask));
	printf("main %s\n", mask);
	if (!strcmp(mode, "nested"))
		job[0].child = &child;
	for (int i = 0; i < n; i++) {
		job[i].number = i;
		if (!strcmp(mode, "fail"))
			fail_once(&job[i]);
		if (spawn(&thread[i], &job[i], strcmp(mode, "detached") ? NULL : &detached))
			return 2;
	}
	for (int i = 0; i < n + (job[0].child != NULL); i++)
		sem_wait(&ended);
	for (int i = 0; strcmp(mode, "detached") && i < n; i++) {
		void *result;

		if (pthread_join(thread[i], &result) || result != &job[i])
			return 3;
	}
	for (int i = 0; i < n; i++)
		printf("worker%d %s\n", i, job[i].mask);
	if (job[0].child)
		printf("child %s\n", child.mask);
	look(mask, sizeof(mask));
	printf("main-after %s\n", mask);
	counters();
	return 0;
}
