// Path: points and segments found so far.

import { ask, type Clock, type Path } from './api';
import { h, redraw, table, type Child } from './dom';
import { ago, count, duration, interval, share } from './format';
import { link_to, range_of } from './state';
import type { Context } from './view';

function clock_text(clock: Clock | null): string {
  if (!clock) return 'not known';
  const told = clock.error_ns === null ? 'not synchronised' : `±${duration(clock.error_ns)} by NTP`;
  const found = clock.offset_low_ns === null || clock.offset_high_ns === null ? '' : `, ${interval(clock.offset_low_ns, clock.offset_high_ns)} apart by traffic`;
  return told + found;
}

function age(seconds: number | null, now: number): Child {
  if (seconds === null) return 'never';
  const old = now - seconds;
  return h('span', { class: old > 120 ? 'old' : '' }, `${ago(old)}${old > 120 ? ' – stale' : ''}`);
}

export async function path(context: Context): Promise<void> {
  const range = range_of(context.state, context.status.now_s);
  const answer = await ask<Path>('path', { from_s: range.from, to_s: range.to }, context.signal);
  const numeric = true;
  const parts: HTMLElement[] = [h('h2', {}, 'Path')];
  if (answer.points.length === 0)
    parts.push(h('p', { class: 'empty' }, 'No point has reported yet. Start one: sojourn point -i eth0 --name north --to this-machine'));
  else
    parts.push(table('Points', [{ title: 'point' }, { title: 'last report' }, { title: 'clock', numeric }],
      answer.points.map(point => [point.name, age(point.last_heard_s, answer.now_s),
        point.clock_error_ns === null ? 'not synchronised' : `±${duration(point.clock_error_ns)}`]), 'points'));
  if (answer.segments.length > 0)
    parts.push(table('Segments', [{ title: 'segment' }, { title: 'median', numeric }, { title: '95 % sure', numeric }, { title: 'p95', numeric },
      { title: 'loss', numeric }, { title: '95 % sure', numeric }, { title: 'samples', numeric }, { title: 'clocks' }, { title: 'newest' }],
    answer.segments.map(s => [h('a', { href: link_to({ view: 'overview', subject: s.subject, kind: 'oneway', leg: '', prefix: '' }) }, s.to === null ? s.subject : `${s.from} → ${s.to}`),
      duration(s.quantiles[0]?.delay_ns), s.quantiles[0] ? interval(s.quantiles[0].low_ns, s.quantiles[0].high_ns) : '–',
      duration(s.quantiles[1]?.delay_ns), s.loss ? share(s.loss.share) : '–', s.loss ? `${share(s.loss.low)} to ${share(s.loss.high)}` : '–',
      count(s.weight), clock_text(s.clock), age(s.newest_s, answer.now_s)]), 'segments'));
  if (answer.round_trips.length > 0)
    parts.push(table('Round trips', [{ title: 'point' }, { title: 'kind' }, { title: 'leg' }, { title: 'median', numeric }, { title: '95 % sure', numeric },
      { title: 'p95', numeric }, { title: 'samples', numeric }, { title: 'newest' }],
    answer.round_trips.map(r => [h('a', { href: link_to({ view: 'overview', subject: r.subject, kind: r.kind, leg: r.leg, prefix: '' }) }, r.subject),
      r.kind, r.leg, duration(r.quantiles[0]?.delay_ns), r.quantiles[0] ? interval(r.quantiles[0].low_ns, r.quantiles[0].high_ns) : '–',
      duration(r.quantiles[1]?.delay_ns), count(r.weight), age(r.newest_s, answer.now_s)]), 'round-trips'));
  redraw(context.place, ...parts);
}
