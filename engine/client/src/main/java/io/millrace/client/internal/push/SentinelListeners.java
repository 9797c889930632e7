// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.push;

import io.millrace.client.ClientOptions;
import io.millrace.client.RedisUri;
import io.millrace.client.internal.connect.AnnouncedAddresses;
import io.millrace.client.internal.connect.Login;
import io.millrace.client.internal.connect.SentinelOptions;
import io.millrace.client.internal.connect.SentinelReplies;
import io.millrace.client.internal.time.ClockAndRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Listens to the Sentinels of a client. Each Sentinel has a connection of its own, so an unreachable Sentinel delays
 * nothing. A lost connection is replaced.
 *
 * <p>DESIGN. A client learns of most failovers without this class: the connection to the old primary ends, or the old
 * primary answers {@code READONLY}. But if the old primary hangs, or its network is lost, nothing arrives. Then only the
 * Sentinels tell that there is another primary.
 */
public final class SentinelListeners implements AutoCloseable {

    private final List<PushConnection> connections = new ArrayList<>();

    /**
     * Starts to connect to the Sentinels. Does not wait.
     *
     * @param primaryIsAt receives the address that a Sentinel names: after each connect, and after each failover. Called by
     *     the threads of the connections; must not block
     */
    public SentinelListeners(
            ClientOptions options,
            RedisUri.Sentinels sentinels,
            ClockAndRandom clockAndRandom,
            Consumer<RedisUri.Tcp> primaryIsAt) {
        SentinelReplies replies = new SentinelReplies(new AnnouncedAddresses(options.addressMap()));
        for (RedisUri.Tcp sentinel : sentinels.addresses()) {
            ClientOptions ofSentinel = SentinelOptions.of(options, sentinels, sentinel);
            connections.add(new PushConnection(
                    ofSentinel,
                    new Login(ofSentinel),
                    clockAndRandom,
                    new SentinelHandler(sentinels.primary(), replies, primaryIsAt),
                    "millrace-sentinel"));
        }
        boolean started = false;
        try {
            connections.forEach(PushConnection::openLater);
            started = true;
        } finally {
            if (!started) {
                close();
            }
        }
    }

    /** Closes the connections, and waits until their threads have stopped. The wait is short. */
    @Override
    public void close() {
        connections.forEach(PushConnection::close);
    }
}
