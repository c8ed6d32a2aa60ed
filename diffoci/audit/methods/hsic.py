"""The same network with a kernel penalty in place of T: is it the coefficient, or would any penalty do?"""

from __future__ import annotations

from functools import partial

from diffoci.audit.methods._method import Method
from diffoci.audit.methods._trained import Trained
from diffoci.audit.methods.diffoci import PENALISED, begin_diffoci

_WEIGHTS = "hsic_penalties"
# The kernel compares all pairs of a batch, so its batches stay as small as they were before T went by sorting.
_BATCH = 1024

HSIC = Method(
    name="hsic",
    title="HSIC penalty",
    short="HSIC",
    marker="hexagon",
    description=(
        "a classifier of the outcome trained with a penalty on the Hilbert-Schmidt independence criterion between the "
        "attributes and the representation (Gaussian kernel)"
    ),
    citation=(
        "A. Gretton, O. Bousquet, A. Smola, B. Schölkopf (2005). Measuring statistical dependence with Hilbert-Schmidt "
        "norms. Algorithmic Learning Theory; as a penalty: A. Pérez-Suay, V. Laparra, G. Mateo-García, J. Muñoz-Marí, "
        "L. Gómez-Chova, G. Camps-Valls (2017). Fair kernel learning. ECML PKDD"
    ),
    build=Trained(partial(begin_diffoci, "dF2", PENALISED, measure="hsic", batch_size=_BATCH), _WEIGHTS),
    settings=PENALISED,
    curve=_WEIGHTS,
    exportable=True,
    trained=True,
    cost=3.0,
)
METHODS = (HSIC,)
