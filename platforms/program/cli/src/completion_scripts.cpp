#include "completion_scripts.hpp"

namespace horae::cli {

const std::map<std::string, std::string>& completion_scripts() {
  // Candidates that end in one of /=. are to be continued: no blank after them.
  static const std::map<std::string, std::string> scripts = {
      {"bash", R"sh(# Completion of horae in bash:  eval "$(horae completion bash)"
_horae() {
  local line=${COMP_LINE:0:COMP_POINT} candidate
  local word=${line##*[[:space:]]} cut=
  # bash completes what is behind the last word break only
  [[ $COMP_WORDBREAKS == *=* ]] && cut=${word%"${word##*=}"}
  COMPREPLY=()
  while IFS= read -r candidate; do
    candidate=${candidate#"$cut"}
    # bash puts it into the line as it is: what has quotes in it is quoted
    [[ $candidate == *\"* ]] && printf -v candidate %q "$candidate"
    COMPREPLY+=("$candidate")
  done < <("${COMP_WORDS[0]}" complete "$line" 2>/dev/null)
  if [[ ${#COMPREPLY[@]} -gt 0 && ${COMPREPLY[0]} == *[/=.] ]]; then
    compopt -o nospace 2>/dev/null
  fi
}
complete -F _horae horae
)sh"},
      {"zsh", R"sh(#compdef horae
# Completion of horae in zsh:  eval "$(horae completion zsh)", after compinit
_horae() {
  local -a found whole open
  found=("${(@f)$(${words[1]} complete "${(j: :)words[1,CURRENT]}" 2>/dev/null)}")
  open=(${(M)found:#*[/=.]})
  whole=(${found:#*[/=.]})
  (( ${#whole} )) && compadd -- "${whole[@]}"
  (( ${#open} )) && compadd -S '' -- "${open[@]}"
}
compdef _horae horae
)sh"},
      {"fish", R"sh(# Completion of horae in fish:  horae completion fish | source
complete -c horae -f -a '(horae complete (commandline -cp) 2>/dev/null)'
)sh"}};
  return scripts;
}

}  // namespace horae::cli
