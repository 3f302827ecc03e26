/* SPDX-License-Identifier: MIT */
/*
 * A search for a plan as its page and the tab of a report show it: the best design, the bound, diversity
 * and operators over evaluations, the front, the plan.
 */
'use strict';
(() => {
	const {el, svg, time, group} = perseus;
	const W = 720, H = 220, LEFT = 70, BOTTOM = 24;
	const dashes = ['none', '6 3', '2 3', '8 3 2 3', '1 4'];

	/* Lines of the convergence log as objects of numbers. */
	function rows_of(lines) {
		const names = (lines[0] || '').split(',');
		return lines.slice(1).map(line => Object.fromEntries(line.split(',').map((x, i) => [names[i], Number(x)])));
	}

	/* Lines over @xs; @series: [{name, color, values, dash}], each also distinguished by its dashes. */
	function chart(title, xs, series, text) {
		const all = series.flatMap(s => s.values.filter(v => Number.isFinite(v) && v > 0));
		if (xs.length < 2 || !all.length) /* one point makes no line: it is in the table */
			return null;
		let low = Math.min(...all), high = Math.max(...all);
		const pad = (high - low || high) * 0.05;
		low -= pad;
		high += pad;
		const last = xs[xs.length - 1] || 1;
		const x = v => LEFT + (W - LEFT - 10) * v / last, y = v => 8 + (H - BOTTOM - 8) * (1 - (v - low) / (high - low));
		const out = svg('svg', {viewBox: `0 0 ${W} ${H}`, class: 'chart', role: 'img',
			'aria-label': `${title}: ${series.map(s => `${s.name} ${text(s.values[s.values.length - 1])}`).join(', ')}`});
		for (let i = 0, before = ''; i <= 4; i++) {
			const v = low + (high - low) * i / 4, said = text(v);
			out.append(svg('line', {x1: LEFT, x2: W - 10, y1: y(v), y2: y(v), class: 'grid'}));
			if (said !== before) /* three digits may not tell neighbours apart */
				out.append(svg('text', {x: LEFT - 6, y: y(v) + 4, class: 'axis end'}, said));
			before = said;
		}
		out.append(svg('text', {x: LEFT, y: H - 6, class: 'axis'}, '0'),
			svg('text', {x: W - 10, y: H - 6, class: 'axis end'}, `${group(last)} evaluations`));
		series.forEach((s, k) => {
			const points = s.values.map((v, i) => Number.isFinite(v) && v > 0 ? `${x(xs[i]).toFixed(1)},${y(v).toFixed(1)}` : null);
			out.append(svg('polyline', {points: points.filter(p => p).join(' '), class: `series s${k}`, 'stroke-dasharray': dashes[k % dashes.length]}));
		});
		const legend = el('p', {class: 'legend'}, ...series.map((s, k) => el('span', {},
			svg('svg', {viewBox: '0 0 30 8', class: 'stroke', 'aria-hidden': 'true'},
				svg('line', {x1: 0, x2: 30, y1: 4, y2: 4, class: `series s${k}`, 'stroke-dasharray': dashes[k % dashes.length]})),
			` ${s.name} ${text(s.values[s.values.length - 1])}   `)));
		return el('figure', {}, el('figcaption', {}, title), out, legend);
	}

	function joules(j) {
		return `${perseus.three(j)} J`;
	}

	function saved(now, base) {
		return base > 0 ? `${(100 * (1 - now / base)).toFixed(2)} %` : 'not known';
	}

	function table(caption, heads, lines) {
		return el('table', {}, el('caption', {}, caption), el('tr', {}, ...heads.map(h => el('th', {scope: 'col'}, h))),
			...lines.map(line => el('tr', {}, ...line.map(c => el('td', {}, c)))));
	}

	function figures(s) {
		const bound = s.bound.time_ns > 0;
		const lines = [
			['time', time(s.baseline.time_ns), time(s.best.time_ns), saved(s.best.time_ns, s.baseline.time_ns),
				bound ? saved(s.bound.time_ns, s.baseline.time_ns) : 'not known'],
		];
		if (s.baseline.energy_j > 0)
			lines.push(['energy', joules(s.baseline.energy_j), joules(s.best.energy_j), saved(s.best.energy_j, s.baseline.energy_j),
				s.bound.energy_j > 0 ? saved(s.bound.energy_j, s.baseline.energy_j) : 'not known']);
		return table(`Objective: ${s.objective}; ${group(s.evaluations)} evaluations in ${time(s.seconds * 1e9)}`,
			['', 'baseline', s.state === 'done' ? 'best' : 'best so far', 'saved', 'at most'], lines);
	}

	function front(points) {
		if (points.length < 2)
			return null;
		const xs = points.map(p => p.time_ns), ys = points.map(p => p.energy_j);
		const x0 = Math.min(...xs), x1 = Math.max(...xs), y0 = Math.min(...ys), y1 = Math.max(...ys);
		const out = svg('svg', {viewBox: `0 0 ${W} ${H}`, class: 'chart', role: 'img',
			'aria-label': `front of ${points.length} plans, ${time(x0)} to ${time(x1)}, ${joules(y0)} to ${joules(y1)}`});
		for (const p of points)
			out.append(svg('circle', {class: 'dot', r: 4, cx: LEFT + (W - LEFT - 20) * (p.time_ns - x0) / (x1 - x0 || 1),
				cy: 12 + (H - BOTTOM - 24) * (1 - (p.energy_j - y0) / (y1 - y0 || 1))}, svg('title', {}, `${time(p.time_ns)}, ${joules(p.energy_j)}`)));
		out.append(svg('text', {x: LEFT, y: H - 6, class: 'axis'}, time(x0)), svg('text', {x: W - 10, y: H - 6, class: 'axis end'}, time(x1)),
			svg('text', {x: LEFT - 6, y: 16, class: 'axis end'}, joules(y1)), svg('text', {x: LEFT - 6, y: H - BOTTOM - 8, class: 'axis end'}, joules(y0)));
		return el('figure', {}, el('figcaption', {}, 'Front of time and energy: no plan is better in both'), out,
			table('', ['time', 'energy'], points.map(p => [time(p.time_ns), joules(p.energy_j)])));
	}

	function plan(s) {
		if (!s.threads)
			return null;
		const sets = s.threads.filter(t => t.core !== undefined), gains = s.best.time_ns < s.baseline.time_ns || s.best.energy_j < s.baseline.energy_j;
		return el('section', {}, el('h2', {}, 'The plan'),
			sets.length + s.triggers.length ? null : el('p', {}, 'It sets nothing: keep your build.' + (gains ? ' What the best design would save was not taken: it is too little, or below the noise of the recorded runs, as perseus plan says.' : '')),
			sets.length ? table('Where threads start', ['thread', 'core', 'because'], sets.map(t => [t.name, String(t.core), t.reason || ''])) : null,
			s.triggers.length ? table('Triggers at calls', ['', 'thread', 'call', 'place', 'sets', 'because'], s.triggers.map(t => [
				String(t.number), t.thread, t.callee ? `${t.function} -> ${t.callee}` : 'program start', perseus.place(t.file, t.line), t.sets.join(', '), t.reason || ''])) : null);
	}

	/* Draw the document @s into @view. */
	perseus.search = (view, s) => {
		if (!s.baseline) {
			view.replaceChildren(el('p', {}, 'Nothing is known yet.'));
			return;
		}
		const rows = rows_of(s.log), xs = rows.map(r => r.evaluations);
		const share = v => `${(v / 10).toFixed(1)} %`;
		view.replaceChildren(...[
			el('section', {}, figures(s), el('p', {}, s.proven ? 'Proven: no other plan is better.'
				: s.bound.time_ns > 0 ? 'No plan can save more than the last column says.' : '')),
			chart('Time of the best design', xs, [{name: 'best', values: rows.map(r => r.time_ns)},
				{name: 'bound', values: rows.map(r => r.bound_time_ns)}, {name: 'baseline', values: rows.map(() => s.baseline.time_ns)}], time),
			s.baseline.energy_j > 0 ? chart('Energy of the best design', xs, [{name: 'best', values: rows.map(r => r.energy_pj)},
				{name: 'bound', values: rows.map(r => r.bound_energy_pj)}, {name: 'baseline', values: rows.map(() => s.baseline.energy_j * 1e12)}], v => joules(v * 1e-12)) : null,
			chart('Diversity, and who made the better designs', xs, ['diversity', 'cross', 'phases', 'mutate', 'descent'].map(n => ({
				name: n, values: rows.map(r => r[n + '_permille'])})), share),
			front(s.front), plan(s),
			perseus.copiers(() => s.log.map(l => l.split(',')), () => s.command,
				'A row for each epoch of the search, as --log writes it. The bound is what no plan on this platform can be below.'),
		].filter(x => x));
	};
})();
