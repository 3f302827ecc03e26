/* OpenMP: one region, or with an argument two. */
#include <stdio.h>

static double x[2000000];

static double fill(void)
{
	double sum = 0;

#pragma omp parallel for num_threads(3) reduction(+ : sum) /* the first */
	for (int i = 0; i < 2000000; i++)
		sum += x[i] = i & 15;
	return sum;
}

int main(int argc, char **argv)
{
	double sum = fill();

	(void)argv;
	if (argc > 1) {
#pragma omp parallel for num_threads(3) reduction(+ : sum)
		for (int i = 0; i < 2000000; i++)
			sum += x[i];
	}
	printf("%g\n", sum);
	return 0;
}
