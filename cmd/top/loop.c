/* SPDX-License-Identifier: MIT */
#include "cmd/top/loop.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "cmd/base/print.h"
#include "cmd/top/screen.h"
#include "lib/spawn/child.h"

#define TOP_SCHEMA   1
#define STREAM_WIDTH 120
#define BEGIN_LOOKS  20 /* at a run of which there is nothing yet */
#define BEGIN_PAUSE  0.1

static volatile sig_atomic_t stopped;

static void stop(int sig)
{
	stopped = sig;
}

/* ---- looking ---------------------------------------------------------------------- */

static uint64_t own_ns(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (uint64_t)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000000000u +
	       (uint64_t)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1000u;
}

static void count_own(struct top_loop *t)
{
	uint64_t own = own_ns(), now = child_clock_ns();

	t->own = t->at_ns ? (double)(own - t->own_ns) / (double)(now - t->at_ns) : 0;
	t->own_ns = own;
	t->at_ns = now;
}

/* 0, or a negative errno; what is not there yet is no failure while its program is being started. */
static int take_look(struct top_loop *t, double seconds, struct err *err)
{
	bool going = top_source_goes_on(&t->source);
	uint64_t from = t->replay_ns;
	int ret;

	count_own(t);
	if (t->replayed) {
		t->replay_ns += (uint64_t)(seconds * 1e9);
		if (t->replay_ns > t->replay.length_ns)
			t->replay_ns = t->replay.length_ns;
		replay_look(&t->replay, from, t->replay_ns, &t->live);
	} else {
		ret = live_look(&t->live, err);
		if (ret == -ENOENT && !going && t->o->program)
			ret = top_source_failed(&t->source, err);
		if (ret && (ret != -ENOENT || !going))
			return ret;
	}
	t->looks += t->begun || t->replayed;
	t->second = t->begun || t->replayed;
	t->begun |= t->live.threads.n > 0;
	top_names_update(&t->names, &t->live);
	return 0;
}

/* Is there, or will there be, something to look at? */
static bool goes_on(struct top_loop *t)
{
	if (t->replayed)
		return t->replay_ns < t->replay.length_ns;
	return t->live.threads.n || top_source_goes_on(&t->source);
}

static bool enough(const struct top_loop *t)
{
	return stopped || (t->o->count && t->looks >= t->o->count);
}

static void title(const struct top_loop *t, struct strbuf *sb)
{
	strbuf_printf(sb, "perseus top: %s", t->source.dir);
	if (t->replayed)
		strbuf_printf(sb, "; record, %.3g of %.3g s", (double)t->replay_ns / 1e9,
			      (double)t->replay.length_ns / 1e9);
	else if (t->begun && !t->live.threads.n)
		strbuf_puts(sb, "; the program has ended, its record is being made");
	else if (t->looks)
		strbuf_printf(sb, "; looking takes %.1f %% of a core", 100 * t->own);
}

/* ---- a plain stream ----------------------------------------------------------------- */

static void print_look(struct top_loop *t)
{
	struct top_view view = {.sort = t->o->sort,
				.upwards = t->o->sort == TOP_THREAD || t->o->sort == TOP_TID,
				.filter = t->o->filter,
				.columns = STREAM_WIDTH};
	struct strbuf sb = STRBUF_INIT;
	struct top_rows rows;

	top_rows_make(&rows, &t->live, &t->names, &view);
	title(t, &sb);
	strbuf_puts(&sb, "\n");
	top_sums(&sb, &t->live, STREAM_WIDTH);
	strbuf_puts(&sb, "\n");
	top_head(&sb, &t->live, &view);
	strbuf_puts(&sb, "\n");
	for (size_t i = 0; i < rows.n; i++) {
		top_line(&sb, &t->live, &view, &rows.at[i]);
		strbuf_puts(&sb, "\n");
	}
	strbuf_puts(&sb, "\n");
	cmd_put(stdout, sb.s);
	strbuf_release(&sb);
	top_rows_release(&rows);
}

