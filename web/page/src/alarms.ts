// Alarms: current and past, why, since when, and how certain.

import { ask, type Alarms } from './api';
import { h, redraw, table } from './dom';
import { duration, interval, length, time } from './format';
import { link_to } from './state';
import type { Context } from './view';

/** The prefix of "server 192.0.2.0/24", where there is just one. */
function prefix_of(groups: string[]): string {
  return groups.length === 1 ? groups[0]!.split(' ').find(word => word.includes('/')) ?? '' : '';
}

function groups_text(groups: string[]): string {
  if (groups.length === 0) return 'all traffic';
  return groups.length <= 2 ? groups.join(', ') : `${groups[0]}, ${groups[1]} and ${groups.length - 2} more`;
}

export async function alarms(context: Context): Promise<void> {
  const answer = await ask<Alarms>('alarms', {}, context.signal);
  const current = answer.alarms.filter(alarm => alarm.until_s === null), past = answer.alarms.filter(alarm => alarm.until_s !== null);
  const numeric = true;
  const rows = (list: Alarms['alarms']) => list.map(alarm => [alarm.rule,
    h('a', { href: link_to({ view: 'overview', subject: alarm.subject, prefix: prefix_of(alarm.groups), from: String(alarm.since_s - 3600), to: String((alarm.until_s ?? answer.now_s) + 600) }) },
      alarm.subject), groups_text(alarm.groups),
    alarm.why, duration(alarm.value_ns), interval(alarm.low_ns, alarm.high_ns), duration(alarm.bound_ns), time(alarm.since_s),
    length(Math.round((alarm.until_s ?? answer.now_s) - alarm.since_s))]);
  const columns = [{ title: 'rule' }, { title: 'where' }, { title: 'who' }, { title: 'why' }, { title: 'value', numeric }, { title: 'surely', numeric },
    { title: 'bound', numeric }, { title: 'since' }, { title: 'for', numeric }];
  redraw(context.place, h('h2', {}, 'Alarms'),
    current.length ? table(`Now: ${current.length}`, columns, rows(current), 'alarms-now') : h('p', { class: 'empty good', id: 'no-alarms' }, '✓ No alarm now. Rules are given with --alarm.'),
    past.length ? table('Past', columns, rows(past), 'alarms-past') : h('p', { class: 'note' }, 'None in the past.'));
}
