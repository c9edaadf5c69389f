"""Every budgeted policy chooses as its float64 twin does, on the same draws.

A near tie is within 2e-5 of the largest index (relative), which is what float32 does to
a ratio of bounds.
"""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np

from jaxbandits import budgeted
from jaxbandits.budgeted.policies.statistics import Means
from tests.policies.followed import Case, assert_follows, twin_tests
from tests.policies.replay import PROBLEM, ROUNDS, SOURCES, K, replay
from tests.reference import budgeted_policies as twins
from tests.registered import POLICIES
from tests.tables import each_row

NEAR_TIE = 2e-5
FEW = 1000  # rounds of the short run
# Within the rounds of the test, so that both phases of epsilon-first are seen.
BUDGET, HORIZON = 400.0, 1500.0
# Of how many rounds one is compared: a difference stays. More where a twin looks at all
# that was seen, for every arm, and where it searches.
EVERY, DEAR, DEAREST = 3, 10, 50
# What a learner may take for the largest cost, arm by arm.
HIGH = np.linspace(1, 3, K)


def _case(entry, twin, every=EVERY, problem=None, options=None, kinds=None, **params):
    """`options` are the twin's alone; it takes parameters by the same names."""
    made = partial(twin, K, **params | (options or {}))
    return Case(f"budgeted/{entry}", made, params, every, kinds, problem)


