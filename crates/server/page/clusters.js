// Known documents that look alike, and what differs between them.

import { ask } from './api.js';
import { differenceOf } from './difference.js';
import { bdi, byId, bytes, el, grouped, plural, share, show, when } from './dom.js';
import { attempt } from './notice.js';
import { pages } from './session.js';

const PAGE = 20;

const target = byId('clusters-answer');
const shown = pages(page);

export async function open() {
  await page(shown.after());
}

async function page(after) {
  const query = after === undefined ? '' : `&after=${after}`;
  // It may take a second or two: nothing is kept of what looks alike, so that it is looked for now.
  show(target, el('p', { class: 'soft', role: 'status' }, 'Looking through the documents ...'));
  let found;
  try {
    found = await ask('GET', `/v1/clusters?limit=${PAGE}${query}`);
  } catch (error) {
    show(target, shown.buttons(target, null));
    throw error;
  }
  const more = found.next === null ? 'No more documents look alike.'
    : `None so far: looked through up to number ${grouped(found.next)}.`;
  const none = shown.isFirst() && found.next === null ? 'No two known documents look alike.' : more;
  show(target,
    found.clusters.length === 0 ? el('p', { class: 'soft' }, none) : found.clusters.map(card),
    shown.buttons(target, found.next));
}

function card(cluster) {
  const marked = el('div', { class: 'marked' });
  const rows = cluster.documents.map((document) => el('tr', {},
    el('td', {}, el('a', { href: `#browse/${encodeURIComponent(document.id)}` }, bdi(document.id))),
    el('td', {}, how(document.joined)),
    el('td', { class: 'n' }, bytes(document.bytes)),
    el('td', { class: 'when' }, when(document.time)),
    el('td', { class: 'do' }, document.joined === null ? '' : el('button', { type: 'button',
      onclick: (event) => attempt(async () => {
        const pair = { a: { id: document.joined.to }, b: { id: document.id } };
        const compared = await ask('POST', '/v1/compare', pair);
        show(marked, differenceOf(compared, document.joined.to, document.id));
        marked.scrollIntoView({ block: 'nearest' });
      }, event.target.closest('.do')) }, 'What differs'))));
  return el('article', { class: 'card' },
    el('div', { class: 'head' }, el('h3', {}, plural(cluster.documents.length, 'document')),
      cluster.limited ? el('span', { class: 'tag' }, 'there may be more') : ''),
    el('table', { class: 'clusters' },
      el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'Id'),
        el('th', { scope: 'col' }, 'Joined by'),
        el('th', { scope: 'col', class: 'n' }, 'Length'),
        el('th', { scope: 'col', class: 'when' }, 'Added'), el('th', { scope: 'col' }))),
      el('tbody', {}, rows)),
    marked);
}

// How a document came to the others.
function how(joined) {
  if (joined === null) return el('span', { class: 'soft' }, 'the first of them');
  const score = joined.resemblance ?? joined.estimate;
  const kind = joined.kind === 'exact' ? 'exact copy of ' : 'near ';
  const text = joined.kind === 'exact' || score === null ? '' : `, ${share(score)}`;
  return [kind, bdi(joined.to), text];
}
