/* SPDX-License-Identifier: MIT */
/* perseus doctor: what works here, and the remedy for what does not.  See perseus-doctor(1). */
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/base/option.h"
#include "cmd/doctor/doctor.h"
#include "cmd/explain/pages.h"
#include "lib/json.h"

#define TOPIC_COLUMNS 11
#define TEXT_COLUMNS  57

extern const struct cmd cmd_doctor;

static const char *const states[] = {"ok", "limited", "absent", "not needed", "not tried", "broken"};

/* ---- the table ---- */

/* Bytes of @s that fit into @columns, broken at a blank where there is one. */
static size_t fitting(const char *s, size_t columns)
{
	size_t len = strlen(s);

	if (len <= columns)
		return len;
	for (len = columns; len && s[len] != ' '; len--)
		;
	return len ? len : columns;
}

/* Orange for what is less than it could be, blue for what is well; the word says it, too. */
static void print_state(enum doctor_state state)
{
	bool well = state == DOCTOR_OK || state == DOCTOR_NOT_NEEDED;

	cmd_mark(stdout, well, states[state]);
	cmd_print("\n");
}

static void print_text(const char *s, size_t columns, const struct doctor_row *first_of)
{
	for (const struct doctor_row *row = first_of; *s;) {
		size_t len = fitting(s, columns);

		if (row) {
			cmd_print("%-*.*s  ", (int)columns, (int)len, s);
			print_state(row->state);
			row = NULL;
		} else {
			cmd_print("%.*s\n", (int)len, s);
		}
		s += len;
		s += strspn(s, " ");
		if (*s)
			cmd_print("%*s", TOPIC_COLUMNS, "");
	}
}

static void print_row(const struct doctor_row *row)
{
	cmd_print("%-*s", TOPIC_COLUMNS, row->topic);
	print_text(row->text, TEXT_COLUMNS, row);
	if (row->remedy) {
		cmd_print("%*s", TOPIC_COLUMNS, "");
		print_text(row->remedy, TEXT_COLUMNS + 11, NULL);
	}
}

static const struct doctor_row *find_state(const struct doctor *d, enum doctor_state state)
{
	for (size_t i = 0; i < d->rows.n; i++)
		if (d->rows.at[i].state == state)
			return &d->rows.at[i];
	return NULL;
}

static bool has_page(const char *topic)
{
	char code[64];

	snprintf(code, sizeof(code), "doctor-%s", topic);
	for (const struct explain_page *page = explain_pages(); page->topic; page++)
		if (!strcmp(page->topic, code))
			return true;
	return false;
}

/* Where to read on: the first thing that is missing, else that is limited. */
static const char *worth_reading(const struct doctor *d)
{
	static const enum doctor_state wanted[] = {DOCTOR_BROKEN, DOCTOR_ABSENT, DOCTOR_LIMITED};

	for (size_t w = 0; w < sizeof(wanted) / sizeof(wanted[0]); w++)
		for (size_t i = 0; i < d->rows.n; i++)
			if (d->rows.at[i].state == wanted[w] && has_page(d->rows.at[i].topic))
				return d->rows.at[i].topic;
	return NULL;
}

static void print_table(const struct doctor *d)
{
	const struct doctor_row *broken = find_state(d, DOCTOR_BROKEN);
	const char *topic = worth_reading(d);

	for (size_t i = 0; i < d->rows.n; i++)
		print_row(&d->rows.at[i]);
	if (broken)
		cmd_print("Recording is impossible here: see %s.", broken->topic);
	else
		cmd_print("Nothing stops you from recording.");
	if (topic)
		cmd_print(" `perseus explain doctor-%s` says more.", topic);
	cmd_print("\n");
}

static void doctor_print_json(const struct doctor *d)
{
	struct strbuf text = STRBUF_INIT;
	struct json j;

	json_init(&j, &text);
	json_object(&j, NULL);
	json_u64(&j, "schema", 1);
	json_bool(&j, "can_record", !find_state(d, DOCTOR_BROKEN));
	json_array(&j, "checks");
	for (size_t i = 0; i < d->rows.n; i++) {
		json_object(&j, NULL);
		json_string(&j, "topic", d->rows.at[i].topic);
		json_string(&j, "state", states[d->rows.at[i].state]);
		json_string(&j, "text", d->rows.at[i].text);
		json_string(&j, "remedy", d->rows.at[i].remedy);
		json_end(&j);
	}
	json_end(&j);
	json_end(&j);
	cmd_print("%s\n", text.s);
	strbuf_release(&text);
}

struct events_option {
	bool wanted;
	const char *filter; /* NULL: all of them */
};

static int take_events(const struct cmd *cmd, const char *name, const char *value, void *to)
{
	(void)cmd, (void)name;
	*(struct events_option *)to = (struct events_option){true, value};
	return 0;
}

static int take_sysroot(const struct cmd *cmd, const char *name, const char *value, void *to)
{
	const char **sysroot = to;

	(void)cmd, (void)name;
	*sysroot = strcmp(value, "/") ? value : "";
	return 0;
}

static int doctor_run(int argc, char **argv)
{
	struct doctor d = {.sysroot = ""};
	struct events_option events = {false, NULL};
	bool json = false;
	const struct option_row rows[] = {OPTION_CALL("sysroot", take_sysroot, &d.sysroot),
					  OPTION_FLAG(0, "json", &json),
					  OPTION_MAYBE("events", take_events, &events), OPTION_END};
	char path[PATH_MAX];
	int status = option_read(&cmd_doctor, rows, argc, argv, OPTION_OPERANDS);

	if (status)
		return status;
	if (optind < argc)
		return cmd_usage(&cmd_doctor, "unexpected argument '%s'", argv[optind]);
	if (events.wanted && *d.sysroot)
		return cmd_usage(&cmd_doctor, "--events: counters cannot be tried in a sysroot");
	if (events.wanted)
		return doctor_events(&cmd_doctor, events.filter, json);
	snprintf(path, sizeof(path), "%s/sys", d.sysroot);
	if (*d.sysroot && access(path, R_OK))
		return cmd_usage(&cmd_doctor, "'%s' holds no machine: there is no directory 'sys' in it",
				 d.sysroot);
	doctor_setup(&d);
	doctor_machine(&d);
	if (json)
		doctor_print_json(&d);
	else
		print_table(&d);
	status = find_state(&d, DOCTOR_BROKEN) ? CMD_MACHINE : CMD_OK;
	doctor_release(&d);
	return status;
}

const struct cmd cmd_doctor = {
	.name = "doctor",
	.summary = "what this machine, compiler and user can measure and control",
	.reads = "this machine",
	.writes = NULL,
	.usage = "usage: perseus doctor [--json] [--sysroot DIR]\n"
		 "       perseus doctor --events[=PART] [--json]\n"
		 "\n"
		 "Looks at compiler, plugin, clock, counters, energy, frequency control and cores,\n"
		 "and names the remedy for what is missing.  Changes nothing.\n"
		 "\n"
		 "  --json          the same for programs\n"
		 "  --events[=PART] what can be counted here, each event tried; with PART those\n"
		 "                  with that in their name, and their aliases\n"
		 "  --sysroot=DIR   describe the machine whose /sys and /proc are copied to DIR\n"
		 "\n"
		 "Exit status: 0 programs can be recorded here, even if with limits; 3 they cannot.\n",
	.run = doctor_run,
};
