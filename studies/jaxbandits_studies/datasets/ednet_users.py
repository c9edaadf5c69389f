"""EdNet: 5,000 pseudo-students and the time that each took for each of 20 questions.

Appendix A.2 and Table 1 of the allocation paper. The logs are Choi et al. (2020),
"EdNet: A Large-Scale Hierarchical Dataset in Education", which this package does not
contain. The time of an answer, right or wrong, stands for the latent threshold: a
question is solved if it is given at least this time and the answer is correct.
"""

from os import PathLike
from typing import NamedTuple

import numpy as np

from jaxbandits_studies.datasets.reading import Allowed, read_known, whether

WORDS = "pseudo_user_id", "question_id"
NUMBERS = {"response_time_ms": Allowed(lowest=0), "is_correct": Allowed(0, 1)}


class EdNet(NamedTuple):
    """Answers of all users to all questions, both in order of first appearance.

    Attributes:
      questions: Q question ids, the arms.
      users: U ids of pseudo-students, the rounds.
      seconds: f64[U, Q] >= 0, response times.
      correct: bool[U, Q], whether the answer was right.
    """

    questions: tuple[str, ...]
    users: tuple[str, ...]
    seconds: np.ndarray
    correct: np.ndarray

    @property
    def total_seconds(self) -> np.ndarray:
        """f64[U], the budgets ``B_t = sum_i tau_{t,i}`` of appendix A.2.

        Figure 1 says B = 700 s for every user instead; the mean here is 694.86 s.
        """
        return self.seconds.sum(axis=1)


def load_ednet(path: str | PathLike[str]) -> EdNet:
    """Read the table of pseudo-students (Table 1).

    Args:
      path: of the CSV file, plain or ``.gz``, with the columns ``pseudo_user_id``,
        ``question_id``, ``response_time_ms`` and ``is_correct`` in any order.

    Returns:
      The answers, with times in seconds.

    Raises:
      ValueError: naming `path`, if the file is empty or misses a column, if an id is
        missing, a time is negative or not finite, ``is_correct`` is not 0 or 1, or a
        user has not exactly one row per question.
      FileNotFoundError: if there is no such file.
    """
    table = read_known(path, WORDS, NUMBERS)
    (user, users), (question, questions) = (table.words[x] for x in WORDS)
    milliseconds, correct = table.numbers.values()
    correct = whether(path, "is_correct", correct)

    shape = len(users), len(questions)
    cell = user.astype(np.int64) * shape[1] + question
    order = np.argsort(cell)
    # The first cell that is out of step is missing, or there twice. (A table of counts
    # would have all pairs, of which a file of other data may have billions.)
    cells = np.append(cell[order], shape[0] * shape[1])
    out = np.flatnonzero(cells != np.arange(len(cells)))
    if out.size:
        wrong = min(int(cells[out[0]]), int(out[0]))
        raise ValueError(
            f"path: {path} must have one row per user and question, but has "
            f"{np.sum(cell == wrong)} for user {users[wrong // shape[1]]} and question "
            f"{questions[wrong % shape[1]]}"
        )
    return EdNet(
        questions,
        users,
        (milliseconds[order] / 1000).reshape(shape),
        correct[order].reshape(shape),
    )
