"""The names that players get who choose none: a colour and an animal, in their language."""

import secrets
from collections.abc import Callable, Sequence
from typing import Final, assert_never

from accounts.languages import Language

COLOURS: Final = (
    *(("みかん色", "Amber"), ("さくら色", "Cherry"), ("わかば色", "Leaf"), ("そら色", "Sky")),
    *(("すみれ色", "Violet"), ("もも色", "Peach"), ("あい色", "Indigo"), ("ゆき色", "Snowy")),
    *(("くり色", "Chestnut"), ("うぐいす色", "Olive"), ("こはく色", "Honey"), ("ぎん色", "Silver")),
    *(("まっちゃ色", "Matcha"), ("ふじ色", "Lilac"), ("あかね色", "Madder"), ("みず色", "Aqua")),
    *(("すな色", "Sandy"), ("すみ色", "Inky"), ("べに色", "Crimson"), ("ひすい色", "Jade")),
    *(("つき色", "Moonlit"), ("やまぶき色", "Golden"), ("なす色", "Plum"), ("こけ色", "Mossy")),
)
ANIMALS: Final = (
    *(("きつね", "Fox"), ("たぬき", "Raccoon"), ("うさぎ", "Rabbit"), ("ねこ", "Cat")),
    *(("いぬ", "Dog"), ("ふくろう", "Owl"), ("りす", "Squirrel"), ("かわうそ", "Otter")),
    *(("しか", "Deer"), ("くま", "Bear"), ("ぺんぎん", "Penguin"), ("いるか", "Dolphin")),
    *(("くじら", "Whale"), ("つる", "Crane"), ("すずめ", "Sparrow"), ("つばめ", "Swallow")),
    *(("かめ", "Turtle"), ("かえる", "Frog"), ("やぎ", "Goat"), ("ひつじ", "Sheep")),
    *(("うま", "Horse"), ("ぱんだ", "Panda"), ("こあら", "Koala"), ("はりねずみ", "Hedgehog")),
    *(("おおかみ", "Wolf"), ("とら", "Tiger"), ("らいおん", "Lion"), ("ぞう", "Elephant")),
    *(("きりん", "Giraffe"), ("あざらし", "Seal"), ("もぐら", "Mole"), ("ももんが", "Glider")),
)

Pair = tuple[str, str]


def generated_name(
    language: Language, choose: Callable[[Sequence[Pair]], Pair] = secrets.choice
) -> str:
    """Make a name in the given language, e.g. みかん色のきつね or Amber Fox."""
    colour, animal = choose(COLOURS), choose(ANIMALS)
    match language:
        case Language.JAPANESE:
            return f"{colour[0]}の{animal[0]}"
        case Language.ENGLISH:
            return f"{colour[1]} {animal[1]}"
        case _:
            assert_never(language)
