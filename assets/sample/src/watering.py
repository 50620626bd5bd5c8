"""When a bed needs water, and how much."""

import datetime

from garden import Bed

DAYS = 7  # how far back rain still counts
SHADE_SAVES = 0.8  # a bed in partial shade loses a fifth less


def shortfall(bed: Bed, rain: dict[datetime.date, float], today: datetime.date) -> float:
    """Millimetres that the bed lacks for the week that ends today.

    Rain counts, watering does not: nobody writes down yet what came from the can.
    """
    fallen = sum(rain.get(today - datetime.timedelta(days=n), 0.0) for n in range(DAYS))
    need = bed.need * (SHADE_SAVES if bed.shade else 1.0)
    return max(0.0, need - fallen)


def litres(bed: Bed, missing: float) -> float:
    """One millimetre on one square metre is one litre."""
    return missing * bed.area
