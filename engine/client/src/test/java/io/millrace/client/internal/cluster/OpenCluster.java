// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.cluster;

import io.millrace.client.BulkListener;
import io.millrace.client.BulkOptions;
import io.millrace.client.BulkWriter;
import io.millrace.client.ClientOptions;
import io.millrace.client.CommandCounts;
import io.millrace.client.RedisUri;
import io.millrace.client.internal.connect.Login;
import io.millrace.client.internal.fusion.FusibleKinds;
import io.millrace.client.internal.shared.ConnectionContext;
import io.millrace.client.internal.shared.FutureCompleter;
import io.millrace.client.internal.stats.StatsRegistry;
import io.millrace.client.internal.time.ClockAndRandom;
import io.millrace.client.internal.time.Timekeeper;

/** The nodes of a cluster, and the bulk writers over them. */
final class OpenCluster implements AutoCloseable {

    private final Timekeeper timekeeper = new Timekeeper(ClockAndRandom.SYSTEM.clock());
    private final StatsRegistry statsRegistry = new StatsRegistry();
    private final FutureCompleter futureCompleter = new FutureCompleter(timekeeper, 1);
    private final Slots slots;

    OpenCluster(String uri) {
        ClientOptions options =
                ClientOptions.builder(RedisUri.parse(uri)).connections(1).build();
        ConnectionContext context = new ConnectionContext(
                options,
                new Login(options),
                ClockAndRandom.SYSTEM,
                timekeeper,
                new FusibleKinds.RefusedKinds(),
                push -> {},
                null,
                () -> {});
        this.slots = new Slots(
                context, (RedisUri.Cluster) options.uri().endpoint(), statsRegistry, futureCompleter);
    }

    BulkWriter bulkWriter(BulkOptions options, BulkListener listener) {
        return slots.bulkWriter(options, listener);
    }

    /** The counts of all connections together. */
    CommandCounts counts() {
        return statsRegistry.snapshot(0, null).counts();
    }

    @Override
    public void close() {
        slots.close();
        timekeeper.close();
    }
}
