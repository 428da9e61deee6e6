/* SPDX-License-Identifier: Apache-2.0
 * The manual page and the completions of bash and zsh, made from the tables of options, commands and topics. `make`
 * calls this and installs what it prints. Tools are completed by their names as they lie beside the launcher. */
#include "launch/options.h"

#include <string.h>

static bool shown(const struct option *o) { return !(o->uses & (HIDDEN | TESTING)); }

/* --- the manual page ---------------------------------------------------------------------------------------------- */

/* Text for troff: a dash and a backslash have a meaning of their own, and so has a dot or a quote at a line's start. */
static void print_plain(const char *text)
{
    bool start = true;
    for (; *text; text++) {
        if (start && (*text == '.' || *text == '\''))
            help_print("\\&");
        if (*text == '-' || *text == '\\')
            help_print(*text == '-' ? "\\-" : "\\e");
        else
            help_printf("%c", *text);
        start = *text == '\n';
    }
}

static void print_item(const char *name, const char *arg, const char *text)
{
    help_print(".TP\n.B ");
    print_plain(name);
    if (arg && *arg) {
        help_print(" \\fI");
        print_plain(arg);
        help_print("\\fR");
    }
    help_print("\n");
    print_plain(text);
    help_print("\n");
}

static void print_tool(const char *name, const char *about, void *arg)
{
    (void)arg;
    print_item(name, NULL, about ? about : "");
}

static void print_topic(const struct topic *t)
{
    help_print(".SH ");
    for (const char *c = t->name; *c; c++)
        help_printf("%c", *c & ~0x20);
    help_print("\n.nf\n");
    print_plain(t->text);
    help_print(".fi\n");
}

int manual_main(int argc, char **argv)
{
    (void)argc, (void)argv;
    help_print(".TH LINCHPIN 1 \"\" \"linchpin " LP_VERSION "\" \"User Commands\"\n"
               ".SH NAME\nlinchpin \\- run programs under dynamic binary instrumentation\n"
               ".SH SYNOPSIS\n.B linchpin\n[\\fIoptions\\fR] [\\fB\\-t\\fR \\fITOOL\\fR [\\fItool options\\fR]] "
               "\\fB\\-\\-\\fR \\fIPROGRAM\\fR [\\fIarguments\\fR]\n.br\n"
               ".B linchpin\n[\\fIoptions\\fR] \\fB\\-pid\\fR \\fIPID\\fR [\\fB\\-t\\fR \\fITOOL\\fR "
               "[\\fItool options\\fR]]\n.br\n.B linchpin\n\\fICOMMAND\\fR [\\fIwords\\fR]\n"
               ".SH DESCRIPTION\nEvery instruction of the program and its libraries is executed as translated code, "
               "where a tool can look at it and change it.\n.SH COMMANDS\n");
    for (u32 i = 0; i < ncommands; i++)
        if (!commands[i].hidden)
            print_item(commands[i].name, commands[i].args, commands[i].help);
    help_print(".SH OPTIONS\n");
    for (u32 i = 0; i < noptions; i++)
        if (shown(&options[i]))
            print_item(options[i].name, options[i].arg ? options[i].arg : options[i].kind == OPT_FLAG ? "[0|1]" : "",
                       options[i].help);
    help_print(".SH TOOLS\n");
    tools_each(print_tool, NULL);
    for (u32 i = 0; i < ntopics; i++)
        print_topic(&topics[i]);
    return 0;
}

/* --- completion --------------------------------------------------------------------------------------------------- */

/* In single quotes of a shell. */
static void print_quoted(const char *text)
{
    for (; *text; text++)
        help_printf(*text == '\'' ? "'\\''" : "%c", *text);
}

static void print_names(bool (*wanted)(const struct option *o))
{
    const char *between = "";
    for (u32 i = 0; i < noptions; i++)
        if (wanted(&options[i])) {
            help_printf("%s%s", between, options[i].name);
            between = " ";
        }
}

static bool takes_path(const struct option *o) { return shown(o) && o->kind == OPT_PATH; }
static bool takes_word(const struct option *o)
{
    return shown(o) && o->kind != OPT_FLAG && o->kind != OPT_SHOW && o->kind != OPT_PATH && o->kind != OPT_TOOL &&
           o->kind != OPT_TOOL_FILE;
}

static void print_commands(void)
{
    for (u32 i = 0; i < ncommands; i++)
        if (!commands[i].hidden)
            help_printf("%s%s", i ? " " : "", commands[i].name);
}

static void print_topics(void)
{
    for (u32 i = 0; i < ntopics; i++)
        help_printf("%s%s", i ? " " : "", topics[i].name);
}

