/* SPDX-License-Identifier: MIT */
/*
 * killer PERSEUS VICTIM DIR RUNS SEED program|recorder|late
 *
 * Records VICTIM (kill.c) RUNS times below DIR, ends the program or the
 * recorder by SIGKILL at a random instant (late: about when the program ends
 * and the recorder finishes the run), and compares what is in the record
 * with what the victim noted in its page: by a reader of its own, so that the
 * product's is not judged by itself; that one must only open every run.
 * Prints what does not agree and one line of sums; exit 1 if anything did not.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "perseus/abi.h"
#include "perseus/record.h"
#include "tests/runtime/kill.h"

#define ROUNDS       "30"
#define ROUNDS_LATE  "1"
#define SITES        64
#define PERIOD_SLACK 96 /* a reload cut in two leaves at most one period in doubt */

static const char *const names[KILL_FUNCTIONS] = {"leaf", "block", "nest", "indirect"};

/* What a record says of one thread. */
struct seen {
	uint64_t calls[KILL_FUNCTIONS], timed[KILL_FUNCTIONS], logged[KILL_FUNCTIONS];
	uint64_t barriers, created, joined, slept, starts;
	uint64_t doubt; /* slots in the middle of a reload */
	uint64_t block; /* file offset */
	bool exists, has_open;
	uint32_t depth;
	uint32_t stack[KILL_DEPTH + 1];
};

struct record {
	const unsigned char *base;
	uint64_t bytes;
	const struct prs_unit *unit;
	int function[SITES]; /* of call slot i, or -1 */
};

struct totals {
	uint64_t runs, empty, finished, cut, mid_call, open, own, sealed, bad;
};

static struct kill_page *page;
static struct seen seen[KILL_LANES];
static uint64_t rng;
static unsigned long long run_number;
static bool every_call;

static uint64_t next(uint64_t below)
{
	rng = rng * 6364136223846793005u + 1442695040888963407u;
	return (rng >> 33) % below;
}

static void die(const char *what)
{
	perror(what);
	exit(2);
}

