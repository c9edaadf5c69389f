"""Room at the right for numbers that stand beside marks."""

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.text import Annotation

from jaxbandits.plots._style import figure_of


def make_room(ax: Axes, numbers: Sequence[Annotation]) -> None:
    """Widen a linear x axis until the numbers end inside of the axes.

    A number stands at a distance in points from a place in the data, so that what it
    needs depends on how wide the axes come out: they are laid out once.
    """
    figure_of(ax).draw_without_rendering()
    low, high = ax.get_xlim()
    width = ax.bbox.width
    for number in numbers:
        end = number.get_window_extent().x1
        place = (number.xy[0] - low) / (high - low) * width
        beside = end - ax.bbox.x0 - place
        if 0 <= beside < width:
            high = max(high, low + (number.xy[0] - low) * width / (width - beside))
    ax.set_xlim(low, high)
