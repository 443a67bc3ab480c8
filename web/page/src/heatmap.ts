// The heatmap: uPlot draws axes and lines, the cells are rectangles below them.

import uPlot from 'uplot';
import type { HeatmapData, Numbers } from './api';
import { opacity, palette, shade } from './colours';
import { duration, share } from './format';
import { delay_ticks, time_axis } from './axes';

export interface Events { select(from: number, to: number): void; click(from: number, to: number): void }

export function is_dark(): boolean {
  return getComputedStyle(document.documentElement).colorScheme === 'dark';
}

function ink(name: string): string { return getComputedStyle(document.documentElement).getPropertyValue(name).trim(); }

/** Times of the columns' middles, and a point at each end, so that the axis reaches from end to end. */
function times(data: HeatmapData): number[] {
  const list = [data.from_s];
  for (let i = 0; i < data.columns; ++i) list.push(data.from_s + (i + 0.5) * data.step_s);
  list.push(data.to_s);
  return list;
}
const padded = (values: Numbers): Numbers => [null, ...values, null];

export class Heatmap {
  private plot: uPlot | null = null;
  private strip: uPlot | null = null;
  private data: HeatmapData;

  constructor(private readonly place: HTMLElement, data: HeatmapData, private readonly events: Events) {
    this.data = data;
    this.make();
  }

  show(data: HeatmapData): void {
    this.data = data;
    this.destroy();
    this.make();
  }

  destroy(): void {
    this.plot?.destroy();
    this.strip?.destroy();
    this.plot = this.strip = null;
  }

  /** A little more than the rows; about zero where there are delays below it. */
  private limits(signed: boolean): { least: number; most: number } {
    const { low_ns, high_ns } = this.data.rows;
    const low = low_ns[0] ?? 1e5, high = (high_ns[high_ns.length - 1] ?? 1e9) + 1;
    if (!signed) return { least: Math.max(1, low) / 1.3, most: high * 1.3 };
    const far = Math.max(-low, high, 1000) * 1.5;
    return { least: -far, most: far };
  }

  private width(): number { return Math.max(260, this.place.clientWidth); }

  private make(): void {
    const { data } = this;
    const signed = data.kind === 'oneway' && (data.rows.low_ns[0] ?? 0) <= 0;
    const { least, most } = this.limits(signed);
    const axis = { stroke: ink('--ink'), grid: { stroke: ink('--grid'), width: 1 }, ticks: { stroke: ink('--grid'), width: 1 } };
    const line = (label: string, colour: string, dash?: number[]): uPlot.Series =>
      ({ label, scale: 'y', stroke: colour, width: 2, dash, points: { show: data.columns < 3 }, value: (_u, v) => duration(v) });
    const edge: uPlot.Series = { scale: 'y', width: 0, stroke: 'transparent', points: { show: false } };
    // Visible on dark cells as well as on light ones.
    const halo: uPlot.Series = { scale: 'y', stroke: ink('--halo'), width: 5, points: { show: false } };
    const s = data.series;
    const options: uPlot.Options = {
      width: this.width(), height: window.innerWidth < 600 ? 300 : 420,
      padding: [12, 24, 0, 0],
      legend: { show: false },
      scales: {
        x: { time: true, range: [data.from_s, data.to_s] },
        y: { distr: signed ? 4 : 3, asinh: 1000, range: [least, most] },
      },
      axes: [{ ...axis, values: time_axis }, {
        ...axis, scale: 'y', size: 76, splits: () => delay_ticks(least, most), filter: (_u, ticks) => ticks,
        values: (_u, ticks) => ticks.map(v => duration(v)),
      }],
      series: [
        {}, edge, edge, halo, line('median', ink('--median')), edge, edge, halo, line('95 %', ink('--p95'), [6, 4]),
      ],
      bands: [
        { series: [2, 1], fill: ink('--median-band') },
        { series: [6, 5], fill: ink('--p95-band') },
      ],
      cursor: { drag: { x: true, y: false, setScale: false, dist: 4 }, focus: { prox: -1 } },
      hooks: {
        drawClear: [plot => this.draw_cells(plot)],
        setSelect: [plot => {
          if (plot.select.width < 4) return;
          const from = plot.posToVal(plot.select.left, 'x'), to = plot.posToVal(plot.select.left + plot.select.width, 'x');
          plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          this.events.select(from, to);
        }],
        ready: [plot => this.when_clicked(plot)],
      },
    };
    this.plot = new uPlot(options, [times(data), padded(s.median_low_ns), padded(s.median_high_ns), padded(s.median_ns), padded(s.median_ns),
      padded(s.p95_low_ns), padded(s.p95_high_ns), padded(s.p95_ns), padded(s.p95_ns)] as uPlot.AlignedData, this.place);
    if (data.kind === 'oneway') this.make_strip(axis);
  }

