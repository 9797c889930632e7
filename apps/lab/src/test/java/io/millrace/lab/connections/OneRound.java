// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.connections;

import io.millrace.embedded.EmbeddedRedis;
import io.millrace.lab.client.ClientAdapter;
import io.millrace.lab.client.ClientLibrary;
import io.millrace.lab.client.Target;
import io.millrace.lab.client.UsageMode;
import io.millrace.lab.client.UsageMode.Capability;
import io.millrace.lab.experiment.Parameters;
import io.millrace.lab.experiment.RoundInThisJvm;
import io.millrace.lab.experiment.Sample;
import io.millrace.lab.experiment.ServerUse;
import io.millrace.lab.experiment.Work;
import io.millrace.lab.server.Keyspace;
import io.millrace.lab.server.RedisServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.function.Supplier;

/** Runs rounds of some units as the lab does, in the JVM of the test. */
final class OneRound {

    /** Small, so that a round of any contender takes a fraction of a second. */
    static final Parameters SMALL = Parameters.QUICK.withSize(2_000).withDuration(Duration.ofMillis(200));

    private OneRound() {}

    static RedisServer startServer() {
        EmbeddedRedis redis = EmbeddedRedis.start();
        return RedisServer.at(Target.of(redis.host(), redis.port()), Keyspace.WHOLE, redis::close);
    }

    /** Runs one round with {@code units} units, and returns the sample with all complaints. */
    static Sample run(Work work, ServerUse use, RedisServer server, Path folder, int units) throws Exception {
        Sample sample = new RoundInThisJvm(server, SMALL, folder).run(work, use, units);
        return sample.withComplaints(use.check().complaints(server, sample));
    }

    /** A library with one mode, which can do everything. */
    static LibraryMode mode(Supplier<ClientAdapter> adapter) {
        UsageMode mode = new UsageMode("fake", "for tests", EnumSet.allOf(Capability.class), adapter);
        return new LibraryMode(new ClientLibrary("fake", "none", List.of(mode)), mode, true);
    }
}
