/* SPDX-License-Identifier: MIT */
/* perseus explain: the page of a finding, an error, or a line of the doctor.  See perseus-explain(1). */
#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/explain.h"

extern const struct cmd cmd_explain;

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

static void list_pages(FILE *out)
{
	for (const struct explain_page *p = explain_pages(); p->topic; p++)
		fprintf(out, "  %-17s %s\n", p->topic, p->title);
}

static int run(int argc, char **argv)
{
	const struct explain_page *p;

	if (cmd_wants_help(argc, argv))
		return CMD_HELP;
	if (argc == 1) {
		list_pages(stdout);
		return CMD_OK;
	}
	if (argc > 2)
		return cmd_usage(&cmd_explain, "one topic at a time, '%s' is too many", argv[2]);
	p = find_page(argv[1]);
	if (!p) {
		fprintf(stderr, "perseus explain: there is no page about '%s'; there are\n", argv[1]);
		list_pages(stderr);
		return CMD_USAGE;
	}
	printf("%s: %s\n\n%s", p->topic, p->title, p->text);
	return CMD_OK;
}

const struct cmd cmd_explain = {
	.name = "explain",
	.summary = "the page of a finding, an error, or a line of the doctor",
	.usage = "usage: perseus explain [TOPIC]\n\n"
		 "TOPIC is an evidence id (share-001274), an exit code (4), or a word; without\n"
		 "one the pages are listed.\n",
	.run = run,
};
