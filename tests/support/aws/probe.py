"""The probe app, synthesized and deployed: what the tests of the control plane share."""

from __future__ import annotations

import atexit
import functools
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from local.aws.control_plane import ControlPlane
from local.children import Children
from tests.support.aws.executions import history, wait_for

APP = Path(__file__).parents[2] / "fixtures" / "probe_app" / "app.py"
STACK = "Probe"
LIMIT_S = 60


class Machines:
    """Writes down what is done to instances."""

    def __init__(self):
        self.launched, self.stopped, self.started, self.terminated = [], [], [], []

    def launch(self, launch):
        self.launched.append(launch)

    def stop(self, instance_ids):
        self.stopped.append(instance_ids)

    def start(self, instance_ids):
        self.started.append(instance_ids)

    def terminate(self, instance_ids):
        self.terminated.append(instance_ids)


class Plane:
    """A control plane with the probe stack deployed, and what it was made of."""

    def __init__(self, assembly, folder, on_invoke=None):
        self.children, self.machines, self.logs = Children(), Machines(), folder / "logs"
        self.plane = ControlPlane(
            children=self.children,
            cloud_assembly=assembly,
            machines=self.machines,
            env={"EXTRA": "variable"},
            log_dir=self.logs,
            on_invoke=on_invoke,
        ).open()

    def deploy(self):
        self.outputs = self.plane.deploy(STACK)
        return self

    def start(self, name, **wanted):
        defaults = {
            "loaders": [1, 2, 3],
            "at_once": 2,
            "rounds": [1, 2],
            "beside_s": 1,
            "load_s": 120,
            "fault": {},
        }
        return self.plane.start(self.outputs["MachineArn"], {**defaults, **wanted}, name=name)

    def run(self, name, **wanted):
        return wait_for(self.plane, self.start(name, **wanted))

    def item(self, run_id):
        table = self.plane.resource("dynamodb").Table(self.outputs["TableName"])
        return table.get_item(Key={"run_id": run_id}).get("Item")

    def failures(self, run_id):
        """What the release step was told: state -> error. None: it did not run."""
        released = self.item(f"{run_id}/released")
        return released and {state: error["Error"] for state, error in released["failed"].items()}

    def entered(self, execution):
        names = (e.get("stateEnteredEventDetails", {}).get("name") for e in history(self.plane, execution))
        return [name for name in names if name]

    def close(self):
        self.plane.close()
        self.children.stop_all()


@functools.cache
def synthesized_probe():
    """The app's cloud assembly, made once."""
    folder = Path(tempfile.mkdtemp(prefix="probe-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    out = folder / "cdk.out"
    environment = {**os.environ, "CDK_OUTDIR": str(out)}
    subprocess.run([sys.executable, str(APP)], env=environment, check=True, capture_output=True)
    return out
