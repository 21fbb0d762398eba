// The clusters of a run: a list that is filtered, one that is opened, two of its members side by side.
// All that is seen is in the address: a link shows the same to somebody else.

import { Failure, ask, token } from './api.js';
import { differenceOf } from './difference.js';
import { bdi, byId, el, facts, grouped, plural, share, show } from './dom.js';
import { attempt, takeToken } from './notice.js';

const FILTERS = ['q', 'kind', 'order', 'min_size', 'max_size', 'min_resemblance', 'max_resemblance',
  'source', 'site'];
const KINDS = { exact: 'exact copies', near: 'near-duplicates', mixed: 'both kinds' };
const VERDICTS = [['same', 's'], ['different', 'd'], ['unsure', 'u']];
// Requests of a search that go on by themselves before a person is asked.
const PATIENCE = 20;
// Room above what is scrolled to, in pixels: that of the head of a table.
const HEAD = 60;
// Members of a page.
const MEMBERS = 30;
// Clusters of one id that are listed.
const SAME_ID = 20;

const form = byId('filters');
let list = [];
let next = null;
let opened = null;
let compared = null;
// `after` of the pages before the one that is shown, as far as this tab has seen them.
let earlier = [];
// What is in the list, so that only other filters load it again.
let listed = null;
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
    ({ clusters: list, next } = found);
    drawList(found);
  }
  const cluster = now.get('cluster') ?? list[0]?.cluster ?? null;
  mark(cluster);
  if (cluster === null) {
    opened = null;
    show(byId('cluster'), el('p', { class: 'soft' }, 'No cluster is open.'));
    show(byId('pair'));
    return;
  }
  await openCluster(cluster, now, turn);
}

// The clusters that the address asks for.
async function load(now, turn) {
  const query = new URLSearchParams();
  for (const name of [...FILTERS, 'after']) {
    if (now.get(name) && name !== 'q') query.set(name, now.get(name));
  }
  const q = now.get('q');
  if (q) {
    const found = await ask('GET', `/v1/find?id=${encodeURIComponent(q)}`);
    if (found.documents > 0) return ofId(found);
    query.set('words', q);
  }
  const some = { clusters: [], unread: 0 };
  for (let asked = 0; asked < PATIENCE; asked += 1) {
    const page = await ask('GET', `/v1/clusters?${query}`);
    some.clusters.push(...page.clusters);
    Object.assign(some, { ...page, clusters: some.clusters, unread: some.unread + page.unread });
    if (page.next === null || some.clusters.length > 0 || turn !== latest) break;
    say(`Looked through ${grouped(page.looked_at)} of ${plural(page.of, 'cluster')} ...`);
    query.set('after', page.next);
  }
  return some;
}

// The clusters of the documents that have an id.
async function ofId(found) {
  const clusters = [];
  for (const number of found.clusters.slice(0, SAME_ID)) {
    const { members, ...cluster } = await ask('GET', `/v1/clusters/${number}?limit=1`);
    clusters.push({ ...cluster, next: undefined });
  }
  return { clusters, next: null, id: found };
}

function say(text) {
  byId('status').textContent = text;
}

function drawList(found) {
  say(found.id ? ofIdInWords(found.id) : foundInWords(found));
  show(byId('clusters'), list.map(item));
  const more = found.wanted === null ? 'Go on' : 'Later';
  show(byId('pages'),
    el('button', { type: 'button', disabled: !state().has('after'), onclick: turnBack }, 'Earlier'),
    el('button', { type: 'button', disabled: next === null, onclick: turnOn }, more));
  attempt(addBeginnings);
}

function ofIdInWords({ documents, clusters }) {
  const has = documents === 1 ? 'One document has' : `${plural(documents, 'document')} have`;
  if (clusters.length === 0) {
    const stays = documents === 1 ? 'it stays' : 'they stay';
    return `${has} this id or URL, and no look-alike in this run: ${stays}.`;
  }
  return `${has} this id or URL, in ${plural(clusters.length, 'cluster')}.`;
}

