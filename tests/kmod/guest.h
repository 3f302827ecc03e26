/* SPDX-License-Identifier: MIT */
/*
 * The program that is process 1 of the guest: what its scenarios share.
 * Results go, as TAP, to the second serial port; the kernel has the first.
 */
#ifndef PRS_GUEST_H
#define PRS_GUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "perseus/ctl.h"

#define GUEST_CPUS     4
#define GUEST_POLICIES 3

/* A policy of fake-cpufreq.c. */
struct guest_policy {
	unsigned cpu, last;
	prs_u32 min_khz, mid_khz, max_khz;
};
extern const struct guest_policy guest_policies[GUEST_POLICIES];

/* ---- results ------------------------------------------------------------ */

/* One result; false is returned if it failed. */
bool it(bool good, const char *text, ...) __attribute__((format(printf, 2, 3)));
/* A line of explanation. */
void note(const char *text, ...) __attribute__((format(printf, 1, 2)));
/* A part that this boot does not have. */
void skip(const char *text, const char *reason);
double now(void);

/* ---- machine ------------------------------------------------------------ */

/* 0 or -errno. */
int load(const char *module, const char *arguments);
int unload(const char *module);
void sleep_ms(unsigned ms);

/* Whole file as text without its last newline; empty if it cannot be read. */
const char *text_of(const char *path, char *text, size_t size);
long long number_of(const char *path, ...) __attribute__((format(printf, 1, 2))); /* -1: unreadable */
int put(const char *path, const char *text);                                      /* 0 or -errno */
unsigned rnd(unsigned *state, unsigned below);

/* ---- frequencies as cpufreq tells them --------------------------------------- */

prs_u32 policy_min(unsigned cpu);
prs_u32 policy_max(unsigned cpu);
prs_u32 policy_now(unsigned cpu);
/* Every policy has its full range, and the module no hold. */
bool restored(void);
void governor(const char *name);

/* ---- /dev/perseus: 0 or -errno ---------------------------------------------------- */

int device(void); /* descriptor or -errno */
int hold(int fd, unsigned cpu, prs_u32 min_khz, prs_u32 max_khz, struct prs_ctl_hold *h);
int release(int fd, unsigned cpu);
int query(int fd, unsigned cpu, struct prs_ctl_query *q);
int caps(int fd, struct prs_ctl_caps *c);

/* ---- processes ----------------------------------------------------------------------- */

/* Start WORK in a child; returns when it said that it is ready. */
pid_t child(void (*work)(int ready, void *arg), void *arg);
void ready_now(int ready);
/* Start a program (output to the console); its pid. */
pid_t start(char *const argv[]);
int end(pid_t pid, int signal); /* waits; the wait status */

/* ---- scenarios -------------------------------------------------------------------------- */

void module_scenarios(void);
void race_scenarios(unsigned seconds);
void control_scenarios(void);

#endif
