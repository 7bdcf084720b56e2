#!/usr/bin/env python3
"""Trips with shared bikes: a made-up table for `lastbit release`, with the standard library alone.

    python3 examples/trips.py > examples/trips.csv        # a million trips of 200,000 riders, 40 MB
    lastbit release examples/trips.toml

The same arguments give the same table on every machine. As in real tables a few riders make very many trips, a few cells are empty or
wrong, some trips have no rider, and some end at a station that is not on the public list.
"""

import argparse
import sys
from pathlib import Path
from random import Random


def arguments():
    parser = argparse.ArgumentParser(description="Writes a made-up table of trips to standard output.")
    parser.add_argument("rows", nargs="?", type=int, default=1_000_000, help="trips (default: 1000000)")
    parser.add_argument("--riders", type=int, help="riders (default: a fifth of the trips)")
    parser.add_argument("--stations", type=int, help="stations s0, s1, … instead of those of stations.txt")
    parser.add_argument("--seed", type=int, default=1, help="another table (default: 1)")
    asked = parser.parse_args()
    asked.riders = asked.riders or max(1, asked.rows // 5)
    if asked.rows < 0 or asked.riders < 1 or (asked.stations is not None and asked.stations < 1):
        parser.error("there are at least 0 trips, 1 rider and 1 station")
    return asked


def trips(asked):
    """A line for each trip."""
    # Of all that Python's generator offers, only random() is the same in every version.
    uniform = Random(asked.seed).random
    if asked.stations:
        stations = [f"s{i}" for i in range(asked.stations)]
    else:
        stations = (Path(__file__).parent / "stations.txt").read_text(encoding="utf-8").split("\n")[:-1]
        stations.append("Depot")  # Not on the list.
    days = [f"2026-{month:02}-{day:02}" for month in range(1, 13) for day in range(1, 29)]
    for _ in range(asked.rows):
        u, v, w, x, odd = uniform(), uniform(), uniform(), uniform(), uniform()
        rider = int(asked.riders * u * (0.1 + 0.9 * u))  # Some ride every other day, most now and then.
        away = v * v * v * v * v * v  # Everybody has a favourite station, and some near it.
        station = stations[int((rider % 7 / 7 + away) % 1 * len(stations))]
        minutes = 2 + int(5 / (1.004 - w))  # Most trips are short, and one in a hundred takes hours.
        fare = 100 + 15 * minutes if rider % 3 else 0  # Every third rider has a subscription.
        clock = f"{6 + int(16 * x):02}:{int(960 * x) % 60:02}"
        fields = [f"r{rider}", station, f"{days[int(len(days) * (v + w) / 2)]} {clock}", str(minutes), f"{fare // 100}.{fare % 100:02}"]
        if odd < 0.01:
            column = int(odd * 500)
            fields[column] = "" if rider % 2 else ("?" if column > 1 else "")
        yield ",".join(fields)


def main():
    asked = arguments()
    sys.stdout.reconfigure(encoding="utf-8", newline="\n")
    print("rider,station,started,minutes,fare")
    lines = []
    for line in trips(asked):
        lines.append(line)
        if len(lines) == 10_000:
            print("\n".join(lines))
            lines.clear()
    if lines:
        print("\n".join(lines))


if __name__ == "__main__":
    try:
        main()
    except BrokenPipeError:
        sys.stderr.close()  # Whoever reads has enough, as `head` does.
