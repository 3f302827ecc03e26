/* SPDX-License-Identifier: MIT */
/*
 * What Slurm is asked and told, by its own commands: sbatch, squeue, scontrol, sacct.  All inherit what this process
 * has open without O_CLOEXEC, so a lock of it lasts until a command that outlives it has ended.
 *
 * All fail with -EAGAIN where Slurm gives no answer (its controller is being restarted, say): the same call may
 * succeed later; and with -ENOENT where the command is not installed.
 */
#ifndef PERSEUS_SCHEDULER_SLURM_COMMANDS_H
#define PERSEUS_SCHEDULER_SLURM_COMMANDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/strbuf.h"
#include "lib/vec.h"

/* What becomes of a job. */
enum slurm_state {
	SLURM_WAITS,
	SLURM_RUNS,
	SLURM_DONE,
	SLURM_FAILED,    /* it ran, and did not end with status 0 */
	SLURM_CANCELLED, /* it never ran */
	SLURM_UNKNOWN,   /* Slurm does not know it, or its word for it is none of ours */
};

/* "waits", "runs", "done", "failed", "cancelled", "unknown". */
extern const char *const slurm_states[];

struct slurm_job {
	uint64_t id;
	size_t task;
	enum slurm_state state;
};

struct slurm_jobs VEC(struct slurm_job);

/* The jobs of the run @key that Slurm has, those that ended a short time ago as well; by squeue. */
int slurm_list(const char *key, struct slurm_jobs *out, struct err *err);

/* What the accounting says of a job that squeue does not know any more; SLURM_UNKNOWN without accounting; by sacct. */
enum slurm_state slurm_account(uint64_t id);

struct slurm_node {
	char *name;
	bool usable; /* not drained, draining, down or failing */
};

struct slurm_nodes VEC(struct slurm_node);

/* The nodes that Slurm has; by scontrol. */
int slurm_nodes(struct slurm_nodes *out, struct err *err);
void slurm_nodes_release(struct slurm_nodes *n);

/* A job to be. */
struct slurm_order {
	const char *key, *name; /* of the run, of the task */
	size_t task, width;
	const char *nodes;      /* a,b,c */
	const char *dependency; /* afterany:1:2:3; "" */
	const char *script;
};

/* Hand a job in; -EINVAL: Slurm refuses it for good, with its words; by sbatch. */
int slurm_submit(const struct slurm_order *o, uint64_t *id, struct err *err);

/*
 * The nodes and the dependency of a job that waits; by scontrol.  @nodes NULL: they stay.  -EINVAL: it does not wait
 * any more, or Slurm refuses it for good.
 */
int slurm_move(uint64_t id, const char *nodes, const char *dependency, struct err *err);

/* Hold jobs ("1,2,3"), or let them go; those that wait no more do not count as a failure; by scontrol. */
int slurm_hold(const char *ids, bool hold, struct err *err);

/* Of the output of squeue, scontrol and sacct: for slurm_list(), slurm_nodes(), slurm_account(). */
void slurm_read_jobs(const char *text, const char *key, struct slurm_jobs *out);
void slurm_read_nodes(const char *text, struct slurm_nodes *out);
enum slurm_state slurm_read_state(const char *word);

#endif
