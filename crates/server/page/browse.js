// Look through the documents, search them, and open one.

import { Failure, ask, documentPath } from './api.js';
import { bdi, byId, bytes, counts, el, facts, grouped, show, when } from './dom.js';
import { attempt } from './notice.js';
import { gather, pages, summarize } from './session.js';

const PAGE = 50;
// The longest text that is put into the page; browsers grow slow beyond it.
const SHOWN = 200_000;

const form = byId('browse-form');
const list = byId('browse-list');
const search = byId('search-form');
let searched = '';
let shown = pages(page);

export function start() {
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const id = encodeURIComponent(form.elements.id.value);
    // An address that stays the same tells nobody.
    if (location.hash === `#browse/${id}`) attempt(() => open(id), form);
    else location.hash = `#browse/${id}`;
  });
  search.addEventListener('submit', (event) => {
    event.preventDefault();
    searched = search.elements.search.value.trim();
    // From the first page on.
    shown = pages(page);
    attempt(() => page(), search);
  });
}

export async function open(id) {
  await Promise.all([page(shown.after()), summarize()]);
  if (id === '') {
    show(byId('browse-document'));
    return;
  }
  try {
    await openDocument(decodeURIComponent(id));
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    throw new Failure('This address names no document.');
  }
}

async function page(after) {
  const rows = el('tbody');
  const table = el('table', {},
    el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, 'Id'),
      el('th', { scope: 'col', class: 'n' }, 'Length'),
      el('th', { scope: 'col', class: 'n' }, 'Copies'),
      el('th', { scope: 'col', class: 'when' }, 'Added'))),
    rows);
  await gather({
    target: list,
    frame: table,
    list: rows,
    after,
    wanted: PAGE,
    piece: async (from, limit) => {
      const query = new URLSearchParams({ limit });
      if (from !== null) query.set('after', from);
      if (searched !== '') query.set('search', searched);
      const { documents, next, end } = await ask('GET', `/v1/documents?${query}`);
      return { found: documents, next, end };
    },
    draw: row,
    close: (count, next, failed) => [failed || count > 0 ? null : nothing(next),
      shown.buttons(list, next)],
  });
}

function row(document) {
  return el('tr', {},
    el('td', {}, el('a', { href: `#browse/${encodeURIComponent(document.id)}` }, bdi(document.id)),
      document.url ? el('div', { class: 'soft small' }, bdi(document.url)) : ''),
    el('td', { class: 'n' }, bytes(document.bytes)),
    el('td', { class: 'n' }, grouped(document.copies)),
    el('td', { class: 'when' }, when(document.time)));
}

function nothing(next) {
  const empty = next !== null ? `None so far: looked through up to number ${grouped(next)}.`
    : !shown.isFirst() ? 'No more documents.'
      : searched !== '' ? 'No document has that in its id, its URL or its text.'
        : 'The index is empty. Add a document in the view Check.';
  return el('p', { class: 'soft' }, empty);
}

async function openDocument(id) {
  const target = byId('browse-document');
  const found = await ask('GET', documentPath(id));
  const content = found.text ?? found.html;
  const remove = () => attempt(async () => {
    if (!window.confirm(`Remove "${id}" from the index?`)) return;
    await ask('DELETE', documentPath(id));
    show(target, el('p', { class: 'soft' }, bdi(id), ' was removed.'));
    await Promise.all([page(shown.after()), summarize()]);
  });
  const parts = [
    el('div', { class: 'head' }, el('h3', {}, bdi(id))),
    facts([
      ['number', grouped(found.number), 'its place in the order of adding'],
      ['length', bytes(found.bytes)],
      ['added', when(found.time)],
      ['URL', found.url ? bdi(found.url) : null],
      ['stored as', found.stored],
      ...counts(found),
    ]),
  ];
  if (content === undefined) {
    parts.push(el('p', { class: 'soft' }, 'Its text is not stored: this index keeps signatures only, '
      + 'so that it can be recognised but not shown.'));
  } else {
    const label = found.html === undefined ? 'Its text' : 'The HTML of its page';
    parts.push(el('pre', { tabindex: 0, 'aria-label': label }, content.slice(0, SHOWN)));
    if (content.length > SHOWN) {
      parts.push(el('p', { class: 'soft' }, `The first ${grouped(SHOWN)} of `
        + `${grouped(content.length)} characters.`));
    }
  }
  parts.push(el('div', { class: 'row actions' },
    el('button', { type: 'button', class: 'danger', onclick: remove }, 'Remove'),
    el('a', { class: 'button', href: '#browse' }, 'Close')));
  show(target, el('article', { class: 'card' }, parts));
  target.scrollIntoView({ block: 'nearest' });
}