static void bash(void)
{
    help_print("# bash completion for linchpin " LP_VERSION ", printed by `linchpin completion bash`\n"
               "_linchpin()\n{\n"
               "    local word=${COMP_WORDS[COMP_CWORD]} last=${COMP_WORDS[COMP_CWORD-1]} tools i\n"
               "    tools=$(\"${COMP_WORDS[0]}\" tools 2>/dev/null | sed -n 's/^  \\([a-z0-9_]*\\) .*/\\1/p')\n"
               "    COMPREPLY=()\n"
               "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
               "        if [ \"${COMP_WORDS[i]}\" = -- ]; then\n"
               "            if ((i + 1 == COMP_CWORD)); then\n"
               "                mapfile -t COMPREPLY < <(compgen -c -- \"$word\")\n"
               "            else\n"
               "                mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
               "            fi\n            return\n        fi\n    done\n"
               "    case ${COMP_WORDS[1]} in\n"
               "    help) mapfile -t COMPREPLY < <(compgen -W \"");
    print_topics();
    help_print(" ");
    print_commands();
    help_print(" $tools\" -- \"$word\"); return ;;\n"
               "    completion) mapfile -t COMPREPLY < <(compgen -W 'bash zsh' -- \"$word\"); return ;;\n"
               "    tools | doctor) ((COMP_CWORD > 1)) && return ;;\n"
               "    esac\n    case $last in\n"
               "    -t) mapfile -t COMPREPLY < <(compgen -W \"$tools\" -- \"$word\"; "
               "compgen -f -X '!*.so' -- \"$word\"); return ;;\n"
               "    -pid | detach) mapfile -t COMPREPLY < <(compgen -W \"$(ps -eo pid= 2>/dev/null)\" -- \"$word\"); "
               "return ;;\n    -injection) mapfile -t COMPREPLY < <(compgen -W 'auto ptrace inprocess' -- "
               "\"$word\"); return ;;\n    ");
    for (u32 i = 0, n = 0; i < noptions; i++)
        if (takes_word(&options[i]) && strcmp(options[i].name, "-pid") != 0 &&
            strcmp(options[i].name, "-injection") != 0)
            help_printf("%s%s", n++ ? " | " : "", options[i].name);
    help_print(") return ;;\n    esac\n    if [[ $word == -* ]]; then\n        mapfile -t COMPREPLY < <(compgen -W '");
    print_names(shown);
    help_print(" --' -- \"$word\")\n    elif ((COMP_CWORD == 1)); then\n        mapfile -t COMPREPLY < <(compgen -W '");
    print_commands();
    help_print("' -- \"$word\")\n    else\n        mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n    fi\n}\n"
               "complete -o filenames -F _linchpin linchpin\n");
}

/* What _arguments is told: '-name[text]' or '-name[text]:what it takes:how it is completed'. */
static void zsh_option(const struct option *o)
{
    help_printf("        '%s[", o->name);
    for (const char *c = o->help; *c; c++)
        help_printf(*c == '\'' ? "'\\''" : strchr("[]:\\", *c) ? "\\%c" : "%c", *c);
    help_print("]");
    if (o->arg)
        help_printf(":%s:%s", o->arg,
                    o->kind == OPT_TOOL || o->kind == OPT_TOOL_FILE ? "->tool"
                    : takes_path(o)                      ? "_files"
                    : strcmp(o->name, "-pid") == 0       ? "_pids"
                    : strcmp(o->name, "-injection") == 0 ? "(auto ptrace inprocess)"
                                                         : " ");
    help_print("' \\\n");
}

static void zsh(void)
{
    help_print("#compdef linchpin\n# zsh completion for linchpin " LP_VERSION ", printed by `linchpin completion zsh`\n"
               "_linchpin() {\n    local context state line i\n    typeset -A opt_args\n"
               "    local -a tools commands\n"
               "    tools=(${(f)\"$(${words[1]} tools 2>/dev/null | sed -n 's/^  \\([a-z0-9_]*\\) .*/\\1/p')\"})\n"
               "    commands=(\n");
    for (u32 i = 0; i < ncommands; i++)
        if (!commands[i].hidden) {
            help_printf("        '%s:", commands[i].name);
            print_quoted(commands[i].help);
            help_print("'\n");
        }
    help_print("    )\n    i=${words[(i)--]}\n"
               "    if (( i < CURRENT )); then\n        shift $i words\n        (( CURRENT -= i ))\n        _normal\n"
               "        return\n    fi\n"
               "    case ${words[2]} in\n    help) compadd ");
    print_topics();
    help_print(" ");
    print_commands();
    help_print(" $tools; return ;;\n    completion) compadd bash zsh; return ;;\n    detach) _pids; return ;;\n"
               "    new | cc | report | diff) (( CURRENT > 2 )) && { _files; return } ;;\n    esac\n"
               "    if (( CURRENT == 2 )) && [[ ${words[2]} != -* ]]; then\n"
               "        _describe command commands\n        return\n    fi\n"
               "    _arguments \\\n");
    for (u32 i = 0; i < noptions; i++)
        if (shown(&options[i]))
            zsh_option(&options[i]);
    help_print("        '*::word:_files'\n"
               "    if [[ $state == tool ]]; then\n        compadd $tools\n        _files -g '*.so'\n    fi\n}\n"
               "_linchpin \"$@\"\n");
}

int completion_main(int argc, char **argv)
{
    if (argc == 1 && strcmp(argv[0], "bash") == 0)
        bash();
    else if (argc == 1 && strcmp(argv[0], "zsh") == 0)
        zsh();
    else
        die(1, "completion: linchpin completion bash, or linchpin completion zsh");
    return 0;
}
