"""Loops of the program stay loops: each run goes round as often as it needs."""

from jaxbandits.engine.gpu.moves import from_end
from jaxbandits.engine.gpu.values import Value, base_of, stored
from jaxbandits.engine.jaxprs import scan_counts


def carried(step) -> slice:
    """Which inputs of a loop it carries."""
    params = step.eqn.params
    if step.name == "while":
        return slice(params["cond_nconsts"] + params["body_nconsts"], len(step.inputs))
    first, number = scan_counts(params)
    return slice(first, first + number)


def _carry(writer, step, inputs, in_place) -> list[Value]:
    """What a loop carries, as it begins: in memory that is written in every turn."""
    places = carried(step)
    first = {}
    for place in range(places.start, places.stop):
        if place not in in_place:
            first[place] = writer.copied(inputs[place], carried=True)
    begun = []
    for place in in_place:
        memory, value = base_of(inputs[place]), inputs[place]
        begun.append((memory, value))
        first[place] = stored(memory, value.shape, value.dtype)
    writer.write(begun)
    return [first[place] for place in range(places.start, places.stop)]


def _turn(writer, closed, inputs, carry: list[Value], fill=None) -> None:
    """One turn; `fill` takes what it yields beside what it carries."""
    own = [value.memory for value in carry]
    outputs = writer.run(closed, inputs, own)
    for number, value in enumerate(outputs[len(carry) :]):
        fill(number, value)  # before what it is computed from is written
    writer.write(list(zip(own, outputs, strict=False)))


def scan(writer, step, inputs, in_place):
    """As often as the program says."""
    params, places = step.eqn.params, carried(step)
    constants = [writer.once(x) for x in inputs[: places.start]]
    columns = [writer.once(x) for x in inputs[places.stop :]]
    carry = _carry(writer, step, inputs, in_place)
    rows = step.eqn.outvars[len(carry) :]
    result = [writer.array(v.aval.shape, v.aval.dtype) for v in rows]
    turn, length = writer.name("i"), params["length"]
    writer.line("ROLLED")
    with writer.block(f"for (int {turn} = 0; {turn} < {length}; ++{turn})"):
        place = from_end(turn, length) if params["reverse"] else turn

        def row_of(x):
            def at(index):
                return x.at((place, *index))

            return writer.lazy(x.shape[1:], x.dtype, at, x.cost, [x])

        given = [*constants, *carry, *map(row_of, columns)]

        def fill(number, row):
            target = result[number]
            writer.over(
                row.shape,
                lambda i: writer.line(f"{target.at((place, *i))} = {row.at(i)};"),
            )

        _turn(writer, params["jaxpr"], given, carry, fill)
    return [*carry, *result]


def while_(writer, step, inputs, in_place):
    """As long as the condition of the run holds."""
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
