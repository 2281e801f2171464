"""Options that several commands share: the data of a family, a prior and the form of the output.

The data options stand here literally, since ``--help`` loads no family; a test compares them with
the families.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, get_type_hints

import typer
from typer.models import ArgumentInfo

from harness.base.errors import InputError
from harness.base.text import option_of

ONE_SAMPLE = {
    "x": "Count: successes, or events.",
    "n": "Trials.",
    "exposure": "Area, time or other amount.",
}
TWO_COUNTS = {
    "x1": "Count of the first sample.",
    "n1": "Trials of the first sample.",
    "exposure1": "Exposure of the first sample.",
    "x2": "Count of the second sample.",
    "n2": "Trials of the second sample.",
    "exposure2": "Exposure of the second sample.",
}
TABLE_COUNTS = {
    "both": "Pairs right in both.",
    "first_only": "Pairs right in the first only.",
    "second_only": "Pairs right in the second only.",
    "neither": "Pairs right in neither.",
}
CASE_COUNTS = {
    "tp": "True positives.",
    "fp": "False positives.",
    "fn": "False negatives.",
    "tn": "True negatives.",
}
BETA = {"beta": "Of an F score: how many times as much recall counts as precision; default 1."}
STOPPING = {
    "stopping": "Rule by which the trials of a proportion end, as in a config: "
    "'{first: 20, every: 10, until: {half_width: 0.05, of: wilson}}'; of interval with most."
}
RANGE = {
    "range": "The ends between which every value of a mean lies: 0 1. Limits stay inside, and "
    "allow for skewed values."
}
RUN_VALUES = {
    "values": "Value of each run, or score of each case: 75,72,78.",
    "mean": "Mean of the runs, where their values are not known.",
    "sd": "Standard deviation of the runs, with the divisor k - 1.",
    "k": "Number of runs; of pass_at and pass_hat the samples of a task of which one is right, or "
    "all: default 2.",
}
OR_LISTS = {
    "x": "Count: successes, or events; of clusters and tasks a list: 3,5,2.",
    "n": "Trials; of clusters a list, of tasks a list or the samples of all.",
    **{
        name: TWO_COUNTS[name].replace(".", "; of strata a list.")
        for name in ("x1", "n1", "x2", "n2")
    },
}
"""The data that are numbers of some families and lists of others."""
JUDGE = {
    "positives_right": "Labelled positives that the judge says yes to.",
    "negatives_right": "Labelled negatives that the judge says no to.",
}
SCORES = {
    "positives": "Scores of positives: 0.9,0.8; of judged_share how many are labelled.",
    "negatives": "Scores of negatives; of judged_share how many are labelled.",
    "positives1": "First scores of positives.",
    "negatives1": "First scores of negatives.",
    "positives2": "Second scores of the same positives.",
    "negatives2": "Second scores of the same negatives.",
}
CLUSTERED_SCORES = {
    "first": "Score of each case of the first system: 0.9,0.4,0.7.",
    "second": "Score of each case of the second system.",
    "total": "Sum of the scores of each cluster, in place of values and cluster, beside --n.",
}
CLUSTER_LABELS = {"cluster": "Cluster of each case: a,a,b; with --rows the name of its column."}
"""Beside ``--cluster``, which names a column for other families too."""
LABELLED = {
    "right_yes": "Labelled cases that are right, with the judge's yes.",
    "right_no": "Labelled cases that are right, with its no.",
    "wrong_yes": "Labelled cases that are wrong, with its yes.",
    "wrong_no": "Labelled cases that are wrong, with its no.",
    "yes": "The judge's yes among the cases without a label.",
    "unlabelled": "Cases without a label.",
    "table": "The four counts of labelled cases in place of them: 70,10,5,15.",
    "verdicts": "The yes and the no of cases without a label in place of them: 700,300.",
}
FINITE_POPULATION = {
    "population": "Cases in the finite population that the n are drawn from without replacement; "
    "for hypergeometric_exact and hypergeometric_wang.",
}
SIZES = {name: text for name, text in (ONE_SAMPLE | TWO_COUNTS).items() if not name.startswith("x")}
LABELS = {"positives": "Labelled positives.", "negatives": "Labelled negatives."}
"""The sizes of a judged share beside n."""
TRUTHS = {
    "p": "True proportion.",
    "rate": "True rate, events per unit of exposure.",
    "p1": "True proportion of the first sample.",
    "rate1": "True rate of the first sample.",
    "p2": "True proportion of the second sample.",
    "rate2": "True rate of the second sample.",
    "p11": "True probability of a pair right in both.",
    "p10": "True probability of a pair right in the first only.",
    "p01": "True probability of a pair right in the second only.",
    "p_tp": "True probability of a true positive.",
    "p_fp": "True probability of a false positive.",
    "p_fn": "True probability of a false negative.",
    "prevalence": "True probability of a positive, in place of the three before.",
    "sensitivity": "True probability that a positive is predicted, or judged, as such.",
    "specificity": "True probability that a negative is predicted, or judged, as such.",
    "share": "True share of positives among the cases that are judged.",
}
KNOWN_JUDGE = {
    "sensitivity": "Known probability that a positive is a yes, in place of labels.",
    "specificity": "Known probability that a negative is a no.",
}
WHOLE_NUMBERS = frozenset(
    {
        "x",
        "n",
        "x1",
        "n1",
        "x2",
        "n2",
        "k",
        *TABLE_COUNTS,
        *CASE_COUNTS,
        *FINITE_POPULATION,
        *JUDGE,
        *LABELLED,
        *LABELS,
    }
)
"""The data that are counts, numbers of trials or the size of a population."""


def share(text: str) -> float:
    """The number that a text is; one in per cent is divided by 100.

    Raises:
        InputError: it is something else.

    >>> share("0.02"), share("2%")
    (0.02, 0.02)
    """
    number = text.strip()
    try:
        # In decimals, so that 2.3% and 0.023 are the same double.
        return float(Decimal(number[:-1]) / 100) if number.endswith("%") else float(number)
    except (ArithmeticError, ValueError):
        raise InputError(f"expected a number such as 0.02 or 2%, found {text!r}") from None


def share_parser(text: str) -> float:
    """The number of an option of the parser, which gives its own name to what is wrong."""
    try:
        return share(text)
    except InputError as fault:
        raise typer.BadParameter(f"{fault}.") from None


def share_option(help_text: str, *names: str) -> Any:
    """An option of these names with a number that may be written in per cent."""
    return typer.Option(*names, help=help_text, parser=share_parser, metavar="SHARE")


def _prior(text: str) -> tuple[float, ...]:
    """The numbers of a prior, with spaces between them."""
    try:
        return tuple(map(float, text.split()))
    except ValueError:
        raise typer.BadParameter(f"expected numbers, found {text}.") from None


Prior = Annotated[
    Any,
    typer.Option(
        help="Prior: a b of a Beta (of a proportion) or Gamma distribution (of a rate); four "
        "numbers of a Dirichlet (of pairs: both, first only, second only, neither; of a confusion "
        "table: tp, fp, fn, tn).",
        metavar="A B",
        parser=_prior,
    ),
]
"""The numbers of a prior, or None; the family knows how many they are."""
Form = Annotated[
    Literal["table", "json", "csv"], typer.Option("--format", help="Form of the output.")
]
GivenAlpha = Annotated[
    float | None, share_option("Probability outside the interval; default 0.05.")
]
Confidence = Annotated[
    float | None,
    share_option("1 - alpha, in its place: 0.95 or 95%.", "--confidence", "--level"),
]
"""Its value and that of ``GivenAlpha`` are read by ``alpha_of``."""
Side = Annotated[str, typer.Option(help="two-sided, lower or upper.")]
Stopping = Annotated[str | None, typer.Option(help=STOPPING["stopping"], metavar="RULE")]
Rows = Annotated[
    list[Path] | None,
    typer.Option(
        "--rows",
        "--csv",
        help="CSV, JSON lines (.jsonl) or Parquet file whose columns other options name, or a log "
        "of lm-evaluation-harness, Inspect or promptfoo; several are joined by --key.",
    ),
]
CasesFile = Annotated[
    Path | None, typer.Option("--rows", "--csv", help="File of cases, in place of the counts.")
]
Key = Annotated[
    list[str] | None,
    typer.Option(
        help="Column that names a case in each of several --rows, or with --by an item that has a "
        "row for each system; may be repeated."
    ),
]
DecimalSign = Annotated[
    str | None,
    typer.Option(
        help="What stands before the decimals of a number in a CSV file: , or the default .",
        metavar=",|.",
    ),
]
Where = Annotated[
    list[str] | None,
    typer.Option(
        help="COLUMN=VALUE of the rows that are read; may be repeated.", metavar="COLUMN=VALUE"
    ),
]
Missing = Annotated[
    str | None,
    typer.Option(
        help="Items that a system lacks: drop leaves them out for all, wrong counts them as wrong.",
        metavar="drop|wrong",
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", help="Print nothing but errors.")]
TakeOver = Annotated[
    bool, typer.Option("--take-over", help="Take over the lock of a dead run of another host.")
]
ResultsFolder = Annotated[Path, typer.Option(help="Folder to write results under.")]
ResultFolder = Annotated[Path, typer.Argument(help="Folder of a result.", metavar="DIR")]
OutFile = Annotated[Path | None, typer.Option(help="File to write, instead of standard output.")]

Command = TypeVar("Command", bound=Callable[..., int])


def number_or_list(text: str) -> float | list[float]:
    """The number of an option, or the list of its numbers with commas or spaces between them.

    Raises:
        InputError: it is something else.

    >>> number_or_list("3"), number_or_list("3,5,2"), number_or_list("3 5 2")
    (3.0, [3.0, 5.0, 2.0], [3.0, 5.0, 2.0])
    """
    try:
        numbers = [share(word) for part in text.split(",") for word in part.split() or [part]]
    except InputError:
        raise InputError(f"expected numbers with commas between, found {text}") from None
    return numbers if len(numbers) > 1 else numbers[0]


def alpha_of(alpha: float | None, confidence: float | None) -> float:
    """The probability outside an interval, from one of two options or 0.05.

    Raises:
        InputError: both are given, or the confidence is not between 0 and 1.

    >>> alpha_of(None, 0.95)
    0.05
    """
    if confidence is None:
        return 0.05 if alpha is None else alpha
    if alpha is not None:
        raise InputError(
            f"expected one of --alpha and --confidence, which is 1 - alpha, found {alpha:.15g} and "
            f"{confidence:.15g}"
        )
    if not 0 < confidence < 1:
        hint = f"; did you mean {confidence / 100:g}?" if 1 < confidence < 100 else ""
        raise InputError(
            f"confidence should be a number between 0 and 1, found {confidence:g}{hint}"
        )
    # As it is written: 1 - 0.95 is 0.050000000000000044 in doubles.
    return float(1 - Decimal(repr(confidence)))


def read_value(option: str, text: str) -> Any:
    """The value of an option as a config would hold it.

    Raises:
        InputError: it is not YAML.
    """
    from harness.config import yaml12

    document = yaml12.read(text)
    for issue in document.issues:
        raise InputError(f"--{option}: {issue.message}")
    return document.data


_ALSO = {"auc": ("--area",)}
"""Further names of options."""


def with_data(
    helps: Mapping[str, str], kind: Any = float | None, metavar: str | None = None
) -> Callable[[Command], Command]:
    """Give a command that takes ``**data`` one option for each of these data.

    Typer reads the options from the signature of a command. The data stand in it before all other
    options. A count is read as a float; the family checks that it is whole.

    Args:
        helps: the help of each option.
        kind: the type of the options; a list of numbers for an option that may be repeated.
        metavar: what the help shows in place of a value; None for the name of the type.
    """
    data = [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=None,
            annotation=Annotated[
                kind,
                typer.Option(option_of(name), *_ALSO.get(name, ()), help=text, metavar=metavar),
            ],
        )
        for name, text in helps.items()
    ]

    def with_options(command: Command) -> Command:
        signature = inspect.signature(command, eval_str=True)
        *parameters, _ = signature.parameters.values()
        arguments = [
            parameter for parameter in parameters if parameter.kind is not parameter.KEYWORD_ONLY
        ]
        options = [
            parameter for parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY
        ]
        decorated: Any = command
        decorated.__signature__ = signature.replace(parameters=[*arguments, *data, *options])
        return command

    return with_options


def with_joined_numbers(arguments: Sequence[str]) -> list[str]:
    """The arguments with the numbers after ``--prior`` as one: the parser takes one value of it.

    The lists of ``interval`` likewise. A number below 0 that is data of its own has a space before
    it, as the parser takes it for an option otherwise.

    >>> with_joined_numbers(["--prior", "1", "0.5", "--x", "3"])
    ['--prior', '1 0.5', '--x', '3']
    >>> with_joined_numbers(["interval", "mean", "--values", "-1", "3"])
    ['interval', 'mean', '--values', '-1 3']
    >>> with_joined_numbers(["interval", "mean", "-1", "3"])
    ['interval', 'mean', ' -1', '3']
    """
    lists = {"--prior"}
    takes_words = "interval" in arguments[:1]
    if takes_words:
        of_lists = RUN_VALUES | RANGE | OR_LISTS | SCORES | CLUSTERED_SCORES | LABELLED
        lists |= {f"--{name}" for name in of_lists}
    joined: list[str] = []
    follows_number = False
    for argument in arguments:
        if follows_number and is_number(argument):
            joined[-1] += f" {argument}"
            continue
        is_first = bool(joined) and joined[-1] in lists and is_number(argument)
        follows_number = is_first or ("=" in argument and argument.partition("=")[0] in lists)
        is_value = bool(joined) and joined[-1].startswith("--") and "=" not in joined[-1]
        has_family = takes_words and len(joined) > 1
        is_data = has_family and not is_value and re.match(r"-\.?\d", argument)
        joined.append(f" {argument}" if is_data else argument)
    return joined


def is_number(text: str) -> bool:
    """Whether a text is a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def given_data(data: Mapping[str, float | list[float] | None]) -> dict[str, Any]:
    """The data that were given, numbers or lists of them; whole numbers as integers."""
    return {
        name: [number_of(name, number) for number in value]
        if isinstance(value, list)
        else number_of(name, value)
        for name, value in data.items()
        if value is not None
    }


