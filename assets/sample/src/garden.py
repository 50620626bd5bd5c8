"""The garden's beds and the weather, read from the CSV files in data/."""

import csv
import datetime
import pathlib
from dataclasses import dataclass

DATA = pathlib.Path(__file__).parent.parent / "data"


@dataclass(frozen=True)
class Bed:
    number: int
    name: str
    area: float  # square metres
    need: float  # millimetres of water a week
    shade: bool  # in the shade for part of the day


def beds() -> list[Bed]:
    """All beds, in the order of the file."""
    with open(DATA / "beds.csv", newline="", encoding="utf-8") as file:
        return [
            Bed(int(r["bed"]), r["name"], float(r["area_m2"]), float(r["need_mm_per_week"]), r["shade"] == "partly")
            for r in csv.DictReader(file)
        ]


def rain() -> dict[datetime.date, float]:
    """Millimetres of rain by day."""
    with open(DATA / "rainfall.csv", newline="", encoding="utf-8") as file:
        return {datetime.date.fromisoformat(r["date"]): float(r["rain_mm"]) for r in csv.DictReader(file)}
