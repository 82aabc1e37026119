"""Words that say nothing about what a text is about, folded as `analysis` folds them."""

from __future__ import annotations

from ricordo.records.workspace import Language

_ENGLISH = """
a about above after again against ain all also am an and any anyone anything are aren as at be
because been before being below between both but by can cannot could couldn d did didn do does doesn
doing don down during each either else ever every few for from further get gets getting got had hadn
has hasn have haven having he her here hers herself hey hi him himself his how i if in into is isn
it its itself just let ll m many may me might mine more most much must mustn my myself needn neither
no nor not now o of off oh ok okay on once one ones only onto or other others ought our ours
ourselves out over own per quite rather re really s same shall shan she should shouldn since so some
someone something such t than that the their theirs them themselves then there these they this those
though through thus to too toward towards under until up upon us ve very was wasn we were weren what
whatever when where whether which while who whom whose why will with within without won would wouldn
y yeah yes yet you your yours yourself yourselves
"""

_ITALIAN = """
a abbia abbiamo abbiano ad adesso agl agli ai al all alla alle allo allora altra altre altri altro
anche ancora aveva avevamo avevano avevi avevo avete avuto avere basta beh c cha che chi ci cio cioe
ciascuno ciao cio co col coi come con contro cosa cosi cui d da dagl dagli dai dal dall dalla dalle
dallo degl degli dei del dell della delle dello dentro di dopo dove dov dunque e ecco ed ebbe egli
ella entrambi era erano eravamo eri ero essa esse essendo essere essi esso fa faccio fai fanno far
fare fatto fino finche fossi fosse fossero fra fu fui fummo furono gia gli glie gliel ha hai hanno
ho i il in infatti inoltre insieme intanto io l la le lei li lo loro lui ma magari mai me meno
mentre mi mia mie miei mio molta molte molti molto ne neanche negl negli nei nel nell nella nelle
nello nemmeno neppure nessun nessuna nessuno niente no noi non nostra nostre nostri nostro nulla o
od ogni ognuno oltre oppure ora ormai per perche pero piu po poco poi posso presso proprio pure puo
qua qual qualche qualcosa qualcuno quale quali quando quant quanta quante quanti quanto quasi quel
quell quella quelle quelli quello quest questa queste questi questo qui quindi s sara saranno
sarebbe se sei sempre senza si sia siamo siano siete sono sopra sotto sta stai stanno stare stata
state stati stato sto su sua sue sugl sugli sui sul sull sulla sulle sullo suo suoi t tale tali
tanto te ti tra troppo tu tua tue tuo tuoi tutt tutta tutte tutti tutto un una uno v va vai verso vi
voi vostra vostre vostri vostro vuoi vuole
"""

STOP_WORDS: dict[Language, frozenset[str]] = {
    Language.ENGLISH: frozenset(_ENGLISH.split()),
    Language.ITALIAN: frozenset(_ITALIAN.split()),
}

_CLEARLY_ENGLISH = (
    STOP_WORDS[Language.ENGLISH] - STOP_WORDS[Language.ITALIAN] - {"come", "per", "d", "s", "t"}
)
_CLEARLY_ITALIAN = (
    STOP_WORDS[Language.ITALIAN] - STOP_WORDS[Language.ENGLISH] - {"come", "per", "far", "fare"}
)


def language_of(words: list[str], otherwise: Language) -> Language:
    """The language of which there are more different function words; the given one where neither leads."""
    english = len(_CLEARLY_ENGLISH.intersection(words))
    italian = len(_CLEARLY_ITALIAN.intersection(words))
    if english == italian:
        return otherwise
    return Language.ENGLISH if english > italian else Language.ITALIAN
