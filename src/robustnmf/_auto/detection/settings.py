"""The settings of detection, by step.

Nobody need know these numbers to use the library. Each group names the study that it was chosen on;
what they are worth on other draws and other data, docs/beyond.md and docs/trust.md report.
"""

from __future__ import annotations

from typing import NamedTuple


class ScaleSettings(NamedTuple):
    """How the scales of clean residuals are learned.

    Chosen on the tuning draws of `robustnmf reproduce beyond`.
    """

    levels: int = 12
    """How many levels of the prediction have a factor of their own."""
    level_sample: int = 10_000
    """So many predictions are enough to see where the levels begin."""
    prior_entries: float = 40.0
    """Each factor is drawn towards the common one as if by this many more entries."""
    least_factor: float = 0.3
    """A factor is not below this share of the typical one, ..."""
    least_scale: float = 0.75
    """... nor the product of all below this share of the root mean square: where everything is
    predicted exactly (a black border), nothing is surprising by a tiny amount."""
    largest_factor: float = 3.0
    """A feature's factor is not above so many times that of ..."""
    most_features: float = 0.9
    """... this share of the features: an error that bends its column would else make its own size
    seem usual there."""
    clean_share: float = 0.6
    """At least this share of any row, feature or level is taken to be clean. If 30 % are corrupt,
    these are 6 of 7 clean ones, ..."""
    clean_reach: float = 1.6
    """... which lie within so many scales."""
    first_cutoff: float = 3.0
    """Before anything is known to be corrupt, residuals above this many scales are left out, which
    is good until about a fifth of the entries is corrupt, ..."""
    second_cutoff: float = 2.0
    """... and in a second try those above this many."""
    largest_step: float = 2.0
    """A factor changes by no more than this in one step."""
    sample_steps: int = 3
    """So many steps find the factor of a sample that was not learned from."""


SCALES = ScaleSettings()


class ValueSettings(NamedTuple):
    """How values are put into classes, and their rates learned.

    Chosen on the tuning draws of `robustnmf reproduce beyond`.
    """

    most_values: int = 512
    """Up to so many different values, each is a class of its own."""
    equal_count_bins: int = 64
    """Continuous values are put into so many bins with about equally many entries, ..."""
    equal_width_bins: int = 32
    """... and into so many equally wide ones."""
    atom_entries: int = 5
    """Among continuous values, one that so many entries share is a class of its own, ..."""
    atom_share: float = 1 / 5000
    """... if they are this share of all."""
    same: float = 1e-7
    """Values that differ by no more than this share of themselves are one: single precision tells
    them no better apart."""
    near: float = 1.5
    """Residuals below this many scales surely belong."""
    prior_share: float = 0.05
    """A value is judged as if it stood out in this share of the entries more than it does."""
    prior_entries: float = 5.0
    """So many entries, over all values, are thought corrupt beforehand."""
    sample: int = 2048
    """So many entries stand for all when predictions are compared with every value."""
    cells_an_edge: int = 8
    """To find the classes of values, their range is cut into so many cells for each bound, ..."""
    most_in_cell: int = 4
    """... unless so unevenly that one holds more bounds than this."""


VALUES = ValueSettings()


class EvennessSettings(NamedTuple):
    """How even the rates of far-out entries are over the levels of the data.

    Chosen on `robustnmf reproduce trust-tuning`.
    """

    least_expected: float = 8.0
    """A level with fewer expected far-out entries says nothing."""
    own: float = 100.0
    """A class with so many far-out entries is judged by itself, all others together."""
    doubt: float = 2.0
    """Each rate is given so many standard errors of counting."""
    rare: float = 0.12
    """The rate where far-out entries are rare is this quantile of the rates at all levels."""


EVENNESS = EvennessSettings()


class TailSettings(NamedTuple):
    """How the tail of clean residuals is learned.

    Chosen on `robustnmf reproduce trust-tuning`.
    """

    allowance: float = 2.0
    """Clean data may have this many times the far-out entries that the density of residuals
    promises."""
    rounds: int = 20
    """Of expectation and maximisation."""
    prior_entries: float = 5.0
    """Among so many far-out entries, a tail is thought to be as thin as can be beforehand."""
    least_index: float = 2.0
    """The share beyond u falls by this power of u at least (heavier tails could not be told from
    corruption, which leaves any value), ..."""
    largest_index: float = 6.0
    """... and by this one at most."""
    doubt: float = 2.0
    """A tail has most of its entries where it begins. Those below twice as many scales, and so many
    standard errors of counting more, tell how many there can be in all."""


TAILS = TailSettings()


