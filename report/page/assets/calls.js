/* SPDX-License-Identifier: MIT */
/* Calls: who called what, how often and for how long, filtered by thread, caller and callee. */
'use strict';
perseus.tab({
	id: 'calls', title: 'Calls', needs: ['calls'], without: 'The run holds no calls.',
	async draw(panel) {
		const {el, svg, time, group, place, short} = perseus;
		const PINS = 6, SHOWN = 200, SLOWEST = 20;
		const index = perseus.data('calls');
		const whole_rows = await perseus.table('call_rows'), whole_times = await perseus.table('call_times'), slow = await perseus.table('slow_calls');
		const phases = perseus.data('phases'), spans = await perseus.table('phase_spans'), counted = Boolean(whole_rows.cycles);
		let rows = whole_rows, times = whole_times, phase = -1;
		const list = [];

		/* ---- three selections --------------------------------------------------------- */

		/* Numbers for equal names: of[i] is that of names[i]. */
		function numbered(names) {
			const seen = new Map(), of = new Int32Array(names.length), distinct = [];
			names.forEach((name, i) => {
				if (!seen.has(name)) {
					seen.set(name, distinct.length);
					distinct.push(name);
				}
				of[i] = seen.get(name);
			});
			return {of, names: distinct};
		}
		const caller_name = t => `${t.function || 'not known'}${t.file ? ', ' + place(t.file, t.line) : ''}`;
		const callers = numbered(index.targets.map(caller_name)), callees = numbered(index.targets.map(t => t.callee || 'not known'));
		const sides = [
			{id: 'thread', title: 'Threads', names: index.threads, of: i => rows.thread[i]},
			{id: 'caller', title: 'Callers (sites)', names: callers.names, of: i => callers.of[rows.target[i]]},
			{id: 'callee', title: 'Callees (targets)', names: callees.names, of: i => callees.of[rows.target[i]]},
		];
		for (const s of sides) {
			const asked = perseus.address().values.get(s.id);
			s.chosen = new Set(asked === null ? [] : [s.names.indexOf(asked)].filter(k => k >= 0));
			s.text = '';
		}
		const passes = (s, i) => !s.chosen.size || s.chosen.has(s.of(i));

		function sums() {
			for (const s of sides) {
				s.calls = new Float64Array(s.names.length);
				s.self = new Float64Array(s.names.length);
			}
			list.length = 0;
			for (let i = 0; i < rows.rows; i++) {
				const ok = sides.map(s => passes(s, i));
				sides.forEach((s, k) => {
					if (ok[(k + 1) % 3] && ok[(k + 2) % 3]) {
						s.calls[s.of(i)] += rows.calls[i];
						s.self[s.of(i)] += rows.self[i];
					}
				});
				if (ok[0] && ok[1] && ok[2])
					list.push(i);
			}
		}

		function option(s, k) {
			const b = el('button', {'aria-pressed': String(s.chosen.has(k)), class: 'option', onclick: () => {
				if (!s.chosen.delete(k))
					s.chosen.add(k);
				update();
				[...s.box.querySelectorAll('button')].filter(x => x.k === k).forEach(x => x.focus());
			}}, el('span', {class: 'what', title: s.names[k]}, short(s.names[k])), el('span', {class: 'sum'}, `${group(s.calls[k])} \u00d7`), el('span', {class: 'sum'}, time(s.self[k])));
			b.k = k;
			return el('li', {}, b);
		}

		function fill(s) {
			const order = [];
			for (let k = 0; k < s.names.length; k++)
				if (s.chosen.has(k) || (s.calls[k] && s.names[k].toLowerCase().includes(s.text)))
					order.push(k);
			order.sort((a, b) => s.self[b] - s.self[a] || a - b);
			s.box.replaceChildren(...order.slice(0, SHOWN).map(k => option(s, k)));
			s.more.textContent = order.length > SHOWN ? `${group(order.length - SHOWN)} more: narrow the text` : '';
		}

		function side(s) {
			s.box = el('ul', {class: 'options', 'aria-label': s.title});
			s.more = el('p', {class: 'more'});
			return el('div', {class: 'side', id: 'side-' + s.id}, el('h3', {}, s.title), el('div', {class: 'tools'},
				el('input', {type: 'search', placeholder: 'contains', 'aria-label': `${s.title} that contain`, oninput: e => {
					s.text = e.target.value.trim().toLowerCase();
					fill(s);
				}}), el('button', {onclick: () => {
					s.chosen.clear();
					update();
				}}, 'All')), s.box, s.more);
		}

		/* ---- times of a selection ------------------------------------------------------- */

		/* Where the buckets of a row begin: they are in the order of the rows. */
		function index_times() {
			first = new Int32Array(rows.rows + 1);
			for (let k = 0; k < times.rows; k++)
				first[times.row[k] + 1]++;
			for (let i = 0; i < rows.rows; i++)
				first[i + 1] += first[i];
		}
		let first = null;
		index_times();

		function selection() {
			const words = sides.filter(s => s.chosen.size).map(s => {
				const [k] = s.chosen;
				return s.names[k] + (s.chosen.size > 1 ? ` +${s.chosen.size - 1}` : '');
			});
			const buckets = new Map(), out = {name: words.join(' | ') || 'all calls', calls: 0, timed: 0, min: Infinity, max: 0, cycles: 0};
			if (phase >= 0)
				out.name += `, in ${phases.phases[phase].name}`;
			for (const i of list) {
				out.cycles += rows.cycles ? rows.cycles[i] : 0;
				out.calls += rows.calls[i];
				out.timed += rows.timed[i];
				if (rows.timed[i]) {
					out.min = Math.min(out.min, rows.min_ps[i] / 1000);
					out.max = Math.max(out.max, rows.max_ps[i] / 1000);
				}
				for (let k = first[i]; k < first[i + 1]; k++) {
					const b = buckets.get(times.low_ps[k]);
					if (b)
						b.count += times.count[k];
					else
						buckets.set(times.low_ps[k], {low: times.low_ps[k] / 1000, high: times.high_ps[k] / 1000, count: times.count[k]});
				}
			}
			out.buckets = [...buckets.values()].sort((a, b) => a.low - b.low);
			return out;
		}

		/* The middle of its bucket, at most an eighth from any time in it: as the reports have it. */
		function quantile(x, q) {
			const n = x.buckets.reduce((s, b) => s + b.count, 0);
			let below = 0;
			if (!n)
				return null;
			for (const b of x.buckets) {
				below += b.count;
				if (below >= q * n)
					return Math.min(Math.max((b.low + b.high) / 2, x.min), x.max);
			}
			return x.max;
		}

		const pins = [];
		let now = null, log = true;
		const marks = [['p50', 0.5], ['p90', 0.9], ['p99', 0.99]];
		const W = 1000, H = 260, LEFT = 60, STRIP = 16;
		const picture = svg('svg', {class: 'figure', role: 'img', 'aria-label': 'histogram of call times; the table below has the figures'});
		const strip = el('tbody', {});

		function scales(series) {
			const used = series.filter(s => s.buckets.length);
			let low = Infinity, high = 0, most = 1;
			for (const s of used) {
				low = Math.min(low, Math.max(s.buckets[0].low, 1));
				high = Math.max(high, s.buckets[s.buckets.length - 1].high);
				most = Math.max(most, ...s.buckets.map(b => b.count));
			}
			if (!used.length)
				return null;
			const a = Math.log10(low), d = Math.max(Math.log10(high) - a, 0.1);
			const value = log ? n => Math.log10(Math.max(n, 0.5) / 0.5) / Math.log10(most / 0.5) : n => n / most;
			return {low, high, most, x: t => LEFT + (W - LEFT - 10) * (Math.log10(Math.max(t, low)) - a) / d, y: n => H - 24 - (H - 34) * (n ? value(n) : 0)};
		}

		function axes(s) {
			const out = [];
			for (let e = Math.ceil(Math.log10(s.low)); 10 ** e <= s.high; e++)
				out.push(svg('line', {class: 'grid', x1: s.x(10 ** e), x2: s.x(10 ** e), y1: 6, y2: H - 24}),
					svg('text', {class: 'axis', x: s.x(10 ** e), y: H - 8, 'text-anchor': 'middle'}, time(10 ** e)));
			for (const n of log ? [1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9].filter(v => v <= s.most) : [0, s.most / 2, s.most])
				out.push(svg('line', {class: 'grid', x1: LEFT, x2: W - 10, y1: s.y(n), y2: s.y(n)}),
					svg('text', {class: 'axis', x: LEFT - 6, y: s.y(n) + 4, 'text-anchor': 'end'}, group(n)));
			return out;
		}

		function curve(s, x, look) {
			let d = '', end = null;
			for (const b of x.buckets) {
				if (end !== null && b.low > end * 1.001)
					d += `V${s.y(0).toFixed(1)}H${s.x(b.low).toFixed(1)}`;
				else if (end === null)
					d = `M${s.x(b.low).toFixed(1)} ${s.y(0).toFixed(1)}`;
				d += `V${s.y(b.count).toFixed(1)}H${s.x(b.high).toFixed(1)}`;
				end = b.high;
			}
			return svg('path', {class: 'series ' + look, d: d + (d ? `V${s.y(0).toFixed(1)}` : '')}, svg('title', {}, x.name));
		}

		/* From the least to the largest, with marks of different shapes. */
		function whisker(s, x, look, y) {
			const at = q => s.x(quantile(x, q));
			if (!x.buckets.length)
				return [];
			const [a, b, c] = [at(0.5), at(0.9), at(0.99)];
			return [svg('path', {class: 'series ' + look, d: `M${s.x(x.min)} ${y}H${s.x(x.max)}M${s.x(x.max)} ${y - 5}v10M${s.x(x.min)} ${y - 3}v6`}),
				svg('circle', {class: 'mark ' + look, cx: a, cy: y, r: 4}, svg('title', {}, 'p50')),
				svg('path', {class: 'mark ' + look, d: `M${b} ${y - 5}l5 5l-5 5l-5 -5z`}, svg('title', {}, 'p90')),
				svg('path', {class: 'mark ' + look, d: `M${c} ${y - 5}l5 9h-10z`}, svg('title', {}, 'p99'))];
		}

		function chart() {
			const series = [...pins.map((x, k) => ({x, look: 's' + k})), {x: now, look: 'now'}];
			const s = scales(series.map(v => v.x));
			picture.setAttribute('viewBox', `0 0 ${W} ${H + 8 + STRIP * series.length}`);
			picture.replaceChildren(...(s ? [...axes(s), ...series.flatMap(({x, look}, k) => [curve(s, x, look), ...whisker(s, x, look, H + 8 + STRIP * k)])] :
				[svg('text', {class: 'axis', x: LEFT, y: 40}, 'No call of this selection was timed.')]));
			strip.replaceChildren(...series.map(({x, look}, k) => el('tr', {},
				el('td', {class: 'name'}, svg('svg', {class: 'key', viewBox: '0 0 24 10', width: 24, height: 10}, svg('path', {class: 'series ' + look, d: 'M0 5H24'})), ' ' + x.name),
				el('td', {class: 'n'}, group(x.calls)), el('td', {class: 'n'}, group(x.timed)),
				...marks.map(([, q]) => el('td', {class: 'n'}, x.timed ? time(quantile(x, q)) : '-')), el('td', {class: 'n'}, x.timed ? time(x.max) : '-'),
				counted ? el('td', {class: 'n'}, x.cycles ? group(x.cycles) : '-') : null, el('td', {}, k < pins.length ? el('button', {'aria-label': 'unpin ' + x.name, onclick: () => {
					pins.splice(k, 1);
					chart();
				}}, 'unpin') : el('button', {class: 'pin', disabled: pins.length >= PINS, onclick: () => {
					pins.push(now);
					chart();
				}}, 'pin')))));
		}

		/* ---- rows, single calls ----------------------------------------------------------- */

		const row = i => ({i, thread: index.threads[rows.thread[i]], target: index.targets[rows.target[i]], calls: rows.calls[i], self: rows.self[i], total: rows.total[i],
			min: rows.min_ps[i] / 1000, max: rows.max_ps[i] / 1000, cycles: rows.cycles && rows.cycles[i]});
		const cells = [
			{name: 'thread', key: r => r.thread, text: r => r.thread},
			{name: 'caller', key: r => r.target.function || '', text: r => short(r.target.function || 'not known')},
			{name: 'callee', key: r => r.target.callee || '', text: r => short(r.target.callee || 'not known')},
			{name: 'place', place: true, key: r => place(r.target.file, r.target.line), text: r => place(r.target.file, r.target.line)},
			{name: 'calls', key: r => r.calls, text: r => group(r.calls), number: true},
			{name: 'self', key: r => r.self, text: r => time(r.self), number: true, first: true},
			{name: 'total', key: r => r.total, text: r => time(r.total), number: true},
			{name: 'longest', key: r => r.max, text: r => r.max ? time(r.max) : '-', number: true},
		];
		if (counted)
			cells.splice(6, 0, {name: 'cycles', key: r => r.cycles, text: r => r.cycles === undefined ? '-' : group(r.cycles), number: true});
		const table = perseus.grid(cells, []);
		const single = el('div', {id: 'slowest'});

		/* A trace knows sites, not which callee of an indirect call it was. */
		const moments = perseus.data('timeline'), of_site = new Map();
		index.targets.forEach((t, i) => of_site.set(t.site, [...of_site.get(t.site) || [], i]));

		function slowest() {
			if (!slow) {
				single.replaceChildren(el('p', {}, 'Single calls are in a run with a trace: ', el('code', {}, 'perseus record --trace PROGRAM')));
				return;
			}
			const ok = [], [thread, caller, callee] = sides;
			const chosen = (s, key) => !s.chosen.size || s.chosen.has(key);
			const wanted = moments.places.map(p => (of_site.get(p.site) || []).some(t => chosen(caller, callers.of[t]) && chosen(callee, callees.of[t])));
			for (let k = 0; k < slow.rows; k++)
				if ((phase < 0 || phase_of(slow.begin[k]) === phase) && slow.place[k] >= 0 && wanted[slow.place[k]] && chosen(thread, slow.thread[k]))
					ok.push(k);
			ok.sort((a, b) => slow.ns[b] - slow.ns[a]);
			single.replaceChildren(el('table', {}, el('caption', {}, `The ${Math.min(ok.length, SLOWEST)} slowest of this selection`),
				el('thead', {}, el('tr', {}, ...['callee', 'thread', 'began', 'took'].map(x => el('th', {scope: 'col'}, x)))),
				el('tbody', {}, ...ok.slice(0, SLOWEST).map(k => el('tr', {}, el('td', {class: 'name'}, short(moments.places[slow.place[k]].callee || 'not known')),
					el('td', {class: 'name'}, index.threads[slow.thread[k]]), el('td', {class: 'n'}, el('button', {onclick: () =>
						perseus.go('timeline', {at: slow.begin[k], thread: slow.thread[k], span: slow.ns[k]})}, time(slow.begin[k]))), el('td', {class: 'n'}, time(slow.ns[k])))))));
		}

		/* ---- one phase -------------------------------------------------------------------- */

		/* The phase at @t; the spans are in order of time. */
		function phase_of(t) {
			let low = 0, high = spans.rows;
			while (low < high) {
				const mid = (low + high) >> 1;
				if (spans.begin[mid] <= t)
					low = mid + 1;
				else
					high = mid;
			}
			return low ? spans.phase[low - 1] : -1;
		}

		/* Single calls: all of a trace, where all of them are here, else those of the block log. */
		const single_of = moments && moments.trace && moments.trace.whole && moments.trace.calls === moments.trace.calls_in_windows ? 'trace_calls' : 'long_calls';

		/* Calls of one thread without those and the waits inside: @all has [begin, end, row, ns] of each. */
		function take_inside(all, self) {
			const open = [];
			all.sort((a, b) => a[0] - b[0] || b[1] - a[1]);
			for (const x of all) {
				while (open.length && open[open.length - 1][1] <= x[0])
					open.pop();
				if (open.length && open[open.length - 1][2] >= 0)
					self[open[open.length - 1][2]] -= x[3];
				open.push(x);
			}
		}

		/* Rows of the single calls that began in phase @wanted, and their times in buckets of a quarter of an octave. */
		async function rows_of_phase(wanted) {
			const calls = await perseus.table(single_of), waits = await perseus.table('events');
			const by = new Map(), inside = new Map(), out = {thread: [], target: [], calls: [], timed: [], self: [], total: [], min_ps: [], max_ps: []}, buckets = [];
			const of_thread = t => inside.get(t) || inside.set(t, []).get(t);
			for (let k = 0; k < calls.rows; k++) {
				const place = moments.places[calls.place[k]], target = place ? (of_site.get(place.site) || [])[0] : undefined;
				let i = -1;
				if (target !== undefined && calls.thread[k] >= 0 && phase_of(calls.begin[k]) === wanted) {
					const key = `${calls.thread[k]} ${target}`, ns = calls.ns[k], b = Math.floor(4 * Math.log2(Math.max(ns, 1)));
					if (!by.has(key)) {
						by.set(key, out.thread.length);
						for (const [name, v] of Object.entries({thread: calls.thread[k], target, calls: 0, timed: 0, self: 0, total: 0, min_ps: Infinity, max_ps: 0}))
							out[name].push(v);
						buckets.push(new Map());
					}
					i = by.get(key);
					out.calls[i]++;
					out.timed[i]++;
					out.total[i] += ns;
					out.self[i] += ns;
					out.min_ps[i] = Math.min(out.min_ps[i], 1000 * ns);
					out.max_ps[i] = Math.max(out.max_ps[i], 1000 * ns);
					buckets[i].set(b, (buckets[i].get(b) || 0) + 1);
				}
				of_thread(calls.thread[k]).push([calls.begin[k], calls.begin[k] + calls.ns[k], i, calls.ns[k]]);
			}
			for (let k = 0; k < waits.rows; k++)
				if (moments.kinds[waits.kind[k]] !== null && waits.ns[k] > 0)
					of_thread(waits.thread[k]).push([waits.begin[k], waits.begin[k] + waits.ns[k], -1, waits.ns[k]]);
			for (const all of inside.values())
				take_inside(all, out.self);
			const t = {row: [], low_ps: [], high_ps: [], count: []};
			buckets.forEach((m, i) => [...m].sort((a, b) => a[0] - b[0]).forEach(([b, n]) => {
				t.row.push(i);
				t.low_ps.push(1000 * 2 ** (b / 4));
				t.high_ps.push(1000 * 2 ** ((b + 1) / 4));
				t.count.push(n);
			}));
			out.self = out.self.map(x => Math.max(x, 0));
			return [{...out, rows: out.thread.length}, {...t, rows: t.row.length}];
		}

		const basis = el('p', {class: 'basis'});
		const phase_choice = el('select', {class: 'phase', onchange: e => choose_phase(Number(e.target.value))}, el('option', {value: -1}, 'whole run'),
			...(phases ? phases.phases.map((p, i) => el('option', {value: i}, `${p.name} ${p.opening}`)) : []));

		async function choose_phase(wanted) {
			phase = wanted;
			phase_choice.value = wanted;
			[rows, times] = wanted < 0 ? [whole_rows, whole_times] : await rows_of_phase(wanted);
			basis.textContent = wanted < 0 ? '' : single_of === 'trace_calls' ? 'Calls of the trace that began in this phase; self time without calls and waits inside.' :
				`Only calls of ${time(moments.logged_from_ns)} and more are known one by one, and shorter ones are in the self time of those round them: perseus record --trace PROGRAM keeps every call.` +
				(moments.calls_left_out ? ` ${group(moments.calls_left_out)} of them are not in this page.` : '');
			index_times();
			update();
		}

		/* What the address asks for. */
		function follow() {
			const {id, values} = perseus.address(), name = values.get('phase');
			const asked = phases && name ? phases.phases.findIndex(p => p.name === name) : -1;
			if (id === 'calls' && asked >= 0 && asked !== phase)
				choose_phase(asked);
		}
		window.addEventListener('hashchange', follow);

		function update() {
			sums();
			sides.forEach(fill);
			now = selection();
			chart();
			table.refill(list.map(row));
			slowest();
		}

		const command = () => `perseus report ${perseus.path()} --calls 5000`;
		panel.append(phases && spans.rows > 1 ? el('div', {class: 'tools'}, el('label', {}, 'Phase ', phase_choice)) : '', basis, el('div', {class: 'sides'}, ...sides.map(side)),
			el('p', {}, 'Each list shows what the other two leave over, by self time. A click selects, a second one takes back.'),
			el('h2', {}, 'Times of the selected calls'),
			el('div', {class: 'tools'}, el('label', {}, el('input', {type: 'checkbox', class: 'log', checked: true, onchange: e => {
				log = e.target.checked;
				chart();
			}}), ' logarithmic number of calls'), el('span', {}, `Pin keeps a selection in the chart, up to ${PINS}.`)),
			picture, el('table', {id: 'quantiles'}, el('thead', {}, el('tr', {}, ...['selection', 'calls', 'timed', 'p50 \u25cf', 'p90 \u25c6', 'p99 \u25b2', 'max |', ...counted ? ['cycles'] : [], ''].map((x, k) =>
				el('th', {scope: 'col', class: k > 0 && k < (counted ? 8 : 7) ? 'n' : ''}, x)))), strip),
			perseus.copiers(() => [['selection', 'low_ns', 'high_ns', 'count'], ...[...pins, now].flatMap(x => x.buckets.map(b => [x.name, b.low, b.high, b.count]))],
				() => `perseus export --to csv --table times ${perseus.path()}`,
				'Timed calls by duration, with four buckets an octave. A quantile is the middle of the bucket in which that share of the timed calls is reached, so it is right ' +
				'within 12.5 %. What the probes of a timed call cost is taken off. Of a selection the histograms of its rows are added up.'),
			el('h2', {}, 'Rows'), table,
			perseus.copiers(() => [['thread', 'caller', 'callee', 'file', 'line', 'calls', 'timed', 'self_ns', 'total_ns', 'min_ns', 'max_ns', ...counted ? ['cycles'] : []],
				...list.map(i => [index.threads[rows.thread[i]], index.targets[rows.target[i]].function, index.targets[rows.target[i]].callee, index.targets[rows.target[i]].file,
					index.targets[rows.target[i]].line, rows.calls[i], rows.timed[i], rows.self[i], rows.total[i], rows.min_ps[i] / 1000, rows.max_ps[i] / 1000, ...rows.cycles ? [rows.cycles[i]] : []])], command,
				'Calls are counted one by one. Self time is that of the timed calls without the timed calls inside and without waiting, and each call that was counted only is ' +
				'charged the mean of the timed ones of its site. Total has the calls inside as well.' +
				(counted ? ' Cycles are those that were counted between two readings, dealt to the calls by the clock, without the calls inside.' : '')));
		if (index.left_out)
			panel.append(el('p', {}, `${group(index.left_out)} rows of little time are not in this page.`));
		panel.append(el('h2', {}, 'Slowest calls'), single);
		update();
		follow();
		perseus.flame(panel);
	},
});
