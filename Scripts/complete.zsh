#!/usr/bin/env zsh
# Prints a line after zsh has completed it.
# usage: complete.zsh FOLDER LINE      FOLDER has the completion functions
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PS1=; fpath=(${(q)1} \$fpath); autoload -Uz compinit; compinit -u -D"
# The terminal may echo these lines. So the texts that zpty -r waits for are written in another way here.
zpty -w shell 'show() { print -r -- "<""<$BUFFER>"">"; }; zle -N show; bindkey "^G" show; print re''ady'
zpty -r shell output '*ready*'
zpty -w -n shell "$2"$'\t\a'
zpty -r shell output '*<<*>>*'
print -r -- ${${output##*<<}%%>>*}
