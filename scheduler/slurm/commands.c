/* SPDX-License-Identifier: MIT */
#include "scheduler/slurm/commands.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/spawn/capture.h"
#include "lib/spawn/child.h"

#define LIMIT_NS    UINT64_C(30000000000) /* a controller that is away keeps them waiting */
#define OUTPUT_MOST ((size_t)64 << 20)

const char *const slurm_states[] = {"waits", "runs", "done", "failed", "cancelled", "unknown", NULL};

/* Run @argv; what it prints goes into @text, which is never without a text then. */
static int run_command(const char *const *argv, struct strbuf *text, struct err *err)
{
	static char locale[] = "LC_ALL=C", times[] = "SLURM_TIME_FORMAT=standard";
	char *environment[] = {locale, times, NULL};
	struct child_spec spec = {
		.path = argv[0],
		.argv = (char *const *)(void *)argv,
		.environment = environment,
		.in = open("/dev/null", O_RDONLY | O_CLOEXEC),
		.out = memfd_create("slurm", MFD_CLOEXEC),
		.limit_ns = LIMIT_NS,
	};
	struct child_result result = {0};
	int ret, status = 0;

	spec.error = spec.out;
	ret = spec.out < 0 ? err_set(err, -errno, "%s: %s", argv[0], strerror(errno))
			   : child_run(&spec, &result, err);
	if (!ret)
		(void)capture_read(spec.out, OUTPUT_MOST, text);
	strbuf_puts(text, "");
	if (spec.in >= 0)
		close(spec.in);
	if (spec.out >= 0)
		close(spec.out);
	if (!ret && result.received)
		return err_set(err, -EINTR, "stopped by a signal");
	if (!ret)
		status = child_exit_status(result.status);
	if (status)
		ret = err_set(err, -EAGAIN, "%s ended with status %d: %.*s", argv[0], status,
			      (int)strcspn(text->s, "\n"), text->s);
	return ret;
}

/* Answers after which the same question may have another answer: the controller is away, or a job just ended. */
static bool may_pass(const char *text)
{
	static const char *const passing[] = {"Unable to contact",  "Socket timed out",   "not responding",
					      "Connection refused", "dependency problem", "temporarily",
					      "Zero Bytes",         "Communication",      "in standby",
					      "try again",          "Transport endpoint"};

	for (size_t i = 0; i < sizeof(passing) / sizeof(passing[0]); i++)
		if (strcasestr(text, passing[i]))
			return true;
	return !*text;
}

/* The same, but -EINVAL where asking again is of no use. */
static int ask_slurm(const char *const *argv, struct strbuf *text, struct err *err)
{
	int ret = run_command(argv, text, err);

	return ret == -EAGAIN && !may_pass(text->s) ? (err->code = -EINVAL) : ret;
}

enum slurm_state slurm_read_state(const char *word)
{
	static const struct {
		const char *word;
		enum slurm_state state;
	} known[] = {
		{"PENDING", SLURM_WAITS},        {"REQUEUED", SLURM_WAITS},
		{"REQUEUE_HOLD", SLURM_WAITS},   {"REQUEUE_FED", SLURM_WAITS},
		{"RESV_DEL_HOLD", SLURM_WAITS},  {"SPECIAL_EXIT", SLURM_WAITS},
		{"RUNNING", SLURM_RUNS},         {"COMPLETING", SLURM_RUNS},
		{"CONFIGURING", SLURM_RUNS},     {"SUSPENDED", SLURM_RUNS},
		{"STOPPED", SLURM_RUNS},         {"SIGNALING", SLURM_RUNS},
		{"STAGE_OUT", SLURM_RUNS},       {"RESIZING", SLURM_RUNS},
		{"COMPLETED", SLURM_DONE},       {"FAILED", SLURM_FAILED},
		{"TIMEOUT", SLURM_FAILED},       {"NODE_FAIL", SLURM_FAILED},
		{"OUT_OF_MEMORY", SLURM_FAILED}, {"BOOT_FAIL", SLURM_FAILED},
		{"DEADLINE", SLURM_FAILED},      {"PREEMPTED", SLURM_FAILED},
		{"REVOKED", SLURM_CANCELLED},    {"CANCELLED", SLURM_CANCELLED},
	};
	size_t len = strcspn(word, " +\n|");

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strlen(known[i].word) == len && !strncmp(known[i].word, word, len))
			return known[i].state;
	return SLURM_UNKNOWN;
}

/* ID|STATE|perseus:KEY:TASK of one line; false: it is no job of the run. */
static bool read_job(const char *line, size_t len, const char *key, struct slurm_job *job)
{
	char text[512], state[64], of[64];
	unsigned long long id;
	size_t task;

	if (len >= sizeof(text))
		return false;
	snprintf(text, sizeof(text), "%.*s", (int)len, line);
	if (sscanf(text, "%llu|%63[^|]|perseus:%63[^:]:%zu", &id, state, of, &task) != 4 || strcmp(of, key))
		return false;
	*job = (struct slurm_job){id, task, slurm_read_state(state)};
	return true;
}

/* The line behind @line; its end where that is the last one. */
static const char *next_line(const char *line)
{
	line += strcspn(line, "\n");
	return line + (*line == '\n');
}

void slurm_read_jobs(const char *text, const char *key, struct slurm_jobs *out)
{
	for (const char *line = text; *line; line = next_line(line)) {
		struct slurm_job job;

		if (read_job(line, strcspn(line, "\n"), key, &job))
			vec_push(out, job);
	}
}

