"""Where arrows of a picture run."""

from __future__ import annotations

import random

from gradcli.report.layers import SHARED, Arrangement, Arrow, arrange


def begins(arrow: Arrow, picture: Arrangement) -> bool:
    """Whether an arrow begins at the lower side of its box."""
    box = picture.placed[arrow.start]
    return arrow.points[0] == (box.middle, box.y + box.height)


def test_an_arrow_begins_at_its_box_or_where_another_of_that_box_runs() -> None:
    chance = random.Random(3)
    above: list[list[int]] = [
        sorted({box - 1, chance.choice([0, 1]), chance.randrange(box)}) if box > 1 else []
        for box in range(60)
    ]
    picture = arrange([(80.0, 30.0)] * len(above), above)
    assert {(each.start, each.end) for each in picture.arrows} == {
        (start, box) for box, operands in enumerate(above) for start in operands
    }
    ways: dict[int, set[tuple[float, float]]] = {}
    for arrow in picture.arrows:
        end = picture.placed[arrow.end]
        assert arrow.points[-1] == (end.middle, end.y)
        known = ways.setdefault(arrow.start, set())
        assert begins(arrow, picture) or arrow.points[0] in known
        known.update(arrow.points)
    assert not all(begins(each, picture) for each in picture.arrows)


def test_the_ways_of_one_box_grow_with_the_places() -> None:
    above = [[], *([0, box - 1] for box in range(1, 200))]
    picture = arrange([(80.0, 30.0)] * len(above), above)
    drawn = sum(len(each.points) for each in picture.arrows)
    assert drawn < 2 * (SHARED + 5) * len(above)  # 40,000 if each began at its box


def test_a_small_picture_draws_whole_ways() -> None:
    above = [[], *([0, box - 1] for box in range(1, SHARED))]
    picture = arrange([(80.0, 30.0)] * len(above), above)
    assert all(begins(each, picture) for each in picture.arrows)