def given_lists(data: Mapping[str, list[str] | None]) -> dict[str, Any]:
    """The repeatable data that were given: a number, or a list where several were given.

    Raises:
        InputError: something is no number.
    """
    given: dict[str, Any] = {
        name: number_or_list(",".join(texts)) for name, texts in data.items() if texts
    }
    return given_data(given)


def number_of(name: str, value: float) -> float:
    """The value, as a whole number where it is one of data that are."""
    return int(value) if name in WHOLE_NUMBERS and value.is_integer() else value


PROGRAM = ("python", "-m", "harness")


def words_of_call(
    function: Callable[..., int], given: Mapping[str, Any], leave_out: Collection[str] = ()
) -> list[str]:
    """Return the words that call a command again; options with their default value are left out.

    Args:
        function: the command.
        given: the value of each of its parameters by name, as in ``typer.Context.params``.
        leave_out: names of parameters that are not written.
    """
    hints = get_type_hints(function, include_extras=True)
    arguments: list[str] = []
    options: list[str] = []
    for name, parameter in inspect.signature(function).parameters.items():
        value = given.get(name)
        if name in leave_out or value in (None, parameter.default):
            continue
        (about,) = hints[name].__metadata__
        values = value if isinstance(value, list | tuple) else [value]
        if isinstance(about, ArgumentInfo):
            arguments += map(str, values)
            continue
        # Beside a type, the first name of an option stands where otherwise its default does.
        declared = (about.default, *(about.param_decls or ()))
        usual = option_of(name)
        flag = next((str(word) for word in declared if str(word).startswith("--")), usual)
        if value is True:
            options.append(flag)
        else:
            options += [word for text in values for word in (flag, str(text))]
    # A word that begins with a hyphen would be read as an option.
    if any(word.startswith("-") for word in arguments):
        return [*PROGRAM, function.__name__, *options, "--", *arguments]
    return [*PROGRAM, function.__name__, *arguments, *options]
