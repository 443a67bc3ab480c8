// The inputs and results of a view.

import type { Status } from './api';
import type { Shown } from './state';

export interface Context {
  status: Status; state: Shown; place: HTMLElement;
  /** Ends when another view is shown. */
  signal: AbortSignal;
  /** One sentence above everything; null when there is nothing to say. */
  banner(sentence: string | null, kind?: 'stale' | 'lost'): void;
}

export type View = (context: Context) => Promise<void>;

export const oneway_note = 'One-way delays include what the clocks of the two points differ.';
