"""Says which beds to water: python3 src/today.py [YYYY-MM-DD]"""

import datetime
import sys

from garden import beds, rain
from watering import litres, shortfall

ENOUGH = 10.0  # millimetres: below that a bed can wait another day


def main() -> None:
    today = datetime.date.fromisoformat(sys.argv[1]) if len(sys.argv) > 1 else datetime.date.today()
    fallen = rain()
    total = 0.0
    for bed in beds():
        missing = shortfall(bed, fallen, today)
        if missing < ENOUGH:
            continue
        water = litres(bed, missing)
        total += water
        print(f"bed {bed.number}  {bed.name:<14} {missing:5.1f} mm  {water:6.1f} l")
    print(f"together {total:.0f} litres" if total else "nothing to do today")


if __name__ == "__main__":
    main()
