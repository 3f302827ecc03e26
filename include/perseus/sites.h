/* SPDX-License-Identifier: MIT */
/*
 * The section .perseus.sites: what each probe stands for.
 *
 * Non-alloc (survives strip, costs no memory), one contribution per object,
 * concatenated by the linker.  Text: lines end in '\n', fields are separated
 * by one tab; in a field the bytes below 0x20, 0x7f and '\' are written \xNN.
 * A reader skips lines whose first field it does not know.  Ids are 16 lower
 * case hex digits, numbers decimal; `-` is "not known".  Fields may be added
 * at the end of a line.
 *
 *   U  1 unit_id n_calls n_mems producer source flags language
 *        Opens a contribution.  unit_id = hash of all that follows, so equal
 *        objects share it.  flags: comma list, or `-`.  `lto`: made at the link;
 *        `duplicate`: two copies of the plugin were loaded.  language: `c89` to
 *        `c2x`, `c++98` to `c++23`; `-` of several, or in old tables missing
 *   F  index path                              a source file
 *   N  index assembler_name pretty_name file line          a function
 *   C  local site_id instance function callee file line col ordinal flags chain equal near
 *        A call slot: local = index of the slot.  function = N index of the
 *        function that holds the call in the source; callee = assembler name
 *        or `indirect`; instance = 8 hex digits (00000000: not inlined);
 *        flags: comma list of PRS_CF_* or `-`; chain: inline chain, outermost
 *        first, `function:line>function:line`, or `-`; equal: calls of the callee
 *        in the function, as the ordinal counts them; near: hashes of the form of
 *        its arguments (4 hex digits) and of the callees before and behind it in
 *        the source (4); both `-` or in old tables missing: not known
 *   M  local site_id instance function kind bytes file line col base type field offset flags chain round
 *        A memory site.  kind L S R A as PRS_KIND_*; base: variable as
 *        written (`pair[].a`, `*p`), type: its aggregate type or `-`; field
 *        and offset (bytes in the type): `-` if none.  flags: `near` = the
 *        position is the nearest known one; chain: as of a
 *        C line, `-` where the position is not in a header below /usr; round:
 *        `LEAST-MOST/N`, cycles of one turn of the innermost loop round it by
 *        the compiler's latencies, if values go through the frame at once or
 *        at the price of a load, and its N probed accesses.  `LEAST-MOST+/N`:
 *        at the least (a call, a loop, the user's assembler in it, or no loop
 *        round it).  `-`, or in old tables missing: not known
 *   A  local type bytes dims   the C line with that local allocates objects of
 *                           `type`; bytes = size of one, `-` unknown; dims: as of a G line,
 *                           or +N, may be missing: they begin N bytes into the block
 *   O  local arg type field offset member
 *                           argument number `arg` (from 0) of the call with that
 *                           local shows something that threads wait at, or that
 *                           holds such a thing: member `field` of `type`, whose
 *                           own type is `member`.  type `-`: a variable of the
 *                           function; field begins with `*`: a pointer that shows it
 *   G  assembler_name type bytes file line dims function   a variable defined here; dims:
 *                           `[4][8]` of an array, whose elements are of `type`; function:
 *                           the one that it is static in, `-`: none; in old tables missing
 *   T  type bytes field:offset:bytes ...       layout of an aggregate that an
 *                           M, A, O or G line names (nested fields as a.b,
 *                           arrays as v[4]: all of it, v[4].x: in its first element,
 *                           v[]: without a bound, bytes of one element).
 *                           An entry without a name: the bytes that base classes
 *                           and the pointer to virtual functions take, at 0
 *   P  type align field:offset:bytes:align:type ...   behind the T line of a struct: what it
 *                           and each member of its own is aligned to, in order of the
 *                           declaration; field may be empty (a base class, a struct
 *                           without a name), type: of the member or its elements if
 *                           that is an aggregate, else `-`; align 0: a bit-field.  None,
 *                           or in old tables missing: where something is packed
 *   K  assembler_name unit_function ...        aliases made by identical code
 *                           folding
 *   S  kind reason function callee file line site_id   what carries no probe;
 *                           kind `call`, `mem`, or `function` for all of a
 *                           function; site_id only with the reason `rules`
 *   Z  unit_id                                 closes the contribution
 *   L  calls source         stands outside of contributions: `source`, with that
 *                           many calls in its functions, was compiled under -flto
 *                           and linked without the plugin, so it has no probes
 *
 * site_id = prs_site_id() of the group of the function's assembler name, the
 * unit path if the function is not public, and the callee's assembler name or
 * "indirect", and of the ordinal among the calls to that callee in the
 * function in source order (counted before optimisation).  For a memory
 * site: the base, type, field and kind, with tabs between, take the callee's place.
 * instance = low 32 bits of prs_fnv64() over the inline chain, each
 * link being assembler name, ':', line relative to that function, ':', column.
 */
