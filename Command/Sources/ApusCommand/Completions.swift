import ArgumentParser

struct Completions: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "completions", abstract: "Print a completion script for a shell.",
        discussion: """
            For bash: apus completions bash > ~/.local/share/bash-completion/completions/apus

            The script asks the apus in PATH for the candidates, so it stays valid when apus is updated.
            """)

    enum Shell: String, ExpressibleByArgument, CaseIterable {
        case bash, zsh, fish

        /// The shell's script, which gets the candidates from `apus ---complete`.
        ///
        /// The script keeps the shell from expanding anything in the answer.
        var script: String {
            switch self {
            case .bash:
                #"""
                _apus() {
                    local lines
                    mapfile -t lines < <(command apus ---complete bash "${COMP_LINE:0:COMP_POINT}" "$2" 2>/dev/null)
                    COMPREPLY=("${lines[@]:1}")
                    case ${lines[0]} in
                        files) compopt -o default ;;
                        folders) compopt -o dirnames ;;
                    esac
                }
                complete -o nosort -F _apus apus

                """#
            case .zsh:
                #"""
                #compdef apus
                _apus() {
                    local line="${(j: :)words[1,CURRENT-1]} $QIPREFIX$IPREFIX$PREFIX"
                    local -a lines=("${(@f)$(command apus ---complete zsh "$line" 2>/dev/null)}")
                    case $lines[1] in
                        files) _files ;;
                        folders) _files -/ ;;
                        *)
                            shift lines
                            local -a candidates=("${(@)lines%%$'\t'*}")
                            local -a descriptions=("${(@)lines/$'\t'/  -- }")
                            (( $#lines )) && compadd -V apus -l -d descriptions -a candidates
                            ;;
                    esac
                }
                if [[ $funcstack[1] == _apus ]]; then _apus "$@"; else compdef _apus apus; fi

                """#
            case .fish:
                #"""
                function __apus_complete
                    set -l lines (command apus ---complete fish (commandline -pc | string collect) 2>/dev/null)
                    switch "$lines[1]"
                        case files
                            __fish_complete_path (commandline -ct)
                        case folders
                            __fish_complete_directories (commandline -ct)
                        case '*'
                            string join -- \n $lines[2..]
                    end
                end
                complete -c apus -f -a '(__apus_complete)'

                """#
            }
        }
    }

    @Argument(help: "bash, zsh or fish.")
    var shell: Shell

    func run() throws { Terminal.out(TerminalText(raw: shell.script)) }
}