int slurm_list(const char *key, struct slurm_jobs *out, struct err *err)
{
	const char *const argv[] = {
		"squeue", "--all", "--me", "--noheader", "--states=all", "--format=%i|%T|%k", NULL};
	struct strbuf text = STRBUF_INIT;
	int ret = run_command(argv, &text, err);

	out->n = 0;
	if (!ret)
		slurm_read_jobs(text.s, key, out);
	strbuf_release(&text);
	return ret;
}

enum slurm_state slurm_account(uint64_t id)
{
	char job[32];
	const char *const argv[] = {"sacct",  "--noheader", "--parsable2",    "--allocations",
				    "--jobs", job,          "--format=State", NULL};
	struct strbuf text = STRBUF_INIT;
	enum slurm_state state = SLURM_UNKNOWN;

	snprintf(job, sizeof(job), "%" PRIu64, id);
	if (!run_command(argv, &text, NULL))
		state = slurm_read_state(text.s);
	strbuf_release(&text);
	return state;
}

void slurm_nodes_release(struct slurm_nodes *n)
{
	for (size_t i = 0; i < n->n; i++)
		free(n->at[i].name);
	vec_release(n);
}

/* The value of @key in a line of "Key=value"s: its begin and length. */
static const char *value_of(const char *line, size_t len, const char *key, size_t *n)
{
	size_t of = strlen(key);

	for (const char *p = line; p + of < line + len; p++)
		if ((p == line || p[-1] == ' ') && !strncmp(p, key, of) && p[of] == '=') {
			*n = strcspn(p + of + 1, " \n");
			return p + of + 1;
		}
	return NULL;
}

static bool state_usable(const char *state, size_t len)
{
	static const char *const bad[] = {"DRAIN", "DOWN", "FAIL", "FUTURE"};
	char word[128];

	snprintf(word, sizeof(word), "%.*s", (int)(len < 127 ? len : 127), state);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (strstr(word, bad[i]))
			return false;
	return true;
}

void slurm_read_nodes(const char *text, struct slurm_nodes *out)
{
	for (const char *line = text; *line; line = next_line(line)) {
		size_t len = strcspn(line, "\n"), n, s;
		const char *name = value_of(line, len, "NodeName", &n),
			   *state = value_of(line, len, "State", &s);

		if (name && state)
			vec_push(out, ((struct slurm_node){mem_strndup(name, n), state_usable(state, s)}));
	}
}

int slurm_nodes(struct slurm_nodes *out, struct err *err)
{
	const char *const argv[] = {"scontrol", "--oneliner", "show", "nodes", NULL};
	struct strbuf text = STRBUF_INIT;
	int ret = run_command(argv, &text, err);

	slurm_nodes_release(out);
	if (!ret)
		slurm_read_nodes(text.s, out);
	strbuf_release(&text);
	return ret;
}

/* The first line of @text that is a number, or begins with one and a semicolon: 0: there is none. */
static uint64_t read_id(const char *text)
{
	for (const char *line = text; line; line = strchr(line, '\n')) {
		unsigned long long id;
		char end = '\n';

		line += *line == '\n';
		if (sscanf(line, "%llu%c", &id, &end) >= 1 && (end == '\n' || end == ';'))
			return id;
	}
	return 0;
}

int slurm_submit(const struct slurm_order *o, uint64_t *id, struct err *err)
{
	struct strbuf text = STRBUF_INIT;
	char *name, *comment, *nodes, *list, *dependency, *wrap;
	int ret = asprintf(&name, "--job-name=%s", o->name) < 0 ||
				  asprintf(&comment, "--comment=perseus:%s:%zu", o->key, o->task) < 0 ||
				  asprintf(&nodes, "--nodes=%zu", o->width) < 0 ||
				  asprintf(&list, "--nodelist=%s", o->nodes) < 0 ||
				  asprintf(&dependency, "--dependency=%s", o->dependency) < 0 ||
				  asprintf(&wrap, "--wrap=%s", o->script) < 0
			  ? -ENOMEM
			  : 0;

	if (ret)
		return err_set(err, ret, "out of memory");
	/* Never by itself a second time: who wants that says so. */
	ret = ask_slurm((const char *const[]){"sbatch", "--parsable", "--no-requeue", "--exclusive", name,
					      comment, nodes, list, wrap, *o->dependency ? dependency : NULL,
					      NULL},
			&text, err);
	*id = ret ? 0 : read_id(text.s);
	if (!ret && !*id)
		ret = err_set(err, -EINVAL, "sbatch names no job: %.*s", (int)strcspn(text.s, "\n"), text.s);
	strbuf_release(&text);
	free(name);
	free(comment);
	free(nodes);
	free(list);
	free(dependency);
	free(wrap);
	return ret;
}

int slurm_move(uint64_t id, const char *nodes, const char *dependency, struct err *err)
{
	struct strbuf text = STRBUF_INIT, job = STRBUF_INIT, list = STRBUF_INIT, after = STRBUF_INIT;
	int ret;

	strbuf_printf(&job, "JobId=%" PRIu64, id);
	strbuf_printf(&after, "Dependency=%s", dependency);
	strbuf_printf(&list, "ReqNodeList=%s", nodes ? nodes : "");
	ret = ask_slurm(
		(const char *const[]){"scontrol", "update", job.s, after.s, nodes ? list.s : NULL, NULL},
		&text, err);
	strbuf_release(&text);
	strbuf_release(&job);
	strbuf_release(&list);
	strbuf_release(&after);
	return ret;
}

int slurm_hold(const char *ids, bool hold, struct err *err)
{
	const char *const argv[] = {"scontrol", hold ? "hold" : "release", ids, NULL};
	struct strbuf text = STRBUF_INIT;
	int ret = ask_slurm(argv, &text, err);

	strbuf_release(&text);
	return ret == -EINVAL ? 0 : ret;
}
