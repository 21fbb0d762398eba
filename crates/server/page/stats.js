// Numbers about the index and the server, with small plots of our own.

import { summarize } from './session.js';
import { byId, bytes, el, facts, grouped, plural, show, svg } from './dom.js';

const WIDTH = 360;
const HEIGHT = 150;
const LEFT = 8;
const BASE = 118;
const TOP = 22;

export async function open() {
  const found = await summarize();
  const since = found.since_start;
  show(byId('stats-answer'),
    facts([
      ['documents', grouped(found.documents)],
      ['on disk', bytes(found.disk_bytes)],
      ['bytes a document', found.documents ? grouped(Math.round(found.disk_bytes / found.documents)) : null],
      ['removed, not yet compacted', grouped(found.removed)],
      ['recipe', found.recipe.name],
      ['threshold', found.recipe.threshold],
      ['verified by', found.recipe.verify === 'exact' ? 'exact resemblance' : found.recipe.verify],
      ['texts', found.stores_text ? 'stored' : 'not stored'],
      ['running for', duration(since.seconds)],
      ['requests', grouped(since.requests)],
      ['largest body', bytes(found.limits.body_bytes)],
    ]),
    el('div', { class: 'plots' },
      plot('Documents since the start', line(since.documents), since.documents.length < 2),
      plot('Resemblance of look-alikes that checks found', bars(since.resemblances, resemblanceLabel,
        [[0, '0'], [10, '0.5'], [20, '1']]), since.resemblances.every((n) => n === 0)),
      plot('Lengths of documents that were added', bars(since.lengths, lengthLabel,
        [[0, '128 B'], [7, '16 KiB'], [14, '2 MiB']]), since.lengths.every((n) => n === 0))));
}

const resemblanceLabel = (n) => `${(n / 20).toFixed(2)} to ${((n + 1) / 20).toFixed(2)}`;
const lengthLabel = (n) => (n === 17 ? 'longer' : `up to ${bytes(2 ** (n + 7))}`);

function duration(seconds) {
  if (seconds < 120) return plural(seconds, 'second');
  if (seconds < 7200) return plural(Math.floor(seconds / 60), 'minute');
  return plural(Math.floor(seconds / 3600), 'hour');
}

function plot(title, picture, empty) {
  return el('figure', { class: 'card' }, el('figcaption', {}, title),
    empty ? el('p', { class: 'soft' }, 'Nothing yet.') : picture);
}

function frame(description, ...children) {
  return svg('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img', 'aria-label': description,
    class: 'plot' },
    svg('line', { class: 'axis', x1: LEFT, x2: WIDTH - LEFT, y1: BASE, y2: BASE }), ...children);
}

const label = (x, y, text, anchor) => svg('text', { x, y, 'text-anchor': anchor }, text);

function bars(counts, name, ticks) {
  const most = Math.max(...counts, 1);
  const step = (WIDTH - 2 * LEFT) / counts.length;
  const columns = counts.map((count, n) => {
    const height = count === 0 ? 0 : Math.max(2, (BASE - TOP) * count / most);
    return svg('rect', { class: 'bar', x: LEFT + n * step + 1, width: step - 2, y: BASE - height,
      height, rx: 1.5 }, svg('title', {}, `${name(n)}: ${grouped(count)}`));
  });
  const marks = ticks.map(([n, text]) => label(LEFT + n * step, BASE + 18, text,
    n === 0 ? 'start' : n >= counts.length ? 'end' : 'middle'));
  const all = counts.map((count, n) => (count ? `${name(n)}: ${count}` : '')).filter(Boolean);
  return frame(all.join('; '), ...columns, ...marks,
    label(WIDTH - LEFT, 12, `at most ${grouped(most)}`, 'end'));
}

function line(points) {
  const times = points.map(([time]) => time);
  const counts = points.map(([, count]) => count);
  const [start, end] = [Math.min(...times), Math.max(...times, 1)];
  const most = Math.max(...counts, 1);
  const x = (time) => LEFT + (WIDTH - 2 * LEFT) * (time - start) / Math.max(end - start, 1);
  const y = (count) => BASE - (BASE - TOP - 4) * count / most;
  const path = points.map(([time, count]) => `${x(time).toFixed(1)},${y(count).toFixed(1)}`);
  const area = [`${x(start)},${BASE}`, ...path, `${x(end)},${BASE}`].join(' ');
  return frame(`from ${counts[0]} to ${counts.at(-1)} documents in ${duration(end - start)}`,
    svg('polygon', { class: 'area', points: area }),
    svg('polyline', { class: 'curve', points: path.join(' ') }),
    label(LEFT, BASE + 18, 'start', 'start'),
    label(WIDTH - LEFT, BASE + 18, `after ${duration(end - start)}`, 'end'),
    label(WIDTH - LEFT, 12, `at most ${grouped(most)}`, 'end'));
}
