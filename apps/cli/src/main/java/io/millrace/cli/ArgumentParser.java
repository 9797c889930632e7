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
 * Parses the command-line arguments and creates an {@link Invocation}.
 *
 * <p>Only the argument classes of the requested command are loaded. Reading the annotations of all commands would take
 * a large part of the start-up time.
 */
final class ArgumentParser {

    private static final String COMMANDS = "The commands are load and demo. See millrace --help.";

    /**
     * Matches the options whose value may contain a password. An unexpected argument after such an option may be a
     * password, or the second word of a password that contains a space.
     */
    private static final Pattern SECRET_OPTION =
            Pattern.compile("--?[\\w-]*(pass|auth)|-a|-u|--uri|--user|--db-user", Pattern.CASE_INSENSITIVE);

    private ArgumentParser() {}

    /**
     * Parses {@code args}.
     *
     * @throws UsageException if the arguments are not valid
     */
    static Invocation parse(String[] args) {
        if (args.length == 0) {
            throw new UsageException("no command. " + COMMANDS);
        }
        checkCharset(args, System.getProperty("sun.jnu.encoding", "UTF-8"));
        return args[0].startsWith("-")
                ? parseLeading(args)
                : parseCommand(args[0], List.of(args).subList(1, args.length));
    }

    /**
     * Refuses arguments that Java could not decode. Without this check, a load in the C locale would write keys with
     * replacement characters.
     */
    static void checkCharset(String[] args, String charset) {
        for (int i = 0; i < args.length; i++) {
            if (args[i].indexOf('\uFFFD') >= 0 && !charset.equals("UTF-8")) {
                throw new UsageException(
                        "argument " + (i + 1) + " is not text in the character set of the locale: charset=" + charset
                                + ". Set LC_ALL=C.UTF-8.");
            }
        }
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
        List<String> commandArgs = new ArrayList<>(Arrays.asList(args).subList(0, leadingCount));
        commandArgs.addAll(leading.rest.subList(1, leading.rest.size()));
        return parseCommand(leading.rest.getFirst(), commandArgs);
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

    /** The command line of {@code millrace load}, with the list of exit codes in its help. */
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

    /** A command line that takes each argument literally: no file is read for an {@code @}, and quotes are kept. */
    static CommandLine commandLine(Object arguments) {
        return new CommandLine(arguments).setExpandAtFiles(false).setResourceBundle(new OptionSettings());
    }

    private static String usage(CommandLine line) {
        return line.getUsageMessage().stripTrailing();
    }

    private static void parse(CommandLine line, List<String> args, String name) {
        try {
            ParseResult parsed = line.parseArgs(args.toArray(new String[0]));
            refuseRepeated(parsed, name);
            OptionSettings.check(parsed);
        } catch (UnmatchedArgumentException unmatched) {
            // The exception has no cause. The message of the cause repeats the argument, which may be a password.
            throw new UsageException(describe(unmatched, args) + seeHelp(name));
        } catch (ParameterException wrong) {
            throw new UsageException(sentence(String.valueOf(wrong.getMessage())) + seeHelp(name), wrong);
        }
    }

    /**
     * Refuses an option that is given twice. picocli would begin a new option group at the second occurrence, and drop
     * the options of the first group.
     */
    private static void refuseRepeated(ParseResult parsed, String name) {
        Set<OptionSpec> seen = new HashSet<>();
        for (OptionSpec option : parsed.matchedOptions()) {
            if (!seen.add(option)) {
                throw new UsageException(
                        "option '" + option.longestName() + "' should be specified only once." + seeHelp(name));
            }
        }
    }

    /** Names the first unexpected argument. The value of an option is never shown, because it may be a password. */
    private static String describe(UnmatchedArgumentException unmatched, List<String> args) {
        String first = unmatched.getUnmatched().getFirst();
        if (!first.startsWith("-")) {
            boolean mayBeSecret =
                    args.stream().anyMatch(arg -> SECRET_OPTION.matcher(arg).lookingAt());
            return "unexpected argument" + (mayBeSecret ? "" : " '" + first + "'") + ": a load has only one SOURCE"
                    + (mayBeSecret ? ", and --password-stdin takes no value; a value with a space needs quotes." : ".");
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

    /** Returns {@code message} with a lower-case first letter and a full stop at its end. */
    private static String sentence(String message) {
        String small = Character.toLowerCase(message.charAt(0)) + message.substring(1);
        return small.endsWith(".") || small.endsWith("?") ? small : small + ".";
    }
}
