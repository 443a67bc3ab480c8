// Merges a live column into the picture.

import type { HeatmapData, Numbers } from './api';

/** `fresh` has the newest columns of the same step.  The picture moves on with them and keeps its length. */
export function merge(shown: HeatmapData, fresh: HeatmapData): HeatmapData {
  if (fresh.step_s !== shown.step_s) return shown;
  const to_s = Math.max(shown.to_s, fresh.to_s);
  const from_s = to_s - shown.columns * shown.step_s;
  const first_fresh = (fresh.from_s - from_s) / shown.step_s;
  const moved = (from_s - shown.from_s) / shown.step_s;
  const is_fresh = (column: number): boolean => column >= first_fresh && column < first_fresh + fresh.columns;

  const cells: { column: number; row: number; weight: number }[] = [];
  for (let i = 0; i < shown.cells.column.length; ++i) {
    const column = shown.cells.column[i]! - moved;
    if (column >= 0 && !is_fresh(column)) cells.push({ column, row: shown.cells.row[i]!, weight: shown.cells.weight[i]! });
  }
  for (let i = 0; i < fresh.cells.column.length; ++i) {
    const column = fresh.cells.column[i]! + first_fresh;
    if (column >= 0) cells.push({ column, row: fresh.cells.row[i]!, weight: fresh.cells.weight[i]! });
  }

  const take = (old: Numbers, young: Numbers, nothing: number | null): Numbers =>
    Array.from({ length: shown.columns }, (_, c) =>
      is_fresh(c) ? young[c - first_fresh] ?? nothing : old[c + moved] ?? nothing);
  const series = {} as Record<string, Numbers>;
  for (const key of Object.keys(shown.series) as (keyof HeatmapData['series'])[])
    series[key] = take(shown.series[key], fresh.series[key], key === 'weight' || key === 'effective_samples' ? 0 : null);
  // Losses that became final since are not in the newest columns; the next complete answer has
  // them.
  return {
    ...shown, from_s, to_s, written_s: fresh.written_s, judged_until_s: fresh.judged_until_s,
    rows: merged_rows(shown, fresh),
    cells: { column: cells.map(c => c.column), row: cells.map(c => c.row), weight: cells.map(c => c.weight) },
    series: series as unknown as HeatmapData['series'],
  };
}

function merged_rows(a: HeatmapData, b: HeatmapData): HeatmapData['rows'] {
  if (b.rows.low_ns.length === 0) return a.rows;
  if (a.rows.low_ns.length === 0) return b.rows;
  const known = new Map<number, [number, number]>();
  for (const rows of [a.rows, b.rows])
    rows.low_ns.forEach((low, i) => known.set(rows.first + i, [low, rows.high_ns[i]!]));
  const numbers = [...known.keys()].sort((x, y) => x - y);
  const first = numbers[0]!, last = numbers[numbers.length - 1]!;
  const low_ns: number[] = [], high_ns: number[] = [];
  let end = known.get(first)![0] - 1;
  for (let row = first; row <= last; ++row) {
    // Rows between two pictures that do not touch are in neither: they are empty.
    const bounds = known.get(row) ?? [end + 1, end + 1];
    low_ns.push(bounds[0]);
    high_ns.push(bounds[1]);
    end = bounds[1];
  }
  return { first, low_ns, high_ns };
}
