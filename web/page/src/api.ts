// Uses only the API of docs/design/web.md, which is open to every client.

export interface Quantile { q: number; delay_ns: number; low_ns: number | null; high_ns: number | null }
export interface Loss { sent: number; arrived: number; unseen: number; share: number; low: number; high: number }
export interface Delays { weight: number; effective_samples: number; mean_ns: number | null; quantiles: Quantile[] }
export interface Subject { name: string; segment: boolean; kinds: string[]; newest_s: number | null }
export interface Status {
  version: string; now_s: number; written_s: number | null; judged_until_s: number | null;
  legs: string[]; headlines: Record<string, string>; subjects: Subject[];
}
export type Numbers = (number | null)[];
export interface HeatmapData {
  subject: string; kind: string; leg: string | null; prefix: string | null;
  from_s: number; to_s: number; step_s: number; columns: number;
  written_s: number | null; judged_until_s: number | null;
  rows: { first: number; low_ns: number[]; high_ns: number[] };
  cells: { column: number[]; row: number[]; weight: number[] };
  series: {
    weight: number[]; effective_samples: number[];
    median_ns: Numbers; median_low_ns: Numbers; median_high_ns: Numbers;
    p95_ns: Numbers; p95_low_ns: Numbers; p95_high_ns: Numbers;
    loss: Numbers; loss_low: Numbers; loss_high: Numbers; sent: Numbers;
  };
}
export interface Group extends Delays {
  prefix: string; loss: Loss | null; before: Delays | null; verdict: string; p_value: number | null;
}
export interface Groups {
  leg: string | null; from_s: number; to_s: number; before_from_s: number; before_to_s: number; found: number;
  false_alarm: number; tolerance: number; groups: Group[];
}
export interface Side extends Delays {
  subject: string; kind: string; leg: string | null; prefix: string | null; from_s: number; to_s: number;
  cdf: { delay_ns: number[]; share: number[] };
}
export interface Comparison {
  a: Side; b: Side; verdict: string; p_value: number | null; at_ns: number | null; tolerance: number; false_alarm: number;
}
export interface Clock { error_ns: number | null; offset_low_ns: number | null; offset_high_ns: number | null }
export interface PathSegment extends Delays {
  subject: string; from: string; to: string | null; newest_s: number | null; loss: Loss | null; clock: Clock | null;
}
export interface RoundTrip extends Delays { subject: string; kind: string; leg: string; newest_s: number | null }
export interface Path {
  now_s: number; points: { name: string; last_heard_s: number; clock_error_ns: number | null }[];
  segments: PathSegment[]; round_trips: RoundTrip[];
}
export interface Ledger {
  point: string; instance: string; first_heard_s: number; last_heard_s: number; clock_error_ns: number | null;
  fault: string | null; accounts: Record<string, number>;
}
export interface Health { now_s: number; written_s: number | null; ledgers: Ledger[]; process: Record<string, unknown> }
export interface Alarm {
  rule: string; subject: string; groups: string[]; since_s: number; until_s: number | null; why: string;
  value_ns: number | null; low_ns: number | null; high_ns: number | null; bound_ns: number | null;
}
export interface Alarms { now_s: number; alarms: Alarm[] }

export class ApiTrouble extends Error {
  constructor(readonly status: number, message: string) { super(message); }
}

export type Parameters = Record<string, string | number | null | undefined>;

const token_place = 'sojourn-token';
export function remember_token(token: string): void { sessionStorage.setItem(token_place, token); }

function headers(): Record<string, string> {
  const token = sessionStorage.getItem(token_place);
  return token ? { Authorization: `Bearer ${token}` } : {};
}

function address(name: string, parameters: Parameters): string {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(parameters))
    if (value !== null && value !== undefined && value !== '') query.set(key, String(value));
  const text = query.toString();
  return `api/v1/${name}${text ? `?${text}` : ''}`;
}

export async function ask<T>(name: string, parameters: Parameters = {}, signal?: AbortSignal): Promise<T> {
  let response: Response;
  try {
    response = await fetch(address(name, parameters), { headers: headers(), signal });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiTrouble(0, 'The connection is lost; trying again.');
  }
  const document = await response.json().catch(() => ({ error: response.statusText }));
  if (!response.ok) throw new ApiTrouble(response.status, String(document.error ?? response.statusText));
  return document as T;
}

/** Server-sent events by fetch, since EventSource cannot send a token.  Ends when `signal` aborts. */
export async function listen(parameters: Parameters, signal: AbortSignal, take: (data: HeatmapData) => void,
                             state: (connected: boolean) => void): Promise<void> {
  while (!signal.aborted) {
    try {
      const response = await fetch(address('live', parameters), { headers: headers(), signal });
      if (!response.ok || !response.body) throw new ApiTrouble(response.status, response.statusText);
      state(true);
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      let text = '';
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        text += value;
        for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
          const event = text.slice(0, end).split('\n');
          text = text.slice(end + 2);
          const data = event.find(line => line.startsWith('data: '));
          if (event.includes('event: column') && data) take(JSON.parse(data.slice(6)) as HeatmapData);
        }
      }
    } catch { /* below */ }
    if (signal.aborted) return;
    state(false);
    await new Promise(resolve => setTimeout(resolve, 2000));
  }
}
