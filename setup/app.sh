#!/usr/bin/env bash
# The CDK app, as cdk.json names it: so plain `npx cdk synth`, `deploy` or `bootstrap` sets up first what is missing.
# All that is said goes to standard error: on standard output the CDK's command line prints the template. npm's packages
# are left as they are, as the command line that runs this is one of them.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

"$root/setup/setup.sh" app --quiet >&2
cd "$root"
# Node.js 20 and 18 are what this project runs on
export JSII_SILENCE_WARNING_END_OF_LIFE_NODE_VERSION=18,20
exec "$root/.venv/bin/python" -m infra.app
