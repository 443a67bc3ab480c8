// Health: whether everything adds up, and what it costs.

import { ask, type Health } from './api';
import { h, redraw, table, type Child } from './dom';
import { ago, bytes, count, duration, time } from './format';
import type { Context } from './view';

function value_text(key: string, value: unknown): string {
  if (typeof value !== 'number') return typeof value === 'string' ? value : JSON.stringify(value);
  if (key === 'bytes' || key.endsWith('_bytes')) return bytes(value);
  if (key.startsWith('ns_')) return `${value.toFixed(0)} ns`;
  if (key.endsWith('_seconds')) return `${value.toFixed(1)} s`;
  return count(value);
}

function flat(object: Record<string, unknown>, before = ''): [string, string][] {
  return Object.entries(object).flatMap(([key, value]): [string, string][] =>
    value !== null && typeof value === 'object' && !Array.isArray(value) ? flat(value as Record<string, unknown>, `${before}${key} `)
      : [[`${before}${key}`.replaceAll('_', ' '), value === null ? '–' : value_text(key, value)]]);
}

export async function health(context: Context): Promise<void> {
  const answer = await ask<Health>('health', {}, context.signal);
  const numeric = true;
  const faults = answer.ledgers.filter(ledger => ledger.fault !== null);
  const dropped = answer.ledgers.reduce((sum, ledger) => sum + (ledger.accounts.packets_dropped ?? 0), 0);
  const parts: HTMLElement[] = [h('h2', {}, 'Health'),
    h('p', { id: 'adds-up', class: faults.length ? 'bad' : answer.ledgers.length ? 'good' : '' },
      faults.length ? `✗ ${faults.length} ledgers do not add up: ${faults[0]!.point}: ${faults[0]!.fault}`
        : answer.ledgers.length ? '✓ Every ledger adds up.' : 'No point has reported yet: start `sojourn point` or `sojourn watch`.'),
    ...(answer.ledgers.length === 0 ? []
      : [h('p', { class: dropped ? 'bad' : 'good' }, dropped ? `✗ The kernel dropped ${count(dropped)} packets before they could be read.` : '✓ The kernel dropped no packet.')]),
    h('p', {}, answer.written_s === null ? 'Nothing was written to the store yet.' : `The store was last written ${ago(answer.now_s - answer.written_s)}.`)];
  const names = [...new Set(answer.ledgers.flatMap(ledger => Object.keys(ledger.accounts)))]
    .filter(name => answer.ledgers.some(ledger => ledger.accounts[name]));
  if (answer.ledgers.length > 0)
    parts.push(table('What became of packets and records', [{ title: 'account' }, ...answer.ledgers.map(l => ({ title: `${l.point} since ${time(l.first_heard_s)}`, numeric }))],
      [['clock', ...answer.ledgers.map(l => l.clock_error_ns === null ? 'not synchronised' : `±${duration(l.clock_error_ns)}`)] as Child[],
        ...names.map((name): Child[] => [name.replaceAll('_', ' '), ...answer.ledgers.map(l => count(l.accounts[name]))])], 'ledger'));
  parts.push(table('This process', [{ title: 'what' }, { title: 'value', numeric }], flat(answer.process), 'process'));
  redraw(context.place, ...parts);
}