static bool complain(struct totals *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static bool complain(struct totals *t, const char *fmt, ...)
{
	va_list ap;

	printf("run %llu: ", run_number);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
	t->bad++;
	return false;
}

/* ---- reading a record -------------------------------------------------------- */

static int function_of(const char *callee)
{
	for (int i = 0; i < KILL_FUNCTIONS; i++)
		if (!strcmp(callee, names[i]))
			return i;
	return -1;
}

/* Callees by local number, from the run's copy of the site table. */
static bool read_sites(struct record *r, const char *run)
{
	char path[900], line[2000], callee[200];
	bool found = false;
	DIR *d;
	struct dirent *e;

	memset(r->function, -1, sizeof(r->function));
	snprintf(path, sizeof(path), "%s/modules", run);
	d = opendir(path);
	while (d && (e = readdir(d))) {
		unsigned local;
		FILE *f;

		if (!strstr(e->d_name, ".sites"))
			continue;
		snprintf(path, sizeof(path), "%s/modules/%s", run, e->d_name);
		f = fopen(path, "r");
		while (f && fgets(line, sizeof(line), f))
			if (sscanf(line, "C\t%u\t%*s\t%*s\t%*u\t%199s", &local, callee) == 2 &&
			    local < SITES) {
				r->function[local] = function_of(callee);
				found = true;
			}
		if (f)
			fclose(f);
	}
	if (d)
		closedir(d);
	return found;
}

static int known(const struct record *r, uint32_t site)
{
	uint32_t local = r->unit ? site - r->unit->first_call : SITES;

	return local < SITES && local < r->unit->n_calls ? r->function[local] : -1;
}

static const void *at(const struct record *r, uint64_t offset, uint64_t bytes)
{
	return offset && offset <= r->bytes - bytes ? r->base + offset : NULL;
}

static void add_entry(struct record *r, uint16_t type, uint32_t thread, const void *entry)
{
	const struct prs_thread *t = entry;
	const struct prs_event *e = entry;
	const struct prs_call *c = entry;
	const struct prs_log *g = entry;
	struct seen *s = &seen[type == PRS_CHUNK_THREAD ? t->index % KILL_LANES : thread % KILL_LANES];
	int f = -1;

	if (type == PRS_CHUNK_CALL)
		f = known(r, c->site);
	if (type == PRS_CHUNK_LOG)
		f = known(r, g->site);
	if (type == PRS_CHUNK_THREAD) {
		s->exists = true;
		s->block = t->block;
	} else if (type == PRS_CHUNK_CALL && f >= 0) {
		s->calls[f] += c->count;
		s->timed[f] += c->timed;
	} else if (type == PRS_CHUNK_LOG && f >= 0) {
		s->logged[f]++;
	} else if (type == PRS_CHUNK_EVENT) {
		s->barriers += e->kind == PRS_EV_BARRIER;
		s->created += e->kind == PRS_EV_CREATE;
		s->starts += e->kind == PRS_EV_START;
		s->joined += e->kind == PRS_EV_JOIN;
		s->slept += e->kind == PRS_EV_SLEEP;
	}
}

static void read_slots(const struct record *r, const struct prs_block *b, struct seen *s)
{
	const struct prs_slot *slot = (const void *)((const unsigned char *)b + r->unit->base);

	for (uint32_t i = 0; r->unit->base && i < r->unit->n_calls && i < SITES; i++) {
		const struct prs_call *head = at(r, 64ull * slot[i].record, sizeof(*head));
		int f = r->function[i];

		if (f < 0 || !head || head->site != r->unit->first_call + i)
			continue;
		if (slot[i].left > 0)
			s->calls[f] -= (uint64_t)slot[i].left;
		else if (slot[i].left < 0)
			s->doubt++;
	}
}

/* The pair whose accounting was put off, and the calls that are open. */
static void read_open(const struct record *r, const struct prs_block *b, struct seen *s)
{
	const struct prs_call *c = b->pend_record & PRS_PEND_BUSY ? NULL : at(r, b->pend_record, sizeof(*c));
	const struct prs_open *end = (const void *)((const unsigned char *)b + b->open);
	int f = c ? known(r, c->site) : -1;

	if (f >= 0)
		s->timed[f]++;
	s->has_open = b->open;
	for (uint32_t d = 1; b->open && d <= b->depth && d <= b->open_max; d++) {
		f = end[-(ptrdiff_t)d].start ? known(r, end[-(ptrdiff_t)d].site) : -1;
		if (f >= 0 && s->depth <= KILL_DEPTH)
			s->stack[s->depth++] = (uint32_t)f;
	}
}

static void read_block(struct record *r, const struct prs_chunk *c)
{
	const struct prs_block *b = (const void *)(c + 1);
	struct seen *s = &seen[c->thread % KILL_LANES];

	/* The block of a thread that ended may have passed to another one. */
	if (c->thread >= KILL_LANES || !r->unit || s->block != (uint64_t)((const unsigned char *)c - r->base))
		return;
	read_slots(r, b, s);
	read_open(r, b, s);
}

/* Visit every chunk; @blocks: only BLOCK chunks, which need what the others say. */
static bool walk(struct record *r, bool blocks)
{
	for (uint64_t pos = PRS_PAGE_BYTES; pos + PRS_PAGE_BYTES <= r->bytes;) {
		const struct prs_chunk *c = (const void *)(r->base + pos);

		if (c->magic != PRS_CHUNK_MAGIC) {
			pos += PRS_PAGE_BYTES;
			continue;
		}
		if (c->bytes > r->bytes - pos || !c->bytes || c->bytes % PRS_PAGE_BYTES)
			return false;
		if (blocks && c->type == PRS_CHUNK_BLOCK)
			read_block(r, c);
		for (uint64_t i = 0; !blocks && c->entry_bytes && i < c->used; i++) {
			const void *entry = (const unsigned char *)(c + 1) + i * c->entry_bytes;

			if (c->type == PRS_CHUNK_UNIT)
				r->unit = entry;
			else
				add_entry(r, c->type, c->thread, entry);
		}
		pos += c->bytes;
	}
	return true;
}

/* ---- comparing ---------------------------------------------------------------- */

static bool within(uint64_t low, uint64_t v, uint64_t high)
{
	return low <= v && v <= high;
}

static void compare_calls(struct totals *t, const struct kill_lane *l, const struct seen *s, int lane)
{
	uint64_t slack = s->doubt * PERIOD_SLACK;

	for (int f = 0; f < KILL_FUNCTIONS; f++) {
		if (!within(l->done[f], s->calls[f] + slack, l->begun[f] + 2 * slack))
			complain(t, "thread %d: %" PRIu64 " calls of %s, expected %" PRIu64 " to %" PRIu64,
				 lane, s->calls[f], names[f], l->done[f], l->begun[f]);
		/* The time of the call left last may be lost, if the kill hit the very step that accounts it. */
		if (every_call && !within(l->done[f], s->timed[f] + 1, l->begun[f] + 1))
			complain(t,
				 "thread %d: %" PRIu64 " timed calls of %s, expected %" PRIu64 " to %" PRIu64,
				 lane, s->timed[f], names[f], l->done[f], l->begun[f]);
	}
	if (!within(l->done[KILL_BLOCK], s->logged[KILL_BLOCK], l->begun[KILL_BLOCK]))
		complain(t, "thread %d: %" PRIu64 " blocks in the log, expected %" PRIu64 " to %" PRIu64,
			 lane, s->logged[KILL_BLOCK], l->done[KILL_BLOCK], l->begun[KILL_BLOCK]);
}

static void compare_events(struct totals *t, const struct kill_lane *l, const struct seen *s, int lane)
{
	if (!within(l->barriers_done, s->barriers, l->barriers_begun))
		complain(t, "thread %d: %" PRIu64 " barriers, expected %" PRIu64 " to %" PRIu64, lane,
			 s->barriers, l->barriers_done, l->barriers_begun);
	if (l->started && lane && !s->starts)
		complain(t, "thread %d: its start is missing", lane);
	if (lane)
		return;
	if (!within(page->created_done, s->created, page->created_begun))
		complain(t, "%" PRIu64 " creations, expected %" PRIu64 " to %" PRIu64, s->created,
			 page->created_done, page->created_begun);
	if (!within(page->joined_done, s->joined, page->joined_begun))
		complain(t, "%" PRIu64 " joins, expected %" PRIu64 " to %" PRIu64, s->joined,
			 page->joined_done, page->joined_begun);
	if (!within(page->slept_done, s->slept, page->slept_begun))
		complain(t, "%" PRIu64 " sleeps, expected %" PRIu64 " to %" PRIu64, s->slept,
			 page->slept_done, page->slept_begun);
}

/* Every call timed: the stacks agree, but for a call whose probe was on its way.  Else: in order, some missing. */
static void compare_open(struct totals *t, const struct kill_lane *l, const struct seen *s, int lane)
{
	uint32_t have = 0;

	if (!s->has_open)
		return;
	for (uint32_t i = 0; i < l->depth && have < s->depth; i++)
		have += l->stack[i] == s->stack[have];
	if (have < s->depth || (every_call && s->depth + 1 < l->depth))
		complain(t, "thread %d: %u calls open in the record, %u in the program", lane, s->depth,
			 l->depth);
	t->open += s->depth;
	t->own += l->depth;
	t->mid_call += l->depth != s->depth;
}

static void compare(struct totals *t)
{
	for (int i = 0; i < KILL_LANES; i++) {
		const struct kill_lane *l = &page->lane[i];
		const struct seen *s = &seen[i];

		if (!l->started)
			continue;
		if (!s->exists)
			complain(t, "thread %d is missing", i);
		compare_calls(t, l, s, i);
		compare_events(t, l, s, i);
		compare_open(t, l, s, i);
	}
}

/* Nothing but what a program does before its first probe may be without a record. */
static void check_empty(struct totals *t)
{
	t->empty++;
	if (page->created_begun || page->lane[0].begun[KILL_LEAF] || page->slept_begun)
		complain(t, "there is no record, and the program had begun its work");
}

static void check_record(struct totals *t, const char *run, const char *file)
{
	struct record r = {0};
	char path[900];
	struct stat st;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", run, file);
	fd = open(path, O_RDONLY);
	if (fd < 0 || fstat(fd, &st))
		die(path);
	r.bytes = (uint64_t)st.st_size;
	r.base = r.bytes >= PRS_PAGE_BYTES ? mmap(NULL, r.bytes, PROT_READ, MAP_PRIVATE, fd, 0) : NULL;
	close(fd);
	if (!r.base || memcmp(r.base, PRS_REC_MAGIC, 8)) {
		check_empty(t);
		return;
	}
	memset(seen, 0, sizeof(seen));
	t->sealed += ((const struct prs_rec_header *)(const void *)r.base)->checksum_kind == PRS_SUM_SEALED;
	if (!read_sites(&r, run))
		complain(t, "the run has no site table");
	else if (!walk(&r, false) || !walk(&r, true))
		complain(t, "a chunk has a wrong length");
	else
		compare(t);
	munmap((void *)(uintptr_t)r.base, r.bytes);
}

static void check_run(struct totals *t, const char *run)
{
	DIR *d = opendir(run);
	struct dirent *e;
	char record[300] = "";

	while (d && (e = readdir(d)))
		if (strstr(e->d_name, ".prec"))
			snprintf(record, sizeof(record), "%s", e->d_name);
	if (d)
		closedir(d);
	if (*record)
		check_record(t, run, record);
	else
		check_empty(t);
}

/* What the answer of perseus report says. */
struct answer {
	bool damaged;
	uint64_t open;
};

static struct answer read_answer(const char *path)
{
	static const char open_key[] = "\"calls_open\": ";
	FILE *f = fopen(path, "r");
	struct answer a = {0};
	char line[4000];

	while (f && fgets(line, sizeof(line), f)) {
		const char *open = strstr(line, open_key);

		a.damaged |= strstr(line, "damaged") != NULL;
		if (open)
			a.open = strtoull(open + strlen(open_key), NULL, 10);
	}
	if (f)
		fclose(f);
	return a;
}

/*
 * perseus report must take it: 0 whole, 4 incomplete, and never damaged, also
 * if the recorder was killed while it put the checksums in.  A run without a
 * record is for it to refuse.
 */
static void check_reader(struct totals *t, const char *perseus, const char *run)
{
	char command[1400], answer[500];
	uint64_t empty = t->empty, open = t->open;
	struct answer a;
	struct stat st;
	int status;

	check_run(t, run);
	if (t->empty != empty || stat(run, &st))
		return;
	snprintf(answer, sizeof(answer), "%s.json", run);
	snprintf(command, sizeof(command), "'%s' report --json '%s' >'%s' 2>&1", perseus, run, answer);
	status = system(command);
	if (!WIFEXITED(status) || (WEXITSTATUS(status) != 0 && WEXITSTATUS(status) != 4))
		complain(t, "perseus report ends with %d", WEXITSTATUS(status));
	a = read_answer(answer);
	if (a.damaged)
		complain(t, "perseus report finds damage: see %s", answer);
	if (a.open < t->open - open)
		complain(t, "perseus report names %" PRIu64 " open calls, %" PRIu64 " are there", a.open,
			 t->open - open);
}

/* ---- killing --------------------------------------------------------------------- */

static void wait_us(uint64_t us)
{
	struct timespec ts = {(time_t)(us / 1000000), (long)(us % 1000000) * 1000};

	nanosleep(&ts, NULL);
}

static pid_t child_of(pid_t parent)
{
	char path[80];
	long pid = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", parent, parent);
	f = fopen(path, "r");
	if (f && fscanf(f, "%ld", &pid) != 1)
		pid = 0;
	if (f)
		fclose(f);
	return (pid_t)pid;
}

static bool gone(pid_t pid)
{
	char path[80], state = 'X';
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "r");
	if (!f)
		return true;
	if (fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
		state = 'X';
	fclose(f);
	return state == 'Z' || state == 'X';
}

/* The program's pid as soon as there is one; 0: the recorder ended first. */
static pid_t find_program(pid_t recorder, bool running)
{
	for (int i = 0; i < 200000; i++) {
		pid_t pid = child_of(recorder);

		if (pid && (!running || __atomic_load_n(&page->pid, __ATOMIC_ACQUIRE)))
			return pid;
		if (gone(recorder))
			return 0;
		wait_us(50);
	}
	return 0;
}

static pid_t start(char *const *argv, const char *log)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	if (!freopen(log, "w", stdout) || dup2(1, 2) < 0)
		_exit(120);
	execv(argv[0], argv);
	_exit(121);
}

