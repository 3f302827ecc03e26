/* SPDX-License-Identifier: MIT */
#include "two.h"

struct tally
{
    long n, m;
};
struct tally tallies[2];

static void *run(arg)
    void *arg;
{
    struct tally *t = (struct tally *)arg;
    long i;
    for (i = 0; i < TURNS; i++)
    {
        t->n++;
        t->m++;
        AGAIN;
    }
    return NULL;
}

int main()
{
    mine(0, &tallies[0].n, 16);
    mine(1, &tallies[1].n, 16);
    return two(run, &tallies[0], run, &tallies[1]);
}
