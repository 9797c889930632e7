// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * Turns the arguments of the process into an {@link Invocation}.
 *
 * <p>Only the classes of the command that is asked for are loaded: reading the annotations of all of them would cost a good
 * part of the start.
 */
final class ArgumentParser {

    private static final String COMMANDS = "The commands are load and demo; millrace --help explains.";

    /** Beside one of these, a word that fits nowhere may be a password, or the rest of one. */
    private static final Pattern SECRET_OPTION =
            Pattern.compile("--?[\\w-]*(pass|auth)|-a|-u|--uri|--user|--db-user", Pattern.CASE_INSENSITIVE);

    private ArgumentParser() {}

    /**
     * What {@code args} ask for.
     *
     * @throws UsageException if they cannot be understood
     */
    static Invocation parse(String[] args) {
        if (args.length == 0) {
            throw new UsageException("no command. " + COMMANDS);
        }
        return args[0].startsWith("-")
                ? parseLeading(args)
                : parseCommand(args[0], List.of(args).subList(1, args.length));
    }

    private static Invocation parseLeading(String[] args) {
        if (args.length == 1 && args[0].equals("--version")) {
            return new Invocation.Print(Version.line());
        }
        LeadingArguments leading = new LeadingArguments();
        CommandLine line = commandLine(leading).setStopAtPositional(true);
        parse(line, List.of(args), "millrace");
        if (leading.help) {
            return new Invocation.Print(usage(commandLine(new MillraceArguments())));
        }
        if (leading.version) {
            return new Invocation.Print(Version.line());
        }
        if (leading.rest.isEmpty()) {
            throw new UsageException("no command. " + COMMANDS);
        }
        int leadingCount = args.length - leading.rest.size();
        List<String> behind = new ArrayList<>(Arrays.asList(args).subList(0, leadingCount));
        behind.addAll(leading.rest.subList(1, leading.rest.size()));
        return parseCommand(leading.rest.getFirst(), behind);
    }

    private static Invocation parseCommand(String name, List<String> args) {
        return switch (name) {
            case "load" -> {
                LoadArguments load = new LoadArguments();
                CommandLine line = loadCommandLine(load);
                parse(line, args, "millrace load");
                yield load.help ? new Invocation.Print(usage(line)) : new Invocation.Load(load);
            }
            case "demo" -> {
                DemoArguments demo = new DemoArguments();
                CommandLine line = commandLine(demo);
                parse(line, args, "millrace demo");
                yield demo.help ? new Invocation.Print(usage(line)) : new Invocation.Demo(demo);
            }
            default -> throw new UsageException("unknown command '" + name + "'. " + COMMANDS);
        };
    }

    /** The grammar of {@code millrace load}, its exit codes included. */
    static CommandLine loadCommandLine(LoadArguments load) {
        CommandLine line = commandLine(load);
        Map<String, String> codes = new LinkedHashMap<>();
        for (ExitCode code : ExitCode.values()) {
            codes.put(Integer.toString(code.number()), code.meaning());
        }
        line.getCommandSpec()
                .usageMessage()
                .exitCodeListHeading("%nExit codes:%n")
                .exitCodeList(codes);
        return line;
    }

    /** A grammar that takes every argument as it stands: no file is read for an '@', no quote is taken off. */
    static CommandLine commandLine(Object arguments) {
        return new CommandLine(arguments).setExpandAtFiles(false);
    }

    private static String usage(CommandLine line) {
        return line.getUsageMessage().stripTrailing();
    }

    private static void parse(CommandLine line, List<String> args, String name) {
        try {
            refuseRepeated(line.parseArgs(args.toArray(new String[0])), name);
        } catch (UnmatchedArgumentException unmatched) {
            // Without its cause, which repeats the word.
            throw new UsageException(describe(unmatched, args) + seeHelp(name));
        } catch (ParameterException wrong) {
            throw new UsageException(sentence(String.valueOf(wrong.getMessage())) + seeHelp(name), wrong);
        }
    }

    /** An option given again would begin its group anew and drop what the group had so far. */
    private static void refuseRepeated(ParseResult parsed, String name) {
        Set<OptionSpec> seen = new HashSet<>();
        for (OptionSpec option : parsed.matchedOptions()) {
            if (!seen.add(option)) {
                throw new UsageException(
                        "option '" + option.longestName() + "' should be specified only once." + seeHelp(name));
            }
        }
    }

    /** Names the first argument that fits nowhere; never a value, since it may be a password. */
    private static String describe(UnmatchedArgumentException unmatched, List<String> args) {
        String first = unmatched.getUnmatched().getFirst();
        if (!first.startsWith("-")) {
            boolean mayBeSecret =
                    args.stream().anyMatch(arg -> SECRET_OPTION.matcher(arg).lookingAt());
            return "unexpected argument" + (mayBeSecret ? "" : " '" + first + "'") + ": there is one SOURCE"
                    + (mayBeSecret ? ", and --password-stdin takes no value; a blank needs quotes." : ".");
        }
        int equals = first.indexOf('=');
        String option = equals < 0 ? first : first.substring(0, equals);
        List<String> similar = unmatched.getSuggestions();
        return "unknown option '" + option + "'."
                + (similar.isEmpty() ? "" : " Did you mean " + String.join(" or ", similar) + "?");
    }

    private static String seeHelp(String name) {
        return " See " + name + " --help.";
    }

    /** {@code message} as the rest of a sentence: it begins small and ends with a full stop. */
    private static String sentence(String message) {
        String small = Character.toLowerCase(message.charAt(0)) + message.substring(1);
        return small.endsWith(".") || small.endsWith("?") ? small : small + ".";
    }
}
