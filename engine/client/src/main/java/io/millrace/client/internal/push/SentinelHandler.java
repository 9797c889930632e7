// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.push;

import io.millrace.client.RedisUri;
import io.millrace.client.exception.ConnectException;
import io.millrace.client.internal.connect.SentinelReplies;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Listens to one Sentinel for changes of a primary. */
record SentinelHandler(String primary, SentinelReplies replies, Consumer<RedisUri.Tcp> primaryIsAt)
        implements PushHandler {

    /**
     * A dead connection to a Sentinel is found after twice this time. Until then, the other Sentinels tell of a failover. A
     * {@code PING} every 10 s costs a Sentinel almost nothing.
     */
    private static final KeepAlive KEEP_ALIVE = new KeepAlive(Duration.ofSeconds(10), false);

    @Override
    public String name() {
        return "sentinel";
    }

    @Override
    public String action() {
        return "listen to the Sentinel";
    }

    @Override
    public String advice() {
        return "Check the login of the Sentinels, and the name of the primary.";
    }

    @Override
    public KeepAlive keepAlive() {
        return KEEP_ALIVE;
    }

    @Override
    public PushSession newSession() {
        return new SentinelSession(primary, replies, primaryIsAt);
    }

    @Override
    public void confirmed() {}

    @Override
    public void lost() {}

    @Override
    public void ended(@Nullable ConnectException failure) {}
}
