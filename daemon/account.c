/* SPDX-License-Identifier: MIT */
#include "daemon/account.h"
#include "daemon/service.h"

/*
 * Of the time of all, what one person may take; how much of it he can have at
 * once; and how much more before his requests are refused: up to there he is
 * served without waiting for the kernel.
 */
#define SHARE   6
#define MOST_US 300000
#define DEBT_US 100000

/*
 * A line of the audit is worth so many requests; they can be saved up for so long, and are this many at least.
 * Counted in thousandths of a request.
 */
#define LINE_COST    40000ull
#define LINE_SECONDS 10
#define LINES_LEAST  20

static prs_u64 most_tokens(const struct service *service)
{
	return service->config->max_rate * 1000ull * USER_RATES;
}

static prs_u64 most_lines(const struct service *service)
{
	prs_u64 most = service->config->max_rate * 1000ull * LINE_SECONDS;

	return most > LINES_LEAST * LINE_COST ? most : LINES_LEAST * LINE_COST;
}

void account_begin(const struct service *service, struct account *account, uid_t person)
{
	*account = (struct account){.person = person,
				    .is_used = true,
				    .left_us = MOST_US,
				    .tokens = most_tokens(service),
				    .lines = most_lines(service),
				    .filled_ms = service->now_ms};
}

void account_refill(const struct service *service, struct account *account)
{
	prs_u64 passed = service->now_ms - account->filled_ms;

	account->left_us += (int64_t)passed * 1000 / SHARE;
	account->tokens += passed * service->config->max_rate * USER_RATES;
	account->lines += passed * service->config->max_rate;
	account->filled_ms = service->now_ms;
	if (account->left_us > MOST_US)
		account->left_us = MOST_US;
	if (account->tokens > most_tokens(service))
		account->tokens = most_tokens(service);
	if (account->lines > most_lines(service))
		account->lines = most_lines(service);
}

/* Nobody uses it, and it is as a new one would be. */
static bool is_spent(const struct service *service, const struct account *account)
{
	return !account->connections && account->left_us == MOST_US &&
	       account->tokens == most_tokens(service) && account->lines == most_lines(service);
}

struct account *account_of(struct service *service, uid_t person)
{
	struct account *place = NULL;

	for (int i = 0; i < ACCOUNTS; i++) {
		struct account *a = &service->account[i];

		if (a->is_used)
			account_refill(service, a);
		if (a->is_used && a->person == person)
			return a;
		if (!place && (!a->is_used || is_spent(service, a)))
			place = a;
	}
	if (place)
		account_begin(service, place, person);
	return place;
}

bool account_take_request(struct account *account)
{
	if (account->tokens < 1000)
		return false;
	account->tokens -= 1000;
	return true;
}

bool account_take_line(struct account *account)
{
	if (account->lines < LINE_COST)
		return false;
	account->lines -= LINE_COST;
	return true;
}

bool account_is_overdrawn(const struct account *account)
{
	return account->left_us <= -DEBT_US;
}
