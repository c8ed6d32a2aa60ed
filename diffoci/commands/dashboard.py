"""``diffoci dashboard``: start the pages on this machine."""

from __future__ import annotations

import argparse
import os
import sys

from diffoci.app_folder import app_folder


def register(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("dashboard")
    parser.add_argument("--port", type=int, metavar="N", help="where it listens (default: 8501, or the next free one)")
    parser.add_argument(
        "--address",
        metavar="HOST",
        help="for whom it listens (default: 127.0.0.1, this machine only; docs/server.md before any other)",
    )
    parser.set_defaults(run=run_command)


def run_command(arguments: argparse.Namespace) -> None:
    """Become the server: this process is replaced, so that signals from a terminal or a service reach it."""
    chosen = {"--server.port": arguments.port, "--server.address": arguments.address}
    options = [word for name, value in chosen.items() if value is not None for word in (name, str(value))]
    # -P: files that happen to lie in the folder where the command is given are not imported.
    os.execv(sys.executable, [sys.executable, "-P", "-m", "streamlit", "run", str(app_folder() / "app.py"), *options])