_omega = partial(_case, twin=twins.OmegaUCB)
_share = partial(_case, twin=twins.ShareUCB, every=DEAR)
STAR, SHRUNK = {"star": True}, {"star": True, "variance": "shrunk"}
LOG_SHARE, SPENT = {"exploration": "log_share"}, {"clock": "spent", "power": 0.5}
# What is known of some arms is not what they give: a draw of it would tell.
KNOWN = budgeted.make_problem(
    K,
    [1.0, 0, 0, 0.625, *[0] * (K - 4)],
    [1.0, 1, 1, 0.625, *[1] * (K - 4)],
    [0.5, *[0] * (K - 1)],
    [0.5, *[1] * (K - 1)],
)
RANGED = budgeted.make_problem(K, 0, HIGH, 0, 4 - HIGH)
ENDS = {"cost_high": HIGH, "reward_high": 4 - HIGH}
CASES = {
    "omega": _omega("omega-ucb", every=DEAR),
    "omega*": _omega("omega-star-ucb", options=STAR),
    # So wide that many arms are pulled often enough for a variance.
    "omega*, rho = 20": _omega("omega-star-ucb", every=DEAR, options=STAR, rho=20.0),
    "omega*, shrunk": _omega("omega-star-ucb-shrunk", every=DEAR, options=SHRUNK),
    "omega*, ranges": _omega("omega-star-ucb", problem=RANGED, options=STAR | ENDS),
    "omega, log share": _omega("omega-ucb-log-share", options=LOG_SHARE | {"rho": 1.0}),
    "omega*, log share": _omega(
        "omega-star-ucb-log-share", options=STAR | LOG_SHARE | {"rho": 1.0}
    ),
    # rho as it is advised.
    "omega*, log share, shrunk": _omega(
        "omega-star-ucb-log-share-shrunk",
        every=DEAR,
        options=SHRUNK | LOG_SHARE,
        rho=0.5,
    ),
    # So short that a tenth of the rounds forget.
    "discounted omega": _case(
        "discounted-omega-ucb", twins.DiscountedOmega, DEAR, memory=150.0
    ),
    "share": _share("share-ucb", budget=BUDGET),
    "share, other": _share(
        "share-ucb", budget=BUDGET, rho=2.0, power=0.3, prior_pulls=3.0
    ),
    "share, anytime": _share("share-ucb-anytime", options=SPENT),
    "share, own variances": _share(
        "share-ucb-own-variances", options={"pooled": False}, budget=BUDGET
    ),
    "share, anytime, own variances": _share(
        "share-ucb-anytime-own-variances", options=SPENT | {"pooled": False}
    ),
    "share, anytime, joint": _share(
        "share-ucb-anytime-joint", options=SPENT | {"joint": True, "rho": 0.75}
    ),
    "m-UCB": _case("m-ucb", twins.MUCB),
    "MRCB": _case("mrcb", twins.MUCB),
    "c-UCB": _case("c-ucb", twins.CUCB),
    "c-UCB, alpha": _case("c-ucb", twins.CUCB, alpha=1.0),
    "i-UCB": _case("i-ucb", twins.IUCB),
    "Budget-UCB": _case("budget-ucb", twins.BudgetUCB),
    "Budget-UCB, code": _case("budget-ucb", twins.BudgetUCB, log_factor=2.0),
    "UCB-BV1": _case("ucb-bv1", twins.UCBBV1),
    # By default no index is finite within these rounds.
    "UCB-B2": _case("ucb-b2", twins.UCBB2, DEAR),
    "UCB-B2, alpha, stability": _case(
        "ucb-b2", twins.UCBB2, DEAR, alpha=0.05, stability=20.0
    ),
    "UCB-B2, code": _case("ucb-b2-code", twins.UCBB2, DEAR, options={"form": "code"}),
    "UCB-SC+": _case("ucb-sc-plus", twins.UCBSCPlus),
    # The twin searches for ten roots in a round.
    "KL-UCB-SC+": _case("kl-ucb-sc-plus", twins.KLUCBSCPlus, DEAREST),
    "KUBE": _case("kube", twins.KUBE),
    # Its prices follow from the indices of every round.
    "PD-BwK": _case("pd-bwk", twins.PDBwK, 1, budget=BUDGET, horizon=HORIZON),
    "b-greedy": _case("b-greedy", twins.BGreedy, kinds="pnp"),
    "b-greedy, code": _case(
        "b-greedy-code", twins.BGreedy, options={"unpaid": "code"}, kinds="pnp"
    ),
    "epsilon-first": _case("epsilon-first", twins.EpsilonFirst, budget=BUDGET),
    "BTS": _case("bts", twins.BTS, DEAR),
    "BTS, known": _case(
        "bts",
        twins.BTS,
        DEAR,
        KNOWN,
        {"known_rewards": {0: 0.5}, "known_costs": {0: 1.0, 3: 0.625}},
    ),
    "ratio TS": _case("ratio-thompson", twins.RatioThompson, DEAR),
    "price TS": _case("price-thompson", twins.PriceThompson, DEAR),
    "price TS, ranges": _case(
        "price-thompson", twins.PriceThompson, DEAR, RANGED, ENDS
    ),
    "uniform": _case("uniform", twins.Uniform),
    "clairvoyant": _case("clairvoyant", twins.Clairvoyant),
}
# Another with an option.
LONG = {
    "omega*, shrunk",
    "omega, log share",
    "omega*, log share",
    "omega*, ranges",
    "share, other",
    "share, own variances",
    "share, anytime, own variances",
    "price TS",
    "UCB-B2",
    "b-greedy, code",
}
# Whose near ties are as far as gamma variates are.
DRAWING = {"BTS", "BTS, known", "ratio TS"}
DRAWING |= {"price TS", "price TS, ranges"}


# Beside coins: rewards and costs between the ends, where a variance is not that of a
# coin, and a coin's toss not its outcome; arms that show no variance for long, where
# who borrows the others' variance is another policy; rewards that come with costs.
OTHERS = [
    ("omega*, rho = 20", "Beta"),
    ("discounted omega", "Beta"),
    ("share, other", "Beta"),
    ("share, anytime", "Beta"),
    ("BTS", "Beta"),
    ("ratio TS", "Beta"),
    ("price TS, ranges", "Beta"),
    ("share, anytime", "rare values"),
    ("share, anytime, joint", "together"),
    ("price TS, ranges", "together"),
]
SHORT = [
    *OTHERS,
    *(
        (label, "Bernoulli")
        for label in CASES
        if label not in LONG and (label, "Beta") not in OTHERS
    ),
]
SHORT = [(*pair, None, FEW) for pair in SHORT]
ALL = [(label, source) for label in CASES for source in SOURCES]
ALL += [
    (label, "rare values") for label in ("share, own variances", "ratio TS", "price TS")
]
ALL += OTHERS[-3:]
# In float64; the bisection of KL-UCB-SC+ ends within 2**-30 of its bracket.
FLOAT64 = {"omega*": 1e-12, "UCB-SC+": 1e-12, "KL-UCB-SC+": 1e-7, "PD-BwK": 1e-12}
ALL += [(label, "Beta", tolerance) for label, tolerance in FLOAT64.items()]


