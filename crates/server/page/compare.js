// Compare two documents, and show side by side what differs.

import { Failure, ask, limits } from './api.js';
import { attempt } from './session.js';
import { byId, el, facts, grouped, plural, share, show } from './dom.js';

const form = byId('compare-form');

export function start() {
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    attempt(async () => {
      const pair = { a: side('a', 'first'), b: side('b', 'second') };
      const compared = await ask('POST', '/v1/compare', pair);
      show(byId('compare-answer'), differenceOf(compared, 'First', 'Second', true));
    }, form);
  });
  for (const name of ['a', 'b']) {
    const field = form.elements[name];
    dropInto(field, (file) => attempt(() => readInto(field, file)));
  }
}

function side(name, which) {
  const id = form.elements[`${name}-id`].value;
  const content = form.elements[name].value;
  if (id !== '' && content !== '') {
    throw new Failure(`The ${which} document has both a text and an id: empty one of the two.`);
  }
  if (id !== '') return { id };
  if (content === '') throw new Failure(`The ${which} document is missing: paste a text or give an id.`);
  return form.elements.kind.value === 'html' ? { html: content } : { text: content };
}

// Has a field take files that are dropped on it.
export function dropInto(field, take) {
  const zone = field.closest('.drop');
  zone.addEventListener('dragover', () => zone.classList.add('over'));
  zone.addEventListener('dragleave', () => zone.classList.remove('over'));
  zone.addEventListener('drop', (event) => {
    zone.classList.remove('over');
    event.preventDefault();
    const [file] = event.dataTransfer.files;
    if (file) take(file);
    else field.value = event.dataTransfer.getData('text');
  });
}

// Puts what a file says into a field.
export async function readInto(field, file) {
  if (limits.bodyBytes !== null && file.size > limits.bodyBytes) {
    throw new Failure(`${file.name} is too large: ${grouped(file.size)} bytes, and this server `
      + `takes ${grouped(limits.bodyBytes)}.`);
  }
  const bytes = await file.arrayBuffer();
  try {
    field.value = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Failure(`${file.name} is not a text in UTF-8.`);
  }
}

// What can be said of two documents, and where they differ.
export function differenceOf(compared, first, second, whole = false) {
  const parts = [];
  if (whole) {
    parts.push(el('p', { class: `verdict ${compared.look_alikes ? 'known' : 'new'}` },
      verdict(compared)));
    parts.push(el('meter', { min: 0, max: 1, value: compared.resemblance,
      'aria-label': `resemblance ${share(compared.resemblance)}` }));
    parts.push(facts([
      ['resemblance', share(compared.resemblance), 'shingles of both, out of those of either'],
      ['first in second', share(compared.containment_a)],
      ['second in first', share(compared.containment_b)],
      ['estimate', share(compared.estimate), 'resemblance as the sketches see it'],
      ['equal features', compared.b_similarity],
      ['equal bits', compared.c_similarity],
      ['words that differ', grouped(compared.term_difference)],
      ['shingles', `${grouped(compared.shingles_a)} and ${grouped(compared.shingles_b)}`],
    ]));
  }
  const { difference } = compared;
  if (compared.same_tokens) {
    parts.push(el('p', { class: 'soft' }, 'The same words in the same order: they differ at most in '
      + 'case, spaces and signs.'));
    return parts;
  }
  parts.push(el('p', { class: 'soft' }, `They differ in ${plural(difference.places, 'place')}: `
    + `${plural(difference.deleted, 'word')} only in the left one, `
    + `${plural(difference.inserted, 'word')} only in the right one.`));
  if (difference.template.length > 0) {
    parts.push(el('p', { class: 'soft' }, el('span', { class: 'template' }, 'Grey'),
      ' is the template of the site, which is not compared.'));
  }
  parts.push(columns(difference, first, second));
  if (difference.compared_bytes) {
    parts.push(el('p', { class: 'soft' }, 'They are large: only the first '
      + `${grouped(difference.compared_bytes)} bytes of each were compared word by word.`));
  } else if (difference.shortened) {
    parts.push(el('p', { class: 'soft' }, 'There is more than is shown here.'));
  }
  return parts;
}

function verdict(compared) {
  if (compared.same_tokens && compared.look_alikes) return 'Exact copies of each other.';
  const not = compared.look_alikes ? 'Look-alikes' : 'Not look-alikes';
  return `${not}: the recipe wants a resemblance of ${compared.threshold}.`;
}

// Pieces in two columns. A row is a passage between two gaps, so that both sides stay level.
function columns({ pieces, template }, first, second) {
  const body = el('tbody');
  let left = el('td');
  let right = el('td');
  const finish = () => {
    if (left.childNodes.length + right.childNodes.length > 0) body.append(el('tr', {}, left, right));
    [left, right] = [el('td'), el('td')];
  };
  const frame = new Set(template);
  for (const [number, piece] of pieces.entries()) {
    if (frame.has(number)) {
      left.append(el('span', { class: 'template' }, piece.equal), ' ');
      right.append(el('span', { class: 'template' }, piece.equal), ' ');
    } else if ('equal' in piece) {
      left.append(`${piece.equal} `);
      right.append(`${piece.equal} `);
    } else if ('deleted' in piece) {
      left.append(el('del', {}, piece.deleted), ' ');
    } else if ('inserted' in piece) {
      right.append(el('ins', {}, piece.inserted), ' ');
    } else {
      finish();
      body.append(el('tr', { class: 'gap' }, el('td', { colspan: 2 },
        frame.size ? `${plural(piece.gap, 'word')}, equal or template` : plural(piece.gap, 'equal word'))));
    }
  }
  finish();
  return el('table', { class: 'difference' },
    el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, first), el('th', { scope: 'col' }, second))),
    body);
}
