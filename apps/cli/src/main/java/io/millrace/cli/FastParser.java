// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Parses a command line of the usual form without picocli: each option once, unless it is repeatable, with its full name, and its value in the
 * next argument or after an equals sign. Everything else, and every error, is left to {@link PicocliParser}.
 */
final class FastParser {

    private final Map<String, Option<?>> options = new LinkedHashMap<>();
    private final Set<Option<?>> seen = new HashSet<>();
    private final List<Runnable> assignments = new ArrayList<>();
    private final List<String> operands = new ArrayList<>();

    private FastParser(List<OptionGroup> groups) {
        for (OptionGroup group : groups) {
            for (Option<?> option : group.options()) {
                option.names().forEach(name -> options.put(name, option));
            }
        }
    }

    /**
     * Parses {@code args} and sets the options of {@code groups}. Returns the arguments that are not options. Returns
     * empty, and sets nothing, if the command line does not have the usual form.
     */
    static Optional<List<String>> parse(List<OptionGroup> groups, List<String> args) {
        FastParser parser = new FastParser(groups);
        if (!parser.parse(args)) {
            return Optional.empty();
        }
        parser.assignments.forEach(Runnable::run);
        return Optional.of(parser.operands);
    }

    private boolean parse(List<String> args) {
        for (int i = 0; i < args.size(); i++) {
            String arg = args.get(i);
            Option<?> option = options.get(arg);
            if (option == null) {
                if (!parseOther(arg)) {
                    return false;
                }
            } else if (!option.takesValue()) {
                if (!add(option, "")) {
                    return false;
                }
            } else {
                i++;
                if (i == args.size() || !add(option, args.get(i))) {
                    return false;
                }
            }
        }
        return true;
    }

    /** Parses {@code --name=value}, or an argument that is not an option. */
    private boolean parseOther(String arg) {
        if (!arg.startsWith("-") || arg.equals("-")) {
            return operands.add(arg);
        }
        int equals = arg.indexOf('=');
        Option<?> option = arg.startsWith("--") && equals > 0 ? options.get(arg.substring(0, equals)) : null;
        return option != null && option.takesValue() && add(option, arg.substring(equals + 1));
    }

    private <T> boolean add(Option<T> option, String text) {
        boolean looksLikeOption = text.startsWith("-") && text.length() > 1;
        if (looksLikeOption || (!seen.add(option) && !option.isRepeatable())) {
            return false;
        }
        try {
            Option.Typed<T> typed = option.convert(text);
            return assignments.add(() -> option.set(typed));
        } catch (IllegalArgumentException notValid) {
            // PicocliParser converts the value again and reports this error with the name of the option.
            return false;
        }
    }
}
