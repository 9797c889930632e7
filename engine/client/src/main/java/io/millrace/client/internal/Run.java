// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import io.millrace.resp.RequestEncoder;

/**
 * How adjacent commands of one kind become one: which may be part of a run, how it is written, how its reply is divided. Used
 * for one run after the other; what it keeps is of the run that is open. Not thread-safe.
 *
 * <p>A run begins with two commands: one that is alone goes out as it is.
 */
abstract class Run {

    /** Most of the gain is there with 16. */
    static final int MOST_COMMANDS = 64;

    /** Whether a command with these arguments can be part of a run at all, judged by their shape. */
    abstract boolean takes(HeldArguments arguments);

    /** Whether one that this run {@linkplain #takes} can follow on {@code first} and on what was added since. */
    abstract boolean joins(HeldArguments first, HeldArguments next);

    /** Opens the run with its first command. */
    abstract void begin(RequestEncoder encoder, HeldArguments first);

    /** Adds a command that {@linkplain #joins} it. */
    abstract void add(RequestEncoder encoder, HeldArguments next);

    /** Writes what is not written yet; what follows is for the encoder to end. */
    abstract Split finish(RequestEncoder encoder, HeldArguments first);

    static byte[] name(String command) {
        return RequestEncoder.encodeName(command);
    }
}
