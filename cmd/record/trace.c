/* SPDX-License-Identifier: MIT */
#include "cmd/record/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cmd/base/cmd.h"
#include "lib/fs.h"
#include "lib/num.h"
#include "perseus/trace.h"
#include "record/run.h"
#include "recorder/trace-meta.h"

#define RINGS_BYTES   (64ull << 30) /* of address space, not of memory */
#define BUFFER_MB_MAX 256u

void record_trace_defaults(struct record_trace *t)
{
	*t = (struct record_trace){.full = PRS_TRACE_DEGRADE, .buffer_mb = 4};
}

static int take_full(struct record_trace *t, const char *text, struct err *err)
{
	static const char *const known[] = {
		[PRS_TRACE_DEGRADE] = "degrade", [PRS_TRACE_DROP] = "drop", [PRS_TRACE_BLOCK] = "block"};

	for (uint32_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(text, known[i])) {
			t->full = i;
			return 0;
		}
	return err_set(err, -EINVAL, "--trace-full=%s: expected degrade, drop or block", text);
}

int record_trace_option(struct record_trace *t, const char *name, const char *value, struct err *err)
{
	t->wanted = true; /* how it is to be traced says that it is */
	if (!strcmp(name, "trace-full"))
		return take_full(t, value, err);
	if (!strcmp(name, "trace-buffer") && num_u64(value, 1, BUFFER_MB_MAX, &t->buffer_mb))
		return err_set(err, -EINVAL, "--trace-buffer=%s: expected 1 to %u", value, BUFFER_MB_MAX);
	return 0;
}

/* ---- metadata ------------------------------------------------------------------------ */

static uint64_t clock_ns(clockid_t id)
{
	struct timespec ts = {0, 0};

	clock_gettime(id, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* What a record says of its clock, as the wall clock would. */
static void set_clock(struct trace_meta *m, const struct prs_rec_header *h, double hz)
{
	m->ticks = h->tsc_start;
	m->wall_ns = clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_MONOTONIC_RAW) + h->mono_start_ns;
	m->hz = hz >= 1 ? hz : 1e9;
}

/* The header of the record that the process has begun by now. */
static bool read_header(const char *run, const struct drain_process *p, struct prs_rec_header *h)
{
	char path[PATH_MAX + 48];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "%s/%u.%u.prec", run, p->pid, p->epoch);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = pread(fd, h, sizeof(*h), 0);
	close(fd);
	return n == (ssize_t)sizeof(*h) && !memcmp(h->magic, PRS_REC_MAGIC, sizeof(h->magic));
}

/* Not beside the streams, where a reader would take the unfinished file for one. */
static int save_meta(const struct record_trace *t, const struct trace_meta *m, struct err *err)
{
	char from[PATH_MAX + 32], to[PATH_MAX + 32];
	struct strbuf text = STRBUF_INIT;
	int ret;

	snprintf(from, sizeof(from), "%s/trace-metadata", t->run);
	snprintf(to, sizeof(to), "%s/" RECORD_TRACE_DIR "/metadata", t->run);
	trace_meta_text(m, &text);
	ret = fs_write(from, text.s, text.len, err);
	strbuf_release(&text);
	if (ret)
		return ret;
	if (rename(from, to)) {
		ret = err_set(err, -errno, "cannot write '%s': %s", to, strerror(errno));
		unlink(from);
	}
	return ret;
}

/* A process has come: the trace can be read at any time, even if we are killed. */
static void news(void *context, const struct drain_processes *processes)
{
	const struct record_trace *t = context;
	struct trace_meta m = {.uuid = t->uuid,
			       .program = t->program,
			       .state = "running",
			       .hz = 1e9,
			       .processes = processes};
	struct prs_rec_header h;
	struct err err = ERR_INIT;

	if (processes->n && read_header(t->run, &processes->at[0], &h))
		set_clock(&m, &h, (double)h.tsc_hz);
	save_meta(t, &m, &err); /* if it fails now, the end will say so */
}

static int complete_meta(struct record_trace *t, struct err *err)
{
	struct trace_meta m = {.uuid = t->uuid,
			       .program = t->program,
			       .state = t->totals.error ? "disk full" : "complete",
			       .hz = 1e9,
			       .processes = &t->processes,
			       .totals = &t->totals};
	struct run run;
	int ret = run_open(&run, t->run, err);

	if (ret)
		return ret;
	m.run = &run;
	if (run.n_processes)
		set_clock(&m, run.processes[0].header, 1e9 / run.processes[0].ns_per_tick);
	ret = save_meta(t, &m, err);
	run_close(&run);
	return ret;
}

/* ---- beginning and end ----------------------------------------------------------------- */

static void make_uuid(uint8_t uuid[16])
{
	if (getrandom(uuid, 16, 0) != 16) {
		uint64_t now[2] = {clock_ns(CLOCK_REALTIME), (uint64_t)getpid()};

		memcpy(uuid, now, 16);
	}
	uuid[6] = (uint8_t)((uuid[6] & 0x0f) | 0x40); /* RFC 4122: version 4, made of random bits */
	uuid[8] = (uint8_t)((uuid[8] & 0x3f) | 0x80);
}

