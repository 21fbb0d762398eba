// What all views of the service share: the line at the top, and pages of something long.

import { ask, limits } from './api.js';
import { byId, bytes, el, plural } from './dom.js';
import { attempt } from './notice.js';

// One line about the index; also learns what the server takes.
export async function summarize() {
  const found = await ask('GET', '/v1/stats');
  limits.bodyBytes = found.limits.body_bytes;
  const recipe = found.recipe;
  byId('summary').textContent = `${plural(found.documents, 'document')} known, `
    + `${bytes(found.disk_bytes)}; look-alikes at resemblance ${recipe.threshold} or more `
    + `(recipe ${recipe.name})`;
  return found;
}

// Pages of something long, in the order of adding: where a person is, and the buttons to go on.
// `turn(after)` shows the page after a number, or the first one.
export function pages(turn) {
  // `after` of the pages before this one.
  const path = [];
  const to = (target, change) => (event) => attempt(async () => {
    change();
    await turn(path.at(-1));
    target.scrollIntoView({ block: 'start' });
  }, event.target.closest('.actions'));
  return {
    after: () => path.at(-1),
    isFirst: () => path.length === 0,
    // `next` is what the server said of the page that `target` shows.
    buttons: (target, next) => el('div', { class: 'row actions' },
      el('button', { type: 'button', disabled: path.length === 0,
        onclick: to(target, () => path.pop()) }, 'Earlier'),
      el('button', { type: 'button', disabled: next === null,
        onclick: to(target, () => path.push(next)) }, 'Later'),
      el('span', { class: 'soft' }, 'in the order of adding')),
  };
}
