/* SPDX-License-Identifier: MIT */
/*
 * A matrix whose rows are dealt to the threads in turn and end in the middle
 * of a line, which the next row continues.
 */
#include "crew.h"

#define ROWS 64
#ifdef FIXED
#define COLUMNS 16
#else
#define COLUMNS 12
#endif
#define USED 12

static ALIGNED double matrix[ROWS][COLUMNS];

static NOIPA void relax(double *row, int n)
{
	for (int i = 1; i < n; i++)
		row[i] = row[i - 1] * 0.5 + row[i] * 0.5; /* <- */
}

static void work(int id)
{
	FOR_A_WHILE for (int r = id; r < ROWS; r += 2)
		relax(matrix[r], USED);
}

int main(void)
{
	for (int i = 0; i < ROWS; i++)
		matrix[i][0] = i;
	crew(2, work);
	return 0;
}
