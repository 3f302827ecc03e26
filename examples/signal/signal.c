/* SPDX-License-Identifier: MIT */
/*
 * signal [SIZE]: signal processing in two phases.  In phase one six threads
 * window frames of a generated signal (Hamming), transform them (discrete
 * cosine transform) and sort the spectra.  They meet at a barrier; four end,
 * two go on: they merge the sorted spectra and transform back.
 *
 *   make
 *   ./signal 1         SIZE scales the work; 1 is about a second on two cores
 *
 * Checks its own result: the transform keeps the energy of a frame, the
 * inverse gives the frame back, sorting keeps sum and order.  Exit status 1 if
 * something is wrong.
 */
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS  6
#define STAYING  2
#define POINTS   64 /* of a frame; the table of cosines fits into the first-level cache */
#define KEPT     16 /* spectra a thread keeps for phase two */
#define LINE     64
#define FRAMES_1 45000 /* frames a thread, times SIZE */
#define FRAMES_2 130000

struct channel {
	_Alignas(LINE) pthread_t thread;
	int index;
	unsigned frames[2];
	double spectra[KEPT][POINTS];
	double sum; /* over all frames, printed */
	int errors;
};

static double cosine[POINTS][POINTS];
static double window[POINTS];
static struct channel channels[THREADS];
static pthread_barrier_t phase_end;

static void make_tables(void)
{
	for (int k = 0; k < POINTS; k++) {
		double norm = sqrt((k ? 2.0 : 1.0) / POINTS);

		for (int n = 0; n < POINTS; n++)
			cosine[k][n] = norm * cos(M_PI * k * (2 * n + 1) / (2.0 * POINTS));
		window[k] = 0.54 - 0.46 * cos(2.0 * M_PI * k / (POINTS - 1));
	}
}

static void make_frame(double *x, uint32_t seed)
{
	for (int n = 0; n < POINTS; n++) {
		seed = seed * 1664525u + 1013904223u;
		x[n] = (double)(seed >> 8) * 0x1.0p-23 - 1.0;
	}
}

static void hamming(double *x)
{
	for (int n = 0; n < POINTS; n++)
		x[n] *= window[n];
}

static void dct(const double *x, double *y)
{
	for (int k = 0; k < POINTS; k++) {
		double sum = 0.0;

		for (int n = 0; n < POINTS; n++)
			sum += cosine[k][n] * x[n];
		y[k] = sum;
	}
}

static void inverse_dct(const double *y, double *x)
{
	memset(x, 0, POINTS * sizeof(*x));
	for (int k = 0; k < POINTS; k++)
		for (int n = 0; n < POINTS; n++)
			x[n] += cosine[k][n] * y[k];
}

/* Shell sort, descending magnitude. */
static void sort_spectrum(double *y)
{
	for (int gap = POINTS / 2; gap; gap /= 2)
		for (int i = gap; i < POINTS; i++) {
			double v = y[i];
			int j = i;

			for (; j >= gap && fabs(y[j - gap]) < fabs(v); j -= gap)
				y[j] = y[j - gap];
			y[j] = v;
		}
}

static double energy(const double *x)
{
	double sum = 0.0;

	for (int n = 0; n < POINTS; n++)
		sum += x[n] * x[n];
	return sum;
}

static int is_sorted(const double *y)
{
	for (int n = 1; n < POINTS; n++)
		if (fabs(y[n - 1]) < fabs(y[n]))
			return 0;
	return 1;
}

/* Window, transform, sort one frame; the largest lines go into the sum. */
static void analyse(struct channel *c, unsigned frame)
{
	double x[POINTS], y[POINTS];

	make_frame(x, frame * THREADS + (uint32_t)c->index);
	hamming(x);
	dct(x, y);
	c->errors += fabs(energy(x) - energy(y)) > 1e-9;
	sort_spectrum(y);
	c->errors += !is_sorted(y) || fabs(energy(x) - energy(y)) > 1e-9;
	c->sum += y[0] + y[POINTS / 2];
	if (frame < KEPT)
		memcpy(c->spectra[frame], y, sizeof(y));
}

/* Mix a spectrum of each channel, transform back and forth. */
static void synthesise(struct channel *c, unsigned frame)
{
	double x[POINTS], y[POINTS] = {0}, back[POINTS];
	double worst = 0.0;

	for (int i = 0; i < THREADS; i++)
		for (int n = 0; n < POINTS; n++)
			y[n] += channels[i].spectra[(frame + (unsigned)c->index) % KEPT][n];
	y[frame % POINTS] += (double)(frame % 1000) * 1e-3;
	inverse_dct(y, x);
	dct(x, back);
	for (int n = 0; n < POINTS; n++)
		worst = fmax(worst, fabs(back[n] - y[n]));
	c->errors += worst > 1e-9;
	c->sum += x[0];
}

static void *worker(void *arg)
{
	struct channel *c = arg;

	for (unsigned i = 0; i < c->frames[0]; i++)
		analyse(c, i);
	pthread_barrier_wait(&phase_end);
	for (unsigned i = 0; i < c->frames[1]; i++)
		synthesise(c, i);
	return NULL;
}

int main(int argc, char **argv)
{
	double size = argc > 1 ? strtod(argv[1], NULL) : 1.0;
	double sum = 0.0;
	int errors = 0;

	if (argc > 2 || !(size > 0.0 && size <= 1000.0)) {
		fprintf(stderr, "usage: signal [SIZE]   (0 < SIZE <= 1000)\n");
		return 2;
	}
	make_tables();
	pthread_barrier_init(&phase_end, NULL, THREADS);
	for (int i = 0; i < THREADS; i++) {
		channels[i].index = i;
		channels[i].frames[0] = (unsigned)(FRAMES_1 * size) + KEPT;
		channels[i].frames[1] = i < STAYING ? (unsigned)(FRAMES_2 * size) + 1 : 0;
		if (pthread_create(&channels[i].thread, NULL, worker, &channels[i])) {
			perror("signal: pthread_create");
			return 1;
		}
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(channels[i].thread, NULL);
		errors += channels[i].errors;
		sum += channels[i].sum;
	}
	pthread_barrier_destroy(&phase_end);
	printf("signal: sum %.6f, %d errors: %s\n", sum, errors, errors ? "WRONG" : "right");
	return errors != 0;
}
