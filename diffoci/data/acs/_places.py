"""States by their codes, and places of birth as the ACS codes them."""

from __future__ import annotations

STATE_CODES = {
    "AL": 1, "AK": 2, "AZ": 4, "AR": 5, "CA": 6, "CO": 8, "CT": 9, "DE": 10, "DC": 11, "FL": 12, "GA": 13,
    "HI": 15, "ID": 16, "IL": 17, "IN": 18, "IA": 19, "KS": 20, "KY": 21, "LA": 22, "ME": 23, "MD": 24,
    "MA": 25, "MI": 26, "MN": 27, "MS": 28, "MO": 29, "MT": 30, "NE": 31, "NV": 32, "NH": 33, "NJ": 34,
    "NM": 35, "NY": 36, "NC": 37, "ND": 38, "OH": 39, "OK": 40, "OR": 41, "PA": 42, "RI": 44, "SC": 45,
    "SD": 46, "TN": 47, "TX": 48, "UT": 49, "VT": 50, "VA": 51, "WA": 53, "WV": 54, "WI": 55, "WY": 56,
    "PR": 72,
}  # fmt: skip

_NAMES = {
    1: "Alabama", 2: "Alaska", 4: "Arizona", 5: "Arkansas", 6: "California", 8: "Colorado",
    9: "Connecticut", 10: "Delaware", 11: "District of Columbia", 12: "Florida", 13: "Georgia",
    15: "Hawaii", 16: "Idaho", 17: "Illinois", 18: "Indiana", 19: "Iowa", 20: "Kansas", 21: "Kentucky",
    22: "Louisiana", 23: "Maine", 24: "Maryland", 25: "Massachusetts", 26: "Michigan", 27: "Minnesota",
    28: "Mississippi", 29: "Missouri", 30: "Montana", 31: "Nebraska", 32: "Nevada", 33: "New Hampshire",
    34: "New Jersey", 35: "New Mexico", 36: "New York", 37: "North Carolina", 38: "North Dakota",
    39: "Ohio", 40: "Oklahoma", 41: "Oregon", 42: "Pennsylvania", 44: "Rhode Island",
    45: "South Carolina", 46: "South Dakota", 47: "Tennessee", 48: "Texas", 49: "Utah", 50: "Vermont",
    51: "Virginia", 53: "Washington", 54: "West Virginia", 55: "Wisconsin", 56: "Wyoming",
    72: "Puerto Rico",
}  # fmt: skip

_COUNTRIES = {
    66: "Guam", 72: "Puerto Rico", 78: "U.S. Virgin Islands", 110: "Germany", 207: "China", 210: "India",
    215: "Japan", 217: "Korea", 233: "Philippines", 247: "Vietnam", 301: "Canada", 303: "Mexico",
    312: "El Salvador", 313: "Guatemala", 314: "Honduras", 327: "Cuba", 329: "Dominican Republic",
    333: "Jamaica",
}  # fmt: skip

_REGIONS = (  # last code of each range
    (59, "United States"),
    (99, "U.S. island areas"),
    (199, "Europe or the former Soviet Union"),
    (299, "Asia"),
    (302, "Northern America"),
    (309, "Mexico"),
    (319, "Central America"),
    (359, "Caribbean"),
    (399, "South America"),
    (499, "Africa"),
    (599, "Oceania or at sea"),
)


def state_name(code: int) -> str:
    """Name a state by its Census code.

    >>> state_name(1)
    'Alabama'
    """
    return _NAMES.get(code, f"state {code}")


def place_of_birth(code: int) -> str:
    """Name a place of birth: the state, a frequent country, or the region with its code.

    >>> place_of_birth(303), place_of_birth(407)
    ('Mexico', 'Africa (407)')
    """
    if name := _COUNTRIES.get(code) or _NAMES.get(code):
        return name
    region = next((region for last, region in _REGIONS if code <= last), "elsewhere")
    return f"{region} ({code})"
