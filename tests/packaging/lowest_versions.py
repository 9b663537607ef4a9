"""The lowest versions that pyproject.toml allows, as constraints for pip, which has no such resolution of its own.

python tests/packaging/lowest_versions.py [pyproject.toml] > lowest.txt
pip install --constraint lowest.txt --editable . --group dev
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

__all__ = ["lowest", "requirements_of"]

ROOT = Path(__file__).parents[2]


def requirements_of(project: dict[str, Any]) -> list[Requirement]:
    """What the program and its extras ask for directly."""
    texts = list(project["dependencies"])
    for extra in project.get("optional-dependencies", {}).values():
        texts += extra
    return [Requirement(text) for text in texts]


def lowest(requirements: Iterable[Requirement]) -> dict[str, Version]:
    """The lower bound of each requirement, by canonical name.

    Raises:
        ValueError: a requirement has no lower bound, or two of one distribution have different ones.
    """
    found: dict[str, Version] = {}
    for requirement in requirements:
        bounds = [Version(part.version) for part in requirement.specifier if part.operator in (">=", "==", "~=")]
        if len(bounds) != 1:
            raise ValueError(f"{requirement} has {len(bounds)} lower bounds; write name>=version")
        name = canonicalize_name(requirement.name)
        if found.setdefault(name, bounds[0]) != bounds[0]:
            raise ValueError(f"{name} is asked for from {found[name]} and from {bounds[0]} on; write the same twice")
    return found


def main() -> None:
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "pyproject.toml"
    for name, version in lowest(requirements_of(tomllib.loads(path.read_text())["project"])).items():
        print(f"{name}=={version}")


if __name__ == "__main__":
    main()