static uint64_t ring_bytes(uint64_t mb)
{
	uint64_t bytes = 1u << 20;

	while (bytes < mb << 20)
		bytes *= 2;
	return bytes;
}

/* Threads that can be traced at a time. */
static uint32_t slots_of(const struct record_trace *t)
{
	uint64_t n = RINGS_BYTES / ring_bytes(t->buffer_mb);

	return n < PRS_TRACE_SLOTS_MAX ? (uint32_t)n : PRS_TRACE_SLOTS_MAX;
}

int record_trace_start(struct record_trace *t, const char *run, const char *program, struct err *err)
{
	char dir[PATH_MAX + 16];

	if (!t->wanted)
		return 0;
	snprintf(t->run, sizeof(t->run), "%s", run);
	t->program = program;
	snprintf(dir, sizeof(dir), "%s/" RECORD_TRACE_DIR, run);
	if (strlen(dir) >= PATH_MAX)
		return err_set(err, -ENAMETOOLONG, "the path of the run directory is too long");
	if (mkdir(dir, 0755))
		return err_set(err, -errno, "cannot create '%s': %s", dir, strerror(errno));
	make_uuid(t->uuid);
	news(t, &t->processes);
	t->drain = drain_start(dir, t->uuid, slots_of(t), ring_bytes(t->buffer_mb), news, t, err);
	if (!t->drain)
		return err->code;
	snprintf(t->environment, sizeof(t->environment), "%d:%u:%llu:%ld", drain_fd(t->drain), t->full,
		 (unsigned long long)drain_inode(t->drain), (long)getpid());
	return 0;
}

const char *record_trace_environment(const struct record_trace *t)
{
	return t->drain ? t->environment : NULL;
}

void record_trace_stop(struct record_trace *t)
{
	if (t->drain)
		drain_stop(t->drain, &t->totals, &t->processes);
	t->drain = NULL;
}

void record_trace_release(struct record_trace *t)
{
	record_trace_stop(t);
	vec_release(&t->processes);
}

/* ---- what is said ------------------------------------------------------------------------ */

static void say_contents(const struct drain_totals *t)
{
	char n[32], size[32], streams[32];

	if (!t->streams) {
		cmd_put(stderr, "trace     empty: no timed call returned, or the program could not map the "
				"buffers\n");
		return;
	}
	/* A call is two events, its beginning and its end. */
	cmd_say(stderr, "trace     %s events of %s thread%s, %s%sB",
		num_group(n, sizeof(n), 2 * t->calls + t->mems + t->notes),
		num_group(streams, sizeof(streams), t->streams), t->streams == 1 ? "" : "s",
		num_si(size, sizeof(size), (double)t->bytes), t->bytes < 1000 ? " " : "");
	cmd_put(stderr, t->lost_calls || t->lost_mems ? "\n" : ", none lost\n");
}

static void say_losses(const struct record_trace *r)
{
	const struct drain_totals *t = &r->totals;
	char calls[32], mems[32], gaps[32];

	if (t->lost_calls || t->lost_mems)
		cmd_say(stderr,
			"          %s calls and %s accesses are not in it, they are counted as ever:\n",
			num_group(calls, sizeof(calls), t->lost_calls),
			num_group(mems, sizeof(mems), t->lost_mems));
	if ((t->lost_calls || t->lost_mems) && !t->error)
		cmd_say(stderr,
			"          a buffer of %llu MB was full %s times; --trace-buffer=N makes it larger,\n"
			"          --trace-full=block lets the program wait\n",
			(unsigned long long)(ring_bytes(r->buffer_mb) >> 20),
			num_group(gaps, sizeof(gaps), t->gaps));
	if (t->without_time)
		cmd_say(stderr, "          %s calls are counted, and nobody knows how long they took\n",
			num_group(calls, sizeof(calls), t->without_time));
	if (t->refused)
		cmd_say(stderr, "          %u threads have no trace: more than %u ran at a time\n",
			t->refused, slots_of(r));
	if (t->damaged)
		cmd_say(stderr, "          %llu of its buffers were overwritten by the program\n",
			(unsigned long long)t->damaged);
}

void record_trace_complete(struct record_trace *t)
{
	if (t->wanted && t->processes.n)
		t->meta_failed = complete_meta(t, &t->meta_err) != 0;
}

int record_trace_say(const struct record_trace *t, bool quiet)
{
	if (!t->wanted)
		return CMD_OK;
	if (!quiet)
		say_contents(&t->totals);
	if (!quiet || t->totals.lost_calls || t->totals.lost_mems || t->totals.refused || t->totals.damaged ||
	    t->totals.without_time)
		say_losses(t);
	if (t->totals.error)
		cmd_say(stderr,
			"perseus record: the trace ends before the program did: cannot write below '%s': %s\n"
			"  the rest of the run is complete; -o DIR puts it on another disk\n",
			t->run, strerror(t->totals.error));
	if (t->meta_failed)
		cmd_say(stderr, "perseus record: the trace has no complete description: %s\n",
			t->meta_err.msg);
	return t->meta_failed || t->totals.error ? CMD_DATA : CMD_OK;
}