/* Until the program is gone: it must not need its recorder. */
static void await(struct totals *t, pid_t program)
{
	for (int i = 0; program && !gone(program); i++) {
		if (i == 60000) {
			complain(t, "the program still runs a minute after its recorder was killed");
			kill(program, SIGKILL);
		}
		wait_us(1000);
	}
}

/* perseus record ends as the program did, unless it is what was killed. */
static bool expected(int status, bool recorder)
{
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return true;
	return recorder ? WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL
			: WIFEXITED(status) && WEXITSTATUS(status) == 128 + SIGKILL;
}

static void one(struct totals *t, char **argv, bool recorder, bool late)
{
	char run[400], log[440], page_file[440];
	char *rounds = late ? (char *)ROUNDS_LATE : (char *)ROUNDS;
	char *purpose = next(4) ? (char *)"--purpose=timing" : (char *)"--purpose=sharing";
	char *command[] = {argv[1], "record", "-q",      purpose, "-o", run,
			   "--",    argv[2],  page_file, rounds,  NULL};
	bool early = !late && next(4) == 0;
	pid_t pid, program;
	int fd, status;

	snprintf(run, sizeof(run), "%s/run", argv[3]);
	snprintf(log, sizeof(log), "%s.log", run);
	snprintf(page_file, sizeof(page_file), "%s.page", run);
	fd = open(page_file, O_RDWR | O_CREAT | O_TRUNC, 0644);
	if (fd < 0 || ftruncate(fd, sizeof(*page)))
		die(page_file);
	page = mmap(NULL, sizeof(*page), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (page == MAP_FAILED)
		die(page_file);
	every_call = next(2);
	setenv("PERSEUS_PERIOD", every_call ? "1" : "", 1);
	pid = start(command, log);
	program = find_program(pid, !early);
	wait_us(next(early ? 20000 : late ? 120000 : 90000));
	kill(recorder || !program ? pid : program, SIGKILL);
	waitpid(pid, &status, 0);
	if (!expected(status, recorder))
		complain(t, "the recorder ended with status %x: see %s", (unsigned)status, log);
	await(t, program);
	t->runs++;
	t->finished += page->finished;
	t->cut += !page->finished;
	check_reader(t, argv[1], run);
	if (recorder && program && !page->finished)
		complain(t, "the program did not come to its end without its recorder");
	munmap(page, sizeof(*page));
	snprintf(log, sizeof(log), "rm -rf '%s'", run);
	if (system(log))
		die(log);
}

int main(int argc, char **argv)
{
	struct totals t = {0};
	unsigned long long n = argc == 7 ? strtoull(argv[4], NULL, 10) : 0;

	if (!n)
		return 2;
	setvbuf(stdout, NULL, _IOLBF, 0);
	rng = strtoull(argv[5], NULL, 10) * 2654435761u + 1;
	for (run_number = 1; run_number <= n && t.bad < 20; run_number++)
		one(&t, argv, strcmp(argv[6], "program"), !strcmp(argv[6], "late"));
	printf("runs=%" PRIu64 " cut=%" PRIu64 " finished=%" PRIu64 " empty=%" PRIu64 " sealed=%" PRIu64
	       " open=%" PRIu64 " of=%" PRIu64 " mid-call=%" PRIu64 " bad=%" PRIu64 "\n",
	       t.runs, t.cut, t.finished, t.empty, t.sealed, t.open, t.own, t.mid_call, t.bad);
	return t.bad != 0;
}
