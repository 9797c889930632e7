// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import io.millrace.client.Overflow;
import io.millrace.client.Protocol;
import io.millrace.client.command.Fusion;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * The keys {@code millrace.redis.*}. A key that is absent has the default of {@link io.millrace.client.ClientOptions}.
 *
 * @param url Address of the server, such as redis://user:password@host:6379/0, or rediss:// with TLS, or unix:///path.
 * @param user ACL user, if the URL contains no login.
 * @param password Password, if the URL contains no login.
 * @param addressMap Addresses that a cluster or Sentinels announce, and their replacements: host:port=host:port, or host=host.
 * @param ssl TLS of the connections.
 * @param required Whether the start fails without a server. Otherwise the client connects in the background.
 * @param patience Maximum time during which the start tries to reach the server.
 * @param protocol RESP version that the client requests from the server.
 * @param connectTimeout Time limit for a connection and its handshake.
 * @param commandTimeout Time limit of a command, from submission to reply.
 * @param connections Number of shared connections.
 * @param inFlight Maximum number of commands in flight per connection.
 * @param inFlightBytes Maximum number of bytes in flight per connection.
 * @param overflow Policy for a command that would exceed a limit of commands or bytes in flight.
 * @param pingAfterSilence Time without a reply after which a PING precedes the next command. Zero for no PING.
 * @param pool Limits of the dedicated connections.
 * @param callbacks Maximum number of callbacks that run at the same time.
 * @param reconnectDelay Delay before the first attempt to replace a lost connection.
 * @param maxReconnectDelay Maximum delay before an attempt to replace a lost connection.
 * @param replyLimits Limits on the size of one reply.
 * @param fusion Kinds of commands that the client may combine. An empty value turns fusion off.
 * @param socket Options of TCP sockets.
 * @param name Name of the connections in CLIENT LIST.
 */
record RedisProperties(
        @Nullable String url,
        @Nullable String user,
        @Nullable String password,
        @Nullable List<String> addressMap,
        @DefaultValue Ssl ssl,
        @DefaultValue("true") boolean required,
        @DefaultValue("0s") Duration patience,
        @Nullable Protocol protocol,
        @Nullable Duration connectTimeout,
        @Nullable Duration commandTimeout,
        @Nullable Integer connections,
        @Nullable Integer inFlight,
        @Nullable DataSize inFlightBytes,
        @Nullable Overflow overflow,
        @Nullable Duration pingAfterSilence,
        @DefaultValue Pool pool,
        @Nullable Integer callbacks,
        @Nullable Duration reconnectDelay,
        @Nullable Duration maxReconnectDelay,
        @DefaultValue ReplyLimitKeys replyLimits,
        @Nullable Set<Fusion> fusion,
        @DefaultValue SocketKeys socket,
        @Nullable String name) {

    /** Prefix of these keys. */
    static final String PREFIX = "millrace.redis";

    /**
     * TLS of the connections.
     *
     * @param bundle Name of an SSL bundle. The connections then use TLS. A reloaded bundle is used by the next connection.
     * @param serverName Name for SNI and for the verification of the certificate, instead of the host name.
     */
    record Ssl(@Nullable String bundle, @Nullable String serverName) {}

    /**
     * Limits of the dedicated connections.
     *
     * @param size Maximum number of dedicated connections.
     * @param maxIdle Time after which an unused dedicated connection is closed. Zero for never.
     */
    record Pool(@Nullable Integer size, @Nullable Duration maxIdle) {}

    /**
     * Limits on the size of one reply.
     *
     * @param bulkBytes Maximum length of one value in a reply.
     * @param elements Maximum number of elements of one array in a reply.
     * @param lineBytes Maximum length of a line in a reply.
     * @param depth Maximum nesting of arrays in a reply.
     */
    record ReplyLimitKeys(
            @Nullable DataSize bulkBytes,
            @Nullable Integer elements,
            @Nullable DataSize lineBytes,
            @Nullable Integer depth) {}

    /**
     * Options of TCP sockets.
     *
     * @param keepAliveIdle Idle time before the first keep-alive probe of TCP.
     * @param keepAliveInterval Time between two keep-alive probes of TCP.
     * @param keepAliveCount Number of unanswered probes of TCP that end a connection.
     * @param sendBufferBytes Size of the send buffer of a socket. Zero for automatic.
     * @param receiveBufferBytes Size of the receive buffer of a socket. Zero for automatic.
     */
    record SocketKeys(
            @Nullable Duration keepAliveIdle,
            @Nullable Duration keepAliveInterval,
            @Nullable Integer keepAliveCount,
            @Nullable DataSize sendBufferBytes,
            @Nullable DataSize receiveBufferBytes) {}

    /** Shows neither the URL nor the password, because both may contain secrets. */
    @Override
    public String toString() {
        return "RedisProperties[required=" + required + ", patience=" + patience + "]";
    }
}
