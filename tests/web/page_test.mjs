// node page_test.mjs SOJOURN MAKE_STORE CHROMIUM [--pictures FOLDER] [--store NAME NOW] [--only TEST,TEST]
//
// The page in Chromium over a store whose content is known: each view, light and dark, wide and narrow; numbers of the tables, colours of
// the heatmap, zoom, selection, keys, a live column, a lost connection and its return; no error in the console, no serious finding of axe.
// With --pictures the screenshots of docs/images are made anew.  With --store the store is there already, filled by MAKE_STORE up to NOW.

import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const parts = join(here, '..', '..', 'web', 'page', 'package.json');
const [sojourn, make_store, chromium] = process.argv.slice(2);
const option = (name, place = 1) => process.argv.includes(name) ? process.argv[process.argv.indexOf(name) + place] : null;
const pictures = option('--pictures');
const only = option('--only')?.split(',');

function skip(reason) { console.log(`skipped: ${reason}`); process.exit(77); }
if (!chromium || !existsSync(chromium)) skip('needs chromium');
const require = createRequire(parts);
let puppeteer, axe;
try {
  puppeteer = require('puppeteer-core');
  axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
} catch { skip('needs the parts of the page: tools/setup page'); }

const failures = [];
let checks = 0;
function check(name, holds, detail = '') {
  ++checks;
  if (!holds) failures.push(`${name}: ${typeof detail === 'string' ? detail : JSON.stringify(detail)}`);
}
const wait = ms => new Promise(resolve => setTimeout(resolve, ms));
const free_port = () => new Promise(resolve => {
  const probe = createServer().listen(0, '127.0.0.1', () => { const { port } = probe.address(); probe.close(() => resolve(port)); });
});

// ---- a collector over the store -------------------------------------------------------------------------------

const folder = mkdtempSync(join(tmpdir(), 'sojourn-page-'));
const store = option('--store') ?? join(folder, 'sojourn.db');
const now = Number(option('--store', 2) ?? Math.floor(Date.now() / 10000) * 10);
if (!option('--store')) execFileSync(make_store, [store, String(now)]);
const port = await free_port(), listen = await free_port();
let collector = null;
async function start_collector() {
  collector = spawn(sojourn, ['collect', '--listen', `127.0.0.1:${listen}`, '--store', store, '--web', String(port),
    '--alarm', 'each oneway p95 < 25ms', '--alarm-every', '1s', '--alarm-except', '100.64.0.0/10'], { stdio: ['ignore', 'ignore', 'pipe'] });
  let text = '';
  collector.stderr.on('data', data => { text += data; });
  for (let i = 0; i < 200 && !text.includes('://'); ++i) await wait(50);
  if (!text.includes('://')) throw new Error(`the collector did not start: ${text}`);
  if (text.includes('without the page')) { collector.kill(); rmSync(folder, { recursive: true }); skip('built without the page'); }
}
async function stop_collector() {
  const ended = new Promise(resolve => collector.once('exit', resolve));
  collector.kill('SIGTERM');
  await ended;
}

// ---- a browser ------------------------------------------------------------------------------------------------

const base = `http://127.0.0.1:${port}/`;
const errors = [];
let page;
async function open(hash, { wide = true, dark = false } = {}) {
  await page.setViewport(wide ? { width: 1200, height: 860 } : { width: 390, height: 800, isMobile: true, hasTouch: true });
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' }]);
  await page.goto('about:blank');
  await page.goto(`${base}#${new URLSearchParams(hash)}`);
  await page.waitForSelector('main:not([aria-busy]) h2', { timeout: 20000 });
}
const text_of = selector => page.$eval(selector, element => element.textContent);
const rows_of = id => page.$$eval(`#${id} tbody tr`, rows => rows.map(row => [...row.children].map(cell => cell.textContent)));
const hash_now = async () => Object.fromEntries(new URLSearchParams((await page.evaluate(() => location.hash)).slice(1)));
const settled = () => page.waitForSelector('main:not([aria-busy]) h2', { timeout: 20000 });
/** Milliseconds of a text like "4.01 ms". */
const ms = text => parseFloat(text.replace('−', '-')) * { ns: 1e-6, 'µs': 1e-3, ms: 1, s: 1e3 }[text.split(' ')[1]];

