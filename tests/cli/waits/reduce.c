/* SPDX-License-Identifier: MIT */
/* A sum that tasks contribute to: the region hands the library its list of reductions. */
int main(void)
{
	long sum = 0;

#pragma omp parallel num_threads(2) reduction(task, + : sum)
	{
#pragma omp single
		for (int i = 1; i <= 100; i++) {
#pragma omp task in_reduction(+ : sum) firstprivate(i)
			sum += i;
		}
	}
	return sum != 5050;
}
