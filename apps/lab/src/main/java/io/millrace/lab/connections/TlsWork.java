// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.connections;

import io.millrace.embedded.EmbeddedRedis;
import io.millrace.lab.client.Target;
import io.millrace.lab.experiment.ReadyWork;
import io.millrace.lab.experiment.RoundDetails;
import io.millrace.lab.experiment.Work;
import io.millrace.lab.experiment.WorkContext;
import io.millrace.lab.server.Keyspace;
import io.millrace.lab.server.RedisServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Work over TLS. The work starts a separate server on loopback, and checks this server as the lab checks its server.
 *
 * @param calls the work
 * @param commands the commands of the work, with the values that the server must hold before and after each round
 */
record TlsWork(Work calls, Supplier<CommandList> commands) implements Work {

    @Override
    public ReadyWork open(WorkContext context) throws Exception {
        Path folder = Files.createTempDirectory(context.folder(), "tls");
        EmbeddedRedis redis = TlsServer.start(folder);
        Target plain = Target.of(redis.host(), redis.port());
        RedisServer server = RedisServer.at(plain, Keyspace.WHOLE, redis::close);
        try {
            WorkContext inner = new WorkContext(encrypted(redis, folder), plain, context.parameters(), folder);
            return new Ready(calls.open(inner), server, commands.get());
        } catch (Exception e) {
            server.close();
            throw e;
        }
    }

    private static Target encrypted(EmbeddedRedis redis, Path folder) {
        return new Target(
                redis.host(),
                redis.tlsPort().orElseThrow(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                0,
                Optional.of(TlsServer.certificate(folder)),
                false,
                0,
                0,
                Duration.ofMinutes(2));
    }

    private static final class Ready implements ReadyWork {

        private final ReadyWork calls;
        private final RedisServer server;
        private final CommandList list;
        private final CommandListCheck check;
        private long operations;

        Ready(ReadyWork calls, RedisServer server, CommandList list) {
            this.calls = calls;
            this.server = server;
            this.list = list;
            this.check = new CommandListCheck(size -> list);
        }

        @Override
        public void prepare() throws Exception {
            calls.prepare();
            server.reset();
            check.fill(server, list);
            operations = 0;
        }

        @Override
        public long run() throws Exception {
            long done = calls.run();
            operations += done;
            return done;
        }

        @Override
        public RoundDetails details() throws Exception {
            RoundDetails details = calls.details();
            return details.withComplaints(check.complaints(server, list, operations, FusedFigures.of(details)));
        }

        @Override
        public void close() throws Exception {
            try {
                calls.close();
            } finally {
                server.close();
            }
        }
    }
}
