// The frame of the page: views, keys, the token.

import { ask } from './api.js';
import { byId, el, show } from './dom.js';
import { attempt, takeToken } from './notice.js';
import { summarize } from './session.js';
import * as check from './check.js';
import * as compare from './compare.js';
import * as browse from './browse.js';
import * as clusters from './clusters.js';
import * as stats from './stats.js';

const VIEWS = {
  check,
  compare,
  browse,
  clusters,
  stats,
  runs: { open: openRuns },
};

const current = () => {
  const name = location.hash.slice(1).split('/')[0];
  return name in VIEWS ? name : 'check';
};

async function open() {
  const name = current();
  for (const view of Object.keys(VIEWS)) byId(view).hidden = view !== name;
  for (const link of document.querySelectorAll('nav a')) {
    if (link.hash === `#${name}`) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  await VIEWS[name].open?.(location.hash.slice(1).split('/').slice(1).join('/'));
}

async function openRuns() {
  const { runs } = await ask('GET', '/v1/runs');
  const none = el('p', { class: 'soft' }, 'None are shown. ', el('code', {},
    'lookalike serve INDEX --runs DIR'), ' shows the report of the run in DIR.');
  const links = runs.map((run) => el('li', {},
    el('a', { href: run.href, target: '_blank', rel: 'noopener' }, run.name)));
  show(byId('runs-answer'), runs.length === 0 ? none : el('ul', { class: 'list' }, links));
}

// Keys work where nothing is being written.
document.addEventListener('keydown', (event) => {
  const writing = event.target.closest('input, textarea, select') !== null;
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
    const form = event.target.closest('form');
    if (form) {
      event.preventDefault();
      form.requestSubmit();
    }
  } else if (writing || event.ctrlKey || event.metaKey || event.altKey) {
    if (event.key === 'Escape') event.target.blur();
  } else if (event.key === '/') {
    const field = byId(current()).querySelector('textarea, input');
    if (field) {
      event.preventDefault();
      field.focus();
    }
  } else {
    const link = document.querySelector(`nav a[data-key="${CSS.escape(event.key)}"]`);
    if (link) location.hash = link.hash;
  }
});

// Files that are dropped beside a field would take the place of the page.
for (const kind of ['dragover', 'drop']) {
  document.addEventListener(kind, (event) => event.preventDefault());
}

takeToken(summarize, open);
window.addEventListener('hashchange', () => attempt(open));
check.start();
compare.start();
browse.start();
for (const view of Object.keys(VIEWS)) byId(view).hidden = view !== current();
attempt(async () => {
  await summarize();
  await open();
});
