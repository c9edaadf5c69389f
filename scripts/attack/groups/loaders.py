"""Files of data: wrong paths, wrong bytes, wrong tables."""

import gzip
from pathlib import Path

from attack.case import Case
from attack.values import WRONG, attack
from jaxbandits.settings import allocation, budgeted, censored

LOADERS = (
    (
        censored.load_runs,
        "depth,run,reward,seconds\n",
        ["1,1,0.5,2.0", "2,1,0.5,2.0"],
        {"reward": ("x", "", "nan", "1.5", "-0.5"), "seconds": ("x", "", "-1")},
    ),
    (
        budgeted.load_facebook,
        "campaign_id,age,gender,clicks,spent,total_conversion\n",
        ["1,30,M,5,2.0,1", "1,30,M,9,3.0,2"],
        {"clicks": ("-1",), "spent": ("-2",), "total_conversion": ("-1",)},
    ),
    (
        allocation.load_ednet,
        "pseudo_user_id,question_id,response_time_ms,is_correct\n",
        ["u,q,1000,1", "v,q,2000,0"],
        {
            "pseudo_user_id": ("",),
            "response_time_ms": ("x", "", "-1", "inf"),
            "is_correct": ("x", "2", ""),
        },
    ),
    (
        allocation.load_criteo,
        "uid,campaign,exposures_before_click,clicked\n",
        ["u,c,1,1", "v,c,2,0"],
        {
            "uid": ("",),
            "exposures_before_click": ("x", "", "-1", "1.5", "1e30"),
            "clicked": ("x", "2", ""),
        },
    ),
)


def cases() -> list[Case]:
    return [case for loader in LOADERS for case in _of(*loader)]


def _of(load, header, rows, wrong):
    name = load.__name__
    good = (header + "\n".join(rows)).encode()
    paths = (*WRONG["path"], *WRONG["missing path"])
    yield from attack(load, {}, {"path": paths}, works=False)
    yield _case(load, f"{name}, rightly", "a.csv", good)._replace(fine=True)
    contents = {
        "empty": b"",
        "only a header": header.encode(),
        "binary": bytes(range(256)) * 8,
        "NUL bytes": b"\0" * 100,
        "Latin-1": good + b"\xff\xfe,\xe9\n",
        "JSON": b'{"a": 1}',
        "too many cells": good + b"\n" + b"1," * 20,
        "quotes": header.encode() + b'"' + good,
        "without the last column": b"\n".join(
            line.rsplit(b",", 1)[0] for line in good.splitlines()
        ),
        "no table": b"hello\nworld, this\nis, no, table\n",
        "HTML": b"<html><body>404</body></html>",
    }
    for what, data in contents.items():
        yield _case(load, f"{name} of {what}", "a.csv", data)
    utf_16 = _case(load, f"{name} of UTF-16", "a.csv", good.decode().encode("utf-16"))
    # The reader of one's own files knows it; those of known data need not.
    yield utf_16._replace(fine=True if load is censored.load_runs else None)
    yield _case(load, f"{name} of no gzip", "a.csv.gz", good)
    yield _case(load, f"{name} of half a gzip", "a.csv.gz", gzip.compress(good)[:-12])
    yield _case(load, f"{name} of no zip", "a.csv.zip", good)
    yield _case(load, f"{name} of no xz", "a.csv.xz", good)
    columns = header.strip().split(",")
    for column, values in wrong.items():
        for value in values:
            cells = rows[0].split(",")
            cells[columns.index(column)] = value
            text = header + "\n".join([",".join(cells), *rows[1:]])
            yield _case(load, f"{name}, {column} is {value!r}", "a.csv", text.encode())


def _case(load, name, file, data):
    def call():
        Path(file).write_bytes(data)
        return load(file)

    return Case(name, call, ("path", "reward", "seconds"))
