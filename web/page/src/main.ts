// The page: the current view, and error messages.

import { alarms } from './alarms';
import { ApiTrouble, ask, remember_token, type Status } from './api';
import { compare } from './compare';
import { h } from './dom';
import { ago, time } from './format';
import { health } from './health';
import { overview } from './overview';
import { path } from './path';
import { link_to, read_state } from './state';
import type { View } from './view';
import { who } from './who';

const views: Record<string, { title: string; view: View; needs_data: boolean }> = {
  overview: { title: 'Overview', view: overview, needs_data: true },
  who: { title: 'Who', view: who, needs_data: true },
  compare: { title: 'Compare', view: compare, needs_data: true },
  path: { title: 'Path', view: path, needs_data: false },
  health: { title: 'Health', view: health, needs_data: false },
  alarms: { title: 'Alarms', view: alarms, needs_data: false },
};

const element = (id: string): HTMLElement => document.getElementById(id)!;
let current = new AbortController();
let retry = 0;

function banner(sentence: string | null, kind: 'stale' | 'lost' = 'stale'): void {
  const place = element('banner');
  place.hidden = sentence === null;
  place.className = kind;
  if (place.textContent !== (sentence ?? '')) place.textContent = sentence ?? '';
}

function show_navigation(): void {
  const chosen = read_state().view;
  element('views').replaceChildren(...Object.entries(views).map(([key, { title }]) =>
    h('a', { href: link_to({ view: key }), 'aria-current': key === chosen ? 'page' : undefined }, title)));
}

function ask_for_token(): void {
  const field = h('input', { type: 'password', id: 'token', autocomplete: 'off', required: true });
  element('content').replaceChildren(h('h2', {}, 'A token is needed'), h('form', {
    class: 'chooser', onsubmit: event => { event.preventDefault(); remember_token(field.value.trim()); void show(); },
  }, h('label', {}, 'Token ', field), h('button', { type: 'submit' }, 'Show'),
  h('p', { class: 'note' }, 'It is in the file that --web-token-file names, and is forgotten when this tab is closed.')));
}

function check_age(status: Status): void {
  const old = status.written_s === null ? 0 : status.now_s - status.written_s;
  if (status.written_s !== null && old > 60)
    banner(`Stale: the store was last written ${ago(old)}, at ${time(status.written_s)}. Is the collector running?`, 'stale');
  else banner(null);
}

async function show(): Promise<void> {
  current.abort();
  current = new AbortController();
  const { signal } = current;
  window.clearTimeout(retry);
  show_navigation();
  const state = read_state();
  const chosen = views[state.view] ?? views.overview!;
  document.title = `${chosen.title} – Sojourn`;
  const content = element('content');
  content.setAttribute('aria-busy', 'true');
  try {
    const status = await ask<Status>('status', {}, signal);
    if (signal.aborted) return;
    element('footer').textContent = `sojourn ${status.version} · times are of this browser · API: /api/v1/ · metrics: /metrics`;
    check_age(status);
    if (chosen.needs_data && status.subjects.length === 0) {
      content.replaceChildren(h('h2', {}, chosen.title), h('p', { class: 'empty' },
        'Nothing has been measured yet. The first delays come some ten seconds after the first packets; Health tells whether packets arrive. This page looks again by itself.'));
      retry = window.setTimeout(() => void show(), 3000);
    } else {
      await chosen.view({ status, state, place: content, signal, banner });
    }
  } catch (error) {
    if (signal.aborted) return;
    if (error instanceof ApiTrouble && error.status === 401) ask_for_token();
    else if (error instanceof ApiTrouble && error.status === 400)
      content.replaceChildren(h('h2', {}, 'This cannot be shown'), h('p', { class: 'empty' }, error.message),
        h('p', {}, h('a', { href: '#' }, 'Back to the overview')));
    else {
      banner(error instanceof Error ? error.message : String(error), 'lost');
      retry = window.setTimeout(() => void show(), 3000);
    }
  } finally {
    if (!signal.aborted) content.removeAttribute('aria-busy');
  }
}

function set_theme(theme: string): void {
  document.documentElement.dataset.theme = theme;
  element('theme').textContent = theme === 'dark' ? 'Light' : 'Dark';
  element('theme').setAttribute('aria-label', `${theme === 'dark' ? 'Light' : 'Dark'} theme`);
  window.dispatchEvent(new Event('sojourn-theme'));
}

const preferred = localStorage.getItem('sojourn-theme') ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
set_theme(preferred);
element('theme').addEventListener('click', () => {
  const theme = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark';
  localStorage.setItem('sojourn-theme', theme);
  set_theme(theme);
});
window.addEventListener('hashchange', () => void show());
void show();
