#!/bin/sh
# types.sh web/page: checks the types of the page's TypeScript.  (esbuild does not.)
cd "$1" || exit 1
[ -d node_modules/typescript ] || { echo "skipped: needs the parts of the page: tools/setup page"; exit 77; }
exec node_modules/.bin/tsc --noEmit
