// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import io.millrace.client.Setting;
import java.time.Duration;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses an expiry: a duration of 1 ms to 36,500 days. */
final class TtlConverter implements ITypeConverter<Duration> {

    private static final Duration SHORTEST = Duration.ofMillis(1);
    private static final Duration LONGEST = Duration.ofDays(36_500);

    @Override
    public Duration convert(String text) {
        try {
            return Setting.checkArgument("ttl", new DurationConverter().convert(text), SHORTEST, LONGEST);
        } catch (IllegalArgumentException outOfRange) {
            throw new TypeConversionException(String.valueOf(outOfRange.getMessage()));
        }
    }
}
