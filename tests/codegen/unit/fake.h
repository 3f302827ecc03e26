/* SPDX-License-Identifier: MIT */
/*
 * A counterfeit system under the platform file of generated triggers.  The
 * object under test is the one of perseus_platform_*.c, in which every name of
 * the system begins with fake_ (`run` renames them); it is told what the fields
 * of `fake` say, and what it asks is noted line by line in fake.log.
 */
#ifndef FAKE_H
#define FAKE_H

#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "perseus_platform.h"

/* As numbered in perseus_triggers.h; the platform file has names for those that it answers. */
#define PERSEUS_NOT_HELD    1u
#ifndef PERSEUS_REFUSED
#define PERSEUS_REFUSED 2u
#endif
#define PERSEUS_OUTSIDE     3u
#define PERSEUS_UNAVAILABLE 4u
#include "perseus/ctl.h"

#define UNTOUCHED 4242 /* errno before each call, and after */
#define PID       7
#define FILES     128
#define REPLIES   64

struct fake_file {
	char path[120];
	char text[4096];
	size_t n;
	int open_error; /* errno of open(), of read() and of write(); 0: none */
	int read_error;
	int write_error;
	int cut;    /* write() takes a byte less */
	int sticky; /* what is written is not kept */
	int late;   /* it is seen after so many reads */
	char before[32];
	int waits; /* until it is */
};

/* An answer of perseusd: errno, bytes other than a whole message, or a reply. */
struct fake_reply {
	int error;
	int bytes; /* -1: a whole message */
	struct prs_ctl_reply reply;
	int64_t magic, op, tag, version; /* -1: as asked */
};

struct fake {
	char log[1 << 18];
	size_t logged;

	/* the machine */
	long online;
	cpu_set_t mask; /* sched_getaffinity() */
	int get_error, set_error, set_ignored;
	int get_answer; /* of sched_getaffinity() if there is no error: 0 */
	pid_t pid, tid;
	struct fake_file file[FILES];
	int files;
	int from_nought; /* 1: descriptors begin with 0, as in a program without standard input */
	int atexit_error, atfork_error, lock_error;
	int cancel;
	int key_error, specific_error; /* of thread-specific data */
	void (*at_exit)(void);
	void (*in_child)(void);

	/* perseusd and /dev/perseus */
	int socket_error, option_error[2], connect_error;
	int send_error[REPLIES];
	int sends, sent_bytes;
	struct prs_ctl_request request[REPLIES];
	int requests;
	struct fake_reply answer[REPLIES];
	int answers, given;
	int device; /* 1: it is there */
	int caps_error, hold_error;
	uint32_t caps_version, policy_min, policy_max;

	/* the triggers, and the system's pthread_create() */
	uint32_t child;
	int no_creator; /* dlsym() finds none */
	int create_error[4];
	int creates;
	int later;      /* 1: new threads do not run before fake_run() */
	void *returned; /* by the last thread that ran */
};
extern struct fake fake;
extern char fake_plan[65]; /* perseus_plan_sha256, as the triggers have it */

/* A step of the log. */
void note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The log must be this text, and is empty then. */
#define LOG(...) log_is(__FILE__, __LINE__, __VA_ARGS__)
void log_is(const char *file, int line, const char *format, ...) __attribute__((format(printf, 3, 4)));
#define CHECK(x) check(__FILE__, __LINE__, #x, !!(x))
void check(const char *file, int line, const char *what, int good);
void log_forget(void);

/* errno is UNTOUCHED from here to KEPT. */
#define SET_ERRNO (errno = UNTOUCHED)
#define KEPT      CHECK(errno == UNTOUCHED)

/* Each case is a process of its own: the platform file starts once. */
#define CASE(name)                                                                                           \
	static void case_##name(void);                                                                       \
	__attribute__((constructor)) static void add_##name(void)                                            \
	{                                                                                                    \
		add_case(#name, case_##name);                                                                \
	}                                                                                                    \
	static void case_##name(void)
void add_case(const char *name, void (*run)(void));

struct fake_file *put_file(const char *path, const char *text);
struct fake_file *find_file(const char *path);
cpu_set_t cores(int first, ...); /* ends with -1 */
const char *cores_text(const cpu_set_t *mask);
struct fake_reply *put_reply(uint32_t status);

/* A started platform on a planned machine; what that asked is forgotten. */
void planned_machine(void);
void started(void);
void dirty_stack(void);

/* Run what the last pthread_create() that was put off got, in a new thread. */
void fake_run(int which);
void *user_start(void *argument);

#endif
