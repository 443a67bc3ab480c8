// Compare: two times or two groups as overlaid distributions, and whether they differ.

import uPlot from 'uplot';
import { delay_ticks } from './axes';
import { ask, type Comparison, type Side } from './api';
import { chooser, completed } from './choose';
import { h, redraw, table } from './dom';
import { count, duration, interval, share, time } from './format';
import { go, range_of, settle, type Shown } from './state';
import type { Context } from './view';
import { verdict_text } from './who';

const sentences: Record<string, string> = {
  same: 'No change that chance or the tolerance would not explain.', slower: 'Delays rose.', faster: 'Delays fell.',
  'changed-shape': 'Some delays rose and some fell.', 'too-few': 'Too few independent samples on one side to tell.',
};

function title_of(side: Side): string {
  return `${time(side.from_s)} to ${time(side.to_s)}${side.prefix ? `, ${side.prefix}` : ''}`;
}

/** F at every delay that either side has. */
function aligned(a: Side, b: Side): [number[], (number | null)[], (number | null)[]] {
  const delays = [...new Set([...a.cdf.delay_ns, ...b.cdf.delay_ns])].sort((x, y) => x - y);
  const at = (side: Side): (number | null)[] => {
    const known = new Map(side.cdf.delay_ns.map((delay, i) => [delay, side.cdf.share[i]!]));
    let last: number | null = null;
    return delays.map(delay => (last = known.get(delay) ?? last));
  };
  return [delays, at(a), at(b)];
}

function form(state: Shown): HTMLElement {
  const field = (name: keyof Shown, label: string, type: string): HTMLElement => {
    const value = type === 'text' ? state[name] : state[name] ? local_text(Number(state[name])) : '';
    return h('label', {}, `${label} `, h('input', { name, type, value, step: 1 }));
  };
  return h('form', {
    class: 'chooser', 'aria-label': 'Two sides', onsubmit: event => {
      event.preventDefault();
      const entries = new FormData(event.target as HTMLFormElement);
      const change: Partial<Shown> = {};
      for (const [key, value] of entries)
        change[key as keyof Shown] = key.startsWith('prefix') ? String(value) : value ? String(new Date(String(value)).getTime() / 1000) : '';
      go(change);
    },
  }, h('fieldset', {}, h('legend', {}, 'A'), field('from', 'from', 'datetime-local'), field('to', 'to', 'datetime-local'), field('prefix', 'prefix', 'text')),
  h('fieldset', {}, h('legend', {}, 'B'), field('from_b', 'from', 'datetime-local'), field('to_b', 'to', 'datetime-local'), field('prefix_b', 'prefix', 'text')),
  h('button', { type: 'submit' }, 'Compare'));
}

function local_text(seconds: number): string { return time(seconds).replace(' ', 'T'); }

export async function compare(context: Context): Promise<void> {
  const state = completed(context);
  const range = range_of(state, context.status.now_s);
  const wide = range.to - range.from;
  // Without a second time: the stretch before the one shown.
  const b = state.from_b && state.to_b ? { from: Number(state.from_b), to: Number(state.to_b) } : { from: range.from, to: range.to };
  const a = state.from_b && state.to_b ? range : { from: range.from - wide, to: range.to - wide };
  const shown: Shown = {
    ...state, from: String(a.from), to: String(a.to), from_b: String(b.from), to_b: String(b.to),
    prefix_b: state.prefix_b || (state.from_b ? state.prefix_b : state.prefix),
  };
  settle({ subject: state.subject, kind: state.kind });
  const answer = await ask<Comparison>('compare', {
    subject_a: state.subject, kind_a: state.kind, leg_a: state.leg, prefix_a: shown.prefix, from_s_a: a.from, to_s_a: a.to,
    subject_b: state.subject, kind_b: state.kind, leg_b: state.leg, prefix_b: shown.prefix_b, from_s_b: b.from, to_s_b: b.to,
  }, context.signal);
  const verdict = h('p', { id: 'verdict', class: `verdict-line ${answer.verdict}` }, h('strong', {}, `${verdict_text(answer.verdict)}. `),
    sentences[answer.verdict] ?? '',
    answer.p_value === null ? '' : ` p ${answer.p_value < 1e-6 ? '< 0.000001' : `= ${answer.p_value.toPrecision(2)}`}` +
      `${answer.at_ns === null ? '' : `, most at ${duration(answer.at_ns)}`}; less than ${share(answer.tolerance)} is no change, ` +
      `one in ${count(1 / answer.false_alarm)} comparisons without a change says otherwise.`);
  const picture = h('div', { class: 'picture', role: 'img', id: 'cdf', 'aria-label': 'Shares of delays up to each length, A and B. A table follows.' });
  const numeric = true;
  const rows = [answer.a, answer.b].map((side, i) => [`${'AB'[i]}: ${title_of(side)}`, count(side.weight), count(side.effective_samples),
    ...side.quantiles.flatMap(q => [duration(q.delay_ns), interval(q.low_ns, q.high_ns)])]);
  for (const row of rows) while (row.length < 9) row.push('–');
  redraw(context.place, h('h2', {}, `Compare ${state.subject} · ${state.kind}`), chooser(context, { ...state, prefix: '' }, null),
    form(shown), verdict, picture,
    table('Both sides', [{ title: 'side' }, { title: 'samples', numeric }, { title: 'effective', numeric }, { title: 'median', numeric },
      { title: '95 % sure', numeric }, { title: 'p95', numeric }, { title: '95 % sure', numeric }, { title: 'p99', numeric }, { title: '95 % sure', numeric }],
    rows, 'sides'));
  const data = aligned(answer.a, answer.b);
  if (data[0].length === 0) {
    picture.replaceWith(h('p', { class: 'empty' }, 'Neither side has delays. Choose other times.'));
    return;
  }
  let plot: uPlot | null = null;
  const draw = (): void => {
    const ink = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
    const axis = { stroke: ink('--ink'), grid: { stroke: ink('--grid') }, ticks: { stroke: ink('--grid') } };
    const signed = data[0][0]! <= 0;
    const far = Math.max(-data[0][0]!, data[0][data[0].length - 1]!, 1000) * 1.3;
    const least = signed ? -far : data[0][0]! / 1.3, most = signed ? far : data[0][data[0].length - 1]! * 1.3;
    const stepped = uPlot.paths.stepped!({ align: 1 });
    plot?.destroy();
    plot = new uPlot({
      width: Math.max(260, picture.clientWidth), height: 320, legend: { show: false },
      scales: { x: { time: false, distr: signed ? 4 : 3, asinh: 1000, range: [least, most] }, y: { range: [0, 1.02] } },
      axes: [{ ...axis, splits: () => delay_ticks(least, most), filter: (_u, ticks) => ticks, values: (_u, ticks) => ticks.map(v => duration(v)) },
        { ...axis, size: 64, values: (_u, ticks) => ticks.map(v => `${Math.round(v * 100)} %`) }],
      series: [{}, { stroke: ink('--median'), width: 2, paths: stepped, points: { show: false } }, { stroke: ink('--p95'), width: 2, dash: [6, 4], paths: stepped, points: { show: false } }],
      cursor: { drag: { x: false, y: false } },
    }, data as uPlot.AlignedData, picture);
  };
  draw();
  picture.after(h('p', { class: 'legend' }, h('span', { class: 'key median' }), 'A, ', h('span', { class: 'key p95' }), 'B: share of delays up to each length.'));
  window.addEventListener('resize', draw, { signal: context.signal });
  window.addEventListener('sojourn-theme', draw, { signal: context.signal });
  context.signal.addEventListener('abort', () => plot?.destroy());
}
