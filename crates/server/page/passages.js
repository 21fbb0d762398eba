// The passages of a run: a list that is filtered, one that is opened, and a document that it was cut of
// beside the one in which it stays.

import { ask } from './api.js';
import { bdi, byId, el, grouped, plural, show } from './dom.js';
import { bringIntoView, link, nameOf, rowButtons, start, whereOf } from './list.js';

let opened = null;
let marked = null;
// The document that was searched for by its id.
let sought = null;
// What the run did to passages.
let done = 'cut';

async function find(id) {
  const { documents, passages, rows } = await ask('GET', `/v1/passages/find?id=${id}`);
  sought = rows[0] ?? null;
  if (documents === 0) return null;
  const has = documents === 1 ? 'One document has' : `${plural(documents, 'document')} have`;
  const words = passages.length === 0 ? `${has} this id or URL: nothing was ${done} of it, or because of it.`
    : `${has} this id or URL: ${plural(passages.length, 'passage')} that it keeps or that was ${done} of it.`;
  return { things: passages, words };
}

function item(passage) {
  return [
    el('span', { class: 'head' }, el('b', {}, `${grouped(passage.copies)} copies`),
      el('span', { class: 'range' }, plural(passage.words, 'word'))),
    el('span', { class: 'words', dir: 'auto' }),
    el('span', { class: 'name' }, 'stays in ', bdi(nameOf(passage.document))),
  ];
}

async function draw(passage, now, isLatest) {
  opened = passage;
  const first = (now.get('q') && opened.places.find((place) => place.row === sought)) || opened.places[0];
  opened.row = Number(now.get('row') ?? first?.row ?? opened.keeper);
  drawPassage();
  await openDocument(isLatest);
}

function drawPassage() {
  const { copies, words, cuts, kept, places } = opened;
  const head = el('tr', {}, el('th', { scope: 'col' }, done === 'cut' ? 'It was cut of' : 'It was annotated in'),
    el('th', { scope: 'col' }, 'Bytes'));
  const row = (place) => el('tr', { class: place.row === opened.row ? 'chosen' : null },
    el('td', {}, link({ row: place.row }, {}, bdi(place.id)), whereOf(place)),
    el('td', { class: 'bytes' }, `${grouped(place.begin)} to ${grouped(place.end)}`));
  show(byId('passage'),
    el('h2', {}, `${grouped(copies)} copies of ${plural(words, 'word')}`),
    el('p', { class: 'soft' }, 'They stay in ', bdi(nameOf(kept.document)),
      `. Just these words were ${done} at ${plural(cuts, 'place')}.`),
    el('div', { class: 'places' }, el('table', {}, el('thead', {}, head), el('tbody', {}, places.map(row)))),
    rowButtons(places.length, cuts, ['Earlier', 'Later']));
  bringIntoView(document.querySelector('.places .chosen'), document.querySelector('.places'));
}

async function openDocument(isLatest) {
  const { passage, row } = opened;
  const wanted = `${passage} ${row}`;
  if (marked?.wanted !== wanted) {
    marked = null;
    show(byId('texts'), el('p', { class: 'soft', role: 'status' }, 'Reading the two documents ...'));
    const found = await ask('GET', `/v1/cut/${row}?passage=${passage}`);
    if (!isLatest()) return;
    marked = { ...found, wanted };
  }
  drawTexts();
}

function drawTexts() {
  const { passage, kept } = opened;
  const went = marked.gone ? ' It went, since too few words were left.' : '';
  show(byId('texts'), el('div', { class: 'sides' },
    side(done === 'cut' ? 'Cut of ' : 'Annotated in ', marked,
      `${grouped(marked.words_cut)} of ${plural(marked.words, 'word')} were ${done}, in `
      + `${plural(marked.cuts, 'piece')}.${went}`, (number, text) => {
        const own = marked.passages[number];
        const shown = el('del', { class: own === passage ? 'here' : null }, text);
        return own === passage ? shown
          : link({ passage: own, from: null }, { title: 'another passage: open it' }, shown);
      }),
    side('Stays in ', kept, kept.words_cut === 0 ? `Nothing was ${done} of it.`
      : `Of this document ${plural(kept.words_cut, 'word')} were ${done} as well, elsewhere.`,
    (number, text) => el('mark', {}, text))));
  for (const box of document.querySelectorAll('.text')) {
    bringIntoView(box.querySelector('del.here, mark'), box);
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
  done = run.passages_were ?? done;
  byId('to-clusters').hidden = !run.compares_documents;
  byId('summary').textContent = run.passages_were
    ? `${run.folder}: ${plural(run.passages, 'passage')} of ${plural(run.documents, 'document')}`
    : `${run.folder}: this run looked for no passages`;
}

start({
  noun: 'passage',
  filters: ['q', 'order', 'min_copies', 'max_copies', 'min_words', 'max_words'],
  unpicked: { row: null },
  find,
  unread: (count) => `${plural(count, 'document')} could not be searched`,
  item,
  beginnings: (list) => `/v1/passages/beginnings?passages=${list.map(({ passage }) => passage).join(',')}`,
  below: byId('texts'),
  draw,
  rows: ({ places }) => places,
  picked: ({ row }) => row,
  pick: (row) => ({ row }),
  keys: {},
  greet,
});
