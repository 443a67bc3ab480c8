// Who: the groups behind a stretch of time, against the same hours before.

import { ask, type Groups } from './api';
import { chooser, completed } from './choose';
import { h, redraw, select, table } from './dom';
import { count, duration, interval, share, time } from './format';
import { go, link_to, range_of, settle } from './state';
import type { Context } from './view';

const lengths: [string, string][] = [['flow', 'flow, if kept'], ['port', 'port, if kept'], ['32', 'host, if kept'], ['24', 'prefix /24'], ['16', 'prefix /16'], ['8', 'prefix /8']];

const words: Record<string, [string, string]> = { flow: ['flow', 'flows'], port: ['server’s port', 'ports'], 32: ['host or prefix', 'hosts or prefixes'] };

/** A whole address is a host, and needs no length. */
export function group_name(prefix: string): string { return prefix.replace(/^([\d.]+)\/32$|^([\da-f:]+)\/128$/, '$1$2'); }

const marks: Record<string, string> = { slower: '▲ slower', faster: '▼ faster', same: '= same', new: '✳ new' };

export function verdict_text(verdict: string): string { return marks[verdict] ?? verdict; }

export async function who(context: Context): Promise<void> {
  const state = completed(context);
  settle({ subject: state.subject, kind: state.kind });
  const range = range_of(state, context.status.now_s);
  const is_kind = state.length === 'port' || state.length === 'flow';
  const [one, many] = words[state.length] ?? ['prefix', 'prefixes'];
  const answer = await ask<Groups>('groups', {
    subject: state.subject, kind: state.kind, leg: state.leg, prefix: state.prefix, from_s: range.from, to_s: range.to,
    order: state.order, limit: 200, ...(is_kind ? { by: state.length } : { length: state.length }),
  }, context.signal);
  const numeric = true;
  const oneway = state.kind === 'oneway';
  const rows = answer.groups.map(group => {
    const median = group.quantiles[0], p95 = group.quantiles[1], before = group.before?.quantiles[1];
    const compare = link_to({
      view: 'compare', prefix: group.prefix, prefix_b: group.prefix, from: String(answer.before_from_s), to: String(answer.before_to_s),
      from_b: String(answer.from_s), to_b: String(answer.to_s),
    });
    return [
      h('a', { href: link_to({ view: 'overview', prefix: group.prefix }) }, group_name(group.prefix)),
      h('a', { href: compare, class: `verdict ${group.verdict}` }, verdict_text(group.verdict)),
      duration(median?.delay_ns), duration(p95?.delay_ns), p95 ? interval(p95.low_ns, p95.high_ns) : '–',
      before ? duration(before.delay_ns) : '–', count(group.weight), count(group.effective_samples),
      ...(oneway ? [group.loss ? share(group.loss.share) : '–'] : []),
    ];
  });
  redraw(context.place,
    h('h2', {}, `Who is behind ${state.subject} · ${state.kind}`), chooser(context, state, range),
    h('form', { class: 'chooser', 'aria-label': 'Order', onsubmit: event => event.preventDefault() },
      select('First', [['changed', 'most changed'], ['worst', 'worst p95'], ['heaviest', 'most samples']], state.order, order => go({ order })),
      select('By', lengths.some(([value]) => value === state.length) ? lengths : [[state.length, `prefix /${state.length}`], ...lengths],
        state.length, length => go({ length }))),
    h('p', { class: 'note' }, `${count(answer.found)} ${many} from ${time(answer.from_s)} to ${time(answer.to_s)}` +
      `${answer.leg ? `, leg ${answer.leg}` : ''}, against ${time(answer.before_from_s)} to ${time(answer.before_to_s)}. A change of less than ` +
      `${share(answer.tolerance)} is none; one of ${count(1 / answer.false_alarm)} such lists calls something changed that is not.`),
    rows.length === 0
      ? h('p', { class: 'empty' }, is_kind
        ? `No ${many} in this time. They come from \`watch --prefix ${state.length}\` and \`point --prefix ${state.length}\`; choose a longer time, or another list.`
        : 'No prefixes in this time. They come from `point --prefix`, `watch --prefix` and segments; choose a longer time.')
      : table('Groups', [{ title: one }, { title: 'against before' }, { title: 'median', numeric }, { title: 'p95', numeric },
        { title: '95 % sure', numeric }, { title: 'p95 before', numeric }, { title: 'samples', numeric }, { title: 'effective', numeric },
        ...(oneway ? [{ title: 'loss', numeric }] : [])], rows, 'groups'));
}
