/* SPDX-License-Identifier: MIT */
/* perseus doctor --events: what can be counted here, each tried. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/base/cmd.h"
#include "cmd/doctor/doctor.h"
#include "lib/json.h"
#include "platform/events/events.h"

struct listing {
	struct json *json;  /* NULL: text */
	const char *filter; /* part of the names wanted, in any case, or NULL */
	size_t n, n_counted;
	struct event refused; /* the first one, and why */
	int error;
};

/* The generic events have long names, too, which nobody types. */
static bool is_wanted(const struct listing *l, const char *name)
{
	if (l->filter)
		return strcasestr(name, l->filter) != NULL;
	return strncmp(name, "PERF_COUNT_", 11) != 0;
}

static void print_one(const struct event *e, int error, bool user_only, const char *about)
{
	const char *remedy, *state = user_only ? "user mode only" : "ok";

	if (error && event_is_known_anyway(e))
		state = "from the system";
	else if (error)
		state = event_refusal(e, error, &remedy);
	cmd_print("%-32s %s\n", e->name, error || user_only ? state : about);
}

static void json_one(struct json *j, const struct event *e, int error, bool user_only, const char *about)
{
	const char *remedy;

	json_object(j, NULL);
	json_string(j, "name", e->name);
	json_string(j, "about", about);
	json_bool(j, "counts", !error || event_is_known_anyway(e));
	json_bool(j, "user_only", user_only);
	json_string(j, "why_not", error ? event_refusal(e, error, &remedy) : NULL);
	json_end(j);
}

static void events_visit(void *arg, const char *name, const char *about)
{
	struct listing *l = arg;
	struct err err = ERR_INIT;
	struct event e;
	bool user_only;
	int error;

	if (!is_wanted(l, name) || event_encode(&e, name, &err))
		return;
	error = -event_try(&e, &user_only);
	l->n++;
	l->n_counted += !error || event_is_known_anyway(&e);
	if (error && !l->error) {
		l->error = error;
		l->refused = e;
	}
	if (l->json)
		json_one(l->json, &e, error, user_only, about);
	else
		print_one(&e, error, user_only, about);
}

static void conclude(const struct listing *l)
{
	const char *remedy = NULL;

	cmd_print("%zu of %zu events can be counted here: perseus record --events=NAME,NAME PROGRAM\n",
		  l->n_counted, l->n);
	if (l->error)
		event_refusal(&l->refused, l->error, &remedy);
	if (remedy)
		cmd_print("for the others: %s\n", remedy);
}

int doctor_events(const struct cmd *cmd, const char *filter, bool json)
{
	struct strbuf text = STRBUF_INIT;
	struct listing l = {.filter = filter};
	struct err err = ERR_INIT;
	struct json j;
	int ret;

	if (json) {
		json_init(&j, &text);
		l.json = &j;
		json_object(&j, NULL);
		json_u64(&j, "schema", 1);
		json_array(&j, "events");
	}
	ret = events_each(events_visit, &l, &err);
	if (json) {
		json_end(&j);
		json_end(&j);
		cmd_print("%s\n", text.s);
	} else if (!ret) {
		conclude(&l);
	}
	strbuf_release(&text);
	return ret ? cmd_fail(cmd, &err, CMD_MACHINE) : CMD_OK;
}
