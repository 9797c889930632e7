// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.client;

/**
 * One command of an experiment. The comment of each kind says what an adapter returns for the reply.
 *
 * <p>Adapters use the method that their library offers for the command, with its usual types.
 */
public sealed interface Operation {

    String key();

    /** The name of the command as the server counts it, in lower case. */
    default String command() {
        return switch (this) {
            case Set set -> "set";
            case Get get -> "get";
            case Increment increment -> "incr";
            case SetField set -> "hset";
            case PopLast pop -> "rpop";
            case Expire expire -> "pexpire";
        };
    }

    /** {@code SET key value}. An adapter returns any value, which may be null. */
    record Set(String key, String value) implements Operation {}

    /** {@code GET key}. An adapter returns the {@link String}, or null if the key does not exist. */
    record Get(String key) implements Operation {}

    /** {@code INCR key}. An adapter returns the new value as a {@link Long}. */
    record Increment(String key) implements Operation {}

    /** {@code HSET key field value}. An adapter returns any value. */
    record SetField(String key, String field, String value) implements Operation {}

    /** {@code RPOP key}. An adapter returns the {@link String}, or null if the list is empty. */
    record PopLast(String key) implements Operation {}

    /** {@code PEXPIRE key millis}. An adapter returns any value. */
    record Expire(String key, long millis) implements Operation {}
}
