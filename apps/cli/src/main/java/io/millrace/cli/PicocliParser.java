// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** Parses the command lines that {@link FastParser} does not accept, and explains their mistakes. */
final class PicocliParser {

    /**
     * Matches the options whose value may contain a password. An unexpected argument after such an option may be a
     * password, or the second word of a password that contains a space.
     */
    private static final Pattern SECRET_OPTION =
            Pattern.compile("--?[\\w-]*(pass|auth)|-a|-u|--uri|--user|--db-user", Pattern.CASE_INSENSITIVE);

    private PicocliParser() {}

    /**
     * Parses {@code args}.
     *
     * @param name the command, for messages
     * @throws UsageException if the arguments are not valid
     */
    static void parse(CommandLine line, List<String> args, String name) {
        try {
            refuseRepeated(line.parseArgs(args.toArray(new String[0])), name);
        } catch (UnmatchedArgumentException unmatched) {
            // The exception has no cause. The message of the cause repeats the argument, which may be a password.
            throw new UsageException(describe(unmatched, args, name) + seeHelp(name));
        } catch (ParameterException wrong) {
            throw new UsageException(sentence(String.valueOf(wrong.getMessage())) + seeHelp(name), wrong);
        }
    }

    /**
     * Refuses an option that is given twice, unless it is repeatable. picocli would begin a new option group at the second occurrence, and drop
     * the options of the first group.
     */
    private static void refuseRepeated(ParseResult parsed, String name) {
        Set<OptionSpec> seen = new HashSet<>();
        for (OptionSpec option : parsed.matchedOptions()) {
            if (!seen.add(option) && !option.isMultiValue()) {
                throw new UsageException(
                        "option '" + option.longestName() + "' should be specified only once." + seeHelp(name));
            }
        }
    }

    /** Names the first unexpected argument. The value of an option is never shown, because it may be a password. */
    private static String describe(UnmatchedArgumentException unmatched, List<String> args, String name) {
        String first = unmatched.getUnmatched().getFirst();
        if (!first.startsWith("-")) {
            return unexpectedArgument(first, args, name);
        }
        int equals = first.indexOf('=');
        String option = equals < 0 ? first : first.substring(0, equals);
        List<String> similar = unmatched.getSuggestions();
        return "unknown option '" + option + "'."
                + (similar.isEmpty() ? "" : " Did you mean " + String.join(" or ", similar) + "?");
    }

    /** The message about the unexpected argument {@code argument}, which is hidden if it may be a password. */
    static String unexpected(String argument, List<String> args, String name) {
        return unexpectedArgument(argument, args, name) + seeHelp(name);
    }

    private static String unexpectedArgument(String argument, List<String> args, String name) {
        boolean mayBeSecret =
                args.stream().anyMatch(arg -> SECRET_OPTION.matcher(arg).lookingAt());
        String allowed = switch (name) {
            case "millrace queue" -> "the command has one ACTION and one NAME";
            case "millrace run" -> "there is only one FILE";
            case "millrace bitmap" -> "there is only one NAME";
            default -> "there is only one SOURCE, or several existing files";
        };
        return "unexpected argument" + (mayBeSecret ? "" : " '" + argument + "'") + ": " + allowed
                + (mayBeSecret
                        ? ", and --password-stdin and --askpass take no value; a value with a space needs quotes."
                        : ".");
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
