"""The settings of ``"auto"``, by step; those of detection are in `detection.settings`.

Nobody need know these numbers to use the library. Each group names the study that it was chosen on;
what they are worth on other draws and other data, docs/beyond.md and docs/trust.md report.
"""

from __future__ import annotations

from typing import NamedTuple


class FitSettings(NamedTuple):
    """The fit as a whole.

    Chosen on the tuning draws of `robustnmf reproduce beyond`.
    """

    sample_entries: int = 100_000
    """All but the last step looks at no more entries than this, ..."""
    sample_rows: int = 150
    """... but at least at so many rows."""
    start_iterations: int = 30
    """Of the first fit with all components."""
    rounds: int = 2
    """Of learning a detector and fitting on, after that."""
    steps: int = 8
    """Iterations of each round."""
    looks: tuple[int, ...] = (2, 4)
    """If there are more rows than the sample has, which of their entries are corrupt is looked at
    anew after so many iterations. examples/spectrogram.py tells what it is worth."""
    loud: float = 1.5
    """A row is loud when its values are this many times the usual ones."""
    line: float = 4.0
    """A λ is named that draws the line at this many scales of the noise."""


FIT = FitSettings()


class SampleSettings(NamedTuple):
    """When the rows that a detector is learned from are worked on in single precision.

    That values which it cannot tell apart are not, tests/auto/test_sample.py shows.
    """

    compared: int = 10_000
    """So many values are compared, ..."""
    told_apart: float = 0.99
    """... and this share of those that differ must still do so."""


SAMPLE = SampleSettings()


class CoarseSettings(NamedTuple):
    """The fit with one component, against which corruption stands out.

    Chosen on the tuning draws of `robustnmf reproduce beyond`.
    """

    iterations: int = 10
    """Of the fit with one component."""
    rounds: int = 2
    """Of learning a detector and fitting on, after that."""
    steps: int = 5
    """Iterations of each round."""
    nothing: float = 0.02
    """A first try that flags a smaller share of the entries has seen nothing, ..."""
    much: float = 0.1
    """... and a second one that flags more than this has seen something."""


COARSE = CoarseSettings()


class GuessSettings(NamedTuple):
    """First guesses of what is corrupt.

    Chosen on `robustnmf reproduce trust-tuning`.
    """

    elsewhere: float = 0.05
    """A value was written if it turns up in all but this share of the rows and columns, ..."""
    even_share: float = 0.5
    """... at no less than this share of its usual rate, ..."""
    least_pile: float = 0.04
    """... and in at least this share of all entries, ..."""
    most_pile: float = 0.5
    """... but in no more than this: that may well be what most of the data are."""
    trimmed_share: float = 0.6
    """Least trimmed: so many of the smallest residuals are fitted, ..."""
    trimmed_steps: int = 12
    """... with so many iterations at each of the growing numbers of components."""
    most: int = 4
    """So many guesses are tried at most."""
    same: float = 0.01
    """Guesses that differ in fewer entries than this share are one."""


GUESSES = GuessSettings()


class TrialSettings(NamedTuple):
    """Which account of what is corrupt is right.

    Chosen on `robustnmf reproduce trust-tuning`.
    """

    hidden: float = 0.1
    """The share of the entries that is hidden from all trials."""
    most_scored: int = 2000
    """Not more hidden values than this are scored."""
    rounds: int = 2
    """Of learning and fitting in a trial."""
    steps: int = 8
    """Iterations of each round."""
    decisive: float = 2.5
    """An account that calls more corrupt than another must be better by so many standard errors if
    it began from a bold guess, ..."""
    enough: float = 1.5
    """... and by so many if not."""
    unseen: float = 1.5
    """An account does not see that the largest value was written if it leaves so many times as many
    entries at it as another account does."""


TRIALS = TrialSettings()


class EvidenceSettings(NamedTuple):
    """What hidden entries say of a fit.

    Chosen on `robustnmf reproduce trust-tuning`.
    """

    cut: float = 3.0
    """Errors count up to so many spreads of their feature."""
    prior_entries: float = 5.0
    """A feature's errors and spread are drawn towards those of all by this many more hidden
    entries."""
    shuffled_steps: int = 30
    """Iterations of the fit to shuffled data, before its rounds."""


EVIDENCE = EvidenceSettings()


class SearchSettings(NamedTuple):
    """When to try more accounts, and which to leave out.

    Chosen on `robustnmf reproduce trust-tuning`.
    """

    enough_skill: float = 0.3
    """With less skill at hidden entries, much may be corrupt that no cheap guess has found."""
    good_skill: float = 0.7
    """With less, residuals may have heavy tails: parts that predict better leave none, and what is
    far out is corrupt."""
    most_of_nonzero: float = 0.1
    """An account in which more than this share of what is not 0 is corrupt explains nothing but
    zeros; what was written over and over does not count."""
    rare_zeros: float = 0.01
    """A feature that is 0 throughout is dead if no more than this share of the usual feature is
    0."""
    mostly: float = 0.5
    """Data are mostly 0 from this share on."""


