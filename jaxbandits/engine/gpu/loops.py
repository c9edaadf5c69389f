"""Loops of the program stay loops, of as many turns as each run needs."""

from jaxbandits.engine.gpu.moves import from_end
from jaxbandits.engine.gpu.values import Value, stored
from jaxbandits.engine.jaxprs import scan_counts


def carried(step) -> slice:
    """The places of the carried values among the inputs of a loop."""
    params = step.eqn.params
    if step.name == "while":
        return slice(params["cond_nconsts"] + params["body_nconsts"], len(step.inputs))
    first, number = scan_counts(params)
    return slice(first, first + number)


def _carry(writer, step, inputs, in_place) -> list[Value]:
    """The carried values before the first turn, in memory that every turn writes."""
    numbers = range(*carried(step).indices(len(inputs)))
    first = {
        k: writer.copied(inputs[k], carried=True) for k in numbers if k not in in_place
    }
    for k, memory in in_place.items():
        first[k] = stored(memory, inputs[k].shape, inputs[k].dtype)
    writer.write([(memory, inputs[k]) for k, memory in in_place.items()])
    return [first[k] for k in numbers]


def _turn(writer, closed, inputs, carry: list[Value], rows=(), place="") -> None:
    """One turn, which writes the carried values and, at their place, `rows`."""
    own = [value.memory for value in carry]
    outputs = writer.run(closed, inputs, own)
    for target, row in zip(rows, outputs[len(carry) :], strict=True):
        # Written before the carried values, from which it is computed.
        writer.fill(row.shape, lambda i, x=target: x.at((place, *i)), row.at)
    writer.write(list(zip(own, outputs, strict=False)))


def scan(writer, step, inputs, in_place):
    """A loop of a fixed number of turns."""
    params, places = step.eqn.params, carried(step)
    constants = [writer.once(x) for x in inputs[: places.start]]
    columns = [writer.once(x) for x in inputs[places.stop :]]
    carry = _carry(writer, step, inputs, in_place)
    avals = [v.aval for v in step.eqn.outvars[len(carry) :]]
    rows = [writer.array(aval.shape, aval.dtype) for aval in avals]
    turn, length = writer.name("i"), params["length"]
    writer.line("ROLLED")
    with writer.block(f"for (int {turn} = 0; {turn} < {length}; ++{turn})"):
        place = from_end(turn, length) if params["reverse"] else turn

        def row_of(x):
            row = x.shape[1:], x.dtype, lambda index: x.at((place, *index))
            return writer.lazy(*row, x.cost, [x])

        given = [*constants, *carry, *map(row_of, columns)]
        _turn(writer, params["jaxpr"], given, carry, rows, place)
    return [*carry, *rows]


def while_(writer, step, inputs, in_place):
    """A loop that ends by a condition of the run."""
    params, places = step.eqn.params, carried(step)
    constants = [writer.once(x) for x in inputs[: places.start]]
    first = params["cond_nconsts"]
    carry = _carry(writer, step, inputs, in_place)
    with writer.block("for (;;)"):
        (goes_on,) = writer.run(params["cond_jaxpr"], [*constants[:first], *carry])
        writer.line(f"if (!{goes_on.at(())}) break;")
        _turn(writer, params["body_jaxpr"], [*constants[first:], *carry], carry)
    return carry


LOOPS = {"scan": scan, "while": while_}
