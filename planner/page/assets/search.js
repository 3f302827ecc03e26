/* SPDX-License-Identifier: MIT */
/*
 * The page of a search.  While it goes on, a script file beside the page is read
 * again and again: it calls perseus.live() with the new state.
 */
'use strict';
(() => {
	const {el} = perseus;
	let state = null, reads = 0, pending = null;

	function draw() {
		document.getElementById('state').textContent = state.state;
		perseus.search(document.getElementById('search-view'), state);
	}

	/* Read the file again, a second after the last time it was read. */
	function read() {
		const script = el('script', {src: `${state.live}?${reads++}`});
		const next = () => {
			script.remove();
			if (state.live && state.state === 'searching')
				pending = setTimeout(read, 1000);
		};
		script.addEventListener('load', next);
		script.addEventListener('error', () => {
			next();
			if (reads > 5 && state.state === 'searching')
				document.getElementById('state').textContent = 'no news: load the page again';
		});
		document.head.append(script);
	}

	perseus.live = s => {
		state = s;
		draw();
	};

	window.addEventListener('DOMContentLoaded', () => {
		perseus.live(perseus.data('search'));
		if (state.live)
			pending = setTimeout(read, 200);
	});
	window.addEventListener('pagehide', () => clearTimeout(pending));
})();
