"""chant: configuration (reference chant 7)."""

from requirements import Requirement

REQUIREMENTS: dict[str, Requirement] = {
    "chant:config:project_wins_over_user": Requirement(
        "`.chant/config.md` wins over `~/.config/chant/config.md`, key by key in `project` and `defaults`, "
        "else by block.",
        "reference chant 7",
    ),
    "chant:config:defaults_hold_without_a_file": Requirement(
        "Without the project's file the documented defaults hold: a folder of specs is a project.",
        "reference chant 7",
    ),
    "chant:config:project_name_is_not_inherited": Requirement(
        "`project.name` is taken from the project's file only.", "reference chant 7"
    ),
    "chant:config:unknown_keys_are_ignored": Requirement(
        "Unknown configuration keys change nothing.", "reference chant 7"
    ),
    "chant:config:default_config_warns_about_nothing": Requirement(
        "Loading a default configuration prints no warning.", "reference chant 5.0"
    ),
    "chant:config:lint_thresholds_are_honoured": Requirement(
        "`lint.thresholds` changes the limits of the lint rules; absent ones are 10, 5, 150, 1, 1 and 3.",
        "reference chant 7",
    ),
    "chant:config:complexity_words_is_off_by_default": Requirement(
        "`lint.disable` is `[complexity_words]` unless configured.", "reference chant 7"
    ),
    "chant:config:main_branch_and_prefix_are_honoured": Requirement(
        "`defaults.main_branch` (`main`) and `defaults.branch_prefix` (`chant/`) are used where branches are "
        "looked at.",
        "reference chant 7",
    ),
    "chant:config:derivation_rules": Requirement(
        "A derived field comes from branch, path, environment or git user; `labels` and `context` are "
        "filled, others become `derived_<k>=<v>`.",
        "reference chant 7",
    ),
    "chant:config:derivation_misses_only_warn": Requirement(
        "A derived value outside its enum only warns.", "reference chant 7"
    ),
    "chant:config:parallel_and_watch_settings": Requirement(
        "`parallel.*`, `watch.*` and `providers.*` have the documented defaults and steer the work runtime.",
        "reference chant 7",
    ),
}