def assert_chooses_as_its_twin(label, source, in_float64=None, rounds=ROUNDS):
    """With what is a near tie in float64, if it is to be in float64."""
    case, game, wide = CASES[label], replay(source), in_float64 is not None
    share = 0.999 if wide else 0.99
    if label in DRAWING or (label, source) in OTHERS or source == "rare values":
        share = 0.97
    names = "unit", "cheapest", "best"
    facts = {name: getattr(game.setup, name).item() for name in names}
    case = case._replace(
        twin=lambda: twins.InGame(CASES[label].twin(), num_arms=K, **facts)
    )
    relative = in_float64 or NEAR_TIE
    with jax.enable_x64(wide):
        assert_follows(case, game, rounds, share=share, relative=relative)


# The policy without a twin plays what it is told.
TestTwins = twin_tests(
    "budgeted", CASES, assert_chooses_as_its_twin, SHORT, ALL, {"fixed"}
)


def policy_of(entry, problem=PROBLEM):
    return POLICIES[f"budgeted/{entry}"](problem)


def view_of(round_, num_arms=2, spent=0.0):
    oracle = budgeted.OracleView(jnp.float32(0.1), jnp.int32(0))
    numbers = jnp.float32(spent), jnp.float32(1)
    return budgeted.View(jnp.int32(round_), jnp.int32(num_arms), *numbers, oracle)


@each_row("entry", ["bts", "price-thompson"])
def test_who_draws_plays_arms_that_exist_and_draws_nothing_that_is_known(entry, words):
    """Arms 1 and 2 are worth 1/2 and 2/3; arm 0 between 0 and 1/2; there is no arm 3,
    which would be worth most."""
    costs, rewards = [1.0, 0.4, 0.3, 0.1], [0.5, 0.2, 0.2, 0.9]
    # The draws of BTS are in [0, 1].
    least = rewards if entry == "bts" else [0.0, 0.2, 0.2, 0.9]
    policy = policy_of(entry, budgeted.make_problem(4, costs, costs, least, rewards))
    state, view = policy.init(()), view_of(9, 3)
    act = jax.jit(jax.vmap(lambda noise: policy.act(noise, view, state, ())))
    assert set(np.asarray(act(words(200, policy.words[0])))) == {2}


def means_of(reward, cost):
    """Of arms that were pulled once each."""
    observe = jax.jit(jax.vmap(Means.observe))
    given = (np.array(x, np.float32) for x in (reward, cost))
    return observe(Means.zeros(len(cost)), *given)


def test_epsilon_first_explores_until_its_share_is_spent():
    policy = policy_of("epsilon-first", budgeted.make_problem(2))
    params = policy.params._replace(epsilon=0.25, budget=8.0)
    state = means_of([0.5, 1.0], [1.0, 1.0])
    noise, act = np.zeros(policy.words[0], np.uint32), jax.jit(policy.act)
    found = [
        int(act(noise, view_of(5, spent=spent), state, params)) for spent in (1.5, 2.0)
    ]
    assert found == [0, 1]


def test_what_the_code_adds_to_costs_is_almost_nothing():
    """Also where nothing was paid, and nothing won: that is worth 0."""
    policy = policy_of("b-greedy-code", budgeted.make_problem(3))
    noise = np.full(policy.words[0], 2**32 - 1, np.uint32)
    state = means_of([0.0, 0.9, 0.2], [0.0, 0.05, 0.01])
    assert jax.jit(policy.act)(noise, view_of(10**6, 3), state, ()) == 2
