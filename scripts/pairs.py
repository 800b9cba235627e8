"""Pairs of games between two sets of parameters of one `tune` build, played by fastchess at fixed nodes. For `scripts/factorial` and `scripts/spsa`.

Environment: FASTCHESS (the program; default: fastchess), OPENINGS (an EPD file; default: tests/data/openings).
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
FASTCHESS = os.environ.get("FASTCHESS", "fastchess")
# Games run in a folder of their own.
FASTCHESS = os.path.abspath(FASTCHESS) if os.sep in FASTCHESS else FASTCHESS
OPENINGS = os.path.abspath(os.environ.get("OPENINGS", os.path.join(HERE, "../tests/data/openings/noob_3moves_2000.epd")))
POINTS = {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5}


class Failed(Exception):
    """Games that fastchess did not finish, with the reason."""


def positive(kind):
    """A type of argument: a number above 0, below a billion."""

    def number(text):
        value = kind(text)
        if not 0 < value < 1e9:
            raise argparse.ArgumentTypeError(f"{text}: a number above 0, below a billion, is wanted")
        return value

    return number


def declared(engine):
    """Returns the parameters of a `tune` build: name -> (default, least, most). Ends the script when there are none."""
    try:
        answer = subprocess.run([engine], input="uci\nquit\n", capture_output=True, text=True, check=True).stdout
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        sys.exit(f"{engine}: {error}")
    option = r"^option name ([a-z0-9_]+) type spin default (-?\d+) min (-?\d+) max (-?\d+)"
    found = {name: tuple(map(int, numbers)) for name, *numbers in re.findall(option, answer, re.M)}
    if not found:
        sys.exit(f"{engine} has no parameters to tune: build it with --features tune")
    return found


def fingerprint(engine):
    """Returns the nodes of its bench to depth 8, which differ between most searches. Further tunable options do not change them."""
    try:
        answer = subprocess.run([engine, "bench", "8"], capture_output=True, text=True, check=True).stdout
        return int(re.search(r"^(\d+) nodes", answer, re.M)[1])
    except (OSError, ValueError, TypeError, subprocess.SubprocessError) as error:
        sys.exit(f"{engine} bench 8: {error}")


def need_games():
    """Ends the script if fastchess or the openings are missing."""
    if not shutil.which(FASTCHESS):
        sys.exit(f"no {FASTCHESS}: say where with FASTCHESS")
    if not os.path.isfile(OPENINGS):
        sys.exit(f"no openings at {OPENINGS}: say where with OPENINGS")


def points(engine, sides, nodes, seed, pairs=1, concurrency=1):
    """Returns the points of the first of two sides, each a dictionary of options, in so many pairs of games. `seed` selects the openings.

    Resignation: beyond 600 centipawns for 4 moves. Draw: within 10 centipawns for 8 moves from move 34 on.
    """
    command = [FASTCHESS]
    for name, options in zip(("first", "second"), sides):
        command += ["-engine", f"cmd={engine}", f"name={name}", *(f"option.{option}={value}" for option, value in options.items())]
    with tempfile.TemporaryDirectory() as folder:
        pgn = os.path.join(folder, "games.pgn")
        command += ["-each", "tc=inf", f"nodes={nodes}", "option.Hash=16", "-rounds", str(pairs), "-games", "2", "-repeat", "-recover",
                    "-concurrency", str(concurrency), "-openings", f"file={OPENINGS}", "format=epd", "order=random", "-srand", str(seed),
                    "-resign", "movecount=4", "score=600", "twosided=true", "-draw", "movenumber=34", "movecount=8", "score=10",
                    "-pgnout", f"file={pgn}", "min=true"]  # fmt: skip
        try:
            run = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
            # Without a game, fastchess writes no file.
            games = open(pgn, encoding="utf-8").read() if os.path.exists(pgn) else ""
        except (OSError, ValueError) as error:
            raise Failed(f"{FASTCHESS}: {error}") from error
    # A parameter that crashes the engine must not look like a weak one.
    fault = re.search(r"\{(.*(?:disconnects|connection stalls|illegal move|loses on time|interrupted).*)\}", run.stdout)
    if fault:
        raise Failed(f"a faulty game of {sides[0]} against {sides[1]}: {fault[1]}")
    results = re.findall(r'\[White "(\w+)"\].*?\[Result "([^"]+)"\]', games, re.S)
    if len(results) != 2 * pairs or not all(result in POINTS for _, result in results):
        raise Failed(f"fastchess played {len(results)} of {2 * pairs} games to the end:\n{run.stdout[-2000:]}{run.stderr[-2000:]}")
    return sum(POINTS[result] if white == "first" else 1 - POINTS[result] for white, result in results)
