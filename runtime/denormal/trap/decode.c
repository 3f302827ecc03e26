// SPDX-License-Identifier: MIT
/* What an instruction reads, by Zydis. */
#include <Zydis/Zydis.h>
#include <errno.h>
#include <string.h>

#include "runtime/denormal/trap/trap.h"

static int general(ZydisRegister r)
{
	return r == ZYDIS_REGISTER_NONE ? -1 : ZydisRegisterGetId(r);
}

static void take_memory(struct trap_site *site, const ZydisDecodedInstruction *i,
			const ZydisDecodedOperand *o)
{
	struct trap_memory *m = &site->memory;

	memset(m, 0, sizeof(*m));
	m->narrow = i->address_width == 32;
	m->segment = o->mem.segment == ZYDIS_REGISTER_FS   ? 'f'
		     : o->mem.segment == ZYDIS_REGISTER_GS ? 'g'
							   : 0;
	m->base = (int8_t)general(o->mem.base);
	m->index = (int8_t)general(o->mem.index);
	m->scale = o->mem.scale;
	m->disp = o->mem.disp.has_displacement ? o->mem.disp.value : 0;
	if (o->mem.base != ZYDIS_REGISTER_RIP && o->mem.base != ZYDIS_REGISTER_EIP)
		return;
	m->base = -1;
	m->disp += (int64_t)(site->address + i->length);
	site->disp_at = i->raw.disp.offset;
	site->target = m->disp;
}

/* Of the type of @o; 0: not a floating-point number that can be denormal. */
static unsigned element_bytes(const ZydisDecodedOperand *o, ZydisMnemonic what)
{
	/* Zydis 4.0 has the types of these two the wrong way round. */
	if (what == ZYDIS_MNEMONIC_CVTPS2PI || what == ZYDIS_MNEMONIC_CVTTPS2PI)
		return 4;
	switch (o->element_type) {
	case ZYDIS_ELEMENT_TYPE_FLOAT16:
		return 2;
	case ZYDIS_ELEMENT_TYPE_FLOAT32:
		return 4;
	case ZYDIS_ELEMENT_TYPE_FLOAT64:
		return 8;
	default:
		return 0;
	}
}

static void take_source(struct trap_site *site, const ZydisDecodedInstruction *i,
			const ZydisDecodedOperand *o)
{
	unsigned bytes = element_bytes(o, i->mnemonic), size = o->size / 8u;
	struct trap_source *s;

	if (!bytes || !(o->actions & ZYDIS_OPERAND_ACTION_READ) || site->n_sources == TRAP_SOURCES)
		return;
	s = &site->source[site->n_sources];
	s->element = (uint8_t)bytes;
	s->elements = (uint8_t)(size / bytes);
	s->memory = o->type == ZYDIS_OPERAND_TYPE_MEMORY;
	s->reg = s->memory ? 0 : (uint8_t)ZydisRegisterGetId(o->reg.value);
	site->n_sources++;
}

/* Scalar forms are told by their names: the operands of some have the width of a vector in Zydis. */
static bool scalar(ZydisMnemonic what)
{
	static const char *const kinds[] = {"ss", "sd", "sh"};
	const char *name = ZydisMnemonicGetString(what);
	size_t n = name ? strlen(name) : 0;

	for (unsigned k = 0; k < 3 && n > 4; k++) {
		const char *at = strstr(name, kinds[k]);

		for (; at; at = strstr(at + 1, kinds[k]))
			if (at != name && (!at[2] || at[2] == '2'))
				return true;
	}
	return false;
}

static enum trap_shape shape_of(ZydisMnemonic what)
{
	switch (what) {
	case ZYDIS_MNEMONIC_HADDPS:
	case ZYDIS_MNEMONIC_HADDPD:
	case ZYDIS_MNEMONIC_HSUBPS:
	case ZYDIS_MNEMONIC_HSUBPD:
	case ZYDIS_MNEMONIC_VHADDPS:
	case ZYDIS_MNEMONIC_VHADDPD:
	case ZYDIS_MNEMONIC_VHSUBPS:
	case ZYDIS_MNEMONIC_VHSUBPD:
		return TRAP_PAIRS;
	case ZYDIS_MNEMONIC_DPPS:
	case ZYDIS_MNEMONIC_DPPD:
	case ZYDIS_MNEMONIC_VDPPS:
	case ZYDIS_MNEMONIC_VDPPD:
		return TRAP_DOT;
	default:
		return TRAP_LANES;
	}
}

static bool begins(const char *name, const char *const *with, unsigned n)
{
	for (unsigned k = 0; k < n; k++)
		if (!strncmp(name, with[k], strlen(with[k])))
			return true;
	return false;
}