class LearnerSettings(NamedTuple):
    """How a detector is learned from scales and rates.

    Chosen on the tuning draws of `robustnmf reproduce beyond`, and what is rare or written
    again and again on `robustnmf reproduce trust-tuning`.
    """

    least_bar: float = 0.3
    """What is flagged is at least this likely to be corrupt, ..."""
    highest_bar: float = 0.5
    """... and what is likelier than this is flagged."""
    first_steps: int = 4
    """Steps of the scales when they are learned first, ..."""
    next_steps: int = 2
    """... and each time after that."""
    negligible_share: float = 1e-3
    """No clean residual is expected to be below this share of the mean: corruption is wildly wrong,
    and where data are fitted to the last digit, nothing else should be called so."""
    negligible_odds: float = -4.0
    """Log odds below this do not count towards the expected number of corrupt entries."""
    certain: float = 100.0
    """Log odds of an entry at the ceiling, whatever its residual."""
    rare: float = 0.01
    """Less corruption than this share may as well be clean tails: its rates are multiplied by a
    power of how much less it is; by this power ..."""
    beside: float = 2.0
    """... beside corruption that writes one value, ..."""
    alone: float = 0.5
    """... and by this one where there is no other."""
    written: float = 0.005
    """A value that corruption writes into this share of all entries is one it writes again and
    again, ..."""
    oftener: float = 5.0
    """... if that is so many times what it would be if any value were as good."""
    low: float = 0.25
    """A typical value is this quantile of values of which most may be corrupt."""


LEARNER = LearnerSettings()


class RowSettings(NamedTuple):
    """How the W and the corrupt entries of a row are found.

    Chosen on the tuning draws of `robustnmf reproduce beyond`.
    """

    first_price: float = 3.0
    """λ of the convex start is this much over the number of features: as for a third of the entries
    being corrupt."""
    rounds: int = 3
    """How often the scale of a row and its corrupt entries are found anew before its thresholds are
    held, ..."""
    most_rounds: int = 20
    """... and how often at most after that."""
    reach: float = 1.5
    """Values above so many times what is usual are cut off before the start."""
    least_usual: float = 0.1
    """What is usual is at least this share of the mean, where most entries are 0."""


ROWS = RowSettings()


class RepairSettings(NamedTuple):
    """What is replaced, and within which bounds.

    Chosen on `robustnmf reproduce trust-tuning`.
    """

    trusted: float = 0.5
    """How likely corrupt an entry must be to be replaced: where the fit is trusted, ..."""
    in_doubt: float = 0.99
    """... and where it is not."""
    clearly: float = 4.0
    """In doubt, a residual must be so many times the usual error of predictions; ..."""
    rarely: float = 16.0
    """... so many times where so few entries are corrupt that they may be clean tails."""
    crowded: float = 0.02
    """Where corruption is that rare, a row with more than this share of it is not predicted
    well."""
    margin: float = 2.0
    """Fills may lie beyond the trusted values of their feature by this factor."""


REPAIR = RepairSettings()


class OutlierSettings(NamedTuple):
    """Which samples are left unexplained far beyond the others.

    Chosen on the tuning draws of `robustnmf reproduce beyond`.
    """

    least_samples: int = 20
    """With fewer samples than this there is no "rest" to speak of."""
    least_ratio: float = 2.5
    """An outlier is one whose variation is left unexplained to this many times the usual share,
    ..."""
    least_share: float = 0.3
    """... to at least this share, ..."""
    least_distance: float = 2.5
    """... and far from the others, in robust standard deviations of the logarithm."""


OUTLIERS = OutlierSettings()


class UnrelatedSettings(NamedTuple):
    """Which rows have nothing in common with any other.

    Chosen on `robustnmf reproduce trust-tuning`.
    """

    chance: float = 4.0
    """No correlation with others is above what chance allows: so many standard errors of Fisher's
    z, which are the same for strong and weak correlations."""
    clearly_related: float = 1.5
    """That says something only if the usual row's best z is so many times that, ..."""
    much_alike: float = 3.0
    """... or so many times for short rows, in which a few wrong entries can hide what is common."""
    short: int = 60
    """Rows with fewer numbers are short."""
    better: float = 0.7
    """The usual row is at this quantile: of many bad rows, the better ones alone tell what is
    usual."""
    least_numbers: int = 16
    """A row must have so many numbers, ..."""
    most_unrelated: float = 0.45
    """... and no more than this share of rows may be like that."""
    quiet: float = 0.5
    """A row is quiet that varies less than this share of what is usual."""
    most_others: int = 500
    """Each row is compared with so many others."""
    most_counted: int = 4
    """Ranks are counted, not sorted, where there are up to so many values for each of a row's."""


UNRELATED = UnrelatedSettings()


class CeilingSettings(NamedTuple):
    """Which largest value was not measured.

    Chosen on `robustnmf reproduce trust-tuning`.
    """

    least_share: float = 0.01
    """So large a share of the entries at the largest value is no chance, ..."""
    most_share: float = 0.45
    """... more than this may well be what most of the data are, ..."""
    pile: float = 4.0
    """... if it is so many times as frequent as any value ..."""
    below: float = 0.07
    """... in this share of the range below it, ..."""
    least_values: int = 24
    """... and if there are so many values that each cannot be frequent."""
    small_pile: float = 2.6
    """Among what a trial leaves, so many times as frequent is worth a doubt."""
    high_standing: float = 0.72
    """The usual prediction of an entry that is cut off is above this share of all others, ..."""
    high_level: float = 0.75
    """... or its level by row and column alone, from 0 to 1, is this high: where much is cut off,
    predictions of what was never seen are poor."""
    beyond: float = 0.5
    """More was there if the usual prediction is above the ceiling by so many of its errors."""


CEILING = CeilingSettings()
