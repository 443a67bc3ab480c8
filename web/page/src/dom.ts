// Creates elements from plain values.  Text is always text: nothing from the network is parsed as
// markup.

export type Child = Node | string | number | null | undefined;
type Attributes = Record<string, string | number | boolean | ((event: Event) => void) | undefined>;

export function h<K extends keyof HTMLElementTagNameMap>(name: K, attributes: Attributes = {},
                                                         ...children: Child[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (typeof value === 'function') element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? '' : String(value));
  }
  for (const child of children) if (child !== null && child !== undefined) element.append(child instanceof Node ? child : String(child));
  return element;
}

/** Replaces what a place shows.  The keyboard stays where it was: what has the same name gets the focus back. */
export function redraw(place: HTMLElement, ...children: (Node | string)[]): void {
  const focused = place.contains(document.activeElement) ? document.activeElement!.id : '';
  place.replaceChildren(...children);
  if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
}

export interface Column { title: string; numeric?: boolean }

/** A table in a box that scrolls by itself on a narrow screen. */
export function table(caption: string, columns: Column[], rows: Child[][], id?: string): HTMLElement {
  const head = h('tr', {}, ...columns.map(c => h('th', { scope: 'col', class: c.numeric ? 'number' : undefined }, c.title)));
  const body = rows.map(row => h('tr', {}, ...row.map((cell, i) =>
    i === 0 ? h('th', { scope: 'row' }, cell) : h('td', { class: columns[i]?.numeric ? 'number' : undefined }, cell))));
  return h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': caption },
    h('table', { id }, h('caption', {}, caption), h('thead', {}, head), h('tbody', {}, ...body)));
}

export function select(label: string, options: [string, string][], value: string, change: (value: string) => void): HTMLElement {
  const box = h('select', { id: `choose-${label.toLowerCase().replaceAll(' ', '-')}`, onchange: event => change((event.target as HTMLSelectElement).value) },
    ...options.map(([key, text]) => h('option', { value: key, selected: key === value }, text)));
  return h('label', {}, `${label} `, box);
}
