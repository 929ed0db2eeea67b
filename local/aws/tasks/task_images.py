"""Images of the simulated ECR: CodeBuild here builds none, but remembers which code an image would hold.

Nothing of a container is simulated but its command, its environment and its working folder, which are read
off the Dockerfile; what it installs is expected to be installed here.
"""

from __future__ import annotations

import json
import shlex
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from moto.codebuild.models import CodeBuildBackend
from moto.codebuild.responses import CodeBuildResponse
from moto.core.exceptions import ServiceException
from moto.ecr.models import ecr_backends

from breakeven.errors import BreakevenError
from local.aws.swaps import Swaps

#: variables of a project, or of a build, that name what is built
REPOSITORY, TAG = "IMAGE_REPOSITORY", "IMAGE_TAG"
_MANIFEST_TYPE = "application/vnd.oci.image.manifest.v1+json"


@dataclass(frozen=True, slots=True)
class Image:
    """What of an image matters here: ``folder`` is what its working folder was copied from."""

    folder: Path
    entry_point: tuple[str, ...]
    command: tuple[str, ...]
    environment: Mapping[str, str]


class TaskImages:
    """:param source: an S3 key of deployed code -> the folder that holds that code"""

    def __init__(self, source: Callable[[str], Path]) -> None:
        self._source, self._lock = source, threading.Lock()
        self._built: dict[str, Path] = {}
        self._failed: set[str] = set()

    def install(self, swaps: Swaps) -> None:
        """Have the simulated CodeBuild's builds end here."""

        def start_build(original: Any, response: Any) -> Any:
            answer = original(response)
            build, backend = answer.result["build"], response.codebuild_backend
            project = backend.codebuild_projects[build["projectName"]]
            given = response._get_param("environmentVariablesOverride") or []
            try:
                self._build(backend, project.project_metadata, given)
            except (BreakevenError, ServiceException) as error:
                with self._lock:
                    self._failed.add(build["id"])
                build["phases"][-1]["contexts"] = [{"message": str(error)}]
            return answer

        def batch_get_builds(original: Any, backend: Any, ids: list[str]) -> Any:
            builds = original(backend, ids)
            with self._lock:
                for build in builds:
                    if build["id"] in self._failed:
                        build["buildStatus"] = "FAILED"
            return builds

        swaps.wrap(CodeBuildResponse, "start_build", start_build)
        swaps.wrap(CodeBuildBackend, "batch_get_builds", batch_get_builds)

    def image(self, uri: str) -> Image:
        """:raises BreakevenError: it was not built here, or its Dockerfile says nothing that can be run"""
        with self._lock:
            folder = self._built.get(uri)
        if folder is None:
            raise BreakevenError(f"pull image manifest has been retried: {uri}: not found")
        return read_dockerfile(folder)

    def _build(self, backend: Any, project: dict[str, Any], given: list[dict[str, str]]) -> None:
        own = project["environment"].get("environmentVariables") or []
        variables = {each["name"]: each["value"] for each in (*own, *given)}
        missing = [name for name in (REPOSITORY, TAG) if not variables.get(name)]
        if missing:
            raise BreakevenError(
                f"the build has no variable {missing[0]}: give it to the project or the build"
            )
        folder = self._source(project["source"]["location"].partition("/")[2])
        read_dockerfile(folder)
        repositories = ecr_backends[backend.account_id][backend.region_name]
        name, tag = variables[REPOSITORY].rpartition("/")[2], variables[TAG]
        found = [one for one in repositories.repositories.values() if name in (one.name, one.uri)]
        if not found:
            raise BreakevenError(f"{REPOSITORY} is {variables[REPOSITORY]}: there is no such repository")
        manifest = {"schemaVersion": 2, "mediaType": _MANIFEST_TYPE, "tag": tag}
        repositories.put_image(found[0].name, json.dumps(manifest), tag, _MANIFEST_TYPE)
        with self._lock:
            self._built[f"{found[0].uri}:{tag}"] = folder


def read_dockerfile(folder: Path) -> Image:
    """What the Dockerfile in ``folder`` says of WORKDIR, COPY, ENV, ENTRYPOINT and CMD, in JSON's form.

    :raises BreakevenError: there is none, or it says one of these in a way that is not understood
    """
    path = folder / "Dockerfile"
    if not path.is_file():
        raise BreakevenError(f"{path}: no Dockerfile at the root of what is built")
    work, copied = PurePosixPath("/"), folder
    said: dict[str, tuple[str, ...]] = {}
    environment: dict[str, str] = {}
    for instruction, rest in _instructions(path.read_text()):
        if instruction == "WORKDIR":
            work = work / rest
        elif instruction == "ENV":
            environment.update(_pairs(path, rest))
        elif instruction in {"ENTRYPOINT", "CMD"}:
            said[instruction] = _exec_form(path, instruction, rest)
        elif instruction in {"COPY", "ADD"}:
            *sources, target = [word for word in shlex.split(rest) if not word.startswith("--")]
            # a file beside the code, a lock for example, does not make its folder another
            if work / target == work and len(sources) == 1 and (folder / sources[0]).is_dir():
                copied = folder / sources[0]
    return Image(copied, said.get("ENTRYPOINT", ()), said.get("CMD", ()), environment)


def _instructions(text: str) -> Iterator[tuple[str, str]]:
    for line in text.replace("\\\n", " ").splitlines():
        instruction, _, rest = line.strip().partition(" ")
        if instruction and not instruction.startswith("#"):
            yield instruction.upper(), rest.strip()


def _pairs(path: Path, rest: str) -> Iterator[tuple[str, str]]:
    for pair in shlex.split(rest):
        name, equals, value = pair.partition("=")
        if not equals:
            raise BreakevenError(f"{path}: ENV {rest}: write it as NAME=value")
        yield name, value


def _exec_form(path: Path, instruction: str, rest: str) -> tuple[str, ...]:
    try:
        words = json.loads(rest)
    except ValueError:
        raise BreakevenError(f'{path}: {instruction} {rest}: write it as ["program", "argument"]') from None
    return tuple(words)
