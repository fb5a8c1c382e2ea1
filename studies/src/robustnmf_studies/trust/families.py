"""What the tables of the study are about."""

from __future__ import annotations

CHEMISTRY, ANATOMY, MEDICINE = "chemistry", "anatomy", "medicine"
ECONOMY, PRICES, SOCIETY = "economy", "prices", "society"
WEATHER, ENGINEERING, SPORTS = "weather", "engineering", "sports"
MADE_UP = "made up"
# The families of real tables.
FAMILIES = (
    CHEMISTRY,
    ANATOMY,
    MEDICINE,
    ECONOMY,
    PRICES,
    SOCIETY,
    WEATHER,
    ENGINEERING,
    SPORTS,
)
