/* SPDX-License-Identifier: MIT */
/* perseus-mpi.so: planner/heuristic/ranks.h by MPI.  Its errors end all processes, so nobody waits for one that is gone. */
#include <errno.h>
#include <mpi.h>

#include "planner/heuristic/ranks-module.h"

/* Counts are int: what is longer goes in pieces. */
#define PIECE ((size_t)1 << 20)

extern const struct ranks_module perseus_ranks;

static void module_gather(void *ctx, const void *mine, void *all, size_t bytes)
{
	MPI_Datatype piece, spread;

	(void)ctx;
	for (size_t at = 0; at < bytes; at += PIECE) {
		int n = (int)(bytes - at < PIECE ? bytes - at : PIECE);

		/* The pieces of a rank lie @bytes apart from those of the next. */
		MPI_Type_contiguous(n, MPI_BYTE, &piece);
		MPI_Type_create_resized(piece, 0, (MPI_Aint)bytes, &spread);
		MPI_Type_commit(&spread);
		MPI_Allgather((const char *)mine + at, n, MPI_BYTE, (char *)all + at, 1, spread,
			      MPI_COMM_WORLD);
		MPI_Type_free(&spread);
		MPI_Type_free(&piece);
	}
}

static int module_begin(struct ranks *r)
{
	int rank, size, provided;

	if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided) || provided < MPI_THREAD_FUNNELED ||
	    MPI_Comm_rank(MPI_COMM_WORLD, &rank) || MPI_Comm_size(MPI_COMM_WORLD, &size))
		return -EIO;
	*r = (struct ranks){(uint32_t)rank, (uint32_t)size, module_gather, r};
	return 0;
}

static void module_end(void)
{
	MPI_Finalize();
}

const struct ranks_module perseus_ranks = {RANKS_MODULE_VERSION, module_begin, module_end};
