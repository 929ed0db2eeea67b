#!/usr/bin/env bash
# The CDK's command line on this project's app, both of which are set up first where they are missing.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

"$root/setup/setup.sh" deploy --quiet
cd "$root"
# the tool's own figures about its use stay here; Node.js 20 and 18 are what this project runs on
export CDK_DISABLE_CLI_TELEMETRY=true JSII_SILENCE_WARNING_END_OF_LIFE_NODE_VERSION=18,20
exec "$root/node_modules/.bin/cdk" "$@"
