// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import io.millrace.client.Setting;
import io.millrace.client.command.SetOptions;
import java.time.Duration;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses an expiry: a duration of {@link SetOptions#MIN_TTL} to {@link SetOptions#MAX_TTL}. */
final class TtlConverter implements ITypeConverter<Duration> {

    @Override
    public Duration convert(String text) {
        try {
            return Setting.checkArgument(
                    "ttl", new DurationConverter().convert(text), SetOptions.MIN_TTL, SetOptions.MAX_TTL);
        } catch (IllegalArgumentException outOfRange) {
            throw new TypeConversionException(String.valueOf(outOfRange.getMessage()));
        }
    }
}
