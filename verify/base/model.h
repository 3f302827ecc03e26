/* SPDX-License-Identifier: MIT */
/* What a plan's figures are made from in model.yaml.  Texts live as long as the struct. */
#ifndef PERSEUS_VERIFY_BASE_MODEL_H
#define PERSEUS_VERIFY_BASE_MODEL_H

#include "verify/base/platform.h"

#define VMODEL_NONE 0xffffffffu

/* No lock: what a thread does in a phase altogether. */
#define VMODEL_ALL UINT64_MAX

struct vmodel_thread {
	const char *name, *reason;       /* NULL: absent */
	uint32_t creator, site, ordinal; /* creator, creating site: VMODEL_NONE if absent */
	bool plannable;
};

struct vmodel_site {
	const char *id, *instance;
	const char *unit, *function, *callee, *file, *near; /* NULL: absent */
	uint32_t line, equal;                               /* VMODEL_NONE: absent */
};

/*
 * One thread's part in a phase, entered after call `site` returned for the
 * `visit`th time; or what of it is done under a lock.
 */
struct vmodel_work {
	uint32_t thread, site;
	uint64_t lock; /* its number, VMODEL_ALL: all the work */
	uint64_t cycles, memory_ns, visit, every;
	bool starts; /* the thread is created for the phase */
	bool enters; /* a plan may act there: the thread and the phase can be planned */
};

struct vmodel_phase {
	const char *name;
	bool barrier, call; /* what opens it */
	uint64_t repeats;
	uint32_t after, index;
	struct vmodel_work *work; /* n_work of threads, then what of it is done under locks */
	size_t n_work, n_all;
};

struct vmodel_side {
	uint32_t thread, kind; /* enum vaccess */
	double rate, gap;      /* visits, else accesses, per kilocycle; cycles, 0: not known */
	const char *field;     /* of the object; NULL: not known */
	char *where;           /* "function file:line", without folders; NULL: not known */
};

/* One of several phases in which two threads meet. */
struct vmodel_meeting {
	uint32_t phase; /* index of a phase, as in vmodel_phase */
	double share;   /* of the conflict; 0: as the work is */
};

struct vmodel_conflict {
	const char *evidence, *object; /* its id, what is on the line; NULL: absent */
	struct vmodel_side side[2];
	bool false_sharing;
	uint32_t phase;                 /* index of the only phase, VMODEL_NONE: as `meeting` says */
	struct vmodel_meeting *meeting; /* in these phases; n_meetings 0: all, if not `phase` */
	size_t n_meetings;
	const char *unknown; /* why it is not known in which phases they meet; NULL: it is */
};

struct vmodel {
	struct input in;
	struct vyaml doc;
	char sha256[65];                               /* of the file */
	const char *program, *build_id, *sites_sha256; /* NULL: absent */
	uint64_t deviation_ns;                         /* of the recorded runs; 0: of one, or not known */
	struct vmodel_thread *thread;
	size_t n_threads;
	struct vmodel_site *site;
	size_t n_sites;
	struct vmodel_phase *phase; /* in the order of the run */
	size_t n_phases;
	struct vmodel_conflict *conflict;
	size_t n_conflicts;
	size_t n_read;      /* with those behind them that somebody left out */
	const char **doubt; /* why conflicts may be missing, or of other rates */
	size_t n_doubts;
};

/* Read a model strictly; -1 with file, line and reason.  Release in every case. */
int vmodel_read(struct vmodel *m, const char *path, struct fault *f);

/* The work of a thread in a phase, NULL if it has none. */
const struct vmodel_work *vmodel_work(const struct vmodel_phase *ph, uint32_t thread);

/*
 * By how much a side of a conflict (0 or 1) comes more often in phase @ph than its rate says; 0: the
 * two do not meet there.
 */
double vmodel_density(const struct vmodel *m, const struct vmodel_conflict *c, int side,
		      const struct vmodel_phase *ph);

/* Free the contents. */
void vmodel_release(struct vmodel *m);

#endif
