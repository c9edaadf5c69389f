"""What tests of the command line share."""


def check_complaint(capsys, start):
    """One line on stderr, nothing on stdout."""
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(start)
    assert err.count("\n") == 1 and "Traceback" not in err
