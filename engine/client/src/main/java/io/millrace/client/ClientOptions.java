// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import io.millrace.client.Setting.Unit;
import io.millrace.client.command.Fusion;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;

/**
 * Options of a {@link RedisClient}. The constants document the range and the default of each setting, and the reason
 * for the default.
 *
 * @param credentials provides the credentials of each login; by default those of {@code uri}
 * @param addressResolver finds the addresses of the host name of {@code uri}
 * @param addressMap replaces addresses that nodes of a cluster and Sentinels announce
 * @param connectTimeout time limit for a connection and its handshake, {@link #CONNECT_TIMEOUT}
 * @param commandTimeout time limit of a command, {@link #COMMAND_TIMEOUT}; includes the wait for a free place in flight
 * @param connectLater whether {@link RedisClient#connect} returns at once, and the client connects in the background
 * @param connections number of shared connections, {@link #CONNECTIONS}. Every 32 threads with consecutive thread IDs
 *     use the same connection
 * @param inFlight maximum number of commands in flight per connection, {@link #IN_FLIGHT}
 * @param inFlightBytes maximum number of bytes in flight per connection, {@link #IN_FLIGHT_BYTES}
 * @param overflow policy for a command that would exceed {@code inFlight} or {@code inFlightBytes}
 * @param pingAfterSilence time without a reply after which the client sends a {@code PING} before the next command,
 *     {@link #PING_AFTER_SILENCE}
 * @param pool limits of the dedicated connections
 * @param callbacks maximum number of callbacks that run at the same time, {@link #CALLBACKS}
 * @param reconnectDelay first delay before an attempt to reconnect, {@link #RECONNECT_DELAY}; doubles with each failure
 * @param maxReconnectDelay maximum of this delay, not below the first, {@link #MAX_RECONNECT_DELAY}; also after a refused login
 * @param replyLimits limits on the size of one reply; a larger reply ends its connection
 * @param pushListener receives pushes on shared and dedicated connections
 * @param commandListener receives the start and the end of each command
 * @param fusion kinds of commands that may be fused on shared connections, but never in transactions
 * @param socket options of TCP sockets
 * @param name name of the connections in {@code CLIENT LIST}; printable ASCII without spaces
 */
