// node bench/page_speed.mjs SOJOURN MAKE_STORE CHROMIUM
//
// How soon the page is drawn after its data has come, and how smooth it stays: a day with 1 000 groups (overview and who), and a
// heatmap of 100 000 cells that is drawn anew, as each live column does, and moved over with the mouse.  Milliseconds in Chromium,
// without a graphics card; in brackets the CPU time of the page's thread from the empty page to there, which a busy machine does not change.

import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const puppeteer = createRequire(join(here, '..', 'web', 'page', 'package.json'))('puppeteer-core');
const [sojourn, make_store, chromium] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'sojourn-speed-'));
const store = join(folder, 'sojourn.db');
const now = Math.floor(Date.now() / 600000) * 600;
execFileSync(make_store, [store, String(now), '--large']);
const collector = spawn(sojourn, ['collect', '--listen', '127.0.0.1:0', '--store', store, '--web', '0'], { stdio: ['ignore', 'ignore', 'pipe'] });
let log = '';
collector.stderr.on('data', data => { log += data; });
while (!/http:\S+:\d+\//.test(log)) await new Promise(resolve => setTimeout(resolve, 50));
const base = /http:\S+:\d+\//.exec(log)[0];

const browser = await puppeteer.launch({ executablePath: chromium, args: ['--no-sandbox', '--force-device-scale-factor=1'], headless: true });
const page = await browser.newPage();
await page.setViewport({ width: 1200, height: 860 });
const session = await page.createCDPSession();
await session.send('Performance.enable', { timeDomain: 'threadTicks' });
const cpu_ms = async () => (await session.send('Performance.getMetrics')).metrics.find(m => m.name === 'TaskDuration').value * 1000;
// When the first frame with the picture or the table in it has been drawn.
await page.evaluateOnNewDocument(() => {
  window.drawn = new Promise(resolve => {
    new MutationObserver((_, observer) => {
      if (!document.querySelector('#heatmap canvas, #groups')) return;
      observer.disconnect();
      requestAnimationFrame(() => { const channel = new MessageChannel(); channel.port1.onmessage = () => resolve(performance.now()); channel.port2.postMessage(0); });
    }).observe(document, { childList: true, subtree: true });
  });
});

async function first_view(hash, answer) {
  const times = [];
  for (let i = 0; i < 5; ++i) {
    await page.goto('about:blank');
    const before = await cpu_ms();
    await page.goto(`${base}#${new URLSearchParams(hash)}`);
    const passed = await page.evaluate(async name => {
      const drawn = await window.drawn;
      return drawn - performance.getEntriesByType('resource').find(entry => entry.name.includes(`/api/v1/${name}`)).responseEnd;
    }, answer);
    times.push(`${Math.round(passed)} [${Math.round(await cpu_ms() - before)}]`);
  }
  return times.join(', ');
}

const day = { subject: 'large:day', from: String(now - 86400), to: String(now) };
console.log('a day with 1 000 groups, from the last byte to the frame, five times:');
console.log(`  overview ${await first_view(day, 'heatmap')} ms`);
console.log(`  who      ${await first_view({ ...day, view: 'who' }, 'groups')} ms`);
console.log(`  groups found: ${await page.$eval('.note', e => e.textContent.split(' ')[0])}`);
const many = { subject: 'large:cells', from: String(now - 240 * 600), to: String(now) };
console.log(`100 000 cells: overview ${await first_view(many, 'heatmap')} ms`);
const before = await cpu_ms();
const smooth = await page.evaluate(async () => {
  const cells = Number(document.querySelector('#heatmap').dataset.cells);
  const redrawn = [];
  for (let i = 0; i < 10; ++i) {
    const began = performance.now();
    window.dispatchEvent(new Event('resize'));  // draws it anew, as a live column does
    redrawn.push(performance.now() - began);
    await new Promise(requestAnimationFrame);
  }
  return { cells, redrawn };
});
const redraw_cpu = (await cpu_ms() - before) / 10;
const moved = await page.evaluate(async () => {
  const frames = [];
  const over = document.querySelector('#heatmap .u-over'), box = over.getBoundingClientRect();
  let last = await new Promise(requestAnimationFrame);
  for (let i = 0; i < 120; ++i) {
    over.dispatchEvent(new MouseEvent('mousemove', { clientX: box.left + box.width * i / 120, clientY: box.top + 100, bubbles: true }));
    const time = await new Promise(requestAnimationFrame);
    frames.push(time - last);
    last = time;
  }
  frames.sort((a, b) => a - b);
  return { median: frames[60], p95: frames[114], longest: frames[119] };
});
console.log(`  ${smooth.cells} cells; drawn anew in ${smooth.redrawn.map(time => time.toFixed(0))} ms [${redraw_cpu.toFixed(0)} each]`);
console.log(`  frames while the mouse moves: median ${moved.median.toFixed(1)}, p95 ${moved.p95.toFixed(1)}, longest ${moved.longest.toFixed(1)} ms`);
await browser.close();
collector.kill('SIGTERM');
await new Promise(resolve => collector.once('exit', resolve));
rmSync(folder, { recursive: true });