static void print_json(struct top_loop *t)
{
	struct top_view view = {.sort = t->o->sort, .filter = t->o->filter, .columns = STREAM_WIDTH};
	struct strbuf sb = STRBUF_INIT;
	struct top_rows rows;
	struct json j;

	top_rows_make(&rows, &t->live, &t->names, &view);
	json_init(&j, &sb);
	json_object(&j, NULL);
	json_u64(&j, "schema", TOP_SCHEMA);
	json_string(&j, "run", t->source.dir);
	json_bool(&j, "replayed", t->replayed);
	json_double(&j, "at_s", (double)(t->replayed ? t->replay_ns : t->live.looked_ns) / 1e9);
	json_double(&j, "own_cores", t->own);
	top_json(&j, &t->live, &rows);
	json_end(&j);
	cmd_put(stdout, sb.s);
	strbuf_release(&sb);
	top_rows_release(&rows);
}

static void pause_for(double seconds)
{
	struct timespec t = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};

	nanosleep(&t, NULL);
}

/* The first look at a program that goes on is not printed: rates need two. */
static int stream(struct top_loop *t, struct err *err)
{
	int ret = take_look(t, t->o->interval, err);

	while (!ret) {
		bool shown = t->second && t->live.threads.n;

		t->shown += shown;
		if (shown && t->o->json)
			print_json(t);
		else if (shown)
			print_look(t);
		fflush(stdout);
		if (enough(t) || !goes_on(t))
			break;
		if (!t->replayed)
			pause_for(t->o->interval);
		ret = take_look(t, t->o->interval, err);
	}
	return ret;
}

/* ---- a screen ----------------------------------------------------------------------- */

/* Keys until the next look is due. */
static void show(struct top_loop *t, struct top_screen *s)
{
	double due = (double)child_clock_ns() / 1e9 + s->interval, left = s->interval;
	struct strbuf sb = STRBUF_INIT;

	title(t, &sb);
	if (!goes_on(t))
		strbuf_puts(&sb, "; it has ended");
	do {
		top_screen_draw(s, &t->live, &t->names, sb.s);
		left = due - (double)child_clock_ns() / 1e9;
	} while (left > 0 && !stopped && top_screen_key(s, left, t->live.threads.n) && !s->leave && !s->jump);
	strbuf_release(&sb);
}

/* Ten looks to and fro. */
static void jump(struct top_loop *t, struct top_screen *s)
{
	uint64_t by = (uint64_t)(10 * s->interval * 1e9);

	if (s->jump < 0)
		t->replay_ns = t->replay_ns > by ? t->replay_ns - by : 0;
	else if (t->replay_ns + by < t->replay.length_ns)
		t->replay_ns += by;
}

static int draw(struct top_loop *t, struct err *err)
{
	struct top_screen s;
	int ret;

	if (!top_screen_open(&s, t->o->sort, t->o->interval, t->o->filter))
		return stream(t, err);
	t->screen = true;
	ret = take_look(t, s.interval, err);
	while (!ret && !s.leave && !enough(t)) {
		s.jump = 0;
		show(t, &s);
		if (t->replayed)
			jump(t, &s);
		if (!s.leave && (s.jump || !s.frozen) && (s.jump || goes_on(t)))
			ret = take_look(t, s.interval, err);
	}
	top_screen_close();
	return ret;
}

/* ---- all of it ---------------------------------------------------------------------- */

/* A run of which no thread is there is over. */
static int find_run(struct top_loop *t, struct err *err)
{
	int ret;

	live_open(&t->live, t->source.dir);
	if (t->o->program)
		return 0;
	for (unsigned n = 0;; n++) {
		ret = live_look(&t->live, err);
		if (ret || t->live.threads.n)
			return ret;
		ret = replay_open(&t->replay, t->source.dir, err);
		if (!ret || n == BEGIN_LOOKS)
			break;
		*err = (struct err)ERR_INIT; /* it may be about to begin */
		pause_for(BEGIN_PAUSE);
	}
	t->replayed = !ret;
	return ret;
}

int top_loop_run(struct top_loop *t, struct err *err)
{
	struct sigaction sa = {.sa_handler = stop};
	int ret = find_run(t, err);

	if (ret)
		return ret;
	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	return !t->o->json && isatty(1) ? draw(t, err) : stream(t, err);
}

void top_loop_release(struct top_loop *t)
{
	top_names_release(&t->names);
	live_close(&t->live);
	if (t->replayed)
		replay_close(&t->replay);
}
