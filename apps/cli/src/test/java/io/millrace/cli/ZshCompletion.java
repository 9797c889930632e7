// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** Generates the completion for zsh from the definitions of the commands: each option with the first sentence of its help. */
final class ZshCompletion {

    private ZshCompletion() {}

    /** The completion function {@code _millrace}. */
    static String of(CommandLine millrace) {
        Map<String, CommandLine> commands = millrace.getSubcommands();
        StringBuilder text = new StringBuilder("#compdef millrace\n\n# Generated from the definitions of the options by"
                + " ManPagesTest.\n# To use it: fpath=(FOLDER $fpath); autoload -Uz compinit && compinit\n");
        commands.forEach((name, line) -> text.append("\n_millrace_")
                .append(name)
                .append("() {\n")
                .append("  _arguments \\\n")
                .append(specs(line.getCommandSpec()).stream()
                        .map(spec -> "    " + spec)
                        .collect(Collectors.joining(" \\\n")))
                .append("\n}\n"));
        text.append("\n_millrace() {\n  local curcontext=\"$curcontext\" state line\n  local -a commands=(\n");
        commands.forEach((name, line) -> text.append("    '")
                .append(name)
                .append(':')
                .append(escaped(
                        String.join(" ", line.getCommandSpec().usageMessage().header())))
                .append("'\n"));
        text.append("  )\n  _arguments -C \\\n");
        List<String> leading = options(
                PicocliModel.leading(new LeadingArguments(), new ArrayList<>()).getCommandSpec());
        leading.forEach(spec -> text.append("    ").append(spec).append(" \\\n"));
        return text.append("    '1:COMMAND:->command' \\\n    '*::argument:->argument'\n")
                .append("  case $state in\n    command) _describe -t commands command commands ;;\n")
                .append("    argument) (( $+functions[_millrace_$line[1]] )) && _millrace_$line[1] ;;\n  esac\n}\n\n")
                .append("_millrace \"$@\"\n")
                .toString();
    }

    private static List<String> specs(CommandSpec command) {
        List<String> specs = new ArrayList<>(options(command));
        for (PositionalParamSpec operand : command.positionalParameters()) {
            boolean last = operand.index().max() > 1_000;
            specs.add("'" + (last ? "*" : Integer.toString(operand.index().min() + 1))
                    + (operand.required() ? ":" : "::") + operand.paramLabel() + ":"
                    + action(operand.completionCandidates(), isFile(operand)) + "'");
        }
        return specs;
    }

    private static boolean isFile(PositionalParamSpec operand) {
        return operand.paramLabel().equals("SOURCE") || operand.paramLabel().equals(OptionGroup.FILE);
    }

    private static List<String> options(CommandSpec command) {
        return command.options().stream().map(ZshCompletion::option).toList();
    }

    private static String option(OptionSpec option) {
        List<String> names = List.of(option.names());
        String value = option.arity().max() == 0
                ? ""
                : ":" + escaped(option.paramLabel()) + ":"
                        + action(
                                option.completionCandidates(),
                                option.paramLabel().equals(OptionGroup.FILE));
        String rest = "'[" + escaped(firstSentence(String.join(" ", option.description()))) + "]" + value + "'";
        String typed = names.size() == 1
                ? names.getFirst()
                : "{" + String.join(",", names.stream().map(n -> n).toList()) + "}";
        String excluded = names.size() == 1 ? "" : "'(" + String.join(" ", names) + ")'";
        return excluded + typed + rest;
    }

    private static String action(Iterable<String> words, boolean isFile) {
        if (isFile) {
            return "_files";
        }
        List<String> legal = new ArrayList<>();
        if (words != null) {
            words.forEach(legal::add);
        }
        return legal.isEmpty()
                ? " "
                : "(" + legal.stream().map(ZshCompletion::escaped).collect(Collectors.joining(" ")) + ")";
    }

    private static String firstSentence(String help) {
        int end = help.indexOf(". ");
        String sentence = end < 0 ? help : help.substring(0, end);
        return (sentence.endsWith(".") ? sentence.substring(0, sentence.length() - 1) : sentence).replace("%%", "%");
    }

    private static String escaped(String text) {
        return text.replace("\\", "\\\\")
                .replace("'", "'\\''")
                .replace(":", "\\:")
                .replace("[", "\\[")
                .replace("]", "\\]");
    }
}
