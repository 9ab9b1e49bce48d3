"""Under the variables of `exact` other processors compute what this one does, to the byte."""

from emulated import PROCESSOR, lines, require, start


def test_an_emulated_processor_trains_to_the_same_bytes(root, tmp_path):
    require()
    trainings = "tests/tools/toy_trainings.py", str(tmp_path)
    native = lines(start(root, *trainings))
    assert len(native) == 3
    assert lines(start(root, *trainings, processor=PROCESSOR)) == native
