// The passages of a run: a list that is filtered, one that is opened, and a document that it was cut of
// beside the one in which it stays. All that is seen is in the address: a link shows the same to somebody else.

import { ask } from './api.js';
import { bdi, byId, el, grouped, plural, show } from './dom.js';
import { attempt, takeToken } from './notice.js';

const FILTERS = ['q', 'order', 'min_copies', 'max_copies', 'min_words', 'max_words'];
// Requests of a search that go on by themselves before a person is asked.
const PATIENCE = 20;
// Room above what is scrolled to, in pixels.
const HEAD = 60;
// Places of a page.
const PLACES = 30;

const form = byId('filters');
let list = [];
let next = null;
let opened = null;
let marked = null;
// `after` of the pages before the one that is shown, as far as this tab has seen them.
let earlier = [];
// What is in the list, so that only other filters load it again.
let listed = null;
// The document that was searched for by its id.
let sought = null;
// What was asked for last: an answer to anything before it comes too late.
let latest = 0;

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

async function go(changes, replace = false) {
  history[replace ? 'replaceState' : 'pushState'](null, '', changed(changes));
  await open();
}

// A link that goes there within the page.
function link(changes, attributes, ...children) {
  return el('a', { ...attributes, href: changed(changes), onclick: (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    attempt(() => go(changes));
  } }, ...children);
}

const opening = (passage) => ({ passage, row: null, from: null });

// Shows what the address says.
async function open() {
  latest += 1;
  const turn = latest;
  const now = state();
  for (const name of FILTERS) form.elements[name].value = now.get(name) ?? '';
  if (FILTERS.some((name) => name !== 'q' && now.get(name))) byId('more').open = true;
  const wanted = [...FILTERS, 'after'].map((name) => now.get(name) ?? '').join('\n');
  if (wanted !== listed) {
    const found = await load(now, turn);
    if (turn !== latest) return;
    listed = wanted;
    ({ passages: list, next } = found);
    sought = found.rows?.[0] ?? null;
    drawList(found);
  }
  const passage = now.get('passage') ?? list[0]?.passage ?? null;
  markListed(passage);
  if (passage === null) {
    opened = null;
    show(byId('passage'), el('p', { class: 'soft' }, 'No passage is open.'));
    show(byId('texts'));
    return;
  }
  await openPassage(passage, now, turn);
}

// The passages that the address asks for.
async function load(now, turn) {
  const query = new URLSearchParams();
  for (const name of [...FILTERS, 'after']) {
    if (now.get(name) && name !== 'q') query.set(name, now.get(name));
  }
  const q = now.get('q');
  if (q) {
    const found = await ask('GET', `/v1/passages/find?id=${encodeURIComponent(q)}`);
    if (found.documents > 0) return { ...found, next: null };
    query.set('words', q);
  }
  const some = { passages: [], unread: 0 };
  for (let asked = 0; asked < PATIENCE; asked += 1) {
    const page = await ask('GET', `/v1/passages?${query}`);
    some.passages.push(...page.passages);
    Object.assign(some, { ...page, passages: some.passages, unread: some.unread + page.unread });
    if (page.next === null || some.passages.length > 0 || turn !== latest) break;
    say(`Looked through ${grouped(page.looked_at)} of ${plural(page.of, 'passage')} ...`);
    query.set('after', page.next);
  }
  return some;
}

function say(text) {
  byId('status').textContent = text;
}

function drawList(found) {
  say(found.rows ? ofIdInWords(found) : foundInWords(found));
  show(byId('passages'), list.map(item));
  const more = found.wanted === null ? 'Go on' : 'Later';
  show(byId('pages'),
    el('button', { type: 'button', disabled: !state().has('after'), onclick: turnBack }, 'Earlier'),
    el('button', { type: 'button', disabled: next === null, onclick: turnOn }, more));
  attempt(addBeginnings);
}

function ofIdInWords({ documents, passages }) {
  const has = documents === 1 ? 'One document has' : `${plural(documents, 'document')} have`;
  return passages.length === 0 ? `${has} this id or URL: nothing was cut of it, or because of it.`
    : `${has} this id or URL: ${plural(passages.length, 'passage')} that it keeps or that was cut of it.`;
}

function foundInWords(found) {
  if (found.wanted !== null) {
    return found.wanted === found.of ? plural(found.of, 'passage')
      : `${grouped(found.wanted)} of ${plural(found.of, 'passage')}`;
  }
  const unread = found.unread === 0 ? '' : ` ${plural(found.unread, 'document')} could not be searched: `
    + 'their files have changed, are gone, or are too large.';
  return `${grouped(found.passages.length)} found; looked through ${grouped(found.looked_at)} of `
    + `${plural(found.of, 'passage')}, in the order of the input.${unread}`;
}

