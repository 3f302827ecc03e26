
# _perseus_offer WORDS: those that begin with $cur; one of "@file" and so on stands for what lies here
_perseus_offer() {
	case $1 in
	@none) ;;
	@dir) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- "$cur") ;;
	@file) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
	@run) compopt -o filenames
		mapfile -t COMPREPLY < <(compgen -W '@last @last-timing @last-sharing @last-denormal' -- "$cur"; compgen -f -- "$cur") ;;
	@program) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$cur"; [ -z "$cur" ] || compgen -c -- "$cur") ;;
	*) mapfile -t COMPREPLY < <(compgen -W "$1" -- "$cur") ;;
	esac
}

# = may be a word of its own: it is one of the characters that readline breaks words at
_perseus() {
	local cur=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} at= i word values
	COMPREPLY=()
	for ((i = 1; i < COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		case $word in
		-* | = | auto | always | never) [ -z "$at" ] || break ;;
		*) if [ -z "$at" ]; then at=$word; continue; fi
			case " $(_perseus_subs "$at") " in *" $word "*) at="$at $word" ;; esac
			break ;;
		esac
	done
	[ "$cur" != = ] || { before='=' cur=; COMP_CWORD=$((COMP_CWORD + 1)); }
	if [ "$before" = = ]; then
		values=$(_perseus_values "$at ${COMP_WORDS[COMP_CWORD - 2]}")
		[ -z "$values" ] || _perseus_offer "$values"
		return
	fi
	case $cur in --*=*)
		word=${cur%%=*} cur=${cur#*=}
		values=$(_perseus_values "$at $word")
		[ -z "$values" ] || _perseus_offer "$values"
		return ;;
	esac
	if [ -z "$at" ]; then
		case $cur in
		-*) _perseus_offer '--help --version --color=' ;;
		*) _perseus_offer "$_perseus_verbs" ;;
		esac
	elif [ "$at" = help ]; then _perseus_offer "$_perseus_verbs"
	elif [[ $cur = -* ]]; then _perseus_offer "$(_perseus_options "$at")"
	elif [[ $before = -* ]] && [ "$before" != -- ] && values=$(_perseus_values "$at $before") && [ -n "$values" ]; then
		_perseus_offer "$values"
	else
		_perseus_offer "$(_perseus_operands "$at")"
		case $at in *' '*) ;; *) mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -W "$(_perseus_subs "$at")" -- "$cur") ;; esac
	fi
	[[ ${COMPREPLY[0]} != *= ]] || compopt -o nospace
}
complete -F _perseus perseus
