/* SPDX-License-Identifier: MIT */
#include "cmd/record/counters.h"
#include "cmd/base/print.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* rdpmc is worth it below this: a few times what the clock costs. */
#define RDPMC_MAX_NS 50.0

int record_events_parse(struct record_events *e, const char *list, struct err *err)
{
	int ret = events_encode(e->at, PRS_EVENTS_MAX, &e->n, list, err);

	if (!ret)
		return 0;
	e->n = 0;
	return err_prefix(err, "--events");
}

/* What one event met. */
struct trial {
	int error; /* errno, 0: it counts */
	bool user_only;
	bool told;
};

/* All events that were refused for one reason, in one line. */
static void tell_refused(const struct record_events *e, struct trial *t, size_t first)
{
	const char *remedy, *why = event_refusal(&e->at[first], t[first].error, &remedy), *other;

	cmd_say(stderr, "perseus record: not counted: ");
	for (size_t i = first; i < e->n; i++) {
		if (!t[i].error || t[i].told || event_is_known_anyway(&e->at[i]) ||
		    strcmp(event_refusal(&e->at[i], t[i].error, &other), why))
			continue;
		cmd_say(stderr, "%s%s", i == first ? "" : ", ", e->at[i].name);
		t[i].told = true;
	}
	cmd_say(stderr, ": %s\n", why);
	if (remedy)
		cmd_say(stderr, "  %s\n", remedy);
}

static void counters_tell(const struct record_events *e, struct trial *t)
{
	for (size_t i = 0; i < e->n; i++)
		if (t[i].error && !t[i].told && !event_is_known_anyway(&e->at[i]))
			tell_refused(e, t, i);
}

/* The costliest of the hardware's counters decides whether rdpmc may be used at all. */
static bool rdpmc_is_cheap(const struct record_events *e, const struct trial *t)
{
	bool any = false;

	for (size_t i = 0; i < e->n; i++) {
		double ns;

		if (t[i].error || event_is_software(&e->at[i]))
			continue;
		ns = event_rdpmc_ns(&e->at[i]);
		if (ns <= 0 || ns >= RDPMC_MAX_NS)
			return false;
		any = true;
	}
	return any;
}

void record_events_prepare(const struct record_events *e, struct strbuf *out)
{
	struct trial t[PRS_EVENTS_MAX] = {{0}};

	for (size_t i = 0; i < e->n; i++)
		t[i].error = -event_try(&e->at[i], &t[i].user_only);
	counters_tell(e, t);
	events_text(e->at, e->n, rdpmc_is_cheap(e, t), out);
}
