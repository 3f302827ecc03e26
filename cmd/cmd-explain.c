/* SPDX-License-Identifier: MIT */
/* perseus explain: the page of a finding, an error, or a line of the doctor.  See perseus-explain(1). */
#include <ctype.h>
#include <stdbool.h>
#include <getopt.h>
#include <string.h>
#include <unistd.h>

#include "cmd/base/cmd.h"
#include "cmd/explain/pages.h"
#include "report/summary.h"
#include "report/waits/waits.h"

extern const struct cmd cmd_explain, cmd_conflicts;

static const struct {
	const char *word, *topic;
} aliases[] = {
	{"false-sharing", "share"},
	{"conflicts", "share"},
	{"padding", "share"},
	{"waits", "wait"},
	{"phases", "phase"},
	{"triggers", "trigger"},
	{"threads", "thread"},
	{"spread", "baseline"},
	{"killed", "incomplete"},
	{"partial", "incomplete"},
	{"plugin", "probes"},
	{"load", "prove"},
	{"inconclusive", "prove"},
	{"exit-codes", "exit"},
	{"status", "exit"},
	{"0", "exit"},
	{"1", "exit"},
	{"2", "exit"},
	{"3", "exit"},
	{"4", "exit"},
	{"5", "exit"},
	{"125", "exit"},
	{"perseusd", "ctl"},
	{"lease", "ctl"},
	{"not-honoured", "ctl-not-held"},
	{"ctl-bad-cpus", "ctl-range"},
	{"ctl-part-of-policy", "ctl-range"},
	{"ctl-bad-range", "ctl-range"},
	{"ctl-bad-ttl", "ctl-range"},
	{"ctl-limit", "ctl-not-allowed"},
	{"ctl-rate", "ctl-not-allowed"},
	{"ctl-no-reserve", "ctl-no-frequency"},
	{"ctl-no-energy", "ctl-no-frequency"},
	{"ctl-refused", "ctl-no-frequency"},
	{"ctl-stopping", "ctl-lost"},
	{"ctl-no-lease", "ctl-lost"},
	{"ctl-bad-size", "ctl-protocol"},
	{"ctl-bad-magic", "ctl-protocol"},
	{"ctl-bad-version", "ctl-protocol"},
	{"ctl-bad-op", "ctl-protocol"},
	{"ctl-bad-field", "ctl-protocol"},
	{"ctl-bad-session", "ctl-protocol"},
	{"ctl-not-peer", "ctl-protocol"},
};

/* "share-001274" is the evidence id of a finding of the kind "share". */
static bool is_evidence_of(const char *word, const char *topic)
{
	size_t len = strlen(topic);

	if (strncmp(word, topic, len) || word[len] != '-' || strlen(word) != len + 7)
		return false;
	for (const char *p = word + len + 1; *p; p++)
		if (!isdigit((unsigned char)*p))
			return false;
	return true;
}

static const struct explain_page *find_page(const char *word)
{
	for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++)
		if (!strcmp(aliases[i].word, word))
			word = aliases[i].topic;
	for (const struct explain_page *p = explain_pages(); p->topic; p++)
		if (!strcmp(p->topic, word) || is_evidence_of(word, p->topic))
			return p;
	return NULL;
}

/* The finding of that id in a timing run, which is waits or a queue. */
static int show_wait(const char *id, const char *name)
{
	struct strbuf out = STRBUF_INIT;
	struct err err = ERR_INIT;
	struct report_summary s;
	struct run run;
	bool found;

	if (run_open(&run, name, &err))
		return cmd_fail(&cmd_explain, &err, cmd_status(&err));
	report_summarise(&s, &run);
	found = waits_text_one(&s, id, &out);
	if (found)
		cmd_print("%s\n", out.s);
	else
		cmd_say(stderr,
			"perseus explain: run '%s' has no finding '%s'\n  perseus waits --all %s lists its "
			"findings\n",
			run.path, id, name);
	strbuf_release(&out);
	report_summary_release(&s);
	run_close(&run);
	return found ? CMD_OK : CMD_USAGE;
}

/* The finding @id of run @name (NULL: the last), if it is of a kind that a run holds. */
static int show_finding(const char *id, const char *name)
{
	char *argv[] = {(char *)"conflicts", (char *)id, (char *)(name ? name : "@last-sharing"), NULL};

	if (!name &&
	    access(is_evidence_of(id, "share") ? "perseus.data/last-sharing" : "perseus.data/last", F_OK))
		return CMD_OK;
	if (is_evidence_of(id, "wait") || is_evidence_of(id, "queue"))
		return show_wait(id, name ? name : "@last");
	if (!is_evidence_of(id, "share"))
		return CMD_OK;
	optind = 1;
	return cmd_conflicts.run(3, argv);
}

static void list_pages(FILE *out)
{
	for (const struct explain_page *p = explain_pages(); p->topic; p++)
		cmd_say(out, "  %-17s %s\n", p->topic, p->title);
}

/* "[TOPIC] [RUN]" in any order with "--run RUN". */
static int explain_parse(int argc, char **argv, const char **topic, const char **run)
{
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--run") && i + 1 < argc)
			*run = argv[++i];
		else if (!strncmp(argv[i], "--run=", 6))
			*run = argv[i] + 6;
		else if (argv[i][0] == '-' && argv[i][1])
			return cmd_usage(&cmd_explain, "unknown option '%s', or nothing behind it", argv[i]);
		else if (!*topic)
			*topic = argv[i];
		else if (!*run)
			*run = argv[i];
		else
			return cmd_usage(&cmd_explain, "one topic and one run at a time, '%s' is too many",
					 argv[i]);
	}
	return CMD_OK;
}

static int explain_run_verb(int argc, char **argv)
{
	const struct explain_page *p;
	const char *topic = NULL, *run = NULL;
	int status;

	if (cmd_wants_help(argc, argv))
		return CMD_HELP;
	status = explain_parse(argc, argv, &topic, &run);
	if (status != CMD_OK)
		return status;
	if (!topic && !run) {
		list_pages(stdout);
		return CMD_OK;
	}
	if (!topic)
		return cmd_usage(&cmd_explain, "a run without a topic");
	p = find_page(topic);
	if (!p) {
		cmd_say(stderr, "perseus explain: there is no page about '%s'; there are\n", topic);
		list_pages(stderr);
		return CMD_USAGE;
	}
	status = show_finding(topic, run);
	if (status != CMD_OK && status != CMD_FINDINGS)
		return status;
	cmd_print("%s: %s\n\n%s", p->topic, p->title, p->text);
	return CMD_OK;
}

const struct cmd cmd_explain = {
	.name = "explain",
	.summary = "the page of a finding, an error, or a line of the doctor",
	.usage = "usage: perseus explain [TOPIC] [[--run] RUN]\n\n"
		 "TOPIC is an evidence id (share-001274), an exit code (4), or a word; without\n"
		 "one the pages are listed.  Of an id the finding itself is shown first: that of\n"
		 "RUN, or of the last run if there is one here.\n\n"
		 "Exit status: 0 shown; 2 there is no such page.\n",
	.run = explain_run_verb,
	.paged = true,
};
