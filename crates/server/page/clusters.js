// Known documents that look alike, and what differs between them.

import { ask } from './api.js';
import { differenceOf } from './difference.js';
import { bdi, byId, bytes, el, grouped, plural, share, show, when } from './dom.js';
import { attempt } from './notice.js';
import { gather, pages } from './session.js';

const PAGE = 20;
// Documents of a cluster that are shown at once: some have a thousand.
const ROWS = 20;

const target = byId('clusters-answer');
const shown = pages(page);

export async function open() {
  await page(shown.after());
}

async function page(after) {
  const list = el('div', { class: 'cards' });
  // Nothing is kept of what looks alike, so that it is looked for now.
  await gather({
    target,
    frame: list,
    list,
    after,
    wanted: PAGE,
    piece: async (from, limit) => {
      const query = from === null ? '' : `&after=${from}`;
      const { clusters, next, end } = await ask('GET', `/v1/clusters?limit=${limit}${query}`);
      return { found: clusters, next, end };
    },
    draw: card,
    close: (count, next, failed) => [failed || count > 0 ? null : nothing(next),
      shown.buttons(target, next)],
  });
}

function nothing(next) {
  const more = next === null ? 'No more documents look alike.'
    : `None so far: looked through up to number ${grouped(next)}.`;
  const none = shown.isFirst() && next === null ? 'No two known documents look alike.' : more;
  return el('p', { class: 'soft' }, none);
}

function card(cluster) {
  const marked = el('div', { class: 'marked' });
  const row = (document) => el('tr', {},
    el('td', {}, el('a', { href: `#browse/${encodeURIComponent(document.id)}` }, bdi(document.id)),
      document.url ? el('div', { class: 'soft small' }, bdi(document.url)) : ''),
    el('td', {}, how(document.joined)),
    el('td', { class: 'n' }, bytes(document.bytes)),
    el('td', { class: 'when' }, when(document.time)),
    el('td', { class: 'do' }, document.joined === null ? '' : el('button', { type: 'button',
      onclick: (event) => attempt(async () => {
        const pair = { a: { id: document.joined.to }, b: { id: document.id } };
        const compared = await ask('POST', '/v1/compare', pair);
        show(marked, differenceOf(compared, document.joined.to, document.id));
        marked.scrollIntoView({ block: 'nearest' });
      }, event.target.closest('.do')) }, 'What differs')));
  const [first, others] = [cluster.documents.slice(0, ROWS), cluster.documents.slice(ROWS)];
  const rows = el('tbody', {}, first.map(row));
  const all = others.length === 0 ? '' : el('button', { type: 'button', onclick: (event) => {
    rows.append(...others.map(row));
    event.target.remove();
  } }, `Show ${plural(others.length, 'more document')}`);
  return el('article', { class: 'card' },
    el('div', { class: 'head' }, el('h3', {}, plural(cluster.documents.length, 'document')),
      cluster.limited ? el('span', { class: 'tag' }, 'there may be more') : ''),
    el('table', { class: 'clusters' },
      el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'Id'),
        el('th', { scope: 'col' }, 'Joined by'),
        el('th', { scope: 'col', class: 'n' }, 'Length'),
        el('th', { scope: 'col', class: 'when' }, 'Added'), el('th', { scope: 'col' }))),
      rows),
    all, marked);
}

// How a document came to the others.
function how(joined) {
  if (joined === null) return el('span', { class: 'soft' }, 'the first of them');
  const score = joined.resemblance ?? joined.estimate;
  const kind = joined.kind === 'exact' ? 'exact copy of ' : 'near ';
  const text = joined.kind === 'exact' || score === null ? '' : `, ${share(score)}`;
  return [kind, bdi(joined.to), text];
}
