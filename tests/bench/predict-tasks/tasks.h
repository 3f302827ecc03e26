/* SPDX-License-Identifier: MIT */
/* Tasks of bench-predict-tasks: each returns how many operations it made, and leaves a result that is printed. */
#ifndef PERSEUS_BENCH_PREDICT_TASKS_H
#define PERSEUS_BENCH_PREDICT_TASKS_H

#include <stddef.h>
#include <stdint.h>

struct task_out {
	double operations, result;
	double iterations, converged;	/* of those that iterate; else 0 and 1 */
	double denormals, depth;	/* of jacobi: stores, and minus log2 of the least value */
};

/* Regular: what they do hangs on @n alone. */
void task_stencil(size_t n, uint64_t seed, struct task_out *out);
void task_multiply(size_t n, uint64_t seed, struct task_out *out);
void task_fft(size_t n, uint64_t seed, struct task_out *out);
void task_sort(size_t n, uint64_t seed, struct task_out *out);
void task_sparse(size_t n, uint64_t seed, struct task_out *out);
void task_tree(size_t n, uint64_t seed, struct task_out *out);
void task_jacobi(size_t n, uint64_t seed, struct task_out *out);

/* What they do hangs on their data, which @seed makes: the same at each @n, only finer. */
void task_solver(size_t n, uint64_t seed, struct task_out *out);
void task_optimiser(size_t n, uint64_t seed, struct task_out *out);
void task_kmeans(size_t n, uint64_t seed, struct task_out *out);
void task_register(size_t n, uint64_t seed, struct task_out *out);

/* The same; nothing of the predictor was chosen by them. */
void task_quadrature(size_t n, uint64_t seed, struct task_out *out);
void task_paths(size_t n, uint64_t seed, struct task_out *out);
void task_sat(size_t n, uint64_t seed, struct task_out *out);

/* Uniform in [0, 1): the @i-th of @seed. */
static inline double task_random(uint64_t seed, uint64_t i)
{
	uint64_t z = seed * 0x9e3779b97f4a7c15u + i * 0xd1342543de82ef95u + 0x632be59bd9b4e019u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

#endif
