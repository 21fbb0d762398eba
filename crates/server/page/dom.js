// Elements, made of text only: nothing that a document says can become markup.

const SVG = 'http://www.w3.org/2000/svg';

// An element with attributes, listeners (`onclick`) and children, which are elements or text.
export function el(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

// The same for pictures.
export function svg(name, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, name), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

export const byId = (id) => document.getElementById(id);

// Puts these in the place of whatever an element has.
export function show(element, ...children) {
  element.replaceChildren(...children.flat().filter((child) => child !== null));
}

// A text whose direction of writing cannot turn what stands beside it.
export const bdi = (text) => el('bdi', {}, text);

export const grouped = (number) => number.toLocaleString('en');

export const plural = (number, word) => `${grouped(number)} ${word}${number === 1 ? '' : 's'}`;

export function bytes(number) {
  const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];
  let unit = 0;
  while (number >= 1024 && unit + 1 < units.length) {
    number /= 1024;
    unit += 1;
  }
  return `${unit === 0 ? number : number.toFixed(number < 10 ? 1 : 0)} ${units[unit]}`;
}

export function when(seconds) {
  return seconds ? moment(seconds) : 'at an unknown time';
}

function moment(seconds) {
  return new Date(seconds * 1000).toLocaleString('en', { dateStyle: 'medium', timeStyle: 'short' });
}

// A share with as many digits as tell it from all and from nothing.
export function share(value) {
  if (value === null || value === undefined) return null;
  const text = value.toFixed(4);
  if (value < 1 && text === '1.0000') return '> 0.9999';
  if (value > 0 && text === '0.0000') return '< 0.0001';
  return text;
}

// How often a document was found, as facts.
export function counts(found) {
  const date = (seconds) => (seconds === null ? null : moment(seconds));
  return [
    ['copies', `${found.at_least ? 'at least ' : ''}${grouped(found.copies)}`,
      'documents that it stands for, itself included'],
    ['exact copies', grouped(found.exact_copies), 'those with its words in its order'],
    ['sources', grouped(found.sources), 'where they came from'],
    ['first', date(found.first), 'the earliest date of them'],
    ['last', date(found.last), 'the latest date of them'],
  ];
}

// A name and its value, of those that have one.
export function facts(rows) {
  const known = rows.filter(([, value]) => value !== null && value !== undefined);
  return el('dl', { class: 'facts' }, known.map(([name, value, meaning]) => el('div', {},
    el('dt', { title: meaning }, name), el('dd', {}, value))));
}
