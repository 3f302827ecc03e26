/* SPDX-License-Identifier: MIT */
/*
 * imgapp [SIZE]: image filters in fork/join stages.  Five threads a stage run
 * different filters (high-pass, Gauss, horizontal Sobel) on generated images,
 * so that they need different times; the last stage, nearly half of the run,
 * has three threads.  Main creates the threads of a stage and joins them.
 *
 *   make
 *   ./imgapp 1         SIZE scales the work; 1 is about a second on two cores
 *
 * Checks its own result: sampled rows of every output image against a plain
 * form of the filter, and the checksums that the threads made.  Prints one
 * checksum over all of them.  Exit status 1 if something is wrong.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH       192 /* one image and its output stay in a private cache */
#define HEIGHT      160
#define PIXELS      (WIDTH * HEIGHT)
#define RADIUS      2
#define MAX_JOBS    5
#define FORK_STAGES 3
#define LINE        64

typedef void filter_fn(const uint8_t *in, uint8_t *out);

struct job {
	_Alignas(LINE) pthread_t thread;
	filter_fn *filter;
	unsigned passes;
	uint32_t seed;
	uint8_t *in;
	uint8_t *out;
	uint64_t checksum;
};

struct kernel {
	const char *name;
	filter_fn *filter;
	int weight[5][5];
	int shift;  /* the sum is divided by 1 << shift */
	int offset; /* and moved by this */
};

static uint8_t clamp(int v)
{
	return (uint8_t)(v < 0 ? 0 : v > 255 ? 255 : v);
}

/* 5x5 binomial, in two passes as people write it: 1 4 6 4 1 down, then across. */
static void gauss(const uint8_t *in, uint8_t *out)
{
	int column[WIDTH];

	for (int y = RADIUS; y < HEIGHT - RADIUS; y++) {
		const uint8_t *p = in + y * WIDTH;

		for (int x = 0; x < WIDTH; x++)
			column[x] = p[x - 2 * WIDTH] + p[x + 2 * WIDTH] + 6 * p[x] +
				    4 * (p[x - WIDTH] + p[x + WIDTH]);
		for (int x = RADIUS; x < WIDTH - RADIUS; x++)
			out[y * WIDTH + x] = clamp((column[x - 2] + column[x + 2] + 6 * column[x] +
						    4 * (column[x - 1] + column[x + 1])) >>
						   8);
	}
}

/* What a 3x3 mean leaves over, round middle grey. */
static void high_pass(const uint8_t *in, uint8_t *out)
{
	for (int y = RADIUS; y < HEIGHT - RADIUS; y++) {
		for (int x = RADIUS; x < WIDTH - RADIUS; x++) {
			const uint8_t *p = in + y * WIDTH + x;
			int ring = p[-WIDTH - 1] + p[-WIDTH] + p[-WIDTH + 1] + p[-1] + p[1] + p[WIDTH - 1] +
				   p[WIDTH] + p[WIDTH + 1];

			out[y * WIDTH + x] = clamp(((8 * p[0] - ring) >> 3) + 128);
		}
	}
}

/* Horizontal edges. */
static void sobel(const uint8_t *in, uint8_t *out)
{
	for (int y = RADIUS; y < HEIGHT - RADIUS; y++) {
		for (int x = RADIUS; x < WIDTH - RADIUS; x++) {
			const uint8_t *p = in + y * WIDTH + x;
			int v = p[WIDTH - 1] + 2 * p[WIDTH] + p[WIDTH + 1] - p[-WIDTH - 1] - 2 * p[-WIDTH] -
				p[-WIDTH + 1];

			out[y * WIDTH + x] = clamp((v >> 2) + 128);
		}
	}
}

/* The same filters as weights, for the check. */
static const struct kernel kernels[] = {
	{"gauss",
	 gauss,
	 {{1, 4, 6, 4, 1}, {4, 16, 24, 16, 4}, {6, 24, 36, 24, 6}, {4, 16, 24, 16, 4}, {1, 4, 6, 4, 1}},
	 8,
	 0},
	{"high_pass",
	 high_pass,
	 {{0}, {0, -1, -1, -1, 0}, {0, -1, 8, -1, 0}, {0, -1, -1, -1, 0}, {0}},
	 3,
	 128},
	{"sobel", sobel, {{0}, {0, -1, -2, -1, 0}, {0}, {0, 1, 2, 1, 0}, {0}}, 2, 128},
};

static uint64_t checksum(const uint8_t *image)
{
	uint64_t h = 0xcbf29ce484222325ull;

	for (int i = 0; i < PIXELS; i++)
		h = (h ^ image[i]) * 0x100000001b3ull;
	return h;
}