  private make_strip(axis: uPlot.Axis): void {
    const { data } = this;
    // Uninformative bands must not flatten the line.
    const top = Math.max(...data.series.loss_high.map(v => v ?? 0)), line = Math.max(...data.series.loss.map(v => v ?? 0));
    const most = Math.max(0.002, Math.min(top, Math.max(0.01, 4 * line)));
    this.strip = new uPlot({
      width: this.width(), height: 110, padding: [8, 24, 10, 0], legend: { show: false },
      scales: { x: { time: true, range: [data.from_s, data.to_s] }, y: { range: [0, most * 1.05] } },
      axes: [{ ...axis, show: false }, { ...axis, scale: 'y', size: 76, values: (_u, ticks) => ticks.map(v => share(v)) }],
      series: [{}, { scale: 'y', width: 0, stroke: 'transparent', points: { show: false } },
        { scale: 'y', width: 0, stroke: 'transparent', points: { show: false } },
        { label: 'loss', scale: 'y', stroke: ink('--loss'), width: 2, points: { show: data.columns < 3 } }],
      bands: [{ series: [2, 1], fill: ink('--loss-band') }],
      cursor: { drag: { x: false, y: false } },
    }, [times(data), padded(data.series.loss_low), padded(data.series.loss_high), padded(data.series.loss)] as uPlot.AlignedData,
    this.place);
  }

  private when_clicked(plot: uPlot): void {
    let at = 0;
    plot.over.addEventListener('mousedown', event => { at = event.offsetX; });
    plot.over.addEventListener('click', event => {
      if (Math.abs(event.offsetX - at) >= 4) return;
      const { from_s, step_s, columns } = this.data;
      const column = Math.floor((plot.posToVal(event.offsetX, 'x') - from_s) / step_s);
      if (column >= 0 && column < columns) this.events.click(from_s + column * step_s, from_s + (column + 1) * step_s);
    });
  }

  /** Where on the canvas a time and a delay are: for tests, which look at the pixels there. */
  place_of(seconds: number, ns: number): { x: number; y: number } {
    return { x: this.plot!.valToPos(seconds, 'x', true), y: this.plot!.valToPos(ns, 'y', true) };
  }

  private draw_cells(plot: uPlot): void {
    const { data } = this;
    const context = plot.ctx;
    const { first, low_ns, high_ns } = data.rows;
    const signed = plot.scales.y!.distr === 4;
    const tops: number[] = [], bottoms: number[] = [];
    for (let r = 0; r < low_ns.length; ++r) {
      // In a logarithmic picture the row of 0 begins at the start of the axis.
      const low = signed ? low_ns[r]! : Math.max(plot.scales.y!.min!, low_ns[r]!);
      bottoms.push(plot.valToPos(low, 'y', true));
      tops.push(plot.valToPos(high_ns[r]! + 1, 'y', true));
    }
    const lefts: number[] = [];
    for (let c = 0; c <= data.columns; ++c) lefts.push(Math.round(plot.valToPos(data.from_s + c * data.step_s, 'x', true)));
    const colours = palette(is_dark());
    let most = 0;
    for (const weight of data.cells.weight) most = Math.max(most, weight);
    const { column, row, weight } = data.cells;
    context.save();
    context.beginPath();
    context.rect(plot.bbox.left, plot.bbox.top, plot.bbox.width, plot.bbox.height);
    context.clip();
    for (let i = 0; i < column.length; ++i) {
      const c = column[i]!, r = row[i]! - first;
      context.globalAlpha = opacity(data.series.effective_samples[c]!);
      context.fillStyle = colours[shade(weight[i]!, most)]!;
      const top = Math.floor(tops[r]!), bottom = Math.ceil(bottoms[r]!);
      context.fillRect(lefts[c]!, top, Math.max(1, lefts[c + 1]! - lefts[c]!), Math.max(1, bottom - top));
    }
    context.restore();
  }
}
