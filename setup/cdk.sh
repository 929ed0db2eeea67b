#!/usr/bin/env bash
# The CDK's command line on this project's app, both of which are set up first where they are missing.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

"$root/setup/setup.sh" deploy --quiet
cd "$root"
export CDK_DISABLE_CLI_TELEMETRY=true # the tool's own figures about its use stay here
exec "$root/node_modules/.bin/cdk" "$@"