#ifndef PERSEUS_SITES_H
#define PERSEUS_SITES_H

#include <stdint.h>
#include <string.h>

#define PRS_SITES_SECTION ".perseus.sites"
#define PRS_SITES_VERSION 1

#define PRS_UF_DUPLICATE "duplicate" /* flag of a U line */

#define PRS_SK_FUNCTION  "function"  /* kind of an S line */
#define PRS_SR_ATTRIBUTE "attribute" /* reasons of S lines: left out by request */
#define PRS_SR_SKIP      "skip"
#define PRS_SR_SELECT    "not-selected"
#define PRS_SR_RULES     "rules"
#define PRS_SR_RESOLVER  "ifunc-resolver"
#define PRS_SR_TARGET    "target" /* the whole unit: no probes for its instruction set or code model */

#define PRS_CF_NORETURN "noreturn" /* no leave probe */
#define PRS_CF_TAIL     "tail"     /* its tail flag was cleared */
#define PRS_CF_CREATE   "create"   /* a callee that starts a thread */
#define PRS_CF_WAIT     "wait"     /* a callee that may block */
#define PRS_CF_ALLOC    "alloc"
#define PRS_CF_FREE     "free"
#define PRS_CF_FRAME    "frame"  /* no call: notes of the local variable that `callee` names */
#define PRS_CF_STRUCT   "struct" /* aggregates by value: they are copied between the probes */
#define PRS_CF_REGION                                                                                        \
	"region" /* no call: what is between the probes is all of the function, one of OpenMP's */

/* FNV-1a, 64 bits; start with PRS_FNV_INIT, feed pieces in order. */
#define PRS_FNV_INIT 0xcbf29ce484222325ull
static inline uint64_t prs_fnv64(uint64_t h, const void *data, uint64_t bytes)
{
	const unsigned char *p = (const unsigned char *)data;

	while (bytes--)
		h = (h ^ *p++) * 0x100000001b3ull;
	return h;
}

static inline uint64_t prs_fnv64_text(uint64_t h, const char *text)
{
	return prs_fnv64(h, text, strlen(text));
}

/*
 * What the sites of @callee, or of an access's base, type, field and kind, have in common in
 * @function, an assembler's name; @unit: its path, "" if the function is public.
 */
static inline uint64_t prs_site_group(const char *function, const char *unit, const char *callee)
{
	uint64_t h = prs_fnv64_text(PRS_FNV_INIT, function);

	h = prs_fnv64_text(prs_fnv64(h, "\n", 1), unit);
	return prs_fnv64_text(prs_fnv64(h, "\n", 1), callee);
}

/* The id of the @ordinal-th site of @group. */
static inline uint64_t prs_site_id(uint64_t group, uint32_t ordinal)
{
	char tail[11];
	unsigned at = sizeof(tail);

	do
		tail[--at] = (char)('0' + ordinal % 10);
	while (ordinal /= 10);
	tail[--at] = '\n';
	return prs_fnv64(group, tail + at, sizeof(tail) - at);
}

/* The id of a call that no early pass saw: it has no ordinal. */
static inline uint64_t prs_site_late_id(uint64_t group)
{
	return prs_fnv64_text(group, "\nlate");
}

#endif
