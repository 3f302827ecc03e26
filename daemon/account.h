/* SPDX-License-Identifier: MIT */
/*
 * What a person has asked for and made others wait, however many connections
 * and ids he does it by.  Root of the machine has an account of its own, which
 * nobody else can draw on.
 */
#ifndef PERSEUS_DAEMON_ACCOUNT_H
#define PERSEUS_DAEMON_ACCOUNT_H

#include "daemon/config.h"

/* Those of all connections, and as many of persons that have just gone. */
#define ACCOUNTS (2 * CLIENTS_MAX)

struct account {
	uid_t person;
	bool is_used;
	prs_u32 connections; /* that are open */
	int64_t left_us;     /* of the time that he may take; below 0: more than that */
	prs_u64 tokens;      /* thousandths of a request, of all his connections */
	prs_u64 lines;       /* of the audit: what they are worth, in thousandths of a request */
	prs_u64 filled_ms;
};

struct service;
struct connection;

/* An account into which nothing was taken from yet. */
void account_begin(const struct service *service, struct account *account, uid_t person);

/* The account of a person, filled up to now; NULL: too many persons at a time. */
struct account *account_of(struct service *service, uid_t person);

/* Fill it up to now. */
void account_refill(const struct service *service, struct account *account);

/* Take one request, or one line of the audit; false: he has none left. */
bool account_take_request(struct account *account);
bool account_take_line(struct account *account);

/* True if he has taken more time than he may, by far: nothing is begun for him. */
bool account_is_overdrawn(const struct account *account);

#endif
