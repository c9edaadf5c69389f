"""Whether the words of a figure keep out of one another's way, and of the data's."""

from itertools import combinations

import numpy as np
from matplotlib.collections import Collection
from matplotlib.legend import Legend
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.text import Annotation, Text
from matplotlib.transforms import Bbox

SLACK = 0.5  # points by which boxes may meet


def complaints(fig) -> list[str]:
    """What a reader would stumble over: texts on texts, texts cut off, hidden data."""
    fig.draw_without_rendering()
    texts = [(text, _box(text)) for text in _texts(fig)]
    found = [
        f"{_name(one)} lies on {_name(other)}"
        for (one, a), (other, b) in combinations(texts, 2)
        if a.overlaps(b)
    ]
    frame = fig.bbox.padded(fig.dpi / 72)
    for text, box in texts:
        if not (frame.contains(*box.min) and frame.contains(*box.max)):
            found.append(f"{_name(text)} is cut off at the edge")
    for legend in fig.findobj(Legend):
        box = legend.get_window_extent()
        for ax in fig.axes:
            if box.count_contains(_data(ax)):
                found.append(f"the legend covers data of {ax.get_title()!r}")
    return found


def legend_texts(fig) -> list[str]:
    """What the figure's only legend says."""
    (legend,) = fig.legends
    return [text.get_text() for text in legend.get_texts()]


def _name(text) -> str:
    return repr(text.get_text())


def _box(text) -> Bbox:
    # An annotation's own extent has its arrow, and the box that it is in.
    box = Text.get_window_extent(text) if isinstance(text, Annotation) else None
    box = text.get_window_extent() if box is None else box
    return box.padded(-SLACK * text.get_figure(root=True).dpi / 72)


def _texts(fig):
    """All that are seen."""
    ticks, drawn = set(), set()
    for ax in fig.axes:
        for axis in (ax.xaxis, ax.yaxis):
            axis.get_ticklabels()  # The layout may have left ticks of a wider axis.
            low, high = sorted(axis.get_view_interval())
            slack = 1e-9 * (high - low)
            for minor in (False, True):
                of = axis.get_minor_ticks() if minor else axis.get_major_ticks()
                ticks |= {t for tick in of for t in (tick.label1, tick.label2)}
                drawn |= {
                    t
                    for tick in of
                    for t in (tick.label1, tick.label2)
                    if low - slack <= tick.get_loc() <= high + slack
                }
    unseen = (axis for ax in fig.axes if not ax.axison for axis in (ax.xaxis, ax.yaxis))
    hidden = {text for axis in unseen for text in axis.findobj(Text)}
    return [
        text
        for text in fig.findobj(Text)
        if text.get_visible()
        and text.get_text().strip()
        and (text not in ticks or text in drawn)
        and text not in hidden
    ]


def _data(ax) -> np.ndarray:
    """Places in pixels of what is drawn inside of axes, f64[N, 2]."""
    places = [np.zeros((0, 2))]
    for child in ax.get_children():
        if isinstance(child, Line2D) and child.get_transform() == ax.transData:
            x, y = (np.asarray(v, float) for v in child.get_data())
            pixels = ax.transData.transform(np.column_stack([x, y]))
            pixels = pixels[np.isfinite(pixels).all(1)]
            steps = np.linspace(0, 1, 50)[:, None, None]
            between = pixels[:-1] + steps * np.diff(pixels, axis=0)
            places += [pixels, between.reshape(-1, 2)]
        elif isinstance(child, Collection):
            for path in child.get_paths():
                places.append(child.get_transform().transform(path.vertices))
        elif isinstance(child, Rectangle) and child is not ax.patch:
            box = child.get_window_extent()
            grid = np.stack(np.meshgrid(*(np.linspace(0, 1, 20),) * 2), -1)
            places.append((box.min + grid * box.size).reshape(-1, 2))
    found = np.concatenate(places)
    found = found[np.isfinite(found).all(1)]
    return found[((found >= ax.bbox.min) & (found <= ax.bbox.max)).all(1)]
