// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.channels.Channels;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Supplier;

/**
 * What a run may read from and print to.
 *
 * @param out takes results only
 * @param err takes progress, notes and errors
 * @param env the environment variables
 * @param screenWidth columns of the terminal that {@code err} is; empty if it is none. Asked at most once, since it costs
 *     a process
 */
record Streams(
        InputStream in, PrintStream out, PrintStream err, Map<String, String> env, Supplier<OptionalInt> screenWidth) {

    /**
     * Those of this process. Standard input is read through a channel: to close it ends a read that waits for input, which
     * {@link System#in} cannot do.
     */
    static Streams ofProcess() {
        InputStream in = Channels.newInputStream(new FileInputStream(FileDescriptor.in).getChannel());
        return new Streams(in, System.out, System.err, System.getenv(), Screen::width);
    }

    /** An environment variable; empty if it is not set, or set to nothing. */
    Optional<String> env(String name) {
        return Optional.ofNullable(env.get(name)).filter(value -> !value.isEmpty());
    }
}
