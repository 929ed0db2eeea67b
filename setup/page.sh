# shellcheck shell=bash
# The scripts of pages: bundled from web/src by esbuild, where its inputs have changed. Sourced by setup.sh.

# In web/node_modules: the bundler, and for the tests the compiler that checks the types, and axe.
install_page_packages() {
  local stamp=$root/web/node_modules/.queue-breakeven all there
  all=$(digest "$root/web/package-lock.json")
  there=$(cat "$stamp" 2>/dev/null || true)
  if [ "$there" = "$all" ]; then return; fi
  if [ "$mode" = test ]; then
    say "installing what bundles the page's script and checks its types into web/node_modules"
    page_npm_ci
    printf '%s\n' "$all" >"$stamp"
  elif [ "$there" != "$all without the tests'" ]; then
    say "installing what bundles the page's script into web/node_modules"
    page_npm_ci --omit=dev
    printf '%s\n' "$all without the tests'" >"$stamp"
  fi
}

page_npm_ci() {
  (cd "$root" && logged npm --prefix web ci --ignore-scripts "$@") || fail 1 "npm could not install the packages of web/"
}

# All that the bundle is made from: the same bytes wherever the checkout is.
page_inputs() {
  local LC_ALL=C # in one order, whatever the language
  shopt -s globstar
  cd "$root" && sha256sum -- web/src/**/*.ts queries/**/*.sql web/package-lock.json setup/page.sh
}

# The report's page, which is deployed with the functions, and the page of a run under way on this machine.
bundle_page() {
  local inputs
  install_page_packages
  inputs=$(page_inputs | sha256sum | cut -d' ' -f1)
  bundle_script src/main.ts "$root/functions/breakeven/report/render/compiled" page "the report's page"
  bundle_script src/live.ts "$root/cli/running/live/compiled" live "the page of a run under way"
}

# bundle_script SOURCE FOLDER NAME WHOSE: where the inputs, of all bundles together, have changed
bundle_script() {
  local out=$2/$3
  if [ -s "$out.js" ] && [ "$(cat "$out.inputs" 2>/dev/null)" = "$inputs" ]; then return; fi
  say "bundling the script of $4 (web/$1)"
  mkdir -p "$2"
  (cd "$root/web" && logged node_modules/.bin/esbuild "$1" --bundle --minify --format=iife --target=es2020 \
    --charset=utf8 --legal-comments=none --loader:.sql=text '--tsconfig-raw={}' "--outfile=$out.js.new") ||
    fail 1 "the script of $4 could not be bundled"
  mv "$out.js.new" "$out.js"
  printf '%s\n' "$inputs" >"$out.inputs"
}
