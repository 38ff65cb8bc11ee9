#!/bin/bash
# Prints the completion script for a shell. It also completes the command after `orderfile record --`, which the
# argument parser's script does not.
# usage: completions.sh ORDERFILE bash|zsh|fish
set -euo pipefail
script=$("$1" --generate-completion-script "$2")
case $2 in
  bash)
    grep -v -e '^complete ' -e '^#!' <<<"$script"
    cat <<'END'

# Behind -- stands a program with its arguments; for `measure`, arguments alone.
_orderfile_or_command() {
    local -i index
    for ((index = 1; index < COMP_CWORD; index++)); do
        [[ "${COMP_WORDS[index]}" == -- ]] || continue
        local word="${COMP_WORDS[COMP_CWORD]}"
        if [[ "${COMP_WORDS[1]}" != measure ]] && declare -F _command_offset >/dev/null; then
            _command_offset "$((index + 1))"
        elif [[ "${COMP_WORDS[1]}" != measure && "${COMP_CWORD}" -eq "$((index + 1))" && "${word}" != */* ]]; then
            mapfile -t COMPREPLY < <(compgen -c -- "${word}"; compgen -f -- "${word}")
        else
            mapfile -t COMPREPLY < <(compgen -f -- "${word}")
        fi
        return
    done
    _orderfile "$@"
}

complete -o filenames -F _orderfile_or_command orderfile
END
    ;;
  zsh)
    # Completes a program and its arguments like a separate command line.
    sed -E "s/^( *)'\*:command:'/\1'(-)1:command: _command_names -e'\n\1'*::arguments: _normal'/" <<<"$script"
    ;;
  *)
    printf '%s\n' "$script"
    cat <<'END'

# Behind -- stands a program with its arguments; for `measure`, arguments alone.
function __orderfile_is_behind_dashes
    contains -- -- (commandline -opc)
end
function __orderfile_complete_behind_dashes
    set -l words (commandline -opc)
    set -l place (contains -i -- -- $words)
    if test "$words[2]" = measure
        __fish_complete_path (commandline -ct)
    else
        complete -C (string join -- ' ' (string escape -- $words[(math $place + 1)..-1]) (commandline -ct))
    end
end
complete -c orderfile -n __orderfile_is_behind_dashes -fka '(__orderfile_complete_behind_dashes)'
END
    ;;
esac
