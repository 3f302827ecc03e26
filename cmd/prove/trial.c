/* SPDX-License-Identifier: MIT */
#include "cmd/prove/trial.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cmd/base/print.h"
#include "cmd/prove/machine.h"
#include "lib/mem.h"
#include "lib/rng.h"
#include "lib/spawn/child.h"
#include "lib/spawn/target.h"

/* The variable that moves the stack, by up to a page. */
#define STACK_NAME  "PERSEUS_STACK="
#define STACK_SHIFT 4096

/* State of a running experiment. */
struct lab {
	struct trial *t;
	int null, out, counter;
	uint64_t own_ns;  /* CPU time of our runs */
	uint64_t self_ns; /* CPU time of this process when the watch began */
	struct machine_ticks before;
	uint64_t start_ns;
	char stack[STACK_SHIFT + sizeof(STACK_NAME)]; /* of the environment, "" none */
};

/* Hash of what a run wrote to its stdout, and of how it ended. */
static void hash_output(int fd, int status, char hex[SHA256_HEX])
{
	struct sha256 sha;
	char buf[65536];
	ssize_t n;

	sha256_init(&sha);
	sha256_add(&sha, &status, sizeof(status));
	for (off_t at = 0; (n = pread(fd, buf, sizeof(buf), at)) > 0; at += n)
		sha256_add(&sha, buf, (size_t)n);
	sha256_hex(&sha, hex);
}

/* One run; @round < 0: warm-up, which counts for the output only. */
static int run_once(struct lab *lab, struct trial_side *s, int round, struct err *err)
{
	char *const more[] = {lab->stack, NULL};
	struct child_spec spec = {s->path,          s->argv,  *lab->stack ? more : NULL,
				  lab->null,        lab->out, -1,
				  lab->t->limit_ns, {0},      lab->t->limit_ns != 0};
	uint64_t before = machine_instructions_read(lab->counter);
	struct child_result r;
	char hex[SHA256_HEX];
	int ret;

	if (ftruncate(lab->out, 0) || lseek(lab->out, 0, SEEK_SET))
		return err_set(err, -errno, "cannot keep the output of '%s': %s", s->name, strerror(errno));
	ret = child_run(&spec, &r, err);
	if (ret)
		return ret;
	if (r.received) {
		lab->t->received = r.received;
		return 0;
	}
	lab->own_ns += r.user_ns + r.system_ns;
	s->late |= lab->t->limit_ns && WIFSIGNALED(r.status) && WTERMSIG(r.status) == SIGKILL &&
		   r.wall_ns >= lab->t->limit_ns;
	hash_output(lab->out, r.status, hex);
	if (!s->output[0]) {
		strcpy(s->output, hex);
		s->status = r.status;
		s->steady = true;
	}
	s->steady &= !strcmp(s->output, hex);
	if (round >= 0 && (int64_t)r.wall_ns <= 0)
		return err_set(err, -ENODEV,
			       "the clock (CLOCK_MONOTONIC) did not advance while '%s' ran: no time can be "
			       "measured with it",
			       s->name);
	if (round >= 0) {
		s->seconds[round] = (double)r.wall_ns * 1e-9;
		s->instructions[round] = (double)(machine_instructions_read(lab->counter) - before);
	}
	return 0;
}

/* An order that depends on seed and round alone. */
static void choose_order(const struct trial *t, int round, unsigned *order)
{
	/* The second of two rounds is the first one's reversal. */
	uint64_t key = t->mirrored ? (uint64_t)(round + 2) / 2 : (uint64_t)(round + 1);
	struct rng rng = rng_keyed(t->seed, key, 0x70726f76, 0);

	for (unsigned i = 0; i < t->n_sides; i++)
		order[i] = i;
	for (unsigned i = t->n_sides; i > 1; i--) {
		unsigned k = (unsigned)rng_below(&rng, i), keep = order[i - 1];

		order[i - 1] = order[k];
		order[k] = keep;
	}
	for (unsigned i = 0; t->mirrored && round % 2 == 1 && i < t->n_sides / 2; i++) {
		unsigned keep = order[i];

		order[i] = order[t->n_sides - 1 - i];
		order[t->n_sides - 1 - i] = keep;
	}
}

/* Both sides of a round get the same stack. */
static void move_stack(struct lab *lab, int round)
{
	struct rng rng = rng_keyed(lab->t->seed, (uint64_t)(round + 1), 0x73746163, 0);
	size_t n = rng_below(&rng, STACK_SHIFT);

	if (!lab->t->vary_stack)
		return;
	strcpy(lab->stack, STACK_NAME);
	memset(lab->stack + sizeof(STACK_NAME) - 1, 'x', n);
	lab->stack[sizeof(STACK_NAME) - 1 + n] = 0;
}

/* Every side once. */
static int run_round(struct lab *lab, int round, struct err *err)
{
	struct trial *t = lab->t;
	unsigned order[TRIAL_SIDES];
	int ret = 0;

	choose_order(t, round, order);
	move_stack(lab, round);
	for (unsigned i = 0; i < t->n_sides && !ret && !t->received; i++)
		ret = run_once(lab, &t->side[order[i]], round, err);
	return ret;
}

