"""`completion`: the script that a shell reads to complete commands of the program."""

from __future__ import annotations

import click

from chant_mcp.terminal import say

SHELLS = {
    "bash": """\
_chant_mcp() {
    local word said words=() found=() longest=0
    local typed="${COMP_LINE:0:$COMP_POINT}" current
    # Bash parts words at colons and equals signs; here a word is what stands between blanks.
    local -a parts
    IFS=$' \\t\\n' read -r -a parts <<< "$typed"
    if [[ "$typed" == *[[:blank:]] ]]; then parts+=(""); fi
    current="${parts[${#parts[@]}-1]}"
    while IFS=$'\\t' read -r word said; do
        case "$word" in
        :file) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
        :folder) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- "$current"); return ;;
        esac
        words+=("$word")
        found+=("$said")
        if (( ${#word} > longest )); then longest=${#word}; fi
    done < <("${COMP_WORDS[0]}" complete-words "${parts[@]:1}" 2> /dev/null)
    # What stands before the last colon or equals sign is typed already, and bash keeps it.
    local kept="${current%"${current##*[:=]}"}" at
    COMPREPLY=()
    for at in "${!words[@]}"; do
        word="${words[at]#"$kept"}"
        # Titles are shown in lists alone: what is put into the line is the word.
        if [[ "$COMP_TYPE" != 9 && "$COMP_TYPE" != 37 && ${#words[@]} -gt 1 && -n "${found[at]}" ]]; then
            printf -v word '%-*s  %s' "$((longest - ${#kept}))" "$word" "${found[at]}"
            word="${word:0:${COLUMNS:-80}}"
        fi
        COMPREPLY+=("$word")
    done
}
complete -F _chant_mcp chant-mcp chant
""",
    "zsh": """\
#compdef chant-mcp chant
_chant_mcp() {
    local line word said
    local -a found
    while IFS= read -r line; do
        word="${line%%$'\\t'*}"
        said="${line#*$'\\t'}"
        case "$word" in
        :file) _files; return ;;
        :folder) _files -/; return ;;
        esac
        found+=("${word//:/\\\\:}${said:+:$said}")
    done < <("${words[1]}" complete-words "${(@Q)words[2,CURRENT]}" 2> /dev/null)
    # -U: an ID may be completed from its end; -V: in the order that they have.
    _describe -V 'chant-mcp' found -U
}
compdef _chant_mcp chant-mcp chant
""",
    "fish": """\
function __chant_mcp_words
    set -l typed (commandline --cut-at-cursor --tokenize --current-process)
    set -l current (commandline --cut-at-cursor --current-token)
    set -l found ($typed[1] complete-words $typed[2..-1] "$current" 2> /dev/null)
    switch "$found[1]"
        case ':file*'
            __fish_complete_path "$current"
        case ':folder*'
            __fish_complete_directories "$current"
        case '*'
            printf '%s\\n' $found
    end
end
complete --command chant-mcp --no-files --arguments '(__chant_mcp_words)'
complete --command chant --wraps chant-mcp
""",
}
"""The scripts by the names of the shells."""


@click.command()
@click.argument("shell", type=click.Choice(list(SHELLS)))
def completion(shell: str) -> None:
    """Print the script that completes commands in bash, zsh or fish.

    Commands, options, IDs with titles, states and labels are completed.
    """
    say(SHELLS[shell], nl=False)
