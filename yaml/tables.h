/* SPDX-License-Identifier: MIT */
/* Short forms for the tables of the documents: one line a key. */
#ifndef PERSEUS_YAML_TABLES_H
#define PERSEUS_YAML_TABLES_H

#include "yaml/schema.h"

#define F_BASE(type, member, what_kind) .key = #member, .kind = (what_kind), .offset = offsetof(type, member)

/* Optional arguments (flags, limits, words) follow as designated initialisers. */
#define F_STRING(type, member, ...)                                                                          \
	{                                                                                                    \
		F_BASE(type, member, SCHEMA_STRING), __VA_ARGS__                                             \
	}
#define F_HEX(type, member, lo, hi, ...)                                                                     \
	{                                                                                                    \
		F_BASE(type, member, SCHEMA_HEX), .min = (lo), .max = (hi), __VA_ARGS__                      \
	}
#define F_BOOL(type, member, ...)                                                                            \
	{                                                                                                    \
		F_BASE(type, member, SCHEMA_BOOL), __VA_ARGS__                                               \
	}
#define F_U32(type, member, ...)                                                                             \
	{                                                                                                    \
		F_BASE(type, member, SCHEMA_U32), __VA_ARGS__                                                \
	}
#define F_U64(type, member, ...)                                                                             \
	{                                                                                                    \
		F_BASE(type, member, SCHEMA_U64), __VA_ARGS__                                                \
	}
#define F_INT(type, member, ...)                                                                             \
	{                                                                                                    \
		F_BASE(type, member, SCHEMA_INT), __VA_ARGS__                                                \
	}
#define F_DOUBLE(type, member, ...)                                                                          \
	{                                                                                                    \
		F_BASE(type, member, SCHEMA_DOUBLE), __VA_ARGS__                                             \
	}
#define F_ENUM(type, member, names, ...)                                                                     \
	{                                                                                                    \
		F_BASE(type, member, SCHEMA_ENUM), .words = (names), __VA_ARGS__                             \
	}
#define F_REF(type, member, target, ...)                                                                     \
	{                                                                                                    \
		F_BASE(type, member, SCHEMA_REF), .list = (target), __VA_ARGS__                              \
	}
#define F_KEYED(type, member, names, ...)                                                                    \
	{                                                                                                    \
		F_BASE(type, member, SCHEMA_KEYED), .words = (names), __VA_ARGS__                            \
	}
#define F_INDEX                                                                                              \
	{                                                                                                    \
		.key = "index", .kind = SCHEMA_INDEX                                                         \
	}
#define F_MAP(type, member, table)                                                                           \
	{                                                                                                    \
		F_BASE(type, member, SCHEMA_MAP), .element = &(table)                                        \
	}
#define F_LIST(type, member, table, ...)                                                                     \
	{                                                                                                    \
		F_BASE(type, member, SCHEMA_STRUCT), .count = offsetof(type, n_##member),                    \
						     .element = &(table), __VA_ARGS__                        \
	}
#define F_STRINGS(type, member, ...)                                                                         \
	{                                                                                                    \
		F_BASE(type, member, SCHEMA_STRINGS), .count = offsetof(type, n_##member), __VA_ARGS__       \
	}
#define F_REALS(type, member, ...)                                                                           \
	{                                                                                                    \
		F_BASE(type, member, SCHEMA_REALS), .count = offsetof(type, n_##member), __VA_ARGS__         \
	}
#define F_END                                                                                                \
	{                                                                                                    \
		.key = NULL                                                                                  \
	}

#define OPTIONAL .flags = SCHEMA_OPTIONAL
#define ABSENT   .flags = SCHEMA_ABSENT

#endif
