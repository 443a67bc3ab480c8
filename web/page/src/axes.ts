// Positions and labels of the axes' ticks.

import type uPlot from 'uplot';

/** 1, 2 and 5 of every decade, or only 1 where there are many; both ways from zero where it is between. */
export function delay_ticks(least: number, most: number): number[] {
  const far = Math.max(Math.abs(least), Math.abs(most));
  const near = least > 0 ? least : 1000;
  const decades = Math.log10(far / near);
  const parts = decades > 3.5 ? [1] : decades > 1.8 ? [1, 3] : [1, 2, 5];
  const ticks: number[] = least <= 0 && most >= 0 ? [0] : [];
  for (let decade = Math.floor(Math.log10(near)); decade <= Math.log10(far); ++decade)
    for (const part of parts) {
      const tick = part * 10 ** decade;
      if (tick >= near && tick >= least && tick <= most) ticks.push(tick);
      if (tick >= near && -tick >= least && -tick <= most) ticks.push(-tick);
    }
  return ticks.sort((a, b) => a - b);
}

const two = (n: number): string => String(n).padStart(2, '0');

/** Hours and minutes, with the date at the first mark and where a day begins. */
export function time_axis(_plot: uPlot, splits: number[], _axis: number, _space: number, step: number): string[] {
  let day = '';
  return splits.map(seconds => {
    const t = new Date(seconds * 1000);
    const date = `${t.getFullYear()}-${two(t.getMonth() + 1)}-${two(t.getDate())}`;
    const new_day = date !== day;
    day = date;
    if (step >= 86400) return date;
    const clock = `${two(t.getHours())}:${two(t.getMinutes())}${step < 60 ? `:${two(t.getSeconds())}` : ''}`;
    return new_day ? `${clock}\n${date}` : clock;
  });
}
