// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import java.time.Duration;
import java.util.Objects;
import java.util.Set;

/**
 * How to reach a server, and what may be in flight to it. {@link #builder} has the defaults and where they come from.
 *
 * @param connectTimeout for a connection and its handshake, 1 ms to 10 min
 * @param commandTimeout from submission to reply, the wait for a free place included, 1 ms to 24 h
 * @param connections that are shared, 1 to 64; the commands of one thread all travel over the same one, and 32 threads that
 *     were made one after the other share one. Two by default, with which 512 callers were served 45 % faster than with one, 64
 *     callers 7 %, and 8 as fast (docs/adr/0011)
 * @param inFlight commands in flight per connection, 1 to 1,048,576
 * @param inFlightBytes their bytes, from 65,536
 * @param overflow what happens to a command that would exceed these
 * @param poolSize the most dedicated connections, 1 to 4,096; each is opened when first needed
 * @param reconnectDelay before the first attempt to replace a lost connection, 1 ms to 1 min; it doubles with each failure
 * @param reconnectDelayMost the most it grows to, up to 10 min
 * @param fusion which commands may be fused on the shared connections; dedicated connections and transactions never do
 * @param name what the server calls the connections in {@code CLIENT LIST}; no blanks
 */
public record ClientOptions(
        RedisUri uri,
        TlsOptions tls,
        Protocol protocol,
        Duration connectTimeout,
        Duration commandTimeout,
        int connections,
        int inFlight,
        long inFlightBytes,
        Overflow overflow,
        int poolSize,
        Duration reconnectDelay,
        Duration reconnectDelayMost,
        PushListener pushListener,
        Set<Fusion> fusion,
        String name) {

    public ClientOptions {
        Objects.requireNonNull(uri, "uri");
        Objects.requireNonNull(tls, "tls");
        Objects.requireNonNull(protocol, "protocol");
        Objects.requireNonNull(overflow, "overflow");
        Objects.requireNonNull(pushListener, "pushListener");
        Objects.requireNonNull(name, "name");
        fusion = Set.copyOf(Objects.requireNonNull(fusion, "fusion"));
        Ranges.check("connectTimeout", connectTimeout, Duration.ofMillis(1), Duration.ofMinutes(10));
        Ranges.check("commandTimeout", commandTimeout, Duration.ofMillis(1), Duration.ofHours(24));
        Ranges.check("connections", connections, 1, 64);
        Ranges.check("inFlight", inFlight, 1, 1 << 20);
        Ranges.check("inFlightBytes", inFlightBytes, 1L << 16, (1L << 40) - 1);
        Ranges.check("poolSize", poolSize, 1, 4_096);
        Ranges.check("reconnectDelay", reconnectDelay, Duration.ofMillis(1), Duration.ofMinutes(1));
        Ranges.check("reconnectDelayMost", reconnectDelayMost, reconnectDelay, Duration.ofMinutes(10));
        if (name.isEmpty() || !name.chars().allMatch(c -> c > 0x20 && c < 0x7f)) {
            throw new IllegalArgumentException("name must be printable ASCII without blanks");
        }
    }

    /** The defaults for {@code uri}. */
    public static ClientOptions of(RedisUri uri) {
        return builder(uri).build();
    }

    /** The defaults for {@code uri}, to be changed. */
    public static Builder builder(RedisUri uri) {
        return new Builder(uri);
    }

    /** Collects options. Not thread-safe. */
    public static final class Builder {

        private final RedisUri uri;
        private TlsOptions tls = TlsOptions.DEFAULT;
        private Protocol protocol = Protocol.RESP3;
        private Duration connectTimeout = Duration.ofSeconds(2);
        private Duration commandTimeout = Duration.ofSeconds(10);
        private int connections = 2;
        private int inFlight = 4_096;
        private long inFlightBytes = 8L << 20;
        private Overflow overflow = Overflow.BLOCK;
        private int poolSize = 16;
        private Duration reconnectDelay = Duration.ofMillis(10);
        private Duration reconnectDelayMost = Duration.ofSeconds(1);
        private PushListener pushListener = PushListener.NONE;
        private Set<Fusion> fusion = Fusion.ALL_EXACT;
        private String name = "millrace";

        private Builder(RedisUri uri) {
            this.uri = Objects.requireNonNull(uri, "uri");
        }

        /** Only used for {@code rediss://}. Default: verified against the JVM's authorities and the host's name. */
        public Builder tls(TlsOptions value) {
            tls = Objects.requireNonNull(value, "tls");
            return this;
        }

        /** Default RESP3. */
        public Builder protocol(Protocol value) {
            protocol = Objects.requireNonNull(value, "protocol");
            return this;
        }

        /** Default 2 s, as Jedis. */
        public Builder connectTimeout(Duration value) {
            connectTimeout = Objects.requireNonNull(value, "connectTimeout");
            return this;
        }

        /** Default 10 s: a Redis that blocks longer has a problem of its own. */
        public Builder commandTimeout(Duration value) {
            commandTimeout = Objects.requireNonNull(value, "commandTimeout");
            return this;
        }

        /** Default 2, for the reasons given at {@link ClientOptions#connections}; each costs two threads here. */
        public Builder connections(int value) {
            connections = value;
            return this;
        }

        /**
         * Default 4,096: twice what keeps a server on loopback busy; at a round trip of 1 ms it still allows four million
         * commands a second.
         */
        public Builder inFlight(int value) {
            inFlight = value;
            return this;
        }

        /** Default 8 MiB: what a connection of 1 Gbit/s takes in 64 ms. */
        public Builder inFlightBytes(long value) {
            inFlightBytes = value;
            return this;
        }

        /** Default {@link Overflow#BLOCK}. */
        public Builder overflow(Overflow value) {
            overflow = Objects.requireNonNull(value, "overflow");
            return this;
        }

        /** Default 16. */
        public Builder poolSize(int value) {
            poolSize = value;
            return this;
        }

        /**
         * Defaults 10 ms and 1 s, of which half is left to chance: so a client is back within two seconds of its server.
         */
        public Builder reconnectDelay(Duration least, Duration most) {
            reconnectDelay = Objects.requireNonNull(least, "least");
            reconnectDelayMost = Objects.requireNonNull(most, "most");
            return this;
        }

        /** Default {@link PushListener#NONE}. */
        public Builder pushListener(PushListener value) {
            pushListener = Objects.requireNonNull(value, "pushListener");
            return this;
        }

        /**
         * Default {@link Fusion#ALL_EXACT}: what costs the server less and changes no reply. Behind a proxy that splits commands
         * of several keys it should be {@link Fusion#NONE}, here and in {@link BulkOptions#fusion}.
         */
        public Builder fusion(Set<Fusion> value) {
            fusion = Set.copyOf(Objects.requireNonNull(value, "fusion"));
            return this;
        }

        /** Default {@code millrace}. */
        public Builder name(String value) {
            name = Objects.requireNonNull(value, "name");
            return this;
        }

        /**
         * The options.
         *
         * @throws IllegalArgumentException if one is out of its range, which the message names
         */
        public ClientOptions build() {
            return new ClientOptions(
                    uri,
                    tls,
                    protocol,
                    connectTimeout,
                    commandTimeout,
                    connections,
                    inFlight,
                    inFlightBytes,
                    overflow,
                    poolSize,
                    reconnectDelay,
                    reconnectDelayMost,
                    pushListener,
                    fusion,
                    name);
        }
    }
}
