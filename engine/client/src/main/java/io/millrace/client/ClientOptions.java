// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import java.time.Duration;

/**
 * How to reach a server, and what may be in flight to it.
 *
 * @param connectTimeout for the connection and its handshake, 1 ms to 10 min
 * @param commandTimeout from submission to reply, the wait for a free place included, 1 ms to 24 h
 * @param inFlight commands in flight per connection, 1 to 1,048,576
 * @param inFlightBytes their bytes, from 65,536
 * @param name what the server calls this connection in {@code CLIENT LIST}; no blanks
 */
public record ClientOptions(
        RedisUri uri,
        TlsOptions tls,
        Duration connectTimeout,
        Duration commandTimeout,
        int inFlight,
        long inFlightBytes,
        String name) {

    public ClientOptions {
        Ranges.check("connectTimeout", connectTimeout, Duration.ofMillis(1), Duration.ofMinutes(10));
        Ranges.check("commandTimeout", commandTimeout, Duration.ofMillis(1), Duration.ofHours(24));
        Ranges.check("inFlight", inFlight, 1, 1 << 20);
        Ranges.check("inFlightBytes", inFlightBytes, 1L << 16, 1L << 40);
        if (name.isEmpty() || !name.chars().allMatch(c -> c > 0x20 && c < 0x7f)) {
            throw new IllegalArgumentException("name must be printable ASCII without blanks");
        }
    }

    /**
     * Defaults for {@code uri}: 2 s to connect (what Jedis takes), 10 s for a command (a Redis that blocks longer has a
     * problem of its own), 4,096 commands and 8 MiB in flight (twice what keeps a loopback server busy; at a round trip of
     * 1 ms it still allows four million commands a second).
     */
    public static ClientOptions of(RedisUri uri) {
        return new ClientOptions(
                uri, TlsOptions.DEFAULT, Duration.ofSeconds(2), Duration.ofSeconds(10), 4_096, 8L << 20, "millrace");
    }

    /** These options with {@code newTls}. */
    public ClientOptions withTls(TlsOptions newTls) {
        return new ClientOptions(uri, newTls, connectTimeout, commandTimeout, inFlight, inFlightBytes, name);
    }

    /** These options with {@code timeout} for each command. */
    public ClientOptions withCommandTimeout(Duration timeout) {
        return new ClientOptions(uri, tls, connectTimeout, timeout, inFlight, inFlightBytes, name);
    }

    /** These options with {@code timeout} for connecting. */
    public ClientOptions withConnectTimeout(Duration timeout) {
        return new ClientOptions(uri, tls, timeout, commandTimeout, inFlight, inFlightBytes, name);
    }

    /** These options with other limits for what is in flight. */
    public ClientOptions withInFlight(int commands, long bytes) {
        return new ClientOptions(uri, tls, connectTimeout, commandTimeout, commands, bytes, name);
    }
}
