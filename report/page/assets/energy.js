/* SPDX-License-Identifier: MIT */
/* Energy: joules of the run by thread, function, call site and phase, each with how it is known. */
'use strict';
perseus.tab({
	id: 'energy', title: 'Energy', needs: ['energy'], without: 'This run holds no joules: neither was a meter read while it ran, nor is there a model of power for what it counted.',
	make: 'perseus record --energy PROGRAM',
	async draw(panel) {
		const {el, svg, group, percent} = perseus;
		const doc = perseus.data('energy'), kinds = {program: 'Program', thread: 'Threads', function: 'Functions', site: 'Call sites', phase: 'Phases'};
		const joules = x => x >= 100 ? `${x.toFixed(0)} J` : x >= 1 ? `${x.toFixed(2)} J` : x >= 1e-3 ? `${(1e3 * x).toFixed(2)} mJ` : `${(1e6 * x).toFixed(1)} uJ`;
		const known = r => r.how === 'modelled' ? `modelled \u00b1 ${r.percent.toFixed(0)} %` : r.how;

		/* The bar, and over it a line from the least to the most that it may be. */
		function bar(r, most) {
			const w = x => Math.min(Math.max(100 * x / most, 0), 100);
			return svg('svg', {class: 'bar', viewBox: '0 0 100 6', preserveAspectRatio: 'none', role: 'img', 'aria-label': `${joules(r.joules)}, ${known(r)}`},
				svg('rect', {class: 'own', width: w(r.joules), height: 6}), svg('rect', {class: 'zero', x: w(r.low), width: Math.max(w(r.high) - w(r.low), 0.3), y: 2.6, height: 0.8}));
		}

		function part(kind) {
			const list = doc.rows.filter(r => r.kind === kind), most = Math.max(1e-12, ...list.map(r => r.high));
			const sum = list.reduce((s, r) => s + r.joules, 0);
			return list.length ? [el('h2', {}, kinds[kind]), perseus.grid([
				{name: 'name', key: r => r.name || '', text: r => perseus.short(r.name || 'not known')},
				...kind === 'function' || kind === 'site' ? [{name: 'place', place: true, key: r => r.line || 0, text: r => perseus.place(r.file, r.line)}] : [],
				{name: '', key: r => r.joules, text: r => bar(r, most)},
				{name: 'energy', key: r => r.joules, text: r => joules(r.joules), number: true, first: true},
				{name: 'share', key: r => r.joules, text: r => percent(sum > 0 ? r.joules / sum : 0), number: true},
				{name: 'how it is known', key: known, text: known},
			], list)] : [];
		}
		panel.append(el('p', {class: 'totals'}, `${joules(doc.joules)} in all, ${known(doc)}. ${doc.says || ''}`), ...Object.keys(kinds).flatMap(part),
			...(doc.absent || []).map(x => el('p', {}, x)),
			perseus.copiers(() => [['kind', 'name', 'file', 'line', 'joules', 'low', 'high', 'how', 'percent'], ...doc.rows.map(r => [r.kind, r.name, r.file, r.line, r.joules, r.low, r.high, r.how, r.percent])],
				() => doc.command || `perseus report ${perseus.path()} --json`,
				`${doc.rule || ''} The line over a bar goes from the least to the most that the figure may be; ${group(doc.rows.length)} rows.`));
	},
});
