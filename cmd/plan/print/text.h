/* SPDX-License-Identifier: MIT */
/* Lines of the summary of a plan: a head, and text broken within 80 columns. */
#ifndef PERSEUS_CMD_PLAN_PRINT_TEXT_H
#define PERSEUS_CMD_PLAN_PRINT_TEXT_H

/* Print "HEAD      text", the text in as many lines as it needs. */
void plan_item(const char *head, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
