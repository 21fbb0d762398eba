// What all views share: telling what goes wrong, asking for the token, the line at the top.

import { Failure, ask, limits } from './api.js';
import { byId, bytes, el, plural } from './dom.js';

const notice = byId('notice');

// Runs something that may fail, and tells the person if it does. Buttons rest meanwhile.
export async function attempt(work, form) {
  const buttons = form ? [...form.querySelectorAll('button')] : [];
  for (const button of buttons) button.disabled = true;
  try {
    const done = await work();
    tell(null);
    return done;
  } catch (error) {
    if (!(error instanceof Failure)) {
      tell(`A fault in this page itself: ${error.message}`);
      throw error;
    }
    if (error.kind === 'token') askForToken(error.message);
    else tell(error.message);
    return undefined;
  } finally {
    for (const button of buttons) button.disabled = false;
  }
}

function tell(message) {
  notice.hidden = !message;
  notice.textContent = message ?? '';
  if (message) notice.scrollIntoView({ block: 'nearest' });
}

function askForToken(message) {
  tell(message);
  const form = byId('token');
  form.hidden = false;
  byId('main').hidden = true;
  form.elements.token.focus();
}

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
