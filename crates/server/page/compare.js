// Compare two documents, and show side by side what differs.

import { Failure, ask, limits } from './api.js';
import { differenceOf } from './difference.js';
import { byId, grouped, show } from './dom.js';
import { attempt } from './notice.js';

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
