/* SPDX-License-Identifier: MIT */
/* The page of a search for settings: each run, the best so far, and the settings with the best medians. */
'use strict';
(() => {
	const {el, svg, group} = perseus;
	const W = 720, H = 240, LEFT = 80, BOTTOM = 24, ROWS = 12;
	let state = null;

	const said = v => `${Number(v.toPrecision(4))} ${state.unit}`;
	const better = (a, b) => state.more ? a > b : a < b;

	/* Every run that ended well as a dot, and the best so far as a line of steps. */
	function chart() {
		const good = state.runs.map((r, i) => ({x: i + 1 + state.runs_left_out, v: r.value, r})).filter(p => p.r.end === 'ok');
		if (good.length < 2)
			return null;
		let low = Math.min(...good.map(p => p.v)), high = Math.max(...good.map(p => p.v));
		const pad = (high - low || high) * 0.05, first = state.runs_left_out, last = first + state.runs.length;
		low -= pad;
		high += pad;
		const x = n => LEFT + (W - LEFT - 10) * (n - first) / (last - first || 1), y = v => 8 + (H - BOTTOM - 8) * (1 - (v - low) / (high - low));
		let best = good[0].v;
		const steps = [];
		for (const p of good) {
			steps.push(`${x(p.x).toFixed(1)},${y(best).toFixed(1)}`);
			if (better(p.v, best))
				best = p.v;
			steps.push(`${x(p.x).toFixed(1)},${y(best).toFixed(1)}`);
		}
		const out = svg('svg', {viewBox: `0 0 ${W} ${H}`, class: 'chart', role: 'img', 'aria-label': `${good.length} runs, the best ${said(best)}`});
		for (let i = 0; i <= 4; i++) {
			const v = low + (high - low) * i / 4;
			out.append(svg('line', {x1: LEFT, x2: W - 10, y1: y(v), y2: y(v), class: 'grid'}),
				svg('text', {x: LEFT - 6, y: y(v) + 4, class: 'axis end'}, said(v)));
		}
		for (const p of good)
			out.append(svg('circle', {class: 'dot', r: 2, cx: x(p.x).toFixed(1), cy: y(p.v).toFixed(1)}, svg('title', {}, `${p.r.setting}: ${said(p.v)}`)));
		out.append(svg('polyline', {points: steps.join(' '), class: 'series s0'}),
			svg('text', {x: LEFT, y: H - 6, class: 'axis'}, String(first)), svg('text', {x: W - 10, y: H - 6, class: 'axis end'}, `${group(last)} runs`));
		return el('figure', {}, el('figcaption', {}, 'Each run, and the best single run so far'), out);
	}

	/* Settings by the median of their runs. */
	function settings() {
		const by = new Map();
		for (const r of state.runs)
			if (r.end === 'ok')
				by.set(r.setting, [...(by.get(r.setting) || []), r.value]);
		const lines = [...by].map(([setting, values]) => {
			values.sort((a, b) => a - b);
			return {setting, n: values.length, median: values[values.length >> 1]};
		}).sort((a, b) => better(a.median, b.median) ? -1 : 1).slice(0, ROWS);
		if (!lines.length)
			return null;
		return el('table', {}, el('caption', {}, `The ${lines.length} best settings of ${by.size}, by the median of their runs in the search`),
			el('tr', {}, ...['setting', 'runs', 'median'].map(h => el('th', {scope: 'col'}, h))),
			...lines.map(l => el('tr', {}, el('td', {}, l.setting), el('td', {}, String(l.n)), el('td', {}, said(l.median)))));
	}

	function refused() {
		const n = {};
		for (const r of state.runs)
			if (r.end !== 'ok')
				n[r.end] = (n[r.end] || 0) + 1;
		const words = Object.entries(n).map(([end, count]) => `${end} ${count}`);
		return words.length ? el('p', {}, `Refused or stopped: ${words.join(', ')}.`) : null;
	}

	perseus.follow('tune', now => {
		state = now;
		document.getElementById('tune-view').replaceChildren(...[
			el('p', {}, `${group(state.runs_made)} of at most ${group(state.planned)} runs in ${perseus.time(state.seconds * 1e9)}.`),
			chart(), settings(), refused(),
		].filter(x => x));
	});
})();
