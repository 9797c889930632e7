// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.connections;

import io.millrace.embedded.EmbeddedRedis;
import io.millrace.lab.client.ClientAdapter;
import io.millrace.lab.client.ClientLibrary;
import io.millrace.lab.client.Target;
import io.millrace.lab.client.UsageMode;
import io.millrace.lab.client.UsageMode.Capability;
import io.millrace.lab.experiment.Parameters;
import io.millrace.lab.experiment.ReadyWork;
import io.millrace.lab.experiment.RoundDetails;
import io.millrace.lab.experiment.Sample;
import io.millrace.lab.experiment.ServerUse;
import io.millrace.lab.experiment.Work;
import io.millrace.lab.experiment.WorkContext;
import io.millrace.lab.server.CpuTime;
import io.millrace.lab.server.Keyspace;
import io.millrace.lab.server.RedisServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Supplier;

/** Runs rounds of some units as the lab does, in the JVM of the test. */
final class OneRound {

    /** Small, so that a round of any contender takes a fraction of a second. */
    static final Parameters SMALL = new Parameters(
            OptionalLong.of(2_000),
            Optional.of(Duration.ofMillis(200)),
            OptionalInt.empty(),
            OptionalInt.empty(),
            Optional.empty(),
            OptionalLong.empty(),
            42,
            true);

    private OneRound() {}

    static RedisServer startServer() {
        EmbeddedRedis redis = EmbeddedRedis.start();
        return RedisServer.at(Target.of(redis.host(), redis.port()), Keyspace.WHOLE, redis::close);
    }

    /** Runs one round with {@code units} units, and returns the sample with all complaints. */
    static Sample run(Work work, ServerUse use, RedisServer server, Path folder, int units) throws Exception {
        WorkContext context = new WorkContext(server.target(), server.target(), SMALL, folder);
        try (ReadyWork ready = work.open(context)) {
            return round(ready, use, server, units);
        }
    }

    private static Sample round(ReadyWork ready, ServerUse use, RedisServer server, int units) throws Exception {
        ready.prepare();
        server.reset();
        use.fill().fill(server);
        ready.fill();
        long operations = 0;
        for (int i = 0; i < units; i++) {
            operations += ready.run();
        }
        Sample sample = sample(operations, units, ready.details());
        List<String> complaints = new ArrayList<>(sample.complaints());
        complaints.addAll(use.check().complaints(server, sample));
        return withComplaints(sample, complaints);
    }

    static Sample sample(long operations, int units, RoundDetails details) {
        CpuTime none = new CpuTime(0, 0, 1);
        return new Sample(
                1,
                1,
                operations,
                units,
                1,
                none,
                Optional.empty(),
                Optional.empty(),
                details,
                List.of(),
                details.complaints());
    }

    private static Sample withComplaints(Sample sample, List<String> complaints) {
        return new Sample(
                sample.fork(),
                sample.round(),
                sample.operations(),
                sample.units(),
                sample.wallSeconds(),
                sample.client(),
                sample.server(),
                sample.memory(),
                sample.details(),
                sample.seconds(),
                complaints);
    }

    /** A library with one mode, which can do everything. */
    static LibraryMode mode(Supplier<ClientAdapter> adapter) {
        UsageMode mode = new UsageMode("fake", "for tests", EnumSet.allOf(Capability.class), adapter);
        return new LibraryMode(new ClientLibrary("fake", "none", List.of(mode)), mode, true);
    }
}
