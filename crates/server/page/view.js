// The clusters of a run: a list that is filtered, one that is opened, two of its members side by side.

import { Failure, ask, token } from './api.js';
import { differenceOf } from './difference.js';
import { bdi, byId, el, grouped, plural, share, show } from './dom.js';
import { bringIntoView, go, nameOf, rowButtons, start, whereOf } from './list.js';
import { attempt } from './notice.js';

const KINDS = { exact: 'exact copies', near: 'near-duplicates', mixed: 'both kinds' };
const VERDICTS = [['same', 's'], ['different', 'd'], ['unsure', 'u']];
// Clusters of one id that are listed.
const SAME_ID = 20;

let run = null;
let opened = null;
let compared = null;

// The clusters of the documents that have an id.
async function find(id) {
  const { documents, clusters } = await ask('GET', `/v1/find?id=${id}`);
  if (documents === 0) return null;
  const things = [];
  for (const number of clusters.slice(0, SAME_ID)) {
    const { members, ...cluster } = await ask('GET', `/v1/clusters/${number}?limit=1`);
    things.push(cluster);
  }
  const has = documents === 1 ? 'One document has' : `${plural(documents, 'document')} have`;
  const stays = documents === 1 ? 'it stays' : 'they stay';
  const words = clusters.length === 0 ? `${has} this id or URL, and no look-alike in this run: ${stays}.`
    : `${has} this id or URL, in ${plural(clusters.length, 'cluster')}.`;
  return { things, words };
}

function item(cluster) {
  const range = cluster.lowest === null ? '' : cluster.lowest === cluster.highest
    ? share(cluster.lowest) : `${share(cluster.lowest)} to ${share(cluster.highest)}`;
  return [
    el('span', { class: 'head' }, el('b', {}, plural(cluster.size, 'document')),
      el('span', { class: `tag ${cluster.kind}` }, KINDS[cluster.kind]),
      el('span', { class: 'range', title: 'resemblance with the document that stays' }, range)),
    el('span', { class: 'name' }, bdi(nameOf(cluster.keeper))),
    el('span', { class: 'words', dir: 'auto' }),
  ];
}

async function draw(cluster, now, isLatest) {
  opened = cluster;
  opened.left = Number(now.get('a') ?? opened.keeper.row);
  const first = others(opened)[0];
  opened.right = Number(now.get('b') ?? first?.row ?? opened.keeper.row);
  drawCluster();
  await openPair(isLatest);
}

// The members that the one on the left can be compared with.
const others = ({ members, left }) => members.filter((member) => member.row !== left);

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
  const head = el('tr', {},
    el('th', { scope: 'col', class: 'pick' }, 'Left'),
    el('th', { scope: 'col', class: 'pick' }, 'Right'),
    el('th', { scope: 'col' }, 'Document'),
    el('th', { scope: 'col', class: 'fate' }, 'What became of it, and its resemblance with the kept one'));
  redraw(byId('cluster'),
    el('h2', {}, `${plural(size, 'document')} like `, bdi(nameOf(keeper))),
    el('div', { class: 'members' },
      el('table', {}, el('thead', {}, head), el('tbody', {}, members.map(memberRow)))),
    rowButtons(members.length, size, ['Earlier members', 'Later members']));
  bringIntoView(document.querySelector('.members .chosen'), document.querySelector('.members'));
}

function memberRow(member) {
  const pick = (side, name, chosen) => el('td', { class: 'pick' }, el('input', { type: 'radio', name: side,
    value: member.row, checked: member.row === chosen, 'aria-label': `${member.id} on the ${name}`,
    onchange: () => attempt(() => go({ [side]: member.row }, true)) }));
  return el('tr', { class: member.row === opened.right ? 'chosen' : null },
    pick('a', 'left', opened.left),
    pick('b', 'right', opened.right),
    el('td', {}, bdi(member.id), whereOf(member)),
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

async function openPair(isLatest) {
  const { left, right } = opened;
  const target = byId('pair');
  const pair = `${left} ${right}`;
  if (compared?.pair !== pair) {
    compared = null;
    show(target, el('p', { class: 'soft', role: 'status' }, 'Reading the two documents ...'));
    let found;
    try {
      found = await ask('GET', `/v1/compare?a=${left}&b=${right}`);
    } catch (error) {
      if (!isLatest()) return;
      if (!(error instanceof Failure) || error.kind !== 'problem') throw error;
      // What is in the table can be judged without the texts.
      const known = (row) => [opened.keeper, ...opened.members].find((member) => member.row === row);
      const ids = [left, right].map((row) => known(row)?.id ?? `row ${row}`);
      found = { failure: error.message, ids, verdict: null };
    }
    if (!isLatest()) return;
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
  const note = byId('pair').querySelector('input[name="note"]');
  if (note === null) return;
  attempt(async () => {
    const given = await ask('POST', '/v1/verdicts', { a, b, verdict, note: note.value.trim() });
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

async function greet() {
  run = await ask('GET', '/v1/run');
  if (run.passages_were && !run.compares_documents) location.replace('/passages');
  byId('to-passages').hidden = !run.passages_were;
  summarize();
}

function summarize() {
  const { same, different, unsure } = run.verdicts;
  const judged = same + different + unsure;
  byId('summary').textContent = `${run.folder}: ${plural(run.clusters, 'cluster')} of `
    + `${plural(run.documents, 'document')}, ${plural(judged, 'pair')} judged`;
  byId('save').disabled = judged === 0;
}

// A link could not send the token.
byId('save').addEventListener('click', () => attempt(async () => {
  const headers = token.get() ? { Authorization: `Bearer ${token.get()}` } : {};
  const response = await fetch('/v1/labels', { headers, cache: 'no-store' });
  if (!response.ok) throw new Failure(`The labels cannot be had: status ${response.status}.`);
  const address = URL.createObjectURL(await response.blob());
  el('a', { href: address, download: 'labels.jsonl' }).click();
  URL.revokeObjectURL(address);
}));

start({
  noun: 'cluster',
  filters: ['q', 'kind', 'order', 'min_size', 'max_size', 'min_resemblance', 'max_resemblance', 'source', 'site'],
  unpicked: { a: null, b: null },
  find,
  unread: (count) => `The words of ${grouped(count)} could not be searched`,
  item,
  beginnings: (list) => `/v1/beginnings?rows=${list.map(({ keeper }) => keeper.row).join(',')}`,
  below: byId('pair'),
  draw,
  rows: others,
  picked: ({ right }) => right,
  pick: (row) => ({ b: row }),
  keys: { s: () => judge('same'), d: () => judge('different'), u: () => judge('unsure') },
  greet,
});
