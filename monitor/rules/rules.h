/* SPDX-License-Identifier: MIT */
/* From rates to advice: rules as text, and which of them hold for which thread.  See monitor/README.md. */
#ifndef PERSEUS_MONITOR_RULES_RULES_H
#define PERSEUS_MONITOR_RULES_RULES_H

#include "lib/err.h"
#include "monitor/counts/window.h"

/* What may be done, least first. */
enum rule_answer {
	RULE_MOVE,   /* to another core, nearer to whom it shares with */
	RULE_APART,  /* do not run it at the same time as its partner */
	RULE_REDUCE, /* fewer threads at once */
	RULE_ANSWERS,
};

/* "move", "apart-in-time", "reduce"; and as a sentence. */
extern const char *const rule_words[RULE_ANSWERS + 1];
extern const char *const rule_sentences[RULE_ANSWERS];

struct rule {
	char *name, *event;
	double above, below;       /* per 10 ms */
	uint64_t begin_ns, end_ns; /* for how long */
	enum rule_answer answer;
	double helps;       /* percent that the rate has to fall, if it is acted upon */
	uint64_t within_ns; /* ... in so long */
};
struct rules VEC(struct rule);

/* Read @text of @len bytes; -EINVAL with path and line. */
int rules_read(struct rules *r, const char *path, const char *text, size_t len, struct err *err);

/* Those that are in this program. */
int rules_builtin(struct rules *r, struct err *err);
void rules_release(struct rules *r);

/* ---- judging ------------------------------------------------------------------------- */

enum advice_state {
	ADVICE_NONE,    /* below */
	ADVICE_WAITING, /* above, not yet long enough */
	ADVICE_HOLDS,
	ADVICE_ENDING, /* it holds; below, not yet long enough */
};

struct advice {
	const struct rule *rule;
	size_t event;                     /* of the look */
	struct counts_thread is;          /* as it was last */
	char id[24], partner[COUNT_NAME]; /* evidence id; name of the partner, "" not known */
	enum advice_state state;
	uint64_t since_ns; /* when the state began to show: the start of a window */
	struct rate rate;  /* of the last window */
	bool begun, ended; /* in the last window */
	bool there;        /* its thread, in the last window */
};

struct judge {
	const struct rules *rules;
	const struct counts_events *events;
	struct VEC(struct advice) advice; /* a rule and a thread each */
};

/* Both must outlive it. */
void judge_init(struct judge *j, const struct rules *rules, const struct counts_events *events);
void judge_release(struct judge *j);

/* False: no event of this source is what the rule looks at. */
bool judge_can(const struct judge *j, const struct rule *rule);

/*
 * Take a window.  Advice begins, holds and ends as README.md says; entries of threads that have
 * gone are marked ended if they held, and are left out from the next window on.
 */
void judge_window(struct judge *j, const struct rates *r);

/* Does it hold, at its end or not? */
bool advice_holds(const struct advice *a);

#endif
