"""Channels and places exchanged: pixel_shuffle, channel_shuffle."""

from __future__ import annotations

from gradcli.diagnostics import GradcliError
from gradcli.graph import Node
from gradcli.ops.axes import permute
from gradcli.ops.group import Group
from gradcli.ops.shapes import show
from gradcli.ops.shaping import reshape
from gradcli.ops.table import Case

table = Group("layer")


@table.function(cases=[Case("pixel_shuffle(x, 2)", {"x": (1, 4, 1, 2)})], own_memory=True)
def pixel_shuffle(input: Node, upscale_factor: int) -> Node:
    """(…, C * r**2, H, W) as (…, C, H * r, W * r), for r = `upscale_factor`."""
    r = upscale_factor
    if input.ndim < 3 or r < 1 or input.shape[-3] % (r * r):
        raise GradcliError(
            "shape",
            f"pixel_shuffle takes (…, channels, height, width), the channels a multiple of "
            f"upscale_factor squared; this is {show(input.shape)} and {r}",
        )
    *lead, channels, height, width = input.shape
    split = reshape(input, (*lead, channels // (r * r), r, r, height, width))
    woven = permute(split, (*range(len(lead) + 1), *(len(lead) + i for i in (3, 1, 4, 2))))
    return reshape(woven, (*lead, channels // (r * r), height * r, width * r))


@table.function(cases=[Case("pixel_unshuffle(x, 2)", {"x": (1, 1, 2, 4)})], own_memory=True)
def pixel_unshuffle(input: Node, downscale_factor: int) -> Node:
    """(…, C, H * r, W * r) as (…, C * r**2, H, W), for r = `downscale_factor`."""
    r = downscale_factor
    if input.ndim < 3 or r < 1 or input.shape[-2] % r or input.shape[-1] % r:
        raise GradcliError(
            "shape",
            f"pixel_unshuffle takes (…, channels, height, width), the last two multiples of "
            f"downscale_factor; this is {show(input.shape)} and {r}",
        )
    *lead, channels, height, width = input.shape
    split = reshape(input, (*lead, channels, height // r, r, width // r, r))
    woven = permute(split, (*range(len(lead) + 1), *(len(lead) + i for i in (2, 4, 1, 3))))
    return reshape(woven, (*lead, channels * r * r, height // r, width // r))


@table.function(cases=[Case("channel_shuffle(x, 2)", {"x": (1, 4, 2)})], own_memory=True)
def channel_shuffle(input: Node, groups: int) -> Node:
    """Channels (axis 1) dealt out: the first of each of the groups, then the second of each, …"""
    if input.ndim < 3 or groups < 1 or input.shape[1] % groups:
        raise GradcliError(
            "shape",
            f"channel_shuffle takes (batch, channels, …), the channels a multiple of groups; this "
            f"is {show(input.shape)} and {groups}",
        )
    batch, channels, *rest = input.shape
    split = reshape(input, (batch, groups, channels // groups, *rest))
    dealt = permute(split, (0, 2, 1, *range(3, split.ndim)))
    return reshape(dealt, input.shape)
