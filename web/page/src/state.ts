// The state of the view, kept in the address bar: a link shows the same to others.

export interface Shown {
  view: string;
  subject: string; kind: string; leg: string; prefix: string;
  /** Seconds since 1970.  `to` is empty while the view is live: then `span` seconds up to now. */
  from: string; to: string; span: string;
  order: string;
  /** Of the prefixes in a list, for IPv4 (IPv6: twice it); 32: whole addresses; or 'port' or 'flow'. */
  length: string;
  /** The other side of a comparison. */
  from_b: string; to_b: string; prefix_b: string;
}

const empty: Shown = {
  view: 'overview', subject: '', kind: '', leg: '', prefix: '', from: '', to: '', span: '3600', order: 'changed', length: '24',
  from_b: '', to_b: '', prefix_b: '',
};

export function read_state(): Shown {
  const state: Shown = { ...empty };
  for (const [key, value] of new URLSearchParams(location.hash.slice(1)))
    if (key in state) state[key as keyof Shown] = value.slice(0, 200);
  return state;
}

function text_of(state: Shown): string {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(state))
    if (value !== empty[key as keyof Shown]) query.set(key, value);
  return `#${query.toString()}`;
}

export function link_to(change: Partial<Shown>): string { return text_of({ ...read_state(), ...change }); }

/** Goes there; the back button returns. */
export function go(change: Partial<Shown>): void { location.hash = link_to(change); }

/** The same without a step for the back button. */
export function settle(change: Partial<Shown>): void { history.replaceState(null, '', link_to(change)); }

export interface Range { from: number; to: number; live: boolean }

export function range_of(state: Shown, now: number): Range {
  const from = Number(state.from), to = Number(state.to);
  if (state.from && state.to && Number.isFinite(from) && Number.isFinite(to) && from < to)
    return { from: Math.floor(from), to: Math.ceil(to), live: false };
  const span = Math.min(Math.max(Number(state.span) || 3600, 60), 366 * 86400);
  return { from: Math.floor(now - span), to: Math.ceil(now), live: true };
}
