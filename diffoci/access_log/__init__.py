"""The access log: who opened, started, took away, shared, deleted or was refused what, in lines that follow another."""

from diffoci.access_log._chain import set_aside
from diffoci.access_log._places import head_file, is_on, log_file
from diffoci.access_log.check import BEGIN, Checked, Mark, check_log, read_log
from diffoci.access_log.entry import Entry, Event, Reason, Thing
from diffoci.access_log.recording import record

__all__ = [
    "BEGIN",
    "Checked",
    "Entry",
    "Event",
    "Mark",
    "Reason",
    "Thing",
    "check_log",
    "head_file",
    "is_on",
    "log_file",
    "read_log",
    "record",
    "set_aside",
]