const nameOf = (document) => document.url ?? document.id;

function item(passage) {
  return el('li', {}, link(opening(passage.passage), { class: 'item', 'data-passage': passage.passage },
    el('span', { class: 'head' }, el('b', {}, `${grouped(passage.copies)} copies`),
      el('span', { class: 'range' }, plural(passage.words, 'word'))),
    el('span', { class: 'words', dir: 'auto' }),
    el('span', { class: 'name' }, 'stays in ', bdi(nameOf(passage.document)))));
}

async function addBeginnings() {
  if (list.length === 0) return;
  const numbers = list.map((passage) => passage.passage);
  const shown = list;
  const { beginnings } = await ask('GET', `/v1/passages/beginnings?passages=${numbers.join(',')}`);
  if (shown !== list) return;
  for (const [at, words] of document.querySelectorAll('#passages .words').entries()) {
    words.textContent = beginnings[at] ?? '';
  }
}

// Scrolls a box, and not the page, to what is in it.
function bringIntoView(thing, box) {
  const [inner, outer] = [thing.getBoundingClientRect(), box.getBoundingClientRect()];
  if (inner.top < outer.top + HEAD || inner.bottom > outer.bottom) {
    box.scrollTop += inner.top - outer.top - HEAD;
  }
}

function markListed(passage) {
  for (const item of document.querySelectorAll('#passages .item')) {
    if (item.dataset.passage === String(passage)) {
      item.setAttribute('aria-current', 'true');
      bringIntoView(item, byId('passages'));
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

async function openPassage(number, now, turn) {
  const from = now.get('from') ?? '0';
  if (opened === null || String(opened.passage) !== String(number) || opened.from !== from) {
    let found;
    try {
      const query = new URLSearchParams({ from, limit: PLACES });
      found = await ask('GET', `/v1/passages/${encodeURIComponent(number)}?${query}`);
    } catch (error) {
      opened = null;
      show(byId('passage'));
      show(byId('texts'));
      throw error;
    }
    if (turn !== latest) return;
    opened = { ...found, from };
  }
  const first = opened.places.find((place) => place.row === sought) ?? opened.places[0];
  opened.row = Number(now.get('row') ?? first?.row ?? opened.keeper);
  drawPassage();
  await openDocument(turn);
}

function where(document) {
  const places = [];
  if (document.url && document.url !== document.id) places.push(bdi(document.url));
  if (document.source) places.push([bdi(document.source), `, record ${grouped(document.record)}`]);
  return places.map((place) => el('div', { class: 'where' }, place));
}

function drawPassage() {
  const { copies, words, cuts, kept, places } = opened;
  const from = Number(opened.from);
  const turn = (text, to) => el('button', { type: 'button', disabled: to === null,
    onclick: () => turnPlaces(to) }, text);
  const head = el('tr', {}, el('th', { scope: 'col' }, 'It was cut of'),
    el('th', { scope: 'col' }, 'Bytes'));
  const row = (place) => el('tr', { class: place.row === opened.row ? 'chosen' : null },
    el('td', {}, link({ row: place.row }, {}, bdi(place.id)), where(place)),
    el('td', { class: 'bytes' }, `${grouped(place.begin)} to ${grouped(place.end)}`));
  const pages = el('div', { class: 'row actions' },
    turn('Earlier', from === 0 ? null : before(from)), turn('Later', opened.next),
    el('span', { class: 'soft' },
      `${grouped(from + 1)} to ${grouped(from + places.length)} of ${grouped(cuts)}`));
  show(byId('passage'),
    el('h2', {}, `${grouped(copies)} copies of ${plural(words, 'word')}`),
    el('p', { class: 'soft' }, 'They stay in ', bdi(nameOf(kept.document)),
      `. Just these words were cut at ${plural(cuts, 'place')}.`),
    el('div', { class: 'places' }, el('table', {}, el('thead', {}, head), el('tbody', {}, places.map(row)))),
    cuts > places.length ? pages : null);
  const chosen = document.querySelector('.places .chosen');
  if (chosen) bringIntoView(chosen, document.querySelector('.places'));
}

// Where the page of places before this one begins.
const before = (from) => Math.max(0, Number(from) - PLACES);

const turnPlaces = (from) => attempt(() => go({ from: from === 0 ? null : from, row: null }));

async function openDocument(turn) {
  const { passage, row } = opened;
  const wanted = `${passage} ${row}`;
  if (marked?.wanted !== wanted) {
    marked = null;
    show(byId('texts'), el('p', { class: 'soft', role: 'status' }, 'Reading the two documents ...'));
    const found = await ask('GET', `/v1/cut/${row}?passage=${passage}`);
    if (turn !== latest) return;
    marked = { ...found, wanted };
  }
  drawTexts();
}

function drawTexts() {
  const { passage, kept } = opened;
  const went = marked.gone ? ' It went, since too few words were left.' : '';
  show(byId('texts'), el('div', { class: 'sides' },
    side('Cut of ', marked, `${grouped(marked.words_cut)} of ${plural(marked.words, 'word')} were cut, in `
      + `${plural(marked.cuts, 'piece')}.${went}`, (number, text) => {
      const own = marked.passages[number];
      const shown = el('del', { class: own === passage ? 'here' : null }, text);
      return own === passage ? shown
        : link({ passage: own, from: null }, { title: 'another passage: open it' }, shown);
    }),
    side('Stays in ', kept, kept.words_cut === 0 ? 'Nothing was cut of it.'
      : `Of this document ${plural(kept.words_cut, 'word')} were cut as well, elsewhere.`,
    (number, text) => el('mark', {}, text))));
  for (const box of document.querySelectorAll('.text')) {
    const here = box.querySelector('del.here, mark');
    if (here) bringIntoView(here, box);
  }
}

// A document with its text, in which `mark` shows what was cut.
function side(verb, shown, words, mark) {
  const piece = (one) => {
    if ('kept' in one) return one.kept;
    if ('cut' in one) return mark(...one.cut);
    return el('span', { class: 'gap' }, `... ${plural(one.gap, 'more byte')} ...`);
  };
  return el('div', {}, el('h3', {}, verb, bdi(nameOf(shown.document))),
    el('p', { class: 'soft' }, words),
    shown.fault ? el('p', { class: 'soft' }, `The text cannot be read: ${shown.fault}`)
      : el('div', { class: 'text', dir: 'auto', tabindex: 0 }, shown.text.map(piece)));
}

async function greet() {
  const run = await ask('GET', '/v1/run');
  byId('to-clusters').hidden = !run.compares_documents;
  byId('summary').textContent = run.has_passages
    ? `${run.folder}: ${plural(run.passages, 'passage')} of ${plural(run.documents, 'document')}`
    : `${run.folder}: this run looked for no passages`;
}

// Places and passages by the keyboard.
function step(things, at, by) {
  const place = at + by;
  return place >= 0 && place < things.length ? things[place] : null;
}

async function stepPassage(by) {
  const at = list.findIndex((passage) => passage.passage === opened?.passage);
  const found = step(list, at, by);
  if (found) await attempt(() => go(opening(found.passage)));
  else if (by > 0) await turnOn();
  else await turnBack();
}

async function stepPlace(by) {
  if (opened === null) return;
  const at = opened.places.findIndex((place) => place.row === opened.row);
  const found = step(opened.places, at, by);
  if (found) await attempt(() => go({ row: found.row }, true));
  else if (by > 0 && opened.next !== null) await turnPlaces(opened.next);
  else if (by < 0 && Number(opened.from) > 0) await turnPlaces(before(opened.from));
}

const KEYS = {
  j: () => stepPassage(1),
  k: () => stepPassage(-1),
  n: () => stepPlace(1),
  p: () => stepPlace(-1),
  '/': () => form.elements.q.focus(),
  '?': () => byId('help').showModal(),
};

// Keys work where nothing is being written.
document.addEventListener('keydown', (event) => {
  const writing = event.target.closest('input, textarea, select, dialog[open]') !== null;
  if (writing) {
    if (event.key === 'Escape') event.target.blur();
  } else if (!event.ctrlKey && !event.metaKey && !event.altKey && Object.hasOwn(KEYS, event.key)) {
    event.preventDefault();
    KEYS[event.key]();
  }
});

form.addEventListener('submit', (event) => {
  event.preventDefault();
  earlier = [];
  const changes = Object.fromEntries(FILTERS.map((name) => [name, form.elements[name].value.trim()]));
  attempt(() => go({ ...changes, after: null, ...opening(null) }));
});

byId('clear').addEventListener('click', () => {
  earlier = [];
  const none = Object.fromEntries(FILTERS.map((name) => [name, null]));
  attempt(() => go({ ...none, after: null, ...opening(null) }));
});

byId('help-button').addEventListener('click', () => byId('help').showModal());
byId('help-close').addEventListener('click', () => byId('help').close());
window.addEventListener('popstate', () => attempt(open));
takeToken(greet, open);
attempt(async () => {
  await greet();
  await open();
});
