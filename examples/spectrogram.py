"""A melody with bleeps in it: find them in the spectrogram, learn the notes, play it clean.

python examples/spectrogram.py [FOLDER]    leaves spectrogram.png there
"""

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from scipy.signal import ShortTimeFFT
from scipy.signal.windows import hann

from robustnmf import RobustNMF
from robustnmf.metrics import detection_scores
from robustnmf.plot import plot_parts

folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
rng = np.random.default_rng(0)

# Notes of half a second with overtones, over and over: few parts, mixed in time.
rate, melody = 8000, [262, 330, 392, 523, 392, 330, 262, 196] * 3
time = np.arange(rate // 2) / rate


def note(pitch):
    """A tone that fades, with four overtones."""
    tones = sum(np.sin(2 * np.pi * pitch * i * time) / i for i in range(1, 6))
    # Without a soft start and end, every note would begin and end with a click.
    return tones * np.exp(-3 * time) * np.sin(np.pi * time / time[-1]) ** 0.5


sound = np.concatenate([note(pitch) for pitch in melody])
sound += rng.normal(0, 0.01, len(sound))

# Short bleeps of random pitch, as a bad line or a phone nearby gives them.
bleeps = np.zeros_like(sound)
for start in rng.integers(0, len(sound) - 1000, 60):
    length = rng.integers(300, 900)
    pitch = rng.uniform(300, 3800)
    bleeps[start : start + length] += np.sin(2 * np.pi * pitch * np.arange(length) / rate)

stft = ShortTimeFFT(hann(512), hop=128, fs=rate)
heard = stft.stft(sound + bleeps)
# One row a moment, one column a frequency. Square roots bring loud and faint nearer together.
X = np.sqrt(abs(heard)).T

model = RobustNMF(n_components=8, lam="auto", random_state=0).fit(X)
cleaned = model.denoise(X) ** 2

truth = abs(stft.stft(bleeps)).T
wrong = truth > 10  # what a bleep adds to its own pitch, not its faint skirts
unclear = (truth > 0.5) & ~wrong
found = model.detect(X)
precision, recall, _ = detection_scores(wrong, found & ~unclear)
print(f"bleeps in the spectrogram: precision {precision:.2f}, recall {recall:.2f}")

# The phases are kept as heard; they matter little where a bleep was.
repaired = stft.istft(cleaned.T * np.exp(1j * np.angle(heard)), k1=len(sound))


def loudness(signal):
    """Noise against the clean melody in decibels; lower is better."""
    return 10 * np.log10(np.mean((signal - sound) ** 2) / np.mean(sound**2))


print(f"noise against the melody: {loudness(sound + bleeps):.1f} dB before, ", end="")
print(f"{loudness(repaired):.1f} dB after")

figure = Figure(figsize=(14, 4), layout="constrained")
axes = figure.subplots(1, 3)
extent = (0, len(sound) / rate, 0, rate / 2)
for ax, data, title in ((axes[0], X**2, "heard"), (axes[1], cleaned, "cleaned")):
    levels = 20 * np.log10(data.T + 0.01)
    ax.imshow(levels, origin="lower", aspect="auto", extent=extent, vmin=-30, vmax=40)
    ax.set(title=title, xlabel="seconds", ylabel="Hz")
plot_parts(model, x=stft.f, ax=axes[2])
axes[2].set(title="parts: the notes", xlabel="Hz")
figure.savefig(folder / "spectrogram.png")