/* A destination that is merged into looks as if it were read; in these it is an operand indeed. */
static bool adds_to_first(ZydisMnemonic what)
{
	static const char *const names[] = {"vfmadd", "vfmsub", "vfnmadd", "vfnmsub", "vfcmadd"};
	const char *name = ZydisMnemonicGetString(what);

	return name && begins(name, names, sizeof(names) / sizeof(*names));
}

/* By a power of two that is rounded to an integer first: a denormal one is 0 and raises nothing. */
static bool scales(ZydisMnemonic what)
{
	static const char *const names[] = {"vscalef"};
	const char *name = ZydisMnemonicGetString(what);

	return name && begins(name, names, 1);
}

/*
 * Scalar forms of one operand whose first source only gives the upper part of the register; without "v" that is
 * the destination, which is a source in Zydis 4.1 and none in 4.0.
 */
static bool of_one_operand(ZydisMnemonic what)
{
	static const char *const names[] = {"vcvt",    "vsqrt",  "vrndscale", "vgetexp", "vgetmant",
					    "vreduce", "vround", "vrcp",      "vrsqrt",  "cvt",
					    "sqrt",    "round",  "rcp",       "rsqrt"};
	const char *name = ZydisMnemonicGetString(what);

	return name && begins(name, names, sizeof(names) / sizeof(*names));
}

static void take_operands(struct trap_site *site, const ZydisDecodedInstruction *i,
			  const ZydisDecodedOperand *o)
{
	bool merges = i->avx.mask.mode == ZYDIS_MASK_MODE_MERGING;
	unsigned lanes = 64;

	for (unsigned k = 0; k < i->operand_count; k++) {
		bool vector = o[k].type == ZYDIS_OPERAND_TYPE_REGISTER &&
			      (ZydisRegisterGetClass(o[k].reg.value) == ZYDIS_REGCLASS_XMM ||
			       ZydisRegisterGetClass(o[k].reg.value) == ZYDIS_REGCLASS_YMM ||
			       ZydisRegisterGetClass(o[k].reg.value) == ZYDIS_REGCLASS_ZMM);

		if (o[k].type == ZYDIS_OPERAND_TYPE_MEMORY)
			take_memory(site, i, &o[k]);
		if (o[k].type == ZYDIS_OPERAND_TYPE_IMMEDIATE)
			site->immediate = (uint8_t)o[k].imm.value.u;
		if (!vector && o[k].type != ZYDIS_OPERAND_TYPE_MEMORY)
			continue;
		if (k || !merges || adds_to_first(i->mnemonic))
			take_source(site, i, &o[k]);
		if (o[k].element_count < lanes && (o[k].element_count > 1 || o[k].size > 64))
			lanes = o[k].element_count;
	}
	if (scalar(i->mnemonic) && site->n_sources == 2 && of_one_operand(i->mnemonic)) {
		site->source[0] = site->source[1];
		site->n_sources = 1;
	}
	if (scales(i->mnemonic) && site->n_sources == 2)
		site->n_sources = 1;
	for (unsigned k = 0; k < site->n_sources; k++)
		if (site->source[k].elements > 1 && site->source[k].elements < lanes)
			lanes = site->source[k].elements;
	site->lanes = lanes == 64 || scalar(i->mnemonic) ? 1 : (uint8_t)lanes;
}

int trap_decode(struct trap_site *site, uint64_t address, const unsigned char *bytes, size_t n)
{
	ZydisDecodedInstruction i;
	ZydisDecodedOperand o[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecoder d;

	memset(site, 0, sizeof(*site));
	if (!ZYAN_SUCCESS(ZydisDecoderInit(&d, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)) ||
	    !ZYAN_SUCCESS(ZydisDecoderDecodeFull(&d, bytes, n, &i, o)) || i.length > TRAP_BYTES_MAX)
		return -ENOTSUP;
	/* What changes where the program goes on cannot be copied; none of it raises these exceptions. */
	if (i.meta.branch_type != ZYDIS_BRANCH_TYPE_NONE)
		return -ENOTSUP;
	site->address = address;
	memcpy(site->bytes, bytes, i.length);
	site->length = i.length;
	site->shape = (uint8_t)shape_of(i.mnemonic);
	if (i.avx.mask.mode != ZYDIS_MASK_MODE_INVALID && i.avx.mask.reg > ZYDIS_REGISTER_K0)
		site->mask = (uint8_t)(i.avx.mask.reg - ZYDIS_REGISTER_K0);
	take_operands(site, &i, o);
	return 0;
}
