"""The image that loaders are started from as tasks: whether it is there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from botocore.exceptions import ClientError

from breakeven.steps.aws_clients import Ecr

REPOSITORY, TAG = "BREAKEVEN_IMAGE_REPOSITORY", "BREAKEVEN_IMAGE_TAG"


@dataclass(frozen=True, slots=True)
class Image:
    """``tag`` is the digest of all that the image is made of: other code is another image."""

    repository: str
    tag: str


def image_of(environment: Mapping[str, str]) -> Image:
    """As the stack has set the function's environment.

    :raises KeyError: it has not
    """
    return Image(environment[REPOSITORY], environment[TAG])


def is_built(ecr: Ecr, image: Image) -> bool:
    """Whether it is there to be pulled."""
    try:
        found = ecr.describe_images(repositoryName=image.repository, imageIds=[{"imageTag": image.tag}])
    except ClientError as error:
        if error.response["Error"]["Code"] != "ImageNotFoundException":
            raise
        return False
    return bool(found["imageDetails"])
