#!/bin/sh
# types.sh web/page: does the TypeScript of the page fit together?  (esbuild does not look.)
cd "$1" || exit 1
[ -d node_modules/typescript ] || { echo "skipped: needs the parts of the page: tools/setup page"; exit 77; }
exec node_modules/.bin/tsc --noEmit
