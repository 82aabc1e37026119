"""Signs in a stored text that whoever reads the answer should know of.

What was stored is data and is returned as data, quoted with its source. A text that reads
like an instruction to a model is marked besides, so that a surface or an agent can say so.
"""

from __future__ import annotations

import re

from ricordo.index.analysis import fold

LOOKED_AT = 20_000
"""Signs at either end of a text that are looked at."""

_INSTRUCTION = re.compile(
    r"\b(ignore|disregard|forget|override)\b[^.\n]{0,40}\b(previous|prior|above|earlier|all|your)\b"
    r"[^.\n]{0,30}\b(instruction|instructions|prompt|prompts|rules|messages)\b"
    r"|\b(reveal|print|show|send|leak)\b[^.\n]{0,40}\b(system prompt|api[ _-]?keys?|passwords?|credentials)\b"
    r"|\b(ignora|dimentica|trascura)\b[^.\n]{0,40}\b(istruzioni|regole|messaggi|prompt)\b"
    r"|\b(rivela|mostra|stampa|invia|manda)\b[^.\n]{0,40}"
    r"\b(prompt di sistema|chiav[ei] api|password|credenziali)\b"
    r"|<\|(im_start|im_end|system|endoftext)\|>|\[/?inst\]|<</?sys>>"
)


def flags_of(text: str) -> tuple[str, ...]:
    """Names of the signs that a text shows: `reads_like_instruction`."""
    seen = text if len(text) <= 2 * LOOKED_AT else f"{text[:LOOKED_AT]}\n{text[-LOOKED_AT:]}"
    return ("reads_like_instruction",) if _INSTRUCTION.search(fold(seen)) else ()
