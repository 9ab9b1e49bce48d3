import numpy as np
import pytest
from fbftl.data.letters import ALPHABET, glyphs, render_letters


def test_every_font_draws_every_letter_differently_from_its_neighbour():
    fonts = glyphs()
    assert len(fonts) >= 20
    for font in fonts:
        pictures = [np.asarray(letter).tobytes() for letter in font]
        assert len(set(pictures)) == len(ALPHABET) == 52


@pytest.mark.parametrize("image", [(8, 8, 1), (28, 28, 1), (32, 32, 3), (12, 20, 1)])
def test_shapes_and_types(image):
    images, labels = render_letters(7, image, seed=0)
    assert images.shape == (7, *image)
    assert images.dtype == np.uint8
    assert labels.shape == (7,)
    assert labels.dtype == np.int64
    assert labels.min() >= 0
    assert labels.max() < 52


def test_equal_arguments_give_equal_images_and_others_give_others():
    first = render_letters(20, (8, 8, 1), seed=1)
    again = render_letters(20, (8, 8, 1), seed=1)
    other_seed = render_letters(20, (8, 8, 1), seed=2)
    held_out = render_letters(20, (8, 8, 1), seed=1, concern="held out")
    assert all(np.array_equal(*pair) for pair in zip(first, again, strict=True))
    assert not np.array_equal(first[0], other_seed[0])
    assert not np.array_equal(first[0], held_out[0])


def test_no_letter_is_blank_and_every_class_occurs():
    images, labels = render_letters(1500, (8, 8, 1), seed=0)
    assert images.reshape(len(images), -1).max(1).min() > 60
    assert set(labels) == set(range(52))