public record ClientOptions(
        RedisUri uri,
        CredentialsProvider credentials,
        TlsOptions tls,
        Protocol protocol,
        AddressResolver addressResolver,
        AddressMap addressMap,
        Duration connectTimeout,
        Duration commandTimeout,
        boolean connectLater,
        int connections,
        int inFlight,
        long inFlightBytes,
        Overflow overflow,
        Duration pingAfterSilence,
        PoolOptions pool,
        int callbacks,
        Duration reconnectDelay,
        Duration maxReconnectDelay,
        ReplyLimits replyLimits,
        PushListener pushListener,
        CommandListener commandListener,
        Set<Fusion> fusion,
        SocketOptions socket,
        String name) {

    /** Range: 1 ms to 10 min. Default: 2 s, as in Jedis. */
    public static final Setting<Duration> CONNECT_TIMEOUT = new Setting<>(
            "connectTimeout",
            Duration.ofMillis(1),
            Duration.ofMinutes(10),
            Duration.ofSeconds(2),
            Unit.TIME,
            "Time limit for a connection and its handshake.");

    /** Range: 1 ms to 24 h. Default: 10 s. If a server needs longer for a reply, the server itself has a problem. */
    public static final Setting<Duration> COMMAND_TIMEOUT = new Setting<>(
            "commandTimeout",
            Duration.ofMillis(1),
            Duration.ofHours(24),
            Duration.ofSeconds(10),
            Unit.TIME,
            "Time limit of a command, from submission to reply.");

    /**
     * Range: 1 to 64. Default: 2. In measurements (docs/adr/0011), two connections were 45 % faster than one with 512
     * callers, 7 % faster with 64 callers, and equally fast with 8 callers. Each connection uses two threads.
     */
    public static final Setting<Integer> CONNECTIONS =
            new Setting<>("connections", 1, 64, 2, Unit.COUNT, "Number of shared connections.");

    /**
     * Range: 1 to 1,048,576. Default: 4,096. A server on the same machine is already busy with 2,048 commands in
     * flight. With a round trip of 1 ms, this default allows four million commands per second.
     */
    public static final Setting<Integer> IN_FLIGHT = new Setting<>(
            "inFlight", 1, 1 << 20, 4_096, Unit.COUNT, "Maximum number of commands in flight per connection.");

    /**
     * Range: 64 KB to just under 1 TB. The reason for the maximum: the counter of the bytes in flight has 40 bits.
     * Default: 8 MB, which a network connection with 1 Gbit/s transfers in 64 ms.
     */
    public static final Setting<Long> IN_FLIGHT_BYTES = new Setting<>(
            "inFlightBytes",
            1L << 16,
            (1L << 40) - 1,
            8L << 20,
            Unit.BYTES,
            "Maximum number of bytes in flight per connection.");

    /**
     * Range: zero, or 1 ms to 24 h. Zero sends no {@code PING}. Default: 30 s, the interval at which Jedis tests idle
     * connections. Firewalls and load balancers drop connections that are idle for some minutes. Time limit of the {@code
     * PING}: the connect timeout, or half of the command timeout if that is shorter.
     */
    public static final Setting<Duration> PING_AFTER_SILENCE = new Setting<>(
            "pingAfterSilence",
            Duration.ofMillis(1),
            Duration.ofHours(24),
            Duration.ofSeconds(30),
            Unit.TIME_OR_ZERO,
            "Time without a reply after which a PING precedes the next command.");

    /**
     * Range: 1 to 1,048,576. Default: 10,000. A callback is the code that a caller attaches to a future of {@code send};
     * each running callback has a virtual thread. The default exceeds the 8,192 commands that the default options allow
     * in flight, so callbacks that do not block never reach the limit. 10,000 blocked threads need about 10 to 40 MB.
     *
     * <p>At the limit, further callbacks wait, and {@code send} waits too or is refused, except in a callback. A callback
     * must not wait for the callbacks of other commands: if all running callbacks do so, they wait for each other.
     */
    public static final Setting<Integer> CALLBACKS = new Setting<>(
            "callbacks", 1, 1 << 20, 10_000, Unit.COUNT, "Maximum number of callbacks that run at the same time.");

    /** Range: 1 ms to 1 min. Default: 10 ms. Each delay is shortened at random by up to one half. */
    public static final Setting<Duration> RECONNECT_DELAY = new Setting<>(
            "reconnectDelay",
            Duration.ofMillis(1),
            Duration.ofMinutes(1),
            Duration.ofMillis(10),
            Unit.TIME,
            "Delay before the first attempt to replace a lost connection.");

    /** Range: 1 ms to 10 min. Default: 1 s, so that a client reconnects within two seconds after the server is back. */
    public static final Setting<Duration> MAX_RECONNECT_DELAY = new Setting<>(
            "maxReconnectDelay",
            Duration.ofMillis(1),
            Duration.ofMinutes(10),
            Duration.ofSeconds(1),
            Unit.TIME,
            "Maximum delay before an attempt to replace a lost connection.");

    public ClientOptions {
        Objects.requireNonNull(uri, "uri");
        Objects.requireNonNull(credentials, "credentials");
        Objects.requireNonNull(tls, "tls");
        Objects.requireNonNull(protocol, "protocol");
        Objects.requireNonNull(addressResolver, "addressResolver");
        Objects.requireNonNull(addressMap, "addressMap");
        Objects.requireNonNull(overflow, "overflow");
        Objects.requireNonNull(pool, "pool");
        Objects.requireNonNull(replyLimits, "replyLimits");
        Objects.requireNonNull(pushListener, "pushListener");
        Objects.requireNonNull(socket, "socket");
        Objects.requireNonNull(commandListener, "commandListener");
        Objects.requireNonNull(name, "name");
        fusion = Set.copyOf(Objects.requireNonNull(fusion, "fusion"));
        CONNECT_TIMEOUT.check(connectTimeout);
        COMMAND_TIMEOUT.check(commandTimeout);
        CONNECTIONS.check(connections);
        IN_FLIGHT.check(inFlight);
        IN_FLIGHT_BYTES.check(inFlightBytes);
        PING_AFTER_SILENCE.check(pingAfterSilence);
        CALLBACKS.check(callbacks);
        RECONNECT_DELAY.check(reconnectDelay);
        Setting.checkArgument(MAX_RECONNECT_DELAY.name(), maxReconnectDelay, reconnectDelay, MAX_RECONNECT_DELAY.max());
        if (name.isEmpty() || !name.chars().allMatch(c -> c > 0x20 && c < 0x7f)) {
            throw new IllegalArgumentException("name must be printable ASCII without blanks");
        }
        UriCredentials.refuseSecondPassword(uri, credentials);
    }

    /** Returns the default options for {@code uri}. */
    public static ClientOptions of(RedisUri uri) {
        return builder(uri).build();
    }

    /** Returns a builder with the default options for {@code uri}. */
    public static Builder builder(RedisUri uri) {
        return new Builder(uri);
    }

    /** Builds options. Not thread-safe. */
    public static final class Builder {

        private final RedisUri uri;
        private CredentialsProvider credentials;
        private TlsOptions tls = TlsOptions.DEFAULT;
        private Protocol protocol = Protocol.RESP3;
        private AddressResolver addressResolver = AddressResolver.SYSTEM;
        private AddressMap addressMap = AddressMap.NONE;
        private Duration connectTimeout = CONNECT_TIMEOUT.defaultValue();
        private Duration commandTimeout = COMMAND_TIMEOUT.defaultValue();
        private boolean connectLater;
        private int connections = CONNECTIONS.defaultValue();
        private int inFlight = IN_FLIGHT.defaultValue();
        private long inFlightBytes = IN_FLIGHT_BYTES.defaultValue();
        private Overflow overflow = Overflow.BLOCK;
        private Duration pingAfterSilence = PING_AFTER_SILENCE.defaultValue();
        private PoolOptions pool = PoolOptions.DEFAULT;
        private int callbacks = CALLBACKS.defaultValue();
        private Duration reconnectDelay = RECONNECT_DELAY.defaultValue();
        private Duration maxReconnectDelay = MAX_RECONNECT_DELAY.defaultValue();
        private ReplyLimits replyLimits = ReplyLimits.DEFAULT;
        private PushListener pushListener = PushListener.NONE;
        private CommandListener commandListener = CommandListener.NONE;
        private Set<Fusion> fusion = Fusion.ALL_EXACT;
        private SocketOptions socket = SocketOptions.DEFAULT;
        private String name = "millrace";

        private Builder(RedisUri uri) {
            this.uri = Objects.requireNonNull(uri, "uri");
            this.credentials = new UriCredentials(uri);
        }

        /** Provides the credentials of each login. By default those of the URI, which must otherwise have no password. */
        public Builder credentials(CredentialsProvider value) {
            credentials = Objects.requireNonNull(value, "credentials");
            return this;
        }

        /** TLS options, used only for {@code rediss://} and {@code valkeys://}. Default {@link TlsOptions#DEFAULT}. */
        public Builder tls(TlsOptions value) {
            tls = Objects.requireNonNull(value, "tls");
            return this;
        }

        /** RESP version that the client requests from the server. Default {@link Protocol#RESP3}. */
        public Builder protocol(Protocol value) {
            protocol = Objects.requireNonNull(value, "protocol");
            return this;
        }

        /** Default {@link AddressResolver#SYSTEM}. */
        public Builder addressResolver(AddressResolver value) {
            addressResolver = Objects.requireNonNull(value, "addressResolver");
            return this;
        }

        /** Default {@link AddressMap#NONE}. */
        public Builder addressMap(AddressMap value) {
            addressMap = Objects.requireNonNull(value, "addressMap");
            return this;
        }

        /** {@link ClientOptions#CONNECT_TIMEOUT}. */
        public Builder connectTimeout(Duration value) {
            connectTimeout = Objects.requireNonNull(value, "connectTimeout");
            return this;
        }

        /** {@link ClientOptions#COMMAND_TIMEOUT}. */
        public Builder commandTimeout(Duration value) {
            commandTimeout = Objects.requireNonNull(value, "commandTimeout");
            return this;
        }

        /** Default false. With true, the client starts without a server, and acts as after the loss of a connection. */
        public Builder connectLater(boolean value) {
            connectLater = value;
            return this;
        }

        /** {@link ClientOptions#CONNECTIONS}. */
        public Builder connections(int value) {
            connections = value;
            return this;
        }

        /** {@link ClientOptions#IN_FLIGHT}. */
        public Builder inFlight(int value) {
            inFlight = value;
            return this;
        }

        /** {@link ClientOptions#IN_FLIGHT_BYTES}. */
        public Builder inFlightBytes(long value) {
            inFlightBytes = value;
            return this;
        }

        /** Default {@link Overflow#BLOCK}. */
        public Builder overflow(Overflow value) {
            overflow = Objects.requireNonNull(value, "overflow");
            return this;
        }

        /** {@link ClientOptions#PING_AFTER_SILENCE}. */
        public Builder pingAfterSilence(Duration value) {
            pingAfterSilence = Objects.requireNonNull(value, "pingAfterSilence");
            return this;
        }

        /** {@link PoolOptions#POOL_SIZE}. */
        public Builder poolSize(int value) {
            pool = new PoolOptions(value, pool.maxIdle());
            return this;
        }

        /** {@link PoolOptions#POOL_MAX_IDLE}. */
        public Builder poolMaxIdle(Duration value) {
            pool = new PoolOptions(pool.size(), value);
            return this;
        }

        /** {@link ClientOptions#CALLBACKS}. */
        public Builder callbacks(int value) {
            callbacks = value;
            return this;
        }

        /** {@link ClientOptions#RECONNECT_DELAY} and {@link ClientOptions#MAX_RECONNECT_DELAY}. */
        public Builder reconnectDelay(Duration initial, Duration max) {
            reconnectDelay = Objects.requireNonNull(initial, "initial");
            maxReconnectDelay = Objects.requireNonNull(max, "max");
            return this;
        }

        /** Default {@link ReplyLimits#DEFAULT}. */
        public Builder replyLimits(ReplyLimits value) {
            replyLimits = Objects.requireNonNull(value, "replyLimits");
            return this;
        }

        /** Default {@link PushListener#NONE}. */
        public Builder pushListener(PushListener value) {
            pushListener = Objects.requireNonNull(value, "pushListener");
            return this;
        }

        /** Default {@link CommandListener#NONE}. For metrics, use {@link CommandHistograms}. */
        public Builder commandListener(CommandListener value) {
            commandListener = Objects.requireNonNull(value, "commandListener");
            return this;
        }

        /**
         * Default {@link Fusion#ALL_EXACT}, which saves server time and changes no reply. If the client connects to a
         * proxy that splits multi-key commands, use {@link Fusion#NONE} here and in {@link BulkOptions#fusion}.
         */
        public Builder fusion(Set<Fusion> value) {
            fusion = Set.copyOf(Objects.requireNonNull(value, "fusion"));
            return this;
        }

        /** Default {@link SocketOptions#DEFAULT}. */
        public Builder socket(SocketOptions value) {
            socket = Objects.requireNonNull(value, "socket");
            return this;
        }

        /** Default {@code millrace}. */
        public Builder name(String value) {
            name = Objects.requireNonNull(value, "name");
            return this;
        }

        /**
         * Builds the options.
         *
         * @throws IllegalArgumentException if an option is out of its range; the message names the option and the range
         */
        public ClientOptions build() {
            return new ClientOptions(
                    uri,
                    credentials,
                    tls,
                    protocol,
                    addressResolver,
                    addressMap,
                    connectTimeout,
                    commandTimeout,
                    connectLater,
                    connections,
                    inFlight,
                    inFlightBytes,
                    overflow,
                    pingAfterSilence,
                    pool,
                    callbacks,
                    reconnectDelay,
                    maxReconnectDelay,
                    replyLimits,
                    pushListener,
                    commandListener,
                    fusion,
                    socket,
                    name);
        }
    }
}