SEARCH = SearchSettings()


class VerdictSettings(NamedTuple):
    """How far a fit can be trusted, and what may be replaced.

    Chosen on `robustnmf reproduce trust-tuning`.
    """

    least_hidden: int = 30
    """With fewer hidden entries nothing can be said of predictions."""
    clear_skill: float = 0.15
    """Predictions with more skill than this need no comparison; ..."""
    more_than_shuffled: float = 0.08
    """... with less, they must beat those of the same fit to data whose columns were shuffled by
    this much, ..."""
    least_skill: float = 0.02
    """... and have this much."""
    worthless: float = -0.3
    """Predictions as bad as this are worth nothing in any case."""
    another_account: float = 0.05
    """Two accounts differ when their shares of corrupt entries do by this much, ..."""
    equally_likely: float = 2.0
    """... and neither is likelier when the difference is below so many standard errors."""
    largest_misfit: float = 0.3
    """More residuals far out than their density allows, by this share of all, are nothing like it,
    ..."""
    high_skill: float = 0.6
    """... which does not matter where hidden entries are predicted this well."""
    most_corrupt: float = 0.4
    """More than this cannot be told from the data themselves."""
    many: float = 0.35
    """More than this share of samples or features that are nothing like the rest is a matter of
    doubt."""
    most_flagged: float = 0.5
    """More than this share of the flagged entries ..."""
    few_samples: float = 0.12
    """... in so few of the samples is no scattered corruption, ..."""
    notable: float = 0.008
    """... if so many entries are flagged at all, ..."""
    crowd: int = 4
    """... and so many are in each of these samples."""
    much: float = 0.15
    """Rare entries that carry so much of the variation are as likely tails; ..."""
    nearly_all: float = 0.8
    """... what carries nearly all of it is wrong."""
    in_few: float = 4.0
    """However many entries are flagged, those that share their features so many times as often as
    chance would have it are tails."""
    hardly_sure: float = 0.5
    """Where nothing is predicted, only values that are written again and again are surer than
    this."""
    most_carried: float = 1.25
    """Predictions that are right leave noise of no more than the variation of the data, or hardly
    more."""
    few: int = 2
    """So many samples and features a component are too few."""


VERDICT = VerdictSettings()


class CandidateSettings(NamedTuple):
    """The short fits with different numbers of components.

    Chosen on the tuning draws of `robustnmf reproduce beyond`.
    """

    entries: int = 1_000_000
    """They see no more entries than this, ..."""
    rows: int = 300
    """... but at least so many rows."""
    first_steps: int = 30
    """Iterations before a detector is learned first, ..."""
    steps: tuple[int, ...] = (20, 20, 50)
    """... and after each time it is learned anew; ..."""
    next_steps: int = 10
    """... so many before it is learned once, and the last of those after, where a fit with another
    number of components has told what is corrupt; ..."""
    tolerance: float = 1e-4
    """... or fewer, where ten of them together lower the loss by less than this share: little, for
    what stays of corrupt entries is most of the loss of a good fit."""
    new_size: float = 0.3
    """New components begin this much smaller than a random start would have them."""


CANDIDATES = CandidateSettings()


class RankSettings(NamedTuple):
    """Which number of components is the right one.

    Chosen on the tuning draws of `robustnmf reproduce beyond` and on
    `robustnmf reproduce trust-tuning`.
    """

    hidden: float = 0.1
    """The share of the entries that is hidden from all fits."""
    most_fits: int = 15
    """Not more fits than this, ..."""
    most_components: int = 128
    """... and not more components than this or a third of the samples or features."""
    first_numbers: tuple[int, ...] = (1, 2, 4, 8, 16)
    """The numbers that are tried in any case."""
    cut: float = 6.0
    """Errors are cut off at this many robust standard deviations of the best fit: far enough out
    for the tails of clean data, which is where the signal of many data is, ..."""
    least_cut: float = 0.003
    """... but not below this share of the typical value."""
    negligible: float = 0.0003
    """Errors below this share of it are none: good instruments give four digits, and what is below
    them is all about local minima."""
    told: float = 2.0
    """Two numbers cannot be told apart by less than so many standard errors of the difference,
    ..."""
    near: float = 0.1
    """... if their prices differ by no more than this share."""
    price: float = 0.004
    """Each component must lower the error by this share."""
    flat: float = 0.01
    """Between two numbers whose prices differ by less than this share, none need be tried."""
    cliff: float = 2.0
    """The error falls off a cliff where it is divided by this, ..."""
    foot: float = 1.5
    """... to within this factor of the lowest."""
    sure_number: int = 32
    """Up to here numbers grow whatever the errors say: data that are a sum of so many parts and
    nothing else are predicted badly until all are there."""


RANK = RankSettings()
