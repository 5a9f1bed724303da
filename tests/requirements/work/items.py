"""Runs on items of every format: orders, judgements, landings, and what people do meanwhile."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    "work:items:land_with_their_marks": Requirement(
        "A run on an item of any format ends in a landed commit with code and the marks of the format; "
        "nothing else in its document differs, and its receipt holds.",
        "issue: `work` on any item",
    ),
    "work:items:need_no_chant_folder": Requirement(
        "In a project without `.chant` a run on an item leaves no file beside its commit.",
        "issue: `work` on any item",
    ),
    "work:items:refuse_what_cannot_begin": Requirement(
        "Work on an item that is unknown, done, waiting, for people, changed and not committed, or "
        "without a box is refused with the reason, and nothing begins.",
        "issue: `work` on any item",
    ),
    "work:items:exclude_each_other": Requirement(
        "While a run works on an item, no other starts on it, on its holder or on a part of it.",
        "issue: `work` on any item",
    ),
    "work:items:judge_the_documents": Requirement(
        "Work that changes more of planning documents than the boxes of its own item does not land "
        "without a person, and the end says what it changed.",
        "issue: `work` on any item",
    ),
    "work:items:share_a_list": Requirement(
        "Runs on the tasks of one list land in any order: all their ticks are there, and no other byte of"
        " the list changed.",
        "issue: `work` on any item",
    ),
    "work:items:keep_what_people_do": Requirement(
        "What a person ticks, rewords, adds or deletes while a run works stays as it is, in the checkout "
        "and on the branch, and drafts are not committed by the landing.",
        "issue: `work` on any item",
    ),
    "work:items:follow_by_their_keys": Requirement(
        "`runs`, `log`, `pause`, `takeover`, `cancel`, `reset`, `merge`, `diagnose` and receipts take "
        "keys of items.",
        "issue: `work` on any item",
    ),
    "work:items:follow_each_other": Requirement(
        "The tasks of a holder, or all that is ready of every format or of one, are worked on one by one "
        "or several at once; what becomes ready follows, and a forecast starts nothing.",
        "issue: `work` on any item",
    ),
}
