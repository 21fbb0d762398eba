// What the two pages of a run share: a list, of clusters or of passages, that is filtered, and one thing of it
// that is opened, with rows of its own. All that is seen is in the address: a link shows the same to somebody else.

import { ask } from './api.js';
import { bdi, byId, el, grouped, plural, show } from './dom.js';
import { attempt, takeToken } from './notice.js';

// Requests of a search that go on by themselves before a person is asked.
const PATIENCE = 20;
// Room above what is scrolled to, in pixels: that of the head of a table.
const HEAD = 60;
// Rows of an opened thing that are shown at once.
const ROWS = 30;

const form = byId('filters');
// What is particular to a page: see `start`.
let page = null;
let list = [];
let next = null;
let opened = null;
// `after` of the pages before the one that is shown, as far as this tab has seen them.
let earlier = [];
// What is in the list, so that only other filters load it again.
let listed = null;
// What was asked for last: an answer to anything before it comes too late.
let latest = 0;

// Begins with a page:
//
//   noun         what its list has: also the name of its number, in answers, in the address and in elements
//   filters      the fields of its form
//   unpicked     changes of the address that forget the row that was picked
//   find(id)     the things of the documents with an id, `{ things, words }`; null if no document has it
//   unread(n)    says that so many could not be searched
//   item(thing)  what the list shows of one
//   beginnings(list)  the address that has the words with which things begin
//   below        where what belongs to an opened thing is shown
//   draw(opened, now, isLatest)  shows an opened thing, and then what is below it
//   rows(opened), picked(opened), pick(row)  the rows to step through, the one that is picked, and changes that pick one
//   keys         more keys
//   greet        asks for the run
export function start(parts) {
  page = parts;
  takeToken(page.greet, open);
  attempt(async () => {
    await page.greet();
    await open();
  });
}

const state = () => new URLSearchParams(location.search);

// The address with these changes; null leaves something out.
function changed(changes) {
  const now = state();
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === '') now.delete(name);
    else now.set(name, value);
  }
  const query = now.toString();
  return query === '' ? location.pathname : `?${query}`;
}

export async function go(changes, replace = false) {
  history[replace ? 'replaceState' : 'pushState'](null, '', changed(changes));
  await open();
}

// A link that goes there within the page.
export function link(changes, attributes, ...children) {
  return el('a', { ...attributes, href: changed(changes), onclick: (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    attempt(() => go(changes));
  } }, ...children);
}

// Changes that open one of the list, or none.
const opening = (number) => ({ [page.noun]: number, ...page.unpicked, from: null });

// Shows what the address says.
async function open() {
  latest += 1;
  const turn = latest;
  const isLatest = () => turn === latest;
  const now = state();
  const { filters, noun } = page;
  for (const name of filters) form.elements[name].value = now.get(name) ?? '';
  if (filters.some((name) => name !== 'q' && now.get(name))) byId('more').open = true;
  const wanted = [...filters, 'after'].map((name) => now.get(name) ?? '').join('\n');
  if (wanted !== listed) {
    const found = await load(now, isLatest);
    if (!isLatest()) return;
    listed = wanted;
    ({ things: list, next } = found);
    drawList(found);
  }
  const number = now.get(noun) ?? list[0]?.[noun] ?? null;
  markListed(number);
  if (number === null) {
    close(el('p', { class: 'soft' }, `No ${noun} is open.`));
    return;
  }
  await openOne(number, now, isLatest);
}

// The things that the address asks for.
async function load(now, isLatest) {
  const query = new URLSearchParams();
  for (const name of [...page.filters, 'after']) {
    if (now.get(name) && name !== 'q') query.set(name, now.get(name));
  }
  const q = now.get('q');
  if (q) {
    const found = await page.find(encodeURIComponent(q));
    if (found) return { ...found, next: null };
    query.set('words', q);
  }
  const [things, several] = [[], `${page.noun}s`];
  let [found, unread] = [null, 0];
  for (let asked = 0; asked < PATIENCE; asked += 1) {
    found = await ask('GET', `/v1/${several}?${query}`);
    things.push(...found[several]);
    unread += found.unread;
    if (found.next === null || things.length > 0 || !isLatest()) break;
    say(`Looked through ${grouped(found.looked_at)} of ${plural(found.of, page.noun)} ...`);
    query.set('after', found.next);
  }
  return { things, next: found.next, words: inWords({ ...found, unread }, things.length), isSearch: found.wanted === null };
}

function inWords(found, count) {
  const all = plural(found.of, page.noun);
  if (found.wanted !== null) {
    return found.wanted === found.of ? all : `${grouped(found.wanted)} of ${all}`;
  }
  const unread = found.unread === 0 ? ''
    : ` ${page.unread(found.unread)}: their files have changed, are gone, or are too large.`;
  return `${grouped(count)} found; looked through ${grouped(found.looked_at)} of ${all}, `
    + `in the order of the input.${unread}`;
}

function say(text) {
  byId('status').textContent = text;
}

function drawList({ words, isSearch }) {
  say(words);
  show(byId(`${page.noun}s`), list.map((thing) => el('li', {}, link(opening(thing[page.noun]),
    { class: 'item', 'data-number': thing[page.noun] }, ...page.item(thing)))));
  show(byId('pages'),
    el('button', { type: 'button', disabled: !state().has('after'), onclick: turnBack }, 'Earlier'),
    el('button', { type: 'button', disabled: next === null, onclick: turnOn }, isSearch ? 'Go on' : 'Later'));
  attempt(addBeginnings);
}

