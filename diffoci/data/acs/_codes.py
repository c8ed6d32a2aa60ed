"""What the columns and codes of the ACS person records mean, in plain words.

From the Census Bureau's PUMS data dictionaries, 2014 to 2024. A blank is kept as the level "N/A": in these
files it says that the question does not apply, which is information, not a missing answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from diffoci.data.acs._places import place_of_birth, state_name
from diffoci.data.dataset import Column, Kind

NOT_APPLICABLE = "N/A"

SEX = {"1": "Male", "2": "Female"}
RACE = {
    "1": "White alone",
    "2": "Black or African American alone",
    "3": "American Indian alone",
    "4": "Alaska Native alone",
    "5": "American Indian and Alaska Native, tribe not specified or several",
    "6": "Asian alone",
    "7": "Native Hawaiian and Other Pacific Islander alone",
    "8": "Some Other Race alone",
    "9": "Two or More Races",
}
RACE_GROUPED = {"1": "White", "2": "Black", "6": "Asian"} | dict.fromkeys("345789", "Other")
MARITAL = {
    "1": "Married",
    "2": "Widowed",
    "3": "Divorced",
    "4": "Separated",
    "5": "Never married or under 15 years old",
}
CITIZENSHIP = {
    "1": "Born in the United States",
    "2": "Born in Puerto Rico, Guam, the U.S. Virgin Islands or the Northern Marianas",
    "3": "Born abroad of American parents",
    "4": "U.S. citizen by naturalization",
    "5": "Not a citizen of the U.S.",
}
NATIVITY = {"1": "Native", "2": "Foreign born"}
DISABILITY = {"1": "With a disability", "2": "Without a disability"}

_YES_NO = {"1": "Yes", "2": "No"}
_GRADES = {str(code): f"Grade {grade}" for code, grade in zip(range(4, 15), range(1, 12), strict=True)}
_SCHOOLING = {
    NOT_APPLICABLE: "not asked (less than 3 years old)",
    "1": "No schooling completed",
    "2": "Nursery school, preschool",
    "3": "Kindergarten",
    **_GRADES,
    "15": "12th grade, no diploma",
    "16": "Regular high school diploma",
    "17": "GED or alternative credential",
    "18": "Some college, but less than 1 year",
    "19": "1 or more years of college credit, no degree",
    "20": "Associate's degree",
    "21": "Bachelor's degree",
    "22": "Master's degree",
    "23": "Professional degree beyond a bachelor's degree",
    "24": "Doctorate degree",
}
_CLASS_OF_WORKER = {
    "1": "Employee of a private for-profit company",
    "2": "Employee of a private not-for-profit organization",
    "3": "Local government employee",
    "4": "State government employee",
    "5": "Federal government employee",
    "6": "Self-employed, own business not incorporated",
    "7": "Self-employed, own business incorporated",
    "8": "Working without pay in family business or farm",
    "9": "Unemployed, last worked 5 years ago or earlier or never",
    NOT_APPLICABLE: "not asked (under 16, or last worked over 5 years ago or never)",
}
_RELATIONSHIP = {
    "0": "Reference person",
    "1": "Husband or wife",
    "2": "Biological son or daughter",
    "3": "Adopted son or daughter",
    "4": "Stepson or stepdaughter",
    "5": "Brother or sister",
    "6": "Father or mother",
    "7": "Grandchild",
    "8": "Parent-in-law",
    "9": "Son-in-law or daughter-in-law",
    "10": "Other relative",
    "11": "Roomer or boarder",
    "12": "Housemate or roommate",
    "13": "Unmarried partner",
    "14": "Foster child",
    "15": "Other nonrelative",
    "16": "In institutional group quarters",
    "17": "In noninstitutional group quarters",
}
_PARENTS_WORK = {
    "1": "With two parents, both in labor force",
    "2": "With two parents, only father in labor force",
    "3": "With two parents, only mother in labor force",
    "4": "With two parents, neither in labor force",
    "5": "With father, in labor force",
    "6": "With father, not in labor force",
    "7": "With mother, in labor force",
    "8": "With mother, not in labor force",
    NOT_APPLICABLE: "not a child living with a parent",
}
_MOBILITY = {
    "1": "Same house a year ago",
    "2": "Outside the U.S. and Puerto Rico a year ago",
    "3": "Another house in the U.S. or Puerto Rico a year ago",
    NOT_APPLICABLE: "less than 1 year old",
}
_MILITARY = {
    "1": "Now on active duty",
    "2": "On active duty in the past, but not now",
    "3": "Only on active duty for training in Reserves or National Guard",
    "4": "Never served in the military",
    NOT_APPLICABLE: "less than 17 years old",
}
_ANCESTRY = {
    "1": "Single",
    "2": "Multiple",
    "3": "Unclassified",
    "4": "Not reported",
    "8": "Suppressed by the Census Bureau",
}
_EMPLOYMENT = {
    "1": "Civilian employed, at work",
    "2": "Civilian employed, with a job but not at work",
    "3": "Unemployed",
    "4": "Armed forces, at work",
    "5": "Armed forces, with a job but not at work",
    "6": "Not in labor force",
    NOT_APPLICABLE: "less than 16 years old",
}
_TRAVEL = {
    "1": "Car, truck or van",
    "2": "Bus",
    "3": "Streetcar, trolley car or light rail",
    "4": "Subway or elevated",
    "5": "Railroad",
    "6": "Ferryboat",
    "7": "Taxicab",
    "8": "Motorcycle",
    "9": "Bicycle",
    "10": "Walked",
    "11": "Worked from home",
    "12": "Other",
    NOT_APPLICABLE: "not a worker who worked last week",
}

_OCCUPATIONS = (  # first code of each major group, 2018 Census occupation codes; 2010 codes share the ranges
    (10, "management"),
    (500, "business operations"),
    (800, "financial"),
    (1000, "computer and mathematical"),
    (1300, "architecture and engineering"),
    (1600, "life, physical and social science"),
    (2000, "community and social service"),
    (2100, "legal"),
    (2200, "education and library"),
    (2600, "arts, entertainment, sports and media"),
    (3000, "healthcare practitioner and technical"),
    (3600, "healthcare support"),
    (3700, "protective service"),
    (4000, "food preparation and serving"),
    (4200, "building and grounds cleaning"),
    (4300, "personal care and service"),
    (4700, "sales"),
    (5000, "office and administrative support"),
    (6000, "farming, fishing and forestry"),
    (6200, "construction"),
    (6800, "extraction"),
    (7000, "installation, maintenance and repair"),
    (7700, "production"),
    (9000, "transportation and material moving"),
    (9800, "military"),
    (9920, "unemployed, no recent work"),
)


def occupation(code: int) -> str:
    """Say which major group an occupation code belongs to.

    >>> occupation(5700)
    'office and administrative support'
    """
    group = "occupation"
    for first, name in _OCCUPATIONS:
        if code >= first:
            group = name
    return group


_DESCRIPTIONS: Mapping[str, tuple[Kind, str, Mapping[str, str]]] = MappingProxyType(
    {
        "AGEP": ("number", "age in years", {}),
        "COW": ("nominal", "class of worker", _CLASS_OF_WORKER),
        "SCHL": ("ordered", "education", _SCHOOLING),
        "MAR": ("nominal", "marital status", MARITAL),
        "OCCP": ("nominal", "occupation", {}),
        "POBP": ("nominal", "place of birth", {}),
        "RELP": ("nominal", "relationship to the reference person of the household", _RELATIONSHIP),
        "WKHP": ("number", "usual hours worked a week", {}),
        "SEX": ("nominal", "sex", SEX),
        "RAC1P": ("nominal", "race", RACE),
        "DIS": ("nominal", "disability", DISABILITY),
        "ESP": ("nominal", "employment of parents", _PARENTS_WORK),
        "CIT": ("nominal", "citizenship", CITIZENSHIP),
        "MIG": ("nominal", "where a year ago", _MOBILITY),
        "MIL": ("nominal", "military service", _MILITARY),
        "ANC": ("nominal", "ancestry recorded as", _ANCESTRY),
        "NATIVITY": ("nominal", "nativity", NATIVITY),
        "DEAR": ("nominal", "hearing difficulty", _YES_NO),
        "DEYE": ("nominal", "vision difficulty", _YES_NO),
        "DREM": (
            "nominal",
            "cognitive difficulty",
            {**_YES_NO, NOT_APPLICABLE: "less than 5 years old"},
        ),
        "PINCP": ("number", "total income in the past 12 months, dollars", {}),
        "ESR": ("nominal", "employment status", _EMPLOYMENT),
        "ST": ("nominal", "state", {}),
        "FER": (
            "nominal",
            "gave birth within the past 12 months",
            {**_YES_NO, NOT_APPLICABLE: "not a woman of 15 to 50"},
        ),
        "GCL": (
            "nominal",
            "lives with own grandchildren under 18",
            {**_YES_NO, NOT_APPLICABLE: "under 30 years old or in group quarters"},
        ),
        "JWMNP": ("number", "travel time to work, minutes", {}),
        "JWTR": ("nominal", "means of transportation to work", _TRAVEL),
        "PUMA": ("nominal", "area of residence (PUMA)", {}),
        "POWPUMA": ("nominal", "area of work (POWPUMA)", {}),
        "POVPIP": ("number", "income as a percentage of the poverty line", {}),
    }
)


def describe(name: str, levels: list[str]) -> Column:
    """Describe one ACS column, with meanings for the levels that occur in it."""
    kind, label, meanings = _DESCRIPTIONS[name]
    if kind == "number":
        return Column(name, kind, label)
    if name == "OCCP":
        label = f"{label}, {len(levels)} codes"
    return Column(name, kind, label, {level: _meaning(name, level, meanings) for level in levels})


def kind_of(name: str) -> Kind:
    """Return how an ACS column is treated."""
    return _DESCRIPTIONS[name][0]


def _meaning(name: str, level: str, meanings: Mapping[str, str]) -> str:
    if level in meanings:
        return meanings[level]
    if level == NOT_APPLICABLE:
        return "not applicable"
    if name == "OCCP":
        return f"{occupation(int(level))} ({level})"
    if name == "POBP":
        return place_of_birth(int(level))
    if name == "ST":
        return state_name(int(level))
    return f"code {level}"
