// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.contender;

import io.millrace.client.DedicatedConnection;
import io.millrace.client.RedisClient;
import io.millrace.client.command.Server;
import io.millrace.client.command.Strings;
import io.millrace.lab.run.LabException;
import java.util.stream.Stream;

/**
 * Whether what a lone caller sends reaches the server byte for byte as it is, fused with nothing: the server counts what it reads.
 * For when nobody else talks to it.
 */
final class SparseBytes {

    private static final int PAIRS = 100;
    private static final String KEY = "sparse";
    private static final String VALUE = "value";
    private static final String COUNT = "total_net_input_bytes:";

    private SparseBytes() {}

    /**
     * Calls some commands, one after the other.
     *
     * @throws LabException if the server has read more or less than they take by themselves
     */
    static void check(RedisClient client) {
        try (var control = client.borrow()) {
            long before = read(control);
            for (int i = 0; i < PAIRS; i++) {
                client.call(Strings.set(KEY, VALUE));
                client.call(Strings.get(KEY));
            }
            long read = read(control) - before;
            long expected = PAIRS * (bytes("SET", KEY, VALUE) + bytes("GET", KEY)) + bytes("INFO", "stats");
            if (read != expected) {
                throw new LabException("a lone caller's commands are not sent as they are: bytes expected=" + expected
                        + ", read by the server=" + read);
            }
        }
    }

    private static long read(DedicatedConnection control) {
        return control.call(Server.info("stats"))
                .lines()
                .filter(line -> line.startsWith(COUNT))
                .mapToLong(line -> Long.parseLong(line.substring(COUNT.length())))
                .findFirst()
                .orElseThrow(() -> new LabException("the server does not count the bytes that it reads"));
    }

    /** An array of strings, each with its length: lengths here have one digit. */
    private static long bytes(String... words) {
        return "*n\r\n".length()
                + Stream.of(words)
                        .mapToLong(word -> "$n\r\n".length() + word.length() + "\r\n".length())
                        .sum();
    }
}
