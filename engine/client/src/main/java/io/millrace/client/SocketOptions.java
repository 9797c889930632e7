// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import io.millrace.client.Setting.Unit;
import java.time.Duration;
import java.util.Objects;

/**
 * Options of TCP sockets, with and without TLS, for all kinds of connections. Unix sockets ignore them. {@code
 * TCP_NODELAY} is always on.
 *
 * <p>TCP keep-alive ends a connection whose peer has disappeared without closing it. The operating system sends a probe
 * after {@code keepAliveIdle}, and further probes every {@code keepAliveInterval}. After {@code keepAliveCount} probes
 * without an answer the connection ends: by default after 90 s. Without these options Linux waits for more than two
 * hours. Durations are rounded up to whole seconds. Platforms without these socket options use their own values.
 *
 * <p>The constants document the range and the default of each setting, and the reason for the default.
 *
 * @param keepAliveIdle idle time before the first probe, {@link #KEEP_ALIVE_IDLE}
 * @param keepAliveInterval time between probes, {@link #KEEP_ALIVE_INTERVAL}
 * @param keepAliveCount number of probes without an answer that end the connection, {@link #KEEP_ALIVE_COUNT}
 * @param sendBufferBytes size of the send buffer of the socket, {@link #SEND_BUFFER_BYTES}
 * @param receiveBufferBytes size of the receive buffer of the socket, {@link #RECEIVE_BUFFER_BYTES}
 */
public record SocketOptions(
        Duration keepAliveIdle,
        Duration keepAliveInterval,
        int keepAliveCount,
        int sendBufferBytes,
        int receiveBufferBytes) {

    /**
     * Range: 1 s to 9 h. Linux allows 32,767 s. Default: 1 min, the time after which StackExchange.Redis sends a
     * keep-alive message. Firewalls and load balancers drop connections that are idle for some minutes.
     */
    public static final Setting<Duration> KEEP_ALIVE_IDLE = new Setting<>(
            "keepAliveIdle",
            Duration.ofSeconds(1),
            Duration.ofHours(9),
            Duration.ofSeconds(60),
            Unit.TIME,
            "Idle time before the first keep-alive probe of TCP.");

    /** Range: 1 s to 9 h. Default: 10 s, so that three lost probes take half a minute. */
    public static final Setting<Duration> KEEP_ALIVE_INTERVAL = new Setting<>(
            "keepAliveInterval",
            Duration.ofSeconds(1),
            Duration.ofHours(9),
            Duration.ofSeconds(10),
            Unit.TIME,
            "Time between two keep-alive probes of TCP.");

    /** Range: 1 to 127. The maximum is from Linux. Default: 3, as the server uses for its clients. */
    public static final Setting<Integer> KEEP_ALIVE_COUNT = new Setting<>(
            "keepAliveCount", 1, 127, 3, Unit.COUNT, "Number of unanswered probes of TCP that end a connection.");

    /** Range: 0 bytes to 1 GB. Default: 0 bytes. With 0 the operating system chooses the size, and adapts it to the traffic. */
    public static final Setting<Integer> SEND_BUFFER_BYTES = new Setting<>(
            "sendBufferBytes", 0, 1 << 30, 0, Unit.BYTES, "Size of the send buffer of a socket; 0 for automatic.");

    /** Range: 0 bytes to 1 GB. Default: 0 bytes. With 0 the operating system chooses the size, and adapts it to the traffic. */
    public static final Setting<Integer> RECEIVE_BUFFER_BYTES = new Setting<>(
            "receiveBufferBytes",
            0,
            1 << 30,
            0,
            Unit.BYTES,
            "Size of the receive buffer of a socket; 0 for automatic.");

    /** The default of each setting. */
    public static final SocketOptions DEFAULT = new SocketOptions(
            KEEP_ALIVE_IDLE.defaultValue(),
            KEEP_ALIVE_INTERVAL.defaultValue(),
            KEEP_ALIVE_COUNT.defaultValue(),
            SEND_BUFFER_BYTES.defaultValue(),
            RECEIVE_BUFFER_BYTES.defaultValue());

    public SocketOptions {
        KEEP_ALIVE_IDLE.check(keepAliveIdle);
        KEEP_ALIVE_INTERVAL.check(keepAliveInterval);
        KEEP_ALIVE_COUNT.check(keepAliveCount);
        SEND_BUFFER_BYTES.check(sendBufferBytes);
        RECEIVE_BUFFER_BYTES.check(receiveBufferBytes);
    }

    /** Returns a copy with other {@link #KEEP_ALIVE_IDLE}, {@link #KEEP_ALIVE_INTERVAL} and {@link #KEEP_ALIVE_COUNT}. */
    public SocketOptions withKeepAlive(Duration idle, Duration interval, int count) {
        return new SocketOptions(
                Objects.requireNonNull(idle, "idle"),
                Objects.requireNonNull(interval, "interval"),
                count,
                sendBufferBytes,
                receiveBufferBytes);
    }

    /** Returns a copy with other {@link #SEND_BUFFER_BYTES} and {@link #RECEIVE_BUFFER_BYTES}. */
    public SocketOptions withBuffers(int sendBytes, int receiveBytes) {
        return new SocketOptions(keepAliveIdle, keepAliveInterval, keepAliveCount, sendBytes, receiveBytes);
    }
}
