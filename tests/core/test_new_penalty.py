"""A third noise model is one file and one line: here is the file, and the line is patched in."""

from dataclasses import dataclass, replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize

from robustnmf import RobustNMF
from robustnmf._core.noise.model import Base, Cleaned, Quadratic, no_weights
from robustnmf._core.penalties import PENALTIES
from robustnmf._core.rows import solve_rows
from robustnmf._kernels import kernels_for, observed_residual


@dataclass(frozen=True)
class L1(Base):
    """λ‖e‖₁ for each row: the residual shrunk towards 0 by λ/2. λ has the unit of x."""

    lam: float
    convex = True

    def rescaled(self, factor):
        return replace(self, lam=self.lam * factor)

    @staticmethod
    def equivalent_lam(line, rows, entries, excess):
        return 2 * line

    def noise(self, X, P):
        R = observed_residual(X, P)
        return np.sign(R) * np.maximum(np.abs(R) - self.lam / 2, 0)

    def penalty(self, E):
        return self.lam * np.abs(E).sum(axis=1, dtype=np.float64)

    def clean(self, X, P, weights, threshold):
        no_weights(weights)
        E = self.noise(X, P)
        kept = observed_residual(X, P) - E
        loss = (kept * kept).sum(axis=1, dtype=np.float64) + self.penalty(E)
        return Cleaned(P + kept, loss, threshold)

    def quadratic(self, X, P, H, weights, threshold):
        """Small residuals count squared, large ones pull by λ/2."""
        E = self.noise(X, P)
        Q, c, _ = kernels_for(X).quadratic_weighted(X, P, H, (E == 0).astype(X.dtype))
        pull = self.lam / 2 * np.sign(E).astype(np.float64) @ H.T
        return Quadratic(Q, c + pull, self.clean(X, P, None, threshold).loss, threshold)


@pytest.fixture(autouse=True)
def one_line(monkeypatch):
    monkeypatch.setitem(PENALTIES, "l1", f"{__name__}:L1")


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    clean = rng.exponential(size=(120, 3)) @ rng.exponential(size=(3, 60))
    wrong = rng.random(clean.shape) < 0.05
    return np.where(wrong, clean + 20, clean), wrong


@pytest.mark.parametrize("unit", [1.0, 1e90])
@pytest.mark.parametrize("refit", [None, "wnmf"])
def test_an_estimator_fits_with_it(data, unit, refit):
    X, wrong = data
    fitted = RobustNMF(3, lam=2.0 * unit, penalty="l1", refit=refit, random_state=0).fit(unit * X)
    assert (fitted.detect(unit * X) == wrong).mean() > 0.999
    assert (np.diff(fitted.history_["objective"]) <= 0).all()


def test_a_model_with_it_is_saved_by_its_name(data, tmp_path, monkeypatch):
    fitted = RobustNMF(3, lam=2.0, penalty="l1", random_state=0).fit(data[0])
    fitted.save(tmp_path / "m")
    assert (RobustNMF.load(tmp_path / "m").detect(data[0]) == fitted.detect(data[0])).all()
    monkeypatch.delitem(PENALTIES, "l1")
    with pytest.raises(ValueError, match=r"class that is known .*squared_l1.*; got 'l1'"):
        RobustNMF.load(tmp_path / "m")


def test_rows_are_solved_to_the_optimum():
    rng = np.random.default_rng(1)
    X, H, model = rng.gamma(1.0, size=(6, 12)), rng.gamma(1.0, size=(3, 12)), L1(0.8)
    W = solve_rows(X, H, model)
    for x, w in zip(X, W, strict=True):

        def loss(v, x=x):
            return model.clean(x[None], (v @ H)[None], None, np.zeros(1)).loss[0]

        assert loss(w) <= minimize(loss, w + 0.1, bounds=[(0, None)] * 3).fun + 1e-6


def test_auto_speaks_in_its_terms(data):
    fitted = RobustNMF(3, lam="auto", penalty="l1", random_state=0).fit(data[0])
    assert_allclose(fitted.lam_, 8 * fitted.noise_scale_)


def test_it_is_offered_and_refused_where_it_belongs(data):
    with pytest.raises(ValueError, match="use solver='hals' with penalty='l1'"):
        RobustNMF(3, penalty="l1", solver="mu").fit(data[0])
    with pytest.raises(ValueError, match="'squared_l0', 'l1'; got 'l2'"):
        RobustNMF(3, penalty="l2").fit(data[0])
