// What all views share: telling what goes wrong, asking for the token, the line at the top.

import { Failure, ask, limits } from './api.js';
import { byId, bytes, plural } from './dom.js';

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
    + `${bytes(found.disk_bytes)}; look-alikes from resemblance ${recipe.threshold} on `
    + `(recipe ${recipe.name})`;
  return found;
}