function foundInWords(found) {
  if (found.wanted !== null) {
    return found.wanted === found.of ? plural(found.of, 'cluster')
      : `${grouped(found.wanted)} of ${plural(found.of, 'cluster')}`;
  }
  const unread = found.unread === 0 ? '' : ` The words of ${grouped(found.unread)} could not be searched: `
    + 'their files have changed, are gone, or are too large.';
  return `${grouped(found.clusters.length)} found; looked through ${grouped(found.looked_at)} of `
    + `${plural(found.of, 'cluster')}, in the order of the input.${unread}`;
}

const nameOf = (document) => document.url ?? document.id;

function item(cluster) {
  const range = cluster.lowest === null ? '' : cluster.lowest === cluster.highest
    ? share(cluster.lowest) : `${share(cluster.lowest)} to ${share(cluster.highest)}`;
  const link = el('a', { class: 'item', href: changed(opening(cluster.cluster)),
    'data-cluster': cluster.cluster, onclick: (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      attempt(() => go(opening(cluster.cluster)));
    } },
  el('span', { class: 'head' }, el('b', {}, plural(cluster.size, 'document')),
    el('span', { class: `tag ${cluster.kind}` }, KINDS[cluster.kind]),
    el('span', { class: 'range', title: 'resemblance with the document that stays' }, range)),
  el('span', { class: 'name' }, bdi(nameOf(cluster.keeper))),
  el('span', { class: 'words', dir: 'auto' }));
  return el('li', {}, link);
}

const opening = (cluster) => ({ cluster, a: null, b: null, from: null });