async function check_axe(name) {
  await page.evaluate(axe);
  const found = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
  const bad = found.violations.filter(v => v.impact === 'serious' || v.impact === 'critical');
  check(`axe ${name}`, bad.length === 0, bad.map(v => `${v.id}: ${v.nodes[0]?.html}`));
}

/** The colour of the canvas at a time and a delay of the heatmap. */
const colour_at = (seconds, ns) => page.evaluate((s, d) => {
  const canvas = document.querySelector('#heatmap canvas');
  const { x, y } = window.sojourn_place(s, d);
  return [...canvas.getContext('2d').getImageData(Math.round(x), Math.round(y), 1, 1).data];
}, seconds, ns);

const tests = {
  async overview() {
    await open({ subject: 'north:south', prefix: '198.51.100.0/24' });
    check('title', (await text_of('h2')) === 'north:south · oneway', await text_of('h2'));
    await page.click('details summary');
    await page.waitForSelector('#delays');
    const rows = await rows_of('delays');
    check('an hour of rows', rows.length > 100 && rows.length <= 190, rows.length);
    const row = rows[20];
    check('samples in 20 s', row[1] === '200', row);
    check('median between 4 and 8 ms', ms(row[3]) > 3.9 && ms(row[3]) < 8.1, row);
    check('p95 of 8 ms', Math.abs(ms(row[5]) - 8) < 0.1, row);
    check('loss of 1 %', row[7] === '1.0 %' || row[7] === '–', row);
    check('loss is known further back', rows[60][7] === '1.0 %', rows[60]);
    // Cells are where the delays are, and nowhere else.  The line of the median, which jumps between the two delays, is red.
    const at = now - 1800;
    const [here_4, between, below, here_8] = [await colour_at(at, 4.0e6), await colour_at(at, 5.5e6), await colour_at(at, 2.5e6), await colour_at(at, 8.05e6)];
    check('a cell at 4 ms', here_4[3] > 200 && here_4[2] > here_4[0], here_4);
    check('a cell at 8 ms', here_8[3] > 200, here_8);
    check('no cell between', between[3] < 60 || between[0] > between[2], between);
    check('no cell below', below[3] < 60, below);
    // How long it took is told; what is long depends on the machine.
    check('the time of drawing is told', parseFloat(await page.$eval('#heatmap', e => e.dataset.drawnMs)) > 0);
    await open({ subject: 'south:north' });
    const negative = await colour_at(at, -1e6), positive = await colour_at(at, 1e6);
    check('a negative delay is below zero', negative[3] > 200 && positive[3] < 60, [negative, positive]);
  },
  async legs() {
    const options = () => page.$$eval('#choose-leg option', all => all.map(option => option.value));
    const chosen = () => page.$eval('#choose-leg', box => box.value);
    const summary = () => page.$eval('main', element => element.textContent);
    await open({ subject: 'shop', kind: 'tls' });
    check('all legs', JSON.stringify(await options()) ===
      '["heaviest","server","client","external","internal","sum","network","thinking"]', await options());
    check('of tls the whole first', (await chosen()) === 'sum' && (await summary()).includes('leg sum'), await chosen());
    await open({ subject: 'shop', kind: 'response' });
    check('of response the server first', (await chosen()) === 'server', await chosen());
    await page.select('#choose-leg', 'thinking');
    await page.waitForFunction(() => document.querySelector('main:not([aria-busy])')?.textContent.includes('leg thinking'), { timeout: 20000 });
    check('its own time', (await summary()).includes('leg thinking') && (await hash_now()).leg === 'thinking', await hash_now());
    const kinds = await page.$$eval('#choose-kind option', all => all.map(option => option.value));
    check('kinds of a subject', JSON.stringify(kinds) === '["tcp","response","tls"]', kinds);
  },
  async markup_is_text() {
    await open({ view: 'path' });
    const points = (await rows_of('points')).map(row => row[0]);
    check('markup as text', points.includes('<img src=x onerror=alert(1)>'), points);
    check('no such element', (await page.$('main img')) === null);
  },
  async who() {
    await open({ view: 'who', subject: 'north:south', from: String(now - 600), to: String(now) });
    const rows = await rows_of('groups');
    check('the changed one first', rows[0][0] === '203.0.113.0/24' && rows[0][1].includes('slower'), rows);
    check('now 30 ms, before 20 ms', Math.abs(ms(rows[0][3]) - 30) < 0.3 && Math.abs(ms(rows[0][5]) - 20) < 0.3, rows[0]);
    check('the other is the same', rows[1][1].includes('same'), rows[1]);
    check('samples', rows[0][6].replace(/\D/g, '') === '3600', rows[0]);
    await page.click('#groups tbody tr:first-child .verdict');
    await page.waitForSelector('#verdict');
    check('a verdict leads to the comparison', (await text_of('#verdict')).includes('slower'), await text_of('#verdict'));
    const sides = await rows_of('sides');
    check('both sides', Math.abs(ms(sides[0][5]) - 20) < 0.3 && Math.abs(ms(sides[1][5]) - 30) < 0.3, sides);
  },
  async who_by() {
    const names = async length => {
      await open({ view: 'who', subject: 'paris:lyon', from: String(now - 3600), to: String(now), ...(length ? { length } : {}) });
      return (await rows_of('groups')).map(row => row[0]);
    };
    check('ten prefixes', (await names('')).length === 10, await names(''));
    check('... of one /16', JSON.stringify(await names('16')) === '["100.64.0.0/16"]', await names('16'));
    await page.select('form[aria-label="Order"] label:nth-child(2) select', '32');
    await page.waitForFunction(() => document.querySelectorAll('#groups tbody tr').length === 10, { timeout: 20000 });
    check('the choice is kept in the address', (await hash_now()).length === '32', await hash_now());
  },
  async who_port_and_flow() {
    const list = async (length, more = {}) => {
      await open({ view: 'who', subject: 'shop', kind: 'tcp', from: String(now - 600), to: String(now), length, ...more });
      return rows_of('groups');
    };
    const ports = await list('port');
    check('two ports, the changed one first', JSON.stringify(ports.map(row => row[0])) === '["port 5432","port 443"]', ports);
    check('... with verdicts', ports[0][1].includes('slower') && ports[1][1].includes('same'), ports);
    check('60 ms now, 40 ms before', Math.abs(ms(ports[0][3]) - 60) < 0.6 && Math.abs(ms(ports[0][5]) - 40) < 0.4, ports[0]);
    check('both flows of port 443', ports[1][6].replace(/\D/g, '') === '3600', ports[1]);
    const flows = await list('flow');
    check('three flows', flows.length === 3 && flows[0][0] === '192.0.2.7:50003 > 198.51.100.2:5432', flows);
    const hosts = await list('32');
    check('their hosts', JSON.stringify(hosts.map(row => row[0])) === '["198.51.100.2","198.51.100.1"]', hosts);
    check('... and prefix', JSON.stringify((await list('24')).map(row => row[0])) === '["198.51.100.0/24"]');
    const of_port = await list('flow', { prefix: 'port 443' });
    check('the flows of a port', of_port.length === 2 && of_port.every(row => row[0].endsWith(':443')), of_port);
    await page.click('#groups tbody tr:first-child a');
    await page.waitForSelector('#heatmap canvas');
    check('a flow leads to its picture', (await hash_now()).prefix === of_port[0][0], await hash_now());
    await open({ view: 'who', subject: 'north', kind: 'tcp', length: 'flow' });
    check('where no flows are kept it says how', (await text_of('.empty')).includes('--prefix flow'), await text_of('.empty'));
  },
  async compare() {
    await open({ view: 'compare', subject: 'north:south', prefix: '198.51.100.0/24', span: '600' });
    check('nothing has changed', (await text_of('#verdict')).includes('same'), await text_of('#verdict'));
    check('a picture', (await page.$('#cdf canvas')) !== null);
  },
  async path() {
    await open({ view: 'path' });
    const segments = await rows_of('segments');
    const row = segments.find(s => s[0] === 'north → south');
    check('segment', row && row[4] === '1.0 %' && row[7].includes('±100 µs'), segments);
    check('negative segment', ms(segments.find(s => s[0] === 'south → north')[1]) < -0.9, segments);
    const trips = await rows_of('round-trips');
    check('round trips', trips.some(t => t[0] === 'north' && t[1] === 'tcp' && Math.abs(ms(t[3]) - 10) < 0.1), trips);
  },
  async health() {
    await open({ view: 'health' });
    check('adds up', (await text_of('#adds-up')).startsWith('✓'), await text_of('#adds-up'));
    const ledger = await rows_of('ledger');
    check('packets seen', ledger.find(row => row[0] === 'packets seen')?.[1].replace(/\D/g, '') === '1000000', ledger);
  },
  async alarms() {
    for (let i = 0; i < 20; ++i) {
      await open({ view: 'alarms' });
      if (await page.$('#alarms-now')) break;
      await wait(500);
    }
    const rows = await rows_of('alarms-now');
    check('one alarm', rows.length === 1 && rows[0][1] === 'north:south' && rows[0][2] === '203.0.113.0/24', rows);
    check('its value', Math.abs(ms(rows[0][4]) - 30) < 0.3 && ms(rows[0][6]) === 25, rows);
  },
  async zoom_and_back() {
    await open({ subject: 'north:south' });
    const box = await (await page.$('#heatmap .u-over')).boundingBox();
    await page.mouse.move(box.x + box.width * 0.25, box.y + 100);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.75, box.y + 120, { steps: 5 });
    await page.mouse.up();
    await page.waitForFunction(() => location.hash.includes('from='), { timeout: 20000 });
    await settled();
    const shown = await hash_now();
    const span = Number(shown.to) - Number(shown.from);
    check('half an hour', span > 1700 && span < 1900, shown);
    await page.goBack();
    await page.waitForFunction(() => !location.hash.includes('from='));
    check('the address is kept', (await hash_now()).subject === 'north:south');
    // A click on a column asks who it was.
    await settled();
    await wait(300);
    const again = await (await page.$('#heatmap .u-over')).boundingBox();
    await page.mouse.click(again.x + again.width * 0.5, again.y + 150);
    await page.waitForSelector('#groups', { timeout: 20000 });
    const clicked = await hash_now();
    check('one column', clicked.view === 'who' && Number(clicked.to) - Number(clicked.from) === 20, clicked);
  },
  async keys() {
    await open({ subject: 'north', kind: 'tcp', from: String(now - 3600), to: String(now) });
    // Each key draws another picture, and the keyboard is still on it.
    const press = async key => {
      await page.$eval('#heatmap', picture => { picture.dataset.old = 'yes'; });
      await page.keyboard.press(key);
      await page.waitForSelector('main:not([aria-busy]) #heatmap[data-drawn-ms]:not([data-old])', { timeout: 20000 });
    };
    const focused = () => page.evaluate(() => document.activeElement.id || document.activeElement.tagName);
    await page.focus('#heatmap');
    await press('+');
    const shown = await hash_now();
    check('+ zooms', Number(shown.to) - Number(shown.from) === 1800, shown);
    check('the picture keeps the focus', (await focused()) === 'heatmap', await focused());
    await press('ArrowLeft');
    const earlier = await hash_now();
    check('an arrow moves', Number(earlier.from) < Number(shown.from), earlier);
    check('and keeps the focus', (await focused()) === 'heatmap', await focused());
    await page.keyboard.press('Tab');
    check('Tab moves the focus', !['heatmap', 'BODY'].includes(await focused()), await focused());
  },
  async live_lost_and_back() {
    await open({ subject: 'north:south', span: '600' });
    const no_banner = page.waitForFunction(() => document.querySelector('#banner').hidden, { timeout: 20000 });
    check('no banner', await no_banner.then(() => true, () => false));
    const end = (Math.floor(Date.now() / 10000) + 1) * 10;
    execFileSync(make_store, [store, String(end), '--column', '70']);
    await page.waitForFunction(() => Number(document.querySelector('#heatmap').dataset.liveColumns ?? 0) >= 1, { timeout: 30000 });
    await page.click('details summary');
    await page.waitForSelector('#delays');
    // A busy machine may tell of an older column first.
    await page.waitForFunction(() => Math.abs(parseFloat(document.querySelector('#delays tbody tr')?.children[3].textContent) - 70) < 1,
                               { timeout: 30000 }).catch(() => {});
    const newest = (await rows_of('delays'))[0];
    check('the live column', Math.abs(ms(newest[3]) - 70) < 1, newest);
    await stop_collector();
    await page.waitForFunction(() => !document.querySelector('#banner').hidden, { timeout: 20000 });
    check('a lost connection is told', (await text_of('#banner')).includes('connection is lost'), await text_of('#banner'));
    await start_collector();
    await page.waitForFunction(() => document.querySelector('#banner').hidden, { timeout: 30000 });
    check('and its return', true);
  },
  async empty_and_wrong() {
    await open({ subject: 'north', kind: 'tcp', from: '1000000000', to: '1000003600' });
    check('an empty time says what to do', /Choose another kind|choose a longer time/.test(await text_of('.empty')), await text_of('main'));
    await open({ view: 'nonsense', subject: 'nobody', kind: 'x', from: 'a', prefix: '<script>' });
    check('a wrong address is explained', (await text_of('main')).includes('prefix'), await text_of('main'));
  },
  async light_and_wide_dark_and_narrow() {
    for (const view of ['overview', 'who', 'compare', 'path', 'health', 'alarms'])
      for (const dark of [false, true]) {
        const wide = !dark;
        await open({ view, subject: 'paris:lyon', from: String(now - 7200), to: String(now) }, { dark, wide });
        const name = `${view} ${dark ? 'dark' : 'light'} ${wide ? 'wide' : 'narrow'}`;
        await page.evaluate(() => new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve))));
        const across = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        check(`${name} fits`, across <= 0, across);
        const paper = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
        check(`${name} paper`, dark === (parseInt(paper.match(/\d+/)[0], 10) < 80), paper);
        await check_axe(name);
        if (pictures && (!dark || view === 'overview'))
          await page.screenshot({ path: join(pictures, `page-${view}${dark ? '-dark-phone' : ''}.webp`), type: 'webp', quality: 70 });
      }
  },
};

await start_collector();
const browser = await puppeteer.launch({ executablePath: chromium, args: ['--no-sandbox', '--force-device-scale-factor=1'], headless: true });
try {
  page = await browser.newPage();
  await page.setBypassCSP(false);
  page.on('console', message => { if (['error', 'warn'].includes(message.type())) errors.push(`${message.type()}: ${message.text()}`); });
  page.on('pageerror', error => errors.push(`page: ${error.message}`));
  for (const [name, test] of Object.entries(tests)) {
    if (only && !only.includes(name)) continue;
    const began = Date.now();
    try { await test(); } catch (error) { failures.push(`${name}: ${error.message.split('\n')[0]}`); }
    console.log(`${name}: ${Date.now() - began} ms`);
  }
  const unexpected = errors.filter(error => !/ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED|ERR_EMPTY_RESPONSE|status of 400|ERR_CONNECTION_RESET|willReadFrequently/.test(error));
  check('console without errors', unexpected.length === 0, unexpected);
} finally {
  await browser.close();
  await stop_collector();
  rmSync(folder, { recursive: true });
}
for (const failure of failures) console.log(failure);
console.log(`${checks} checks, ${failures.length} failures`);
process.exit(failures.length ? 1 : 0);
