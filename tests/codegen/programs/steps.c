/* SPDX-License-Identifier: MIT */
/*
 * A program with frequency steps, of steps.yaml: domain 0 stays at 1.6 GHz,
 * domain 1 is set from there by each word of its command line:
 *
 *   slow fast  the two triggers      fork   from here on by a child of its own
 *   wait       for a line of input   die    by SIGKILL    thread  it and a thread of its own, 100 times each
 *
 * After each word, and once before, it prints what the triggers did.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "perseus_triggers.h"

static void tell(const char *word)
{
	const struct perseus_status *s = &perseus_status;

	printf("%s: way %u steps %u not_held %u refused %u unavailable %u suppressed %u error %u\n", word, s->steps_way, s->steps[0],
	       s->steps[1], s->steps[2], s->steps[4], s->suppressed, s->last_error);
	fflush(stdout);
}

static void *slowly(void *x)
{
	for (int i = 0; i < 100; i++)
		perseus_trigger_0002();
	return x;
}

static void act(const char *word)
{
	char line[16];
	pthread_t t;
	int status;
	pid_t child;

	if (!strcmp(word, "slow")) {
		perseus_trigger_0002();
	} else if (!strcmp(word, "fast")) {
		perseus_trigger_0003();
	} else if (!strcmp(word, "wait")) {
		if (!fgets(line, sizeof(line), stdin))
			exit(1);
	} else if (!strcmp(word, "die")) {
		raise(SIGKILL);
	} else if (!strcmp(word, "thread")) {
		if (pthread_create(&t, NULL, slowly, NULL))
			exit(1);
		slowly(NULL);
		pthread_join(t, NULL);
	} else if (!strcmp(word, "fork")) {
		child = fork();
		if (child > 0) {
			waitpid(child, &status, 0);
			exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
		}
	}
}

int main(int argc, char **argv)
{
	perseus_program_start();
	tell("start");
	for (int i = 1; i < argc; i++) {
		act(argv[i]);
		tell(argv[i]);
	}
	return 0;
}