async function addBeginnings() {
  if (list.length === 0) return;
  const rows = list.map((cluster) => cluster.keeper.row);
  const shown = list;
  const { beginnings } = await ask('GET', `/v1/beginnings?rows=${rows.join(',')}`);
  if (shown !== list) return;
  for (const [at, words] of document.querySelectorAll('#clusters .words').entries()) {
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

function mark(cluster) {
  for (const link of document.querySelectorAll('#clusters .item')) {
    if (link.dataset.cluster === String(cluster)) {
      link.setAttribute('aria-current', 'true');
      bringIntoView(link, byId('clusters'));
    } else {
      link.removeAttribute('aria-current');
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

async function openCluster(number, now, turn) {
  const from = now.get('from') ?? '0';
  if (opened === null || String(opened.cluster) !== String(number) || opened.from !== from) {
    let found;
    try {
      const query = new URLSearchParams({ from, limit: MEMBERS });
      found = await ask('GET', `/v1/clusters/${encodeURIComponent(number)}?${query}`);
    } catch (error) {
      opened = null;
      show(byId('cluster'));
      show(byId('pair'));
      throw error;
    }
    if (turn !== latest) return;
    opened = { ...found, from };
  }
  const left = Number(now.get('a') ?? opened.keeper.row);
  const first = opened.members.find((member) => member.row !== left);
  const right = Number(now.get('b') ?? first?.row ?? opened.keeper.row);
  opened.left = left;
  opened.right = right;
  drawCluster();
  await openPair(left, right, turn);
}

// Shows something anew; a button that had the focus has it again.
function redraw(target, ...children) {
  const active = target.contains(document.activeElement) ? document.activeElement : {};
  const { type, name, value, dataset } = active;
  let same = null;
  if (type === 'radio') same = `input[name="${name}"][value="${value}"]`;
  else if (dataset?.verdict) same = `[data-verdict="${dataset.verdict}"]`;
  show(target, ...children);
  if (same) target.querySelector(same)?.focus();
}

function drawCluster() {
  const { keeper, members, size } = opened;
  const from = Number(opened.from);
  const head = el('tr', {},
    el('th', { scope: 'col', class: 'pick' }, 'Left'),
    el('th', { scope: 'col', class: 'pick' }, 'Right'),
    el('th', { scope: 'col' }, 'Document'),
    el('th', { scope: 'col', class: 'fate' }, 'What became of it, and its resemblance with the kept one'));
  const turn = (text, to) => el('button', { type: 'button', disabled: to === null,
    onclick: () => turnMembers(to) }, text);
  const pages = el('div', { class: 'row actions' },
    turn('Earlier members', from === 0 ? null : before(from)),
    turn('Later members', opened.next),
    el('span', { class: 'soft' },
      `${grouped(from + 1)} to ${grouped(from + members.length)} of ${grouped(size)}`));
  redraw(byId('cluster'),
    el('h2', {}, `${plural(size, 'document')} like `, bdi(nameOf(keeper))),
    el('div', { class: 'members' },
      el('table', {}, el('thead', {}, head), el('tbody', {}, members.map(memberRow)))),
    size > members.length ? pages : null);
  const chosen = document.querySelector('.members .chosen');
  if (chosen) bringIntoView(chosen, document.querySelector('.members'));
}

function memberRow(member) {
  const pick = (side, name, chosen) => el('td', { class: 'pick' }, el('input', { type: 'radio', name: side,
    value: member.row, checked: member.row === chosen, 'aria-label': `${member.id} on the ${name}`,
    onchange: () => attempt(() => go({ [side]: member.row }, true)) }));
  const places = [];
  if (member.url && member.url !== member.id) places.push(bdi(member.url));
  if (member.source) places.push([bdi(member.source), `, record ${grouped(member.record)}`]);
  return el('tr', { class: member.row === opened.right ? 'chosen' : null },
    pick('a', 'left', opened.left),
    pick('b', 'right', opened.right),
    el('td', {}, bdi(member.id), places.map((place) => el('div', { class: 'where' }, place))),
    el('td', { class: 'fate' }, fate(member), ' ', member.verdict ? el('span',
      { class: `tag ${member.verdict}`, title: 'your verdict on it and the kept one' }, member.verdict) : null));
}

function fate(member) {
  if (member.kept) return el('span', { class: 'tag kept' }, 'kept');
  const resemblance = share(member.resemblance) ?? 'not known';
  return ['removed: ',
    el('span', { class: `tag ${member.kind}` }, member.kind === 'exact' ? 'exact copy' : 'near-duplicate'),
    el('span', { class: 'number' }, ` ${resemblance}`)];
}

// Where the page of members before this one begins.
const before = (from) => Math.max(0, Number(from) - MEMBERS);

const turnMembers = (from) => attempt(() => go({ from: from === 0 ? null : from, b: null }));

async function openPair(left, right, turn) {
  const target = byId('pair');
  const pair = `${left} ${right}`;
  if (compared?.pair !== pair) {
    compared = null;
    show(target, el('p', { class: 'soft', role: 'status' }, 'Reading the two documents ...'));
    let found;
    try {
      found = await ask('GET', `/v1/compare?a=${left}&b=${right}`);
    } catch (error) {
      if (turn !== latest) return;
      if (!(error instanceof Failure) || error.kind !== 'problem') throw error;
      // What is in the table can be judged without the texts.
      const known = (row) => [opened.keeper, ...opened.members].find((member) => member.row === row);
      const ids = [left, right].map((row) => known(row)?.id ?? `row ${row}`);
      found = { failure: error.message, ids, verdict: null };
    }
    if (turn !== latest) return;
    compared = { ...found, pair, left, right };
  }
  drawPair();
}

function drawPair() {
  const { left, right, ids, verdict } = compared;
  if (left === right) {
    show(byId('pair'), el('p', { class: 'soft' }, 'This is one document: choose two.'));
    return;
  }
  const note = el('input', { name: 'note', maxlength: 1000, autocomplete: 'off',
    placeholder: 'why, if you like', 'aria-label': 'Note', value: verdict?.note ?? '' });
  const buttons = VERDICTS.map(([name, key]) => el('button', { type: 'button',
    'aria-pressed': String(verdict?.verdict === name), 'data-verdict': name,
    onclick: () => judge(name) }, name, ' ', el('kbd', {}, key)));
  redraw(byId('pair'),
    el('h3', {}, bdi(ids[0]), ' and ', bdi(ids[1])),
    el('div', { class: 'row judge', role: 'group', 'aria-label': 'Your verdict' }, buttons, note),
    compared.failure ? el('p', { class: 'soft' }, compared.failure)
      : differenceOf(compared, ids[0], ids[1], true));
}

function judge(verdict) {
  if (compared === null || compared.left === compared.right) return;
  const { left: a, right: b } = compared;
  const note = byId('pair').querySelector('input[name="note"]').value.trim();
  attempt(async () => {
    const given = await ask('POST', '/v1/verdicts', { a, b, verdict, note });
    compared.verdict = given.verdict;
    const member = opened.members.find((one) => (a === opened.keeper.row && one.row === b)
      || (b === opened.keeper.row && one.row === a));
    if (member) member.verdict = verdict;
    drawCluster();
    drawPair();
    run.verdicts = given.verdicts;
    summarize();
  });
}

let run = null;

async function greet() {
  run = await ask('GET', '/v1/run');
  if (run.has_passages && !run.compares_documents) location.replace('/passages');
  byId('to-passages').hidden = !run.has_passages;
  summarize();
}

function summarize() {
  const { same, different, unsure } = run.verdicts;
  const judged = same + different + unsure;
  byId('summary').textContent = `${run.folder}: ${plural(run.clusters, 'cluster')} of `
    + `${plural(run.documents, 'document')}, ${plural(judged, 'pair')} judged`;
  byId('save').disabled = judged === 0;
}

// Members and clusters by the keyboard.
function step(things, at, by) {
  const place = at + by;
  return place >= 0 && place < things.length ? things[place] : null;
}

async function stepCluster(by) {
  const at = list.findIndex((cluster) => String(cluster.cluster) === String(opened?.cluster));
  const found = step(list, at, by);
  if (found) await attempt(() => go(opening(found.cluster)));
  else if (by > 0) await turnOn();
  else await turnBack();
}

async function stepMember(by) {
  if (opened === null) return;
  const at = opened.members.findIndex((member) => member.row === opened.right);
  let found = step(opened.members, at, by);
  if (found && found.row === opened.left) found = step(opened.members, at, 2 * by);
  if (found) await attempt(() => go({ b: found.row }, true));
  else if (by > 0 && opened.next !== null) await turnMembers(opened.next);
  else if (by < 0 && Number(opened.from) > 0) await turnMembers(before(opened.from));
}

const KEYS = {
  j: () => stepCluster(1),
  k: () => stepCluster(-1),
  n: () => stepMember(1),
  p: () => stepMember(-1),
  s: () => judge('same'),
  d: () => judge('different'),
  u: () => judge('unsure'),
  '/': () => form.elements.q.focus(),
  '?': () => byId('help').showModal(),
};

// Keys work where nothing is being written. Radio buttons have arrows of their own, and no letters.
document.addEventListener('keydown', (event) => {
  const writing = event.target.closest('input:not([type="radio"]), textarea, select, dialog[open]') !== null;
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

// A link could not send the token.
byId('save').addEventListener('click', () => attempt(async () => {
  const headers = token.get() ? { Authorization: `Bearer ${token.get()}` } : {};
  const response = await fetch('/v1/labels', { headers, cache: 'no-store' });
  if (!response.ok) throw new Failure(`The labels cannot be had: status ${response.status}.`);
  const address = URL.createObjectURL(await response.blob());
  el('a', { href: address, download: 'labels.jsonl' }).click();
  URL.revokeObjectURL(address);
}));

window.addEventListener('popstate', () => attempt(open));
takeToken(greet, open);
attempt(async () => {
  await greet();
  await open();
});
