// Check a document, see its look-alikes, add it, remove one.

import { Failure, ask, documentPath } from './api.js';
import { dropInto, readInto } from './compare.js';
import { differenceOf } from './difference.js';
import { bdi, byId, counts, el, facts, share, show, when } from './dom.js';
import { attempt } from './notice.js';
import { summarize } from './session.js';

const form = byId('check-form');
const answer = byId('check-answer');
// The recall below which a person is told of it.
const LOW = 0.9;

export function start() {
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    attempt(() => check(), form);
  });
  form.elements.add.addEventListener('click', () => attempt(() => add(), form));
  form.elements['add-new'].addEventListener('click', () => attempt(() => addIfNew(), form));
  form.elements.file.addEventListener('change', (event) => {
    const [file] = event.target.files;
    if (file) attempt(() => take(file));
  });
  dropInto(form.elements.content, (file) => attempt(() => take(file)));
}

async function take(file) {
  await readInto(form.elements.content, file);
  const page = /\.x?html?$/i.test(file.name) || file.type.includes('html');
  form.elements.kind.value = page ? 'html' : 'text';
  if (!form.elements.id.value) form.elements.id.value = file.name;
}

// The document as it stands in the form.
function entered() {
  const content = form.elements.content.value;
  if (content === '') throw new Failure('There is nothing to check yet: paste a text or drop a file.');
  const document = form.elements.kind.value === 'html' ? { html: content } : { text: content };
  if (form.elements.url.value) document.url = form.elements.url.value;
  return document;
}

function named() {
  const id = form.elements.id.value;
  if (id === '') {
    form.elements.id.focus();
    throw new Failure('To add it, give it an id: a name by which you will know it.');
  }
  return { id, ...entered() };
}

async function check() {
  const document = entered();
  const threshold = form.elements.threshold.value;
  const asked = threshold === '' ? document : { ...document, threshold: Number(threshold) };
  show(answer, result(await ask('POST', '/v1/check', asked), document, null));
}

async function add() {
  const document = named();
  const added = await ask('POST', '/v1/documents', document);
  const how = added.replaced ? 'Added in the place of the document that had this id.' : 'Added.';
  show(answer, el('p', { class: 'verdict new' }, how));
  await summarize();
}

async function addIfNew() {
  const document = named();
  const done = await ask('POST', '/v1/check-and-add', document);
  show(answer, result(done, document, done.added !== null));
  await summarize();
}

// What a check found. `added` is null if nothing was to be added.
function result(found, document, added) {
  const number = found.matches.length;
  const verdict = number === 0
    ? `Nothing like it is known.${added ? ' It was added.' : ''}`
    : `${number === 1 ? 'One look-alike is' : `${number} look-alikes are`} known.`
      + `${added === false ? ' It was not added.' : ''}`
      + `${found.counted ? ' It counts for the one that stands for it.' : ''}`;
  const parts = [el('p', { class: `verdict ${number === 0 ? 'new' : 'known'}` }, verdict)];
  if (found.limited) {
    parts.push(el('p', { class: 'soft' }, 'Many documents share its features, and not all of them '
      + 'were looked at: there may be more look-alikes.'));
  }
  if (found.recall !== null && found.recall < LOW) {
    parts.push(el('p', { class: 'soft' }, `At resemblance ${found.threshold} this index finds `
      + `${(100 * found.recall).toFixed(0)} % of the look-alikes: it was made for closer ones.`));
  }
  const matches = found.matches.map((match) => card(match, document, found.keeper === match.id));
  if (number > 0) parts.push(el('ol', { class: 'matches' }, matches));
  return parts;
}

function card(match, document, keeper) {
  const marked = el('div', { class: 'marked' });
  const item = el('li', { class: 'card' });
  const compare = (event) => attempt(async () => {
    const compared = await ask('POST', '/v1/compare', { a: { id: match.id }, b: document });
    show(marked, differenceOf(compared, 'Known', 'Yours'));
  }, event.target.closest('.actions'));
  const remove = (event) => attempt(async () => {
    if (!window.confirm(`Remove "${match.id}" from the index?`)) return;
    await ask('DELETE', documentPath(match.id));
    show(item, el('p', { class: 'soft' }, bdi(match.id), ' was removed.'));
    await summarize();
  }, event.target.closest('.actions'));
  const score = match.resemblance ?? match.estimate;
  item.append(
    el('div', { class: 'head' },
      el('h3', {}, bdi(match.id)),
      el('span', { class: `tag ${match.kind}` }, match.kind === 'exact' ? 'exact copy' : 'near'),
      keeper ? el('span', { class: 'tag' }, 'stands for it') : ''),
    el('p', { class: 'soft small' }, match.url ? [bdi(match.url), ', '] : [],
      `added ${when(match.time)}`),
    score === null || score === undefined ? '' : meter(score),
    facts([
      ['resemblance', share(match.resemblance), 'shingles of both, out of those of either'],
      ['estimate', share(match.estimate), 'resemblance as the sketches see it'],
      ['yours in it', share(match.containment_a), 'the share of your document that is in this one'],
      ['it in yours', share(match.containment_b), 'the share of this one that is in yours'],
      ['equal features', match.b_similarity, 'features that both have'],
      ['equal bits', match.c_similarity, 'bits of the projection that are equal'],
      ...counts(match),
    ]),
    el('div', { class: 'row actions' },
      el('button', { type: 'button', onclick: compare }, 'What differs'),
      el('a', { class: 'button', href: `#browse/${encodeURIComponent(match.id)}` }, 'Open'),
      el('button', { type: 'button', class: 'danger', onclick: remove }, 'Remove')),
    marked);
  return item;
}

function meter(value) {
  return el('meter', { min: 0, max: 1, value, 'aria-label': `resemblance ${share(value)}` });
}
