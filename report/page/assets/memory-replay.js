/* SPDX-License-Identifier: MIT */
/*
 * What happened to the memory round the findings, and how it is played: with a
 * trace single accesses, else the parts of the run that the bounded record has.
 */
'use strict';
perseus.replay = (() => {
	const {group, time, place} = perseus;
	const KEYFRAME = 65536, FADE = 1000, SLOTS = 4096;
	const KINDS = ['reads', 'writes', 'reads and writes', 'reads and writes (atomic)'];

	/* The last index of ascending @list that is not above @value; -1: none. */
	function at_or_before(list, value, n = list.length) {
		let low = 0, high = n;
		while (low < high) {
			const mid = (low + high) >> 1;
			if (list[mid] <= value)
				low = mid + 1;
			else
				high = mid;
		}
		return low - 1;
	}

	/* ---- data ------------------------------------------------------------------------------- */

	async function load() {
		const doc = perseus.data('memory'), all = perseus.data('conflicts').findings;
		const [events, bins, lines, fields, bytes] = await Promise.all(
			['memory_events', 'memory_bins', 'memory_lines', 'memory_fields', 'memory_bytes'].map(perseus.table));
		const sum = all.reduce((n, f) => n + f.transfers_per_s, 0);
		const findings = doc.findings.map((id, number) => {
			const f = all.find(x => x.id === id);
			return {number, f, share: sum ? f.transfers_per_s / sum : 0, lines: [], pages: [], stops: []};
		});
		for (let i = 0; i < lines.rows; i++) {
			const to = findings[lines.finding[i]], page = lines.line[i] >> 6;
			to.lines.push(lines.line[i]);
			if (!to.pages.includes(page))
				to.pages.push(page);
		}
		for (const x of findings)
			x.pages.sort((a, b) => a - b);
		const n_lines = doc.pages.length * 64;
		const m = {doc, events, bins, fields, bytes, findings, n_lines, rows: rows_by_line(bins, n_lines)};
		m.spans = Array.from({length: n_lines}, () => []);
		for (let i = 0; i < fields.rows; i++)
			m.spans[fields.line[i]].push({at: fields.at[i], bytes: fields.bytes[i], name: doc.names[fields.name[i]]});
		m.line_finding = new Int32Array(n_lines).fill(-1);
		for (const x of [...findings].reverse())
			for (const line of x.lines)
				m.line_finding[line] = x.number;
		m.blocks = doc.blocks.map(b => ({...b, start: BigInt(b.address)}));
		return m;
	}

	/* Where the rows of each line begin in a table that is sorted by line. */
	function rows_by_line(table, n_lines) {
		const first = new Int32Array(n_lines + 1);
		for (let i = 0; i < table.rows; i++)
			first[table.line[i] + 1]++;
		for (let i = 0; i < n_lines; i++)
			first[i + 1] += first[i];
		return first;
	}

	function thread(m, t) {
		return m.doc.threads[t] || `thread ${t}`;
	}

	function site(m, i) {
		const s = i >= 0 ? m.doc.sites[i] : null;
		return s ? `${s.function || 'not known'} ${place(s.file, s.line)}` : 'not known';
	}

	function name_at(m, line, byte) {
		const span = m.spans[line].find(s => byte >= s.at && byte < s.at + s.bytes);
		return span ? span.name : `byte ${byte}`;
	}

	function address(m, line) {
		const base = BigInt(m.doc.pages[line >> 6]);
		return '0x' + (base + BigInt((line & 63) * 64)).toString(16);
	}

	/* ---- single accesses -------------------------------------------------------------------- */

	/* Plays the accesses of the trace.  A position is the index of an access; the state is that after it. */
	function accesses(m) {
		const e = m.events, n = e.rows, frames = [], tuples = [], tuple_of = new Int32Array(n);
		const state = {last: new Int32Array(m.n_lines).fill(-1), fought: new Int32Array(m.n_lines).fill(-1), counts: null};
		const heads = new Int32Array(SLOTS).fill(-1); /* of lists of tuples */
		let at = -1;

		/* Number of the pair of threads and places that access @i has a conflict of. */
		function tuple(i) {
			const slot = 31 * (31 * e.pair[i] + e.thread[i]) + e.rival[i] & SLOTS - 1;
			const [pair, thread, site, rival, rival_site] = [e.pair[i] - 1, e.thread[i], e.site[i], e.rival[i], e.rival_site[i]];
			for (let k = heads[slot]; k >= 0; k = tuples[k].next) {
				const t = tuples[k];
				if (t.pair === pair && t.thread === thread && t.rival === rival && t.site === site && t.rival_site === rival_site)
					return k;
			}
			const next = heads[slot];
			heads[slot] = tuples.length;
			return tuples.push({pair, thread, site, rival, rival_site, next}) - 1;
		}

		for (let i = 0; i < n; i++) {
			if (!e.pair[i])
				continue;
			tuple_of[i] = tuple(i) + 1;
			m.findings[m.doc.pairs[e.pair[i] - 1].finding].stops.push(i);
		}
		state.counts = new Int32Array(tuples.length);

		function apply(i) {
			const line = e.line[i];
			state.last[line] = i;
			if (tuple_of[i]) {
				state.fought[line] = i;
				state.counts[tuple_of[i] - 1]++;
			}
		}

		function seek(i) {
			const frame = Math.min(Math.floor((i + 1) / KEYFRAME), frames.length - 1);
			if (i < at || i - at > KEYFRAME) {
				at = frame * KEYFRAME - 1;
				for (const key of ['last', 'fought', 'counts'])
					state[key].set(frames[frame][key]);
			}
			while (at < i)
				apply(++at);
		}

		for (let i = 0; i <= n; i++) {
			if (i % KEYFRAME === 0)
				frames.push({last: state.last.slice(), fought: state.fought.slice(), counts: state.counts.slice()});
			if (i < n)
				apply(i);
		}
		at = n - 1;
		const gaps = [];
		for (let i = 1; i < n; i += Math.max(1, Math.floor(n / 999)))
			gaps.push(e.time[i] - e.time[i - 1]);
		gaps.sort((a, b) => a - b);
		const fade = Math.max(1000, FADE * (gaps[gaps.length >> 1] || 1));
		/* Where accesses were left out: the indices behind the gaps. */
		const starts = [0];
		for (let i = 1; i < n; i++)
			if (e.seq[i] !== e.seq[i - 1] + 1)
				starts.push(i);

		return {
			unit: 'access', n, tuples, state, starts, seek,
			speeds: [10, 100, 1000, 10000, 100000], speed: 1000,
			time: i => e.time[i],
			number: i => e.seq[i],
			find: number => Math.max(0, at_or_before(e.seq, number, n)),
			at_time: t => Math.max(0, at_or_before(e.time, t, n)),
			/* False: single accesses of this time were left out. */
			exact: (t, i) => i + 1 >= n || e.seq[i + 1] === e.seq[i] + 1 || t - e.time[i] <= fade,
			pair: i => e.pair[i] ? e.pair[i] - 1 : -1,
			finding: i => m.line_finding[e.line[i]],
			line: i => e.line[i],
			level(line, i) {
				const old = state.last[line] < 0 ? Infinity : e.time[i] - e.time[state.last[line]];
				const fought = state.fought[line] < 0 ? Infinity : e.time[i] - e.time[state.fought[line]];
				return {fought: fought < fade, was: state.fought[line] >= 0,
					fresh: old < fade / 4 ? 3 : old < fade / 2 ? 2 : old < fade ? 1 : 0};
			},
			says(i) {
				const what = `${thread(m, e.thread[i])} ${KINDS[e.kind[i]] || 'uses'} ${name_at(m, e.line[i], e.byte[i])}, ${site(m, e.site[i])}`;
				return e.pair[i] ? `${what}; the line comes from ${thread(m, e.rival[i])}, ${site(m, e.rival_site[i])} (${name_at(m, e.line[i], e.rival_byte[i])})` : what;
			},
		};
	}

	/* Plays sums: a position is a part of the run. */
	function parts(m) {
		const n = m.doc.bins, length = m.doc.span_ns / n;
		const stops = [];
		for (const x of m.findings) {
			const first = new Map();
			for (const line of x.lines)
				for (let r = m.rows[line]; r < m.rows[line + 1]; r++)
					if (m.bins.transfers[r]) {
						const name = thread(m, m.bins.thread[r]);
						first.set(name, Math.min(m.bins.bin[r], first.has(name) ? first.get(name) : n));
					}
			const met = new Set();
			for (const p of x.f.pairs) {
				const key = [p.a.object + '.' + p.a.field, p.b.object + '.' + p.b.field].sort().join();
				if (met.has(key) || !first.size)
					continue;
				met.add(key);
				const begin = name => first.has(name) ? first.get(name) : Math.min(...first.values());
				stops.push({finding: x.number, bin: Math.max(begin(p.a.thread), begin(p.b.thread)), pair: p});
			}
			x.stops = [...new Set(stops.filter(s => s.finding === x.number).map(s => s.bin))].sort((a, b) => a - b);
		}
		let now = 0;
		return {
			unit: 'part', n, stops, starts: [], tuples: [],
			speeds: [1, 4, 16, 64], speed: 16,
			seek: i => { now = i; },
			time: i => i * length,
			number: i => i,
			find: number => Math.min(n - 1, number),
			at_time: t => Math.min(n - 1, Math.floor(t / length)),
			exact: () => true,
			pair: () => -1,
			finding: () => -1,
			line: () => -1,
			level: (line, i) => sum_level(m, line, i),
			says: i => `part ${group(i + 1)} of ${group(n)}, ${time(length)}`,
		};
	}

	/* What a line looks like in part @bin of the run. */
	function sum_level(m, line, bin) {
		let used = 0, moved = 0, before = 0;
		for (let r = m.rows[line]; r < m.rows[line + 1]; r++) {
			if (m.bins.bin[r] === bin) {
				used += m.bins.reads[r] + m.bins.writes[r];
				moved += m.bins.transfers[r];
			} else if (m.bins.bin[r] < bin) {
				before += m.bins.transfers[r];
			}
		}
		const fights = m.line_finding[line] >= 0;
		return {fought: fights && moved > 0, was: fights && before > 0, fresh: used ? 3 : 0};
	}

	return {load, accesses, parts, sum_level, thread, site, name_at, address, at_or_before};
})();