static void generate(uint8_t *image, uint32_t seed)
{
	uint32_t x = seed * 2654435761u + 1;

	for (int i = 0; i < PIXELS; i++) {
		x ^= x << 13;
		x ^= x >> 17;
		x ^= x << 5;
		/* A slope with noise: edges for Sobel, texture for high-pass. */
		image[i] = (uint8_t)((i % WIDTH) / 2 + (i / WIDTH) / 4 + (x & 63));
	}
}

/* Each pass filters the image anew, as if it were the next frame of a film. */
static void *worker(void *arg)
{
	struct job *job = arg;

	for (unsigned i = 0; i < job->passes; i++) {
		job->in[i % PIXELS] ^= (uint8_t)i;
		job->filter(job->in, job->out);
	}
	job->checksum = checksum(job->out);
	return NULL;
}

static int weighted(const struct kernel *k, const uint8_t *p)
{
	int sum = 0;

	for (int dy = -RADIUS; dy <= RADIUS; dy++)
		for (int dx = -RADIUS; dx <= RADIUS; dx++)
			sum += k->weight[dy + RADIUS][dx + RADIUS] * p[dy * WIDTH + dx];
	return (sum >> k->shift) + k->offset;
}

static int check(const struct job *job)
{
	const struct kernel *k = kernels;

	while (k->filter != job->filter)
		k++;
	for (int y = RADIUS; y < HEIGHT - RADIUS; y += 7)
		for (int x = RADIUS; x < WIDTH - RADIUS; x++) {
			int want = clamp(weighted(k, job->in + y * WIDTH + x));

			if (job->out[y * WIDTH + x] != want) {
				fprintf(stderr, "imgapp: %s: pixel %d,%d is %d, expected %d\n", k->name, x, y,
					job->out[y * WIDTH + x], want);
				return 1;
			}
		}
	if (job->checksum != checksum(job->out)) {
		fprintf(stderr, "imgapp: %s: wrong checksum\n", k->name);
		return 1;
	}
	return 0;
}

static int start(struct job *job, int index, const struct kernel *k, double passes)
{
	job->filter = k->filter;
	job->passes = (unsigned)passes + 1;
	job->seed = (uint32_t)index;
	job->in = aligned_alloc(LINE, PIXELS);
	job->out = aligned_alloc(LINE, PIXELS);
	if (!job->in || !job->out)
		return -1;
	generate(job->in, job->seed);
	memset(job->out, 0, PIXELS);
	return pthread_create(&job->thread, NULL, worker, job);
}

/* Fork @n threads, join them, check and fold their results. */
static int stage(int number, int n, double passes, uint64_t *sum)
{
	/* Filters of very different cost, dealt differently in each stage. */
	static const double share[MAX_JOBS] = {1.0, 0.8, 0.6, 0.5, 0.4};
	struct job jobs[MAX_JOBS];
	int bad = 0;

	for (int i = 0; i < n; i++) {
		const struct kernel *k = &kernels[(i + number) % 3];
		double part = n == MAX_JOBS ? share[(i + number) % MAX_JOBS] : 1.0 - 0.1 * i;

		if (start(&jobs[i], number * MAX_JOBS + i, k, passes * part)) {
			perror("imgapp: cannot start a thread");
			exit(1);
		}
	}
	for (int i = 0; i < n; i++)
		pthread_join(jobs[i].thread, NULL);
	for (int i = 0; i < n; i++) {
		bad |= check(&jobs[i]);
		*sum = (*sum ^ jobs[i].checksum) * 0x100000001b3ull;
		free(jobs[i].in);
		free(jobs[i].out);
	}
	return bad;
}

int main(int argc, char **argv)
{
	double size = argc > 1 ? strtod(argv[1], NULL) : 1.0;
	uint64_t sum = 0;
	int bad = 0;

	if (argc > 2 || !(size > 0.0 && size <= 1000.0)) {
		fprintf(stderr, "usage: imgapp [SIZE]   (0 < SIZE <= 1000)\n");
		return 2;
	}
	for (int i = 0; i < FORK_STAGES; i++)
		bad |= stage(i, MAX_JOBS, 3000 * size, &sum);
	bad |= stage(FORK_STAGES, 3, 7000 * size, &sum);
	printf("imgapp: %d stages, checksum %016llx: %s\n", FORK_STAGES + 1, (unsigned long long)sum,
	       bad ? "WRONG" : "right");
	return bad;
}
