// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import io.millrace.load.target.Target;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * A value of {@code --as}: the options that it takes, and how they become a target.
 *
 * @param name the word after {@code --as}
 * @param help the name, and what the name means if that is not obvious
 * @param options names of the options that this type takes, in addition to the options that all types take
 * @param refusals error messages for options that this type does not take, by the name of the option; without an entry,
 *     the message is general
 * @param factory builds the target from options that have passed the check against {@code options}
 */
record TargetType(
        String name,
        String help,
        Set<String> options,
        Map<String, String> refusals,
        Function<TargetArguments, Target> factory) {

    private static final Set<String> COMMON_OPTIONS = Set.of("--key", "--as", "--ttl", "--null");

    /** A type that takes only the options that all types take. */
    static TargetType of(String name, Function<TargetArguments, Target> factory) {
        return new TargetType(name, name, Set.of(), Map.of(), factory);
    }

    /** This type with {@code meaning} after its name in the help. */
    TargetType withMeaning(String meaning) {
        return new TargetType(name, name + " (" + meaning + ")", options, refusals, factory);
    }

    /** This type, which takes {@code names}. */
    TargetType taking(String... names) {
        return new TargetType(name, help, Set.of(names), refusals, factory);
    }

    /** This type, which refuses the option {@code option} with the message {@code sentence}. */
    TargetType refusing(String option, String sentence) {
        Map<String, String> all = new HashMap<>(refusals);
        all.put(option, sentence);
        return new TargetType(name, help, options, Map.copyOf(all), factory);
    }

    /**
     * The target that {@code typed} describes.
     *
     * @throws UsageException if this type does not take an option that was typed, or if options contradict each other
     */
    Target target(TargetArguments typed) {
        for (String option : TypedOptions.in(typed)) {
            if (!options.contains(option) && !COMMON_OPTIONS.contains(option)) {
                throw new UsageException(
                        refusals.getOrDefault(option, option + " cannot be combined with --as " + name + "."));
            }
        }
        return factory.apply(typed);
    }
}
