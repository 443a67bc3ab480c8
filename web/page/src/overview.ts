// Overview: the delays over time, and how far they can be trusted.

import { ask, listen, type HeatmapData } from './api';
import { chooser, completed } from './choose';
import { h, redraw, table } from './dom';
import { ago, count, duration, interval, length, share, time } from './format';
import { Heatmap } from './heatmap';
import { merge } from './merge';
import { go, range_of, settle, type Range } from './state';
import { oneway_note, type Context } from './view';

function data_table(data: HeatmapData): HTMLElement {
  const s = data.series;
  const rows = [];
  for (let i = data.columns - 1; i >= 0; --i) {
    if (!s.weight[i] && s.loss[i] === null) continue;
    rows.push([time(data.from_s + i * data.step_s), count(s.weight[i]), count(s.effective_samples[i]),
      duration(s.median_ns[i]), interval(s.median_low_ns[i]!, s.median_high_ns[i]!),
      duration(s.p95_ns[i]), interval(s.p95_low_ns[i]!, s.p95_high_ns[i]!),
      ...(data.kind === 'oneway' ? [share(s.loss[i]), s.loss[i] === null ? '–' : `${share(s.loss_low[i])} to ${share(s.loss_high[i])}`] : [])]);
  }
  const numeric = true;
  return table(`Delays of ${data.subject}, ${data.kind}, each ${length(data.step_s)}`, [
    { title: 'from' }, { title: 'samples', numeric }, { title: 'effective', numeric }, { title: 'median', numeric },
    { title: '95 % sure', numeric }, { title: 'p95', numeric }, { title: '95 % sure', numeric },
    ...(data.kind === 'oneway' ? [{ title: 'loss', numeric }, { title: '95 % sure', numeric }] : []),
  ], rows, 'delays');
}

function summary(data: HeatmapData): string {
  const known = data.series.median_ns.filter(v => v !== null).length;
  const samples = data.series.weight.reduce((a, b) => a + b, 0);
  return `${count(samples)} samples in ${known} of ${data.columns} columns of ${length(data.step_s)}` +
    (data.leg ? `, leg ${data.leg}` : '') + (data.prefix ? `, only ${data.prefix}` : '') + '.';
}

function empty_words(context: Context, data: HeatmapData): string {
  const subject = context.status.subjects.find(s => s.name === data.subject);
  const newest = subject?.newest_s;
  if (newest && newest < data.from_s) return `Nothing in this time. The newest delays of ${data.subject} are of ${time(newest)}; choose a longer time.`;
  return `No delays of kind ${data.kind} in this time. Choose another kind or a longer time, or look at Health: do packets arrive?`;
}

function legend(): HTMLElement {
  return h('p', { class: 'legend' }, h('span', { class: 'key median' }), 'median, ', h('span', { class: 'key p95' }),
    '95 % of delays are below; bands are 95 % confidence. Colour is how many, paleness how few independent samples. ' +
    'Drag to zoom, click a column to see who; keys: ← → move, + − zoom, 0 back to now.');
}

function keys(place: HTMLElement, range: Range): void {
  place.addEventListener('keydown', event => {
    const wide = range.to - range.from;
    const show = (from: number, to: number): void => { event.preventDefault(); go({ from: String(Math.floor(from)), to: String(Math.ceil(to)) }); };
    if (event.key === 'ArrowLeft') show(range.from - wide / 4, range.to - wide / 4);
    else if (event.key === 'ArrowRight') show(range.from + wide / 4, range.to + wide / 4);
    else if (event.key === '+') show(range.from + wide / 4, range.to - wide / 4);
    else if (event.key === '-') show(range.from - wide / 2, range.to + wide / 2);
    else if (event.key === '0') { event.preventDefault(); go({ from: '', to: '' }); }
  });
}

export async function overview(context: Context): Promise<void> {
  const state = completed(context);
  settle({ subject: state.subject, kind: state.kind });
  const range = range_of(state, context.status.now_s);
  const question = { subject: state.subject, kind: state.kind, leg: state.leg, prefix: state.prefix };
  const columns = Math.max(40, Math.min(360, Math.floor(context.place.clientWidth / 4)));
  let data = await ask<HeatmapData>('heatmap', { ...question, from_s: range.from, to_s: range.to, columns }, context.signal);

  const words = h('p', { id: 'summary', 'aria-live': 'off' });
  const picture = h('div', { class: 'picture', tabindex: 0, role: 'img', id: 'heatmap' });
  const details = h('details', {}, h('summary', {}, 'The same as a table'));
  const nothing = h('p', { class: 'empty' });
  const fill = (): void => {
    words.textContent = summary(data);
    picture.setAttribute('aria-label', `Delays of ${data.subject}, ${data.kind}, over time. ${summary(data)} A table follows.`);
    nothing.textContent = data.cells.column.length === 0 ? empty_words(context, data) : '';
    nothing.hidden = data.cells.column.length > 0;
    if (details.open) details.replaceChildren(details.firstChild!, data_table(data));
  };
  details.addEventListener('toggle', fill);
  redraw(context.place, h('h2', {}, `${state.subject} · ${state.kind}`), chooser(context, state, range), nothing, picture,
    legend(), words, state.kind === 'oneway' ? h('p', { class: 'note' }, oneway_note) : '', details);
  const began = performance.now();
  const map = new Heatmap(picture, data, {
    select: (from, to) => go({ from: String(Math.floor(from)), to: String(Math.ceil(to)) }),
    click: (from, to) => go({ view: 'who', from: String(from), to: String(to) }),
  });
  Object.assign(window, { sojourn_place: (seconds: number, ns: number) => map.place_of(seconds, ns) });
  picture.dataset.drawnMs = (performance.now() - began).toFixed(1);
  picture.dataset.cells = String(data.cells.column.length);
  fill();
  keys(picture, range);
  const again = (): void => { map.show(data); };
  window.addEventListener('resize', again, { signal: context.signal });
  window.addEventListener('sojourn-theme', again, { signal: context.signal });
  context.signal.addEventListener('abort', () => map.destroy());
  if (!range.live) return;

  let lost = false;
  void listen({ ...question, leg: data.leg ?? state.leg, step_s: data.step_s }, context.signal, fresh => {
    data = merge(data, fresh);
    picture.dataset.liveColumns = String(Number(picture.dataset.liveColumns ?? 0) + 1);
    map.show(data);
    fill();
    context.banner(null);
  }, connected => {
    if (connected && lost)
      void ask<HeatmapData>('heatmap', { ...question, from_s: data.from_s, to_s: data.to_s, columns }, context.signal)
        .then(whole => { if (whole.step_s === data.step_s) { data = whole; map.show(data); fill(); } }, () => undefined);
    lost = !connected;
    context.banner(connected ? null : `The connection is lost; trying again.${data.written_s === null ? '' : ` The picture ends ${ago(Date.now() / 1000 - data.written_s)}.`}`, 'lost');
  });
}
