/* SPDX-License-Identifier: MIT */
/* A packed struct whose members straddle: the second thread's word begins in the first one's line. */
#include "crew.h"

struct __attribute__((packed)) packet {
	char head[3];
	long sent;
	char body[49];
#ifdef FIXED
	char pad[4];
#endif
	long acked;
};

static ALIGNED struct packet packet;

static NOIPA void send_one(struct packet *p)
{
	p->sent++; /* <- */
}

static NOIPA void ack_one(struct packet *p)
{
	p->acked++; /* <- */
}

static void work(int id)
{
	FOR_A_WHILE for (int i = 0; i < 1000; i++)
		if (id)
			ack_one(&packet);
		else
			send_one(&packet);
}

int main(void)
{
	crew(2, work);
	return packet.sent == 0 || packet.acked == 0;
}
