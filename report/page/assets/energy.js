/* SPDX-License-Identifier: MIT */
/* Energy: joules of the run by thread, function, call site and phase, each with how it is known, and power over time. */
'use strict';
perseus.tab({
	id: 'energy', title: 'Energy', needs: ['energy'], without: 'This run holds no joules: no meter was read while it ran, and no model of power was given.',
	make: 'perseus record --energy PROGRAM; or, with a model: perseus report --html FILE --energy-model energy.yaml',
	async draw(panel) {
		const {el, svg, percent, time} = perseus;
		const doc = perseus.data('energy'), all = doc.energy, power = await perseus.table('power');
		const kinds = {programs: 'Programs', threads: 'Threads', functions: 'Functions', sites: 'Call sites', phases: 'Phases'};
		const W = 1000, H = 200, LEFT = 60;
		const unit = (x, u) => x === 0 ? `0 ${u}` : x >= 1 ? `${perseus.three(x)} ${u}` : x >= 1e-3 ? `${perseus.three(1e3 * x)} m${u}` : `${perseus.three(1e6 * x)} u${u}`;
		const joules = x => unit(x, 'J');
		/* Of the whole, or of a row, which has the way to it and perhaps how far it may be off. */
		const known = r => `${r.how || r.mode}${r.error > 0 ? ` \u00b1 ${(100 * r.error).toFixed(r.error < 0.1 ? 1 : 0)} %` : ''}`;
		if (all.mode === 'absent') {
			panel.append(el('p', {class: 'totals'}, `No joules are known: ${all.reason}.`), ...(all.remedy ? [el('p', {}, all.remedy)] : []));
			return;
		}

		/* The bar, and over it a line from the least to the most that it may be. */
		function bar(r, most) {
			const w = x => Math.min(Math.max(100 * x / most, 0), 100), off = r.error > 0 ? r.error * r.joules : 0;
			return svg('svg', {class: 'bar', viewBox: '0 0 100 6', preserveAspectRatio: 'none', role: 'img', 'aria-label': `${joules(r.joules)}, ${known(r)}`},
				svg('rect', {class: 'own', width: w(r.joules), height: 6}),
				...(off ? [svg('rect', {class: 'zero', x: w(r.joules - off), width: Math.max(w(r.joules + off) - w(r.joules - off), 0.3), y: 2.6, height: 0.8})] : []));
		}

		function part(kind) {
			const list = doc[kind] || [], most = Math.max(1e-12, ...list.map(r => r.joules * (1 + (r.error || 0))));
			const places = list.some(r => r.file);
			return list.length ? [el('h2', {}, kinds[kind]), el('div', {id: 'energy-' + kind}, perseus.grid([
				{name: 'name', key: r => r.name || '', text: r => perseus.short(r.name || 'not known')},
				...places ? [{name: 'place', place: true, key: r => r.line || 0, text: r => perseus.place(r.file, r.line)}] : [],
				{name: 'least to most', key: r => r.joules, text: r => bar(r, most)},
				{name: 'energy', key: r => r.joules, text: r => joules(r.joules), number: true, first: true},
				{name: 'share', key: r => r.joules, text: r => percent(all.joules > 0 ? r.joules / all.joules : 0), number: true},
				...kind === 'phases' ? [{name: 'took', key: r => r.seconds, text: r => time(1e9 * r.seconds), number: true}] :
					[{name: 'CPU time', key: r => r.cpu_seconds, text: r => time(1e9 * r.cpu_seconds), number: true}],
				{name: 'how it is known', key: known, text: known},
			], list.slice()))] : [];
		}

		/* Watts over time, with a band of what they may be off by. */
		function curve() {
			const most = Math.max(1, ...power.mw) * (1 + all.error) / 1000, end = power.begin[power.rows - 1] + power.ns[power.rows - 1];
			const x = t => LEFT + (W - LEFT - 10) * t / end, y = w => H - 24 - (H - 34) * w / most;
			const at = f => Array.from(power.mw, (mw, k) => `${x(power.begin[k]).toFixed(1)},${y(f * mw / 1000).toFixed(1)} ${x(power.begin[k] + power.ns[k]).toFixed(1)},${y(f * mw / 1000).toFixed(1)}`);
			return [el('h2', {}, 'Power over time'), svg('svg', {class: 'figure power', viewBox: `0 0 ${W} ${H}`, role: 'img', 'aria-label': `power of the machine, at most ${unit(most, 'W')}; copy as CSV has the figures`},
				...[0, 0.5, 1].flatMap(f => [svg('line', {class: 'grid', x1: LEFT, x2: W - 10, y1: y(f * most), y2: y(f * most)}), svg('text', {class: 'axis', x: LEFT - 6, y: y(f * most) + 4, 'text-anchor': 'end'}, unit(f * most, 'W'))]),
				svg('polygon', {class: 'band', points: [...at(1 + all.error), ...at(Math.max(1 - all.error, 0)).reverse().map(p => p.split(' ').reverse().join(' '))].join(' ')}),
				svg('polyline', {class: 'series s0', points: at(1).join(' ')}),
				svg('text', {class: 'axis', x: W - 10, y: H - 8, 'text-anchor': 'end'}, time(end))),
			perseus.copiers(() => [['begin_ns', 'ns', 'mw'], ...Array.from({length: power.rows}, (_, k) => [power.begin[k], power.ns[k], power.mw[k]])],
				() => `cat ${perseus.path()}/joules.yaml`, 'Of the whole machine, as the meter read it. The band is what the joules of the run may be off by.')];
		}

		panel.append(el('p', {class: 'totals'}, `${joules(all.joules)} in ${time(1e9 * all.seconds)}, ${known(all)}${all.source ? `, by ${all.source}` : ''}.`),
			el('p', {}, `${all.idle_joules > 0 ? `${joules(all.idle_joules)} of it the machine draws anyway. ` : ''}${all.others_joules > 0 ? `${joules(all.others_joules)} of it other programs drew. ` : ''}` +
				`Parts by ${all.dealt_by}; what is drawn anyway by ${all.rule}.${all.extrapolated ? ` ${all.extrapolated}` : ''}`),
			...(power && power.rows ? curve() : []), ...Object.keys(kinds).flatMap(part),
			perseus.copiers(() => [['kind', 'name', 'file', 'line', 'joules', 'seconds', 'how', 'error'], ...Object.keys(kinds).flatMap(k => (doc[k] || []).map(r =>
				[k, r.name, r.file, r.line, r.joules, r.cpu_seconds === undefined ? r.seconds : r.cpu_seconds, r.how, r.error]))], () => `perseus report ${perseus.path()} --energy`,
				'The joules of the run are dealt to its parts by what a model says that they cause, or by CPU time. The line over a bar goes from the least to the most that the figure may be.'));
	},
});
