// node build.mjs FOLDER: the page as one script and one style sheet.
import { build } from 'esbuild';

const folder = process.argv[2] ?? 'made';
const common = { bundle: true, minify: true, logLevel: 'warning', legalComments: 'none', charset: 'utf8' };
await build({ ...common, entryPoints: ['src/main.ts'], target: 'es2021', outfile: `${folder}/page.js` });
await build({ ...common, entryPoints: ['src/page.css'], outfile: `${folder}/page.css` });
