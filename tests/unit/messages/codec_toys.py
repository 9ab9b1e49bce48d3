"""Values to encode: matrices with ties, constants and zeros of either sign, features with ReLU."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

GRID_BITS = range(1, 17)
finite = st.floats(width=32, allow_nan=False, allow_infinity=False)
# Few distinct values make ties, constants and zeros of either sign frequent.
awkward = st.sampled_from([0.0, -0.0, 1.0, -1.0, 1e-45, -1e-45, 3.4e38, -3.4e38, 0.5])
matrices = arrays(np.float32, array_shapes(min_dims=2, max_dims=2, max_side=12), elements=finite)
awkward_matrices = arrays(
    np.float32, array_shapes(min_dims=2, max_dims=2, max_side=12), elements=awkward
)
any_matrix = matrices | awkward_matrices
grid_bits = st.integers(1, 16)
any_bits = grid_bits | st.just(32)
keeps = st.floats(0.001, 1) | st.sampled_from([1.0, 0.1, 0.01])


def relu_features(rows: int, width: int, seed: int = 0) -> np.ndarray:
    normal = np.random.default_rng(seed).standard_normal((rows, width))
    return np.maximum(normal, 0).astype(np.float32)