// The name of a document.
export const nameOf = (document) => document.url ?? document.id;

// Where a document stands, unless its name says so.
export function whereOf({ id, url, source, record }) {
  const places = [];
  if (url && url !== id) places.push(bdi(url));
  if (source) places.push([bdi(source), `, record ${grouped(record)}`]);
  return places.map((place) => el('div', { class: 'where' }, place));
}

async function addBeginnings() {
  if (list.length === 0) return;
  const shown = list;
  const { beginnings } = await ask('GET', page.beginnings(list));
  if (shown !== list) return;
  for (const [at, words] of document.querySelectorAll('.list .words').entries()) {
    words.textContent = beginnings[at] ?? '';
  }
}

// Scrolls a box, and not the page, to what is in it, if that is there.
export function bringIntoView(thing, box) {
  if (!thing) return;
  const [inner, outer] = [thing.getBoundingClientRect(), box.getBoundingClientRect()];
  if (inner.top < outer.top + HEAD || inner.bottom > outer.bottom) {
    box.scrollTop += inner.top - outer.top - HEAD;
  }
}

function markListed(number) {
  for (const item of document.querySelectorAll('.list .item')) {
    if (item.dataset.number === String(number)) {
      item.setAttribute('aria-current', 'true');
      bringIntoView(item, byId(`${page.noun}s`));
    } else {
      item.removeAttribute('aria-current');
    }
  }
}

function turnOn() {
  if (next === null) return Promise.resolve();
  earlier.push(state().get('after'));
  return attempt(() => go({ after: next, ...opening(null) }), byId('pages'));
}

function turnBack() {
  if (!state().has('after')) return Promise.resolve();
  const after = earlier.pop() ?? null;
  return attempt(() => go({ after, ...opening(null) }), byId('pages'));
}

// Shows nothing but this in the place of an opened thing.
function close(instead = null) {
  opened = null;
  show(byId(page.noun), instead);
  show(page.below);
}

async function openOne(number, now, isLatest) {
  const from = now.get('from') ?? '0';
  if (opened === null || String(opened[page.noun]) !== String(number) || opened.from !== from) {
    let found;
    try {
      const query = new URLSearchParams({ from, limit: ROWS });
      found = await ask('GET', `/v1/${page.noun}s/${encodeURIComponent(number)}?${query}`);
    } catch (error) {
      close();
      throw error;
    }
    if (!isLatest()) return;
    opened = { ...found, from };
  }
  await page.draw(opened, now, isLatest);
}

// Buttons that turn the rows of what is opened, `count` of `all` of which are shown; nothing where that is all.
export function rowButtons(count, all, [back, on]) {
  if (all <= count) return null;
  const from = Number(opened.from);
  const button = (text, to) => el('button', { type: 'button', disabled: to === null,
    onclick: () => turnRows(to) }, text);
  return el('div', { class: 'row actions' },
    button(back, from === 0 ? null : before(from)), button(on, opened.next),
    el('span', { class: 'soft' }, `${grouped(from + 1)} to ${grouped(from + count)} of ${grouped(all)}`));
}

// Where the page of rows before this one begins.
const before = (from) => Math.max(0, Number(from) - ROWS);

const turnRows = (from) => attempt(() => go({ from: from === 0 ? null : from, ...page.pick(null) }));

async function stepThing(by) {
  const at = list.findIndex((thing) => String(thing[page.noun]) === String(opened?.[page.noun]));
  const found = list[at + by];
  if (found) await attempt(() => go(opening(found[page.noun])));
  else if (by > 0) await turnOn();
  else await turnBack();
}

async function stepRow(by) {
  if (opened === null) return;
  const rows = page.rows(opened);
  const found = rows[rows.findIndex((one) => one.row === page.picked(opened)) + by];
  if (found) await attempt(() => go(page.pick(found.row), true));
  else if (by > 0 && opened.next !== null) await turnRows(opened.next);
  else if (by < 0 && Number(opened.from) > 0) await turnRows(before(opened.from));
}

const KEYS = {
  j: () => stepThing(1),
  k: () => stepThing(-1),
  n: () => stepRow(1),
  p: () => stepRow(-1),
  '/': () => form.elements.q.focus(),
  '?': () => byId('help').showModal(),
};

// Keys work where nothing is being written. Radio buttons have arrows of their own, and no letters.
document.addEventListener('keydown', (event) => {
  const writing = event.target.closest('input:not([type="radio"]), textarea, select, dialog[open]') !== null;
  if (writing) {
    if (event.key === 'Escape') event.target.blur();
    return;
  }
  const keys = { ...KEYS, ...page.keys };
  if (!event.ctrlKey && !event.metaKey && !event.altKey && Object.hasOwn(keys, event.key)) {
    event.preventDefault();
    keys[event.key]();
  }
});

// Shows the list by other filters.
function filter(valueOf) {
  earlier = [];
  const changes = Object.fromEntries(page.filters.map((name) => [name, valueOf(name)]));
  attempt(() => go({ ...changes, after: null, ...opening(null) }));
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  filter((name) => form.elements[name].value.trim());
});
byId('clear').addEventListener('click', () => filter(() => null));
byId('help-button').addEventListener('click', () => byId('help').showModal());
byId('help-close').addEventListener('click', () => byId('help').close());
window.addEventListener('popstate', () => attempt(open));
