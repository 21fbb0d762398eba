// Tells what goes wrong, and asks for the token.

import { Failure, token } from './api.js';
import { byId } from './dom.js';

const notice = byId('notice');

// Runs something that may fail, and tells the person if it does. Buttons rest meanwhile.
export async function attempt(work, form) {
  const buttons = form ? [...form.querySelectorAll('button')] : [];
  for (const button of buttons) button.disabled = true;
  // What was wrong before says nothing of what is done now, which may take its time.
  tell(null);
  try {
    return await work();
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

// Has the token that a person enters used: `greet` fails if it is wrong, and then `open` shows what
// was asked for.
export function takeToken(greet, open) {
  byId('token').addEventListener('submit', (event) => {
    event.preventDefault();
    const field = byId('token').elements.token;
    token.set(field.value.trim());
    field.value = '';
    attempt(async () => {
      await greet();
      byId('token').hidden = true;
      byId('main').hidden = false;
      await open();
    });
  });
}
