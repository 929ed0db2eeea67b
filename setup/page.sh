# shellcheck shell=bash
# The script of the report's page: bundled from web/src by esbuild, where its inputs have changed. Sourced by setup.sh.

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
  cd "$root" && sha256sum -- web/src/**/*.ts web/package-lock.json setup/page.sh
}

bundle_page() {
  local out=$root/functions/breakeven/report/render/compiled inputs
  install_page_packages
  inputs=$(page_inputs | sha256sum | cut -d' ' -f1)
  if [ -s "$out/page.js" ] && [ "$(cat "$out/page.inputs" 2>/dev/null)" = "$inputs" ]; then return; fi
  say "bundling the script of the report's page (web/src)"
  mkdir -p "$out"
  (cd "$root/web" && logged node_modules/.bin/esbuild src/main.ts --bundle --minify --format=iife --target=es2020 \
    --charset=utf8 --legal-comments=none '--tsconfig-raw={}' "--outfile=$out/page.js.new") ||
    fail 1 "the script of the report's page could not be bundled"
  mv "$out/page.js.new" "$out/page.js"
  printf '%s\n' "$inputs" >"$out/page.inputs"
}
