// Two documents side by side, with what differs marked: for every view that compares.

import { el, facts, grouped, plural, share } from './dom.js';

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
      ['edits', bounds(compared.edit_distance), 'words to remove or add, however often each'],
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
      ` is left out of the comparison: ${[...new Set(difference.reasons)].map(reason).join(', ')}.`));
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

// Why something is left out, in words.
function reason(name) {
  const words = {
    title: 'the title',
    landmark: 'landmarks such as navigation',
    control: 'buttons and fields',
    dialog: 'dialogs',
    hidden: 'hidden blocks',
    'outside-main': 'what is outside the main part',
    menu: 'menus',
    template: 'the template of the site',
  };
  return words[name] ?? name;
}

function verdict(compared) {
  if (compared.same_tokens && compared.look_alikes) return 'Exact copies of each other.';
  const not = compared.look_alikes ? 'Look-alikes' : 'Not look-alikes';
  return `${not}: the recipe wants a resemblance of ${compared.threshold}.`;
}

// Pieces in two columns. A row is a passage between two gaps, so that both sides stay level.
function columns({ pieces, template, reasons }, first, second) {
  const body = el('tbody');
  let left = el('td');
  let right = el('td');
  const finish = () => {
    if (left.childNodes.length + right.childNodes.length > 0) body.append(el('tr', {}, left, right));
    [left, right] = [el('td'), el('td')];
  };
  const frame = new Map(template.map((number, at) => [number, reason(reasons[at])]));
  for (const [number, piece] of pieces.entries()) {
    if (frame.has(number)) {
      const attributes = { class: 'template', title: `left out: ${frame.get(number)}` };
      left.append(el('span', attributes, piece.equal), ' ');
      right.append(el('span', attributes, piece.equal), ' ');
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
        frame.size ? `${plural(piece.gap, 'word')}, equal or left out` : plural(piece.gap, 'equal word'))));
    }
  }
  finish();
  return el('table', { class: 'difference' },
    el('thead', {}, el('tr', {}, el('th', { scope: 'col' }, first), el('th', { scope: 'col' }, second))),
    body);
}

// A distance, or what it lies between.
function bounds({ at_least: least, at_most: most }) {
  return least === most ? grouped(most) : `${grouped(least)} to ${grouped(most)}`;
}
