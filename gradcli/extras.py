"""Packages that are needed for some things only, and are installed with `gradcli[EXTRA]`."""

from __future__ import annotations

from importlib import import_module
from typing import Any, NamedTuple

from gradcli.diagnostics import Code, GradcliError


class Extra(NamedTuple):
    """What `pip install 'gradcli[NAME]'` adds."""

    package: str
    what: str


EXTRAS = {
    "zarr": Extra("zarr", "@data.zarr/x, --save out.zarr"),
    "hdf5": Extra("h5py", "@file.h5:/group/x, netCDF-4, --save out.h5"),
    "cloud": Extra("obstore", "@s3://, @gs://, @https://"),
    "cluster": Extra("distributed", "--cluster"),
    "dashboard": Extra("bokeh", "--dashboard"),
    "excel": Extra("xlsxwriter", "--format xlsx"),
    "png": Extra("cairosvg", "--format png"),
    "gpu": Extra("cupy", "--device cuda"),
}
"""By name, as pyproject.toml names them."""


def require(name: str, code: Code = "file") -> Any:
    """The package of an extra, imported. Raises an error with the `code` if it is not there."""
    package, what = EXTRAS[name]
    try:
        return import_module(package)
    except ImportError:
        raise GradcliError(
            code,
            f"{what}: this needs {package}, which is not installed",
            hint=f"pip install 'gradcli[{name}]'",
        ) from None


def installed() -> dict[str, str | None]:
    """The versions of the packages that gradcli runs on, and of extras; None for what is not there.

    Nothing of it is imported.
    """
    from importlib.metadata import PackageNotFoundError, version

    found: dict[str, str | None] = {}
    for package in ("numpy", "scipy", *(extra.package for extra in EXTRAS.values())):
        names = ("cupy-cuda13x", "cupy-cuda12x") if package == "cupy" else (package,)
        found[package] = None
        for name in names:
            try:
                found[package] = version(name)
                break
            except PackageNotFoundError:
                continue
    return found
