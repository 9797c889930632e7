// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import io.millrace.load.target.Target;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * A type of target: a value of {@code --as}. It defines which options it accepts, and builds the target from them.
 *
 * @param name the value after {@code --as}
 * @param help the name, with its meaning in brackets if the meaning is not obvious
 * @param options names of the options that this type accepts, in addition to the options of all types
 * @param refusals maps the name of an option that this type refuses to its error message. An option without an entry is
 *     refused with a general message
 * @param factory builds the target; the caller has checked the typed options against {@code options}
 */
record TargetType(
        String name,
        String help,
        Set<String> options,
        Map<String, String> refusals,
        Function<TargetArguments, Target> factory) {

    private static final Set<String> COMMON_OPTIONS = Set.of("--key", "--as", "--ttl", "--ttl-jitter", "--null");

    /** Returns a type that accepts only the options of all types. */
    static TargetType of(String name, Function<TargetArguments, Target> factory) {
        return new TargetType(name, name, Set.of(), Map.of(), factory);
    }

    /** Returns a copy of this type that has {@code meaning} after its name in the help text. */
    TargetType withMeaning(String meaning) {
        return new TargetType(name, name + " (" + meaning + ")", options, refusals, factory);
    }

    /** Returns a copy of this type that accepts {@code names}, in addition to the options of all types. */
    TargetType taking(String... names) {
        return new TargetType(name, help, Set.of(names), refusals, factory);
    }

    /** Returns a copy of this type that refuses the option {@code option} with the message {@code sentence}. */
    TargetType refusing(String option, String sentence) {
        Map<String, String> all = new HashMap<>(refusals);
        all.put(option, sentence);
        return new TargetType(name, help, options, Map.copyOf(all), factory);
    }

    /**
     * Returns the target that {@code typed} describes.
     *
     * @throws UsageException if this type does not accept a typed option, or if typed options contradict each other
     */
    Target target(TargetArguments typed) {
        for (String option : typed.group.typedNames()) {
            if (!options.contains(option) && !COMMON_OPTIONS.contains(option)) {
                throw new UsageException(
                        refusals.getOrDefault(option, option + " cannot be combined with --as " + name + "."));
            }
        }
        return factory.apply(typed);
    }
}
