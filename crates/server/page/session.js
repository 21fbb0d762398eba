// What all views of the service share: the line at the top, pages of something long, and what the
// server looks for piece by piece.

import { ask, limits } from './api.js';
import { byId, bytes, el, grouped, plural, show } from './dom.js';
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

// What gathers for a target: the last one that began.
const latest = new WeakMap();

// Gathers what the server looks for piece by piece, since a request does so much work and no more.
// `piece(after, limit)` asks for some more: `{ found, next, end }`. It goes on until there are
// `wanted`, no more come, a person has seen enough, or another view is open. `frame` is shown, and
// what `draw` makes of each is put into `list`, a part of it; meanwhile the person sees how far it is,
// and at the end what `close(count, next)` gives.
export async function gather({ target, frame, list, wanted, after, piece, draw, close }) {
  const own = {};
  latest.set(target, own);
  const status = el('div');
  let enough = false;
  const tell = (next, end, count) => show(status, el('div', { class: 'progress', role: 'status' },
    el('progress', end ? { max: end, value: Math.min(next + 1, end) } : {}),
    el('span', { class: 'soft' }, end ? `Looked through ${grouped(Math.min(next + 1, end))} of `
      + `${grouped(end)}, found ${grouped(count)} ...` : 'Looking through the documents ...'),
    el('button', { type: 'button', onclick: () => { enough = true; } }, 'Stop')));
  let [next, count] = [after ?? null, 0];
  frame.hidden = true;
  show(target, frame, status);
  tell(next, null, 0);
  try {
    do {
      const more = await piece(next, wanted - count);
      if (latest.get(target) !== own) return;
      count += more.found.length;
      list.append(...more.found.map(draw));
      frame.hidden = count === 0;
      next = more.next;
      if (next !== null) tell(next, more.end, count);
    } while (next !== null && count < wanted && !enough && !target.closest('section').hidden);
  } catch (error) {
    if (latest.get(target) === own) show(status, close(count, null, true));
    throw error;
  }
  show(status, close(count, next, false));
}