static void progress(const struct trial *t, uint64_t start_ns)
{
	double spent = (double)(child_clock_ns() - start_ns) * 1e-9;

	if (!isatty(STDERR_FILENO))
		return;
	cmd_again(stderr);
	if (t->done < t->rounds)
		cmd_say(stderr, "pair %u of %u, %.0f s left", t->done, t->rounds,
			spent / (t->done + 1) * (t->rounds - t->done));
}

static uint64_t own_cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static void watch_begin(struct lab *lab)
{
	lab->self_ns = own_cpu_ns();
	if (machine_ticks_read(&lab->before, ""))
		lab->before = (struct machine_ticks){0};
	lab->start_ns = child_clock_ns();
}

/* What the machine did for others so far, as a share of all its cores' time. */
static void watch_look(struct lab *lab)
{
	double tick = 1.0 / (double)sysconf(_SC_CLK_TCK);
	double own = (double)(lab->own_ns + own_cpu_ns() - lab->self_ns) * 1e-9;
	double all =
		(double)(child_clock_ns() - lab->start_ns) * 1e-9 * (double)sysconf(_SC_NPROCESSORS_ONLN);
	struct machine_ticks after;

	if (machine_ticks_read(&after, "") || !lab->before.busy || all <= 0)
		return;
	/* The counters move in whole ticks, one of them unfinished on each core. */
	own += tick * (double)sysconf(_SC_NPROCESSORS_ONLN);
	lab->t->foreign = ((double)(after.busy - lab->before.busy) * tick - own) / all;
	if (lab->t->foreign < 0)
		lab->t->foreign = 0;
	lab->t->stolen = (double)(after.stolen - lab->before.stolen) * tick / all;
}

static int find_sides(struct trial *t, struct err *err)
{
	for (unsigned i = 0; i < t->n_sides; i++) {
		struct trial_side *s = &t->side[i];
		struct target target;
		int ret = target_locate(&target, s->name, err);

		if (ret)
			return ret;
		strcpy(s->path, target.path);
		s->seconds = mem_new(t->rounds, sizeof(*s->seconds));
		s->instructions = mem_new(t->rounds, sizeof(*s->instructions));
	}
	return 0;
}

/* True if the outputs seen so far make further runs pointless. */
static bool hopeless(const struct trial *t)
{
	for (unsigned i = 0; i < t->n_sides; i++)
		if (t->compare ? strcmp(t->side[i].output, t->side[0].output) || t->side[i].status
			       : t->side[i].status != t->side[0].status)
			return true;
	return false;
}

static int run_rounds(struct lab *lab, struct err *err)
{
	struct trial *t = lab->t;
	int ret = run_round(lab, -1, err);

	if (ret || t->received)
		return ret;
	/* Once more tells programs that differ from one that differs from itself. */
	if (hopeless(t))
		return run_round(lab, -1, err);
	lab->own_ns = 0;
	watch_begin(lab);
	while (!ret && !t->received && t->done < t->rounds) {
		struct err pace_err = ERR_INIT;

		progress(t, lab->start_ns);
		/* Where a core cannot be used the pace is not known, which is no reason to stop. */
		pace_look(&t->pace, &pace_err);
		ret = run_round(lab, (int)t->done, err);
		t->done += !ret && !t->received;
		watch_look(lab);
		if (!ret && !t->received && t->enough && t->enough(t, t->arg))
			break;
	}
	if (isatty(STDERR_FILENO))
		cmd_again(stderr);
	return ret;
}

int trial_run(struct trial *t, struct err *err)
{
	struct lab lab = {.t = t, .null = -1, .out = -1};
	int ret = find_sides(t, err);

	if (ret)
		return ret;
	pace_init(&t->pace, t->rounds, "");
	lab.null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	lab.out = memfd_create("output", MFD_CLOEXEC);
	lab.counter = machine_instructions_open();
	if (lab.null < 0 || lab.out < 0)
		ret = err_set(err, -errno, "cannot keep the output of the programs: %s", strerror(errno));
	else
		ret = run_rounds(&lab, err);
	for (unsigned i = 0; i < t->n_sides && lab.counter < 0; i++) {
		free(t->side[i].instructions);
		t->side[i].instructions = NULL;
	}
	close(lab.null);
	close(lab.out);
	close(lab.counter);
	return ret;
}

void trial_blocks(const struct trial *t, double *block)
{
	const double *a = t->side[0].seconds, *b = t->side[1].seconds;

	for (unsigned i = 0; i < t->done / 2; i++)
		block[i] = 0.5 * (log(b[2 * i] / a[2 * i]) + log(b[2 * i + 1] / a[2 * i + 1]));
}

void trial_release(struct trial *t)
{
	pace_release(&t->pace);
	for (unsigned i = 0; i < t->n_sides; i++) {
		free(t->side[i].seconds);
		free(t->side[i].instructions);
	}
}
