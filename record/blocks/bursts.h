/* SPDX-License-Identifier: MIT */
/* What the bursts of a sharing run could see. */
#ifndef PERSEUS_RECORD_BLOCKS_BURSTS_H
#define PERSEUS_RECORD_BLOCKS_BURSTS_H

#include <stdbool.h>
#include <stdint.h>

#include "record/names/names.h"

/* A line that changes hands this often a second does harm; after that many transfers its bytes are looked at. */
#define BURSTS_RATE 10000.0
#define BURSTS_NEED 32u

struct run_bursts {
	bool rate;      /* everything was seen in bursts only, from the start or after `first` */
	double first;   /* seconds that everything was looked at before, 0: none */
	uint32_t n;     /* bursts, over all processes */
	double length;  /* seconds, of one, on average */
	double share;   /* of the time of the run, 0 to 1 */
	double seconds; /* that a probe was enabled, on average over the probes that bursts switch */
	uint32_t places, hot;
};

/* What the records of a sharing run say; all 0 for older ones and timing runs. */
void run_bursts(struct run_bursts *b, const struct run *run);

/*
 * Probability, 0 to 1, that a line which changes hands @rate times a second all
 * through the run is seen less than @need times.  Transfers are taken to come
 * independently of each other and of the bursts.
 */
double run_bursts_miss(const struct run_bursts *b, double rate, uint32_t need);

#endif
