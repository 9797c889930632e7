// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

import java.time.Duration;

/** Adds an {@link Expiry} to the arguments of a command. */
final class ExpiryArguments {

    private ExpiryArguments() {}

    /** Adds the option of a command that writes a value, such as {@code SET}. Such a command removes the old expiry by default. */
    static Arguments addToWrite(Arguments arguments, Expiry expiry) {
        return switch (expiry) {
            case Expiry.None ignored -> arguments;
            case Expiry.Keep ignored -> arguments.add("KEEPTTL");
            case Expiry.After after -> addTtl(arguments, after.ttl());
            case Expiry.At at -> addTime(arguments, at);
        };
    }

    /** Adds the option of a command that reads a value, such as {@code GETEX}. Such a command keeps the old expiry by default. */
    static Arguments addToRead(Arguments arguments, Expiry expiry) {
        return switch (expiry) {
            case Expiry.None ignored -> arguments.add("PERSIST");
            case Expiry.Keep ignored -> arguments;
            case Expiry.After after -> addTtl(arguments, after.ttl());
            case Expiry.At at -> addTime(arguments, at);
        };
    }

    private static Arguments addTtl(Arguments arguments, Duration ttl) {
        return arguments.add("PX").add(Arguments.ttlMillis(ttl));
    }

    private static Arguments addTime(Arguments arguments, Expiry.At at) {
        return arguments.add("PXAT").add(Arguments.epochMillis(at.time()));
    }
}
