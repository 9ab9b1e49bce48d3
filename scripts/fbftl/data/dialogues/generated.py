"""Generated dialogues with summaries: a small grammar with two families.

The *source* family is about plans among friends, the *target* family about errands and repairs.
They share people, things, days and places, and nothing of what is said or summarised: a model
pre-trained on the one has learnt to read and to copy, and still has to learn the other.

A dialogue opens with a greeting and follows one `Intent` of three turns. Mostly one day is named
and another agreed on, so that a summary cannot be put together from single words.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fbftl.data.dialogues.jsonl import Record
from fbftl.ground.errors import UserError
from fbftl.ground.randomness import stream


@dataclass(frozen=True)
class Intent:
    """One kind of dialogue.

    turns: what the two say by turns, `a` first; each turn is one of several phrasings.
    summary: the summary of all of them.
    """

    turns: tuple[tuple[str, ...], ...]
    summary: str


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


WORDS: Mapping[str, Sequence[str]] = {
    "person": _words(
        "Anna Ben Carla David Emma Felix Grace Henry Iris Jack Kate Leo Mia Noah Olivia Paul "
        "Ruth Sam Tina Victor Wendy Zoe"
    ),
    "item": _words(
        "bike camera guitar ladder laptop tent drill kayak lamp printer scooter radio suitcase "
        "heater phone clock"
    ),
    "day": _words("Monday Tuesday Wednesday Thursday Friday Saturday Sunday"),
    "hour": _words("seven eight nine ten eleven noon two three four five six"),
    "place": _words("library station market museum school office park harbour"),
    "pastime": _words("swimming dancing running bowling climbing skating fishing sailing"),
}

GREETINGS = ("Hi {b}!", "Hello {b}.", "Hey {b}, how are you?", "Good morning {b}.")

FAMILIES: Mapping[str, Sequence[Intent]] = {
    "source": (
        Intent(
            (
                ("Shall we go {pastime} on {other}?", "Do you want to go {pastime} on {other}?"),
                ("On {other} I am busy, but {day} is fine.", "Not on {other}. Maybe on {day}?"),
                ("{day} at {hour} then.", "Good, let us meet at {hour}."),
            ),
            "{a} and {b} will go {pastime} on {day} at {hour}.",
        ),
        Intent(
            (
                ("Can I borrow your {item} on {other}?", "I need a {item} on {other}, may I?"),
                (
                    "I need it on {other}. You can have it on {day}.",
                    "On {day} yes, not on {other}.",
                ),
                ("Thanks, I will come to the {place}.", "Great, see you at the {place}."),
            ),
            "{b} will lend {a} the {item} on {day} at the {place}.",
        ),
        Intent(
            (
                (
                    "My party is on {other} at {hour}, will you come?",
                    "Come to my party on {other}!",
                ),
                ("I thought it was on {day}?", "Did you not say {day}?"),
                ("Sorry, yes, {day}. Bring your {item}!", "Oh, it is on {day}. Bring a {item}."),
            ),
            "{a} invites {b} to a party on {day}. {b} will bring a {item}.",
        ),
        Intent(
            (
                ("Are you at the {place} on {other}?", "Will I see you at the {place} on {other}?"),
                ("No, I work on {other}. I am there on {day}.", "No, on {day} from {hour} on."),
                ("Then I will wait for {day}.", "See you on {day}, and we go {pastime} after."),
            ),
            "{a} will meet {b} at the {place} on {day}.",
        ),
    ),
    "target": (
        Intent(
            (
                (
                    "My {item} is broken. Could you fix it by {other}?",
                    "The {item} stopped working.",
                ),
                ("{other} is too soon, I can repair it by {day}.", "It takes until {day}."),
                ("All right, I drop it off at {hour}.", "Fine, I bring it over at {hour}."),
            ),
            "{a}'s {item} is broken and {b} repairs it by {day}.",
        ),
        Intent(
            (
                ("Where is the {item} I ordered for {other}?", "I am still waiting for my {item}."),
                ("The delivery is late, it arrives on {day}.", "We deliver on {day}, not {other}."),
                ("Please leave it at the {place}.", "Then send it to the {place}."),
            ),
            "The {item} that {a} ordered from {b} arrives on {day} at the {place}.",
        ),
        Intent(
            (
                ("I must cancel the lesson on {other}.", "I am ill, no lesson on {other} please."),
                ("Get well! We can move it to {day}.", "No problem, how about {day}?"),
                ("{day} at {hour} suits me.", "Yes, at {hour}, thank you."),
            ),
            "{a} cancels the lesson with {b}, the new date is {day} at {hour}.",
        ),
        Intent(
            (
                (
                    "Who picks up the children from {pastime} on {other}?",
                    "Is {pastime} on {other}?",
                ),
                ("It is on {day} this week.", "No, this week {pastime} is on {day}."),
                ("Then please collect them at the {place}.", "Can you fetch them at the {place}?"),
            ),
            "{b} collects the children from {pastime} on {day} at the {place}.",
        ),
        Intent(
            (
                ("I sell my {item}, do you want it?", "Would you buy my old {item}?"),
                ("I would pay on {other}.", "Yes, can I have it by {other}?"),
                ("Only on {day}, at the {place}.", "{day} is better, come to the {place}."),
            ),
            "{a} sells the {item} to {b} at the {place} on {day}.",
        ),
    ),
}


def generate(family: str, counts: Mapping[str, int], seed: int = 0) -> dict[str, list[Record]]:
    """Generate a family's splits; no summary occurs twice, within a split or across them.

    Args:
        family: ``source`` or ``target``.
        counts: number of dialogues per split, in the order in which they are drawn.
        seed: non-negative; equal seeds give equal dialogues.

    Raises:
        UserError: if the grammar has not enough different summaries.
    """
    random = stream(seed, f"dialogues-{family}")
    seen: set[str] = set()
    splits = {}
    for split, count in counts.items():
        records: list[Record] = []
        repeats = 0
        while len(records) < count:
            dialogue, summary = _draw(FAMILIES[family], random)
            if summary in seen:
                repeats += 1
                if repeats > 20 * count + 1000:
                    raise UserError(
                        f"the {family} family has not enough different summaries for "
                        f"{sum(counts.values())} dialogues; ask for fewer"
                    )
                continue
            seen.add(summary)
            records.append(Record(f"{family}-{split}-{len(records)}", dialogue, summary))
        splits[split] = records
    return splits


def _draw(intents: Sequence[Intent], random: np.random.Generator) -> tuple[str, str]:
    intent = intents[random.integers(len(intents))]
    fill = {slot: _choose(words, random) for slot, words in WORDS.items()}
    fill["a"], fill["b"] = (str(name) for name in random.choice(WORDS["person"], 2, replace=False))
    fill["day"], fill["other"] = (str(day) for day in random.choice(WORDS["day"], 2, replace=False))
    turns = [_choose(phrasings, random) for phrasings in intent.turns]
    turns[0] = f"{_choose(GREETINGS, random)} {turns[0]}"
    lines = [f"{{{speaker}}}: {turn}" for speaker, turn in zip("aba", turns, strict=True)]
    return "\n".join(lines).format(**fill), intent.summary.format(**fill)


def _choose(choices: Sequence[str], random: np.random.Generator) -> str:
    return choices[random.integers(len(choices))]
