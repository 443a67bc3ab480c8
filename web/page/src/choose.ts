// The line of choices above a picture: subject, kind and time.

import { h, select } from './dom';
import { go, type Range, type Shown } from './state';
import type { Context } from './view';
import { length, time } from './format';

const spans = [600, 3600, 3 * 3600, 12 * 3600, 86400, 7 * 86400, 30 * 86400, 365 * 86400];

/** Subject and kind as asked for, or the first that there are. */
export function completed(context: Context): Shown {
  const { status, state } = context;
  const subject = status.subjects.find(s => s.name === state.subject) ?? status.subjects[0];
  const kind = subject && !subject.kinds.includes(state.kind) ? subject.kinds[0] ?? '' : state.kind;
  return { ...state, subject: subject?.name ?? '', kind, leg: state.leg === 'heaviest' ? '' : state.leg || (status.headlines[kind] ?? '') };
}

export function chooser(context: Context, state: Shown, range: Range | null): HTMLElement {
  const { status } = context;
  const subject = status.subjects.find(s => s.name === state.subject);
  const legs: [string, string][] = [['heaviest', 'heaviest leg'], ...status.legs.map((leg): [string, string] => [leg, leg])];
  const bar = h('form', { class: 'chooser', 'aria-label': 'What is shown', onsubmit: event => event.preventDefault() },
    select('Of', status.subjects.map(s => [s.name, s.name]), state.subject, subject => go({ subject, kind: '', leg: '', prefix: '' })),
    select('Kind', (subject?.kinds ?? []).map(k => [k, k]), state.kind, kind => go({ kind, leg: '' })));
  if (state.kind !== 'oneway') bar.append(select('Leg', legs, state.leg || 'heaviest', leg => go({ leg })));
  if (state.prefix) bar.append(h('span', { class: 'chip' }, `only ${state.prefix} `,
    h('button', { type: 'button', 'aria-label': `All prefixes instead of ${state.prefix}`, onclick: () => go({ prefix: '' }) }, '×')));
  if (range) {
    const known = range.live ? state.span : 'fixed';
    const options: [string, string][] = spans.map(s => [String(s), `last ${length(s)}`]);
    if (!options.some(([key]) => key === known))
      options.unshift([known, range.live ? `last ${length(Number(state.span))}` : `${time(range.from)} to ${time(range.to)}`]);
    bar.append(select('Time', options, known, span => { if (span !== 'fixed') go({ span, from: '', to: '' }); }));
  }
  return bar;
}
