// Cividis: even steps of lightness, and similar for red-blind and green-blind people (Nuñez,
// Anderton, Renslow, PLOS ONE 2018).

const stops: [number, number, number][] = [
  [0, 34, 78], [18, 53, 112], [59, 73, 108], [87, 93, 109], [112, 113, 115], [138, 134, 120], [165, 156, 116],
  [195, 180, 105], [225, 204, 85], [254, 232, 56],
];

export const steps = 64;

/** Dark is little in the light theme's ink-on-paper sense: there the scale is turned round. */
export function palette(dark: boolean): string[] {
  const colours: string[] = [];
  for (let i = 0; i < steps; ++i) {
    const at = (dark ? i : steps - 1 - i) / (steps - 1) * (stops.length - 1);
    const k = Math.min(Math.floor(at), stops.length - 2), f = at - k;
    const [a, b] = [stops[k]!, stops[k + 1]!];
    colours.push(`rgb(${a.map((v, c) => Math.round(v + f * (b[c]! - v))).join(',')})`);
  }
  return colours;
}

/** 0 to steps - 1, logarithmic in the weight. */
export function shade(weight: number, most: number): number {
  if (most <= 1) return steps - 1;
  return Math.min(steps - 1, Math.max(0, Math.round(Math.log1p(weight) / Math.log1p(most) * (steps - 1))));
}

/** How far a column can be trusted: 30 independent samples are full strength. */
export function opacity(effective: number): number {
  return Math.min(1, 0.35 + 0.65 * Math.sqrt(Math.min(1, effective / 30)));
}
