// Numbers with their units, as people read them.

const units: [number, string][] = [[1, 'ns'], [1e3, 'µs'], [1e6, 'ms'], [1e9, 's']];

function digits(value: number): string {
  const size = Math.abs(value);
  return value.toFixed(size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2).replace('-', '−');
}

export function duration(ns: number | null | undefined): string {
  if (ns === null || ns === undefined) return '?';
  if (ns === 0) return '0';
  const size = Math.abs(ns);
  let chosen = units[0]!;
  for (const unit of units) if (size >= unit[0] * 0.9995) chosen = unit;
  return `${digits(ns / chosen[0])} ${chosen[1]}`;
}

/** What the interval says; "?" for an end that the samples cannot bound. */
export function interval(low: number | null, high: number | null): string {
  return `${duration(low)} to ${duration(high)}`;
}

export function share(value: number | null | undefined): string {
  if (value === null || value === undefined) return '–';
  if (value === 0) return '0 %';
  const percent = value * 100;
  return `${percent < 0.01 ? '<0.01' : percent < 1 ? percent.toFixed(2) : percent.toFixed(1)} %`;
}

export function count(value: number | null | undefined): string {
  if (value === null || value === undefined) return '–';
  return Math.round(value).toString().replace(/\B(?=(\d{3})+$)/g, '\u202f');
}

export function bytes(value: number): string {
  for (const [size, name] of [[2 ** 30, 'GiB'], [2 ** 20, 'MiB'], [2 ** 10, 'KiB']] as const)
    if (value >= size) return `${digits(value / size)} ${name}`;
  return `${value} B`;
}

const two = (n: number): string => String(n).padStart(2, '0');

export function time(seconds: number): string {
  const t = new Date(seconds * 1000);
  return `${t.getFullYear()}-${two(t.getMonth() + 1)}-${two(t.getDate())} ` +
    `${two(t.getHours())}:${two(t.getMinutes())}:${two(t.getSeconds())}`;
}

export function ago(seconds: number): string {
  if (seconds < 0) return 'in the future';
  if (seconds < 90) return `${Math.round(seconds)} s ago`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min ago`;
  if (seconds < 129600) return `${Math.round(seconds / 3600)} h ago`;
  return `${Math.round(seconds / 86400)} days ago`;
}

export function length(seconds: number): string {
  if (seconds % 86400 === 0) return seconds === 86400 ? '1 day' : `${seconds / 86400} days`;
  if (seconds % 3600 === 0) return `${seconds / 3600} h`;
  if (seconds % 60 === 0) return `${seconds / 60} min`;
  return `${seconds} s`;
}
