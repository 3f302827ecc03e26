/* SPDX-License-Identifier: MIT */
/* Search: how the plan was found, from the page that `perseus plan --watch` left. */
'use strict';
perseus.tab({
	id: 'search', title: 'Search', needs: ['search'], without: 'No page of a search for a plan was given.',
	make: 'perseus plan MODEL -p PLATFORM --watch=search.html && perseus report --html FILE --search search.html',
	async draw(panel) {
		const {el} = perseus, view = el('div', {});
		panel.append(el('h2', {}, 'How it stands ', el('strong', {class: 'word good'}, perseus.data('search').state)), view);
		perseus.search(view, perseus.data('search'));
	},
});
