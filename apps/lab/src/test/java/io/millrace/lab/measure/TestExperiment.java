// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.measure;

import io.millrace.lab.client.Target;
import io.millrace.lab.experiment.Contender;
import io.millrace.lab.experiment.Contender.Description;
import io.millrace.lab.experiment.Experiment;
import io.millrace.lab.experiment.JvmContender;
import io.millrace.lab.experiment.Outcomes;
import io.millrace.lab.experiment.Parameters;
import io.millrace.lab.experiment.ProcessContender;
import io.millrace.lab.experiment.ProgressEvent;
import io.millrace.lab.experiment.ReadyWork;
import io.millrace.lab.experiment.RoundDetails;
import io.millrace.lab.experiment.RoundPlan;
import io.millrace.lab.experiment.Scenario;
import io.millrace.lab.experiment.ServerUse;
import io.millrace.lab.experiment.WorkContext;
import io.millrace.lab.server.Keyspace;
import io.millrace.lab.server.LabException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;

/** Tiny scenarios with good and bad contenders. */
final class TestExperiment {

    /** Number of keys that each unit of work writes. */
    static final int KEYS = 10;

    private TestExperiment() {}

    static Experiment of(String name, Parameters parameters) {
        Scenario keys = Scenario.named("keys", "Ten keys")
                .contenders(List.of(
                        contender("good", "a", KeysWork::new),
                        contender("good", "b", KeysWork::new),
                        contender("good", "c", KeysWork::new),
                        contender("short", "", context -> new KeysWork(context, KEYS - 1)),
                        contender("throws", "", ThrowingWork::new),
                        contender("dies", "", DyingWork::new),
                        contender("does-not-open", "", context -> {
                            throw new IllegalStateException("the connection is refused");
                        }),
                        contender("endless", "", EndlessWork::new),
                        script("script", ""),
                        script("script-fails", "echo no luck >&2; exit 3")))
                .plan(parameters.plan(RoundPlan.ONE_UNIT))
                .server(ServerUse.checkedBy((server, sample) ->
                        server.keys() == KEYS ? List.of() : List.of("keys: expected=10, found=" + server.keys())))
                .build();
        Scenario units = Scenario.named("units", "Short units of work without Redis")
                .contender(contender("short-unit", "", context -> new UnitWork()))
                .plan(parameters.plan(RoundPlan.USUAL))
                .build();
        return new Experiment(name, "Test", "Does the runner work?", List.of(keys, units));
    }

    private static Contender contender(String library, String mode, io.millrace.lab.experiment.Work work) {
        return new JvmContender(new Description(library, mode, "", ""), work);
    }

    /** Writes ten keys through {@code bash}, because {@code redis-cli} may not be installed. */
    private static Contender script(String name, String more) {
        return new ProcessContender(new Description(name, "", "", ""), new Script(more), target -> Optional.empty());
    }

    private record Script(String more) implements ProcessContender.Program {
        @Override
        public ProcessContender.Invocation invocation(WorkContext context) {
            Target target = context.target();
            return ProcessContender.Invocation.of(List.of(
                    "bash",
                    "-c",
                    "exec 3<>/dev/tcp/" + target.host() + "/" + target.port()
                            + "; echo 'MSET a 1 b 1 c 1 d 1 e 1 f 1 g 1 h 1 i 1 j 1' >&3; head -n 1 <&3; " + more));
        }

        @Override
        public RoundDetails details(WorkContext context, ProcessContender.Ended ended) {
            if (ended.exitCode() != 0) {
                throw new LabException(
                        "exit code " + ended.exitCode() + ": " + ended.errors().strip());
            }
            return RoundDetails.NONE.withRemark(ended.output().strip());
        }

        @Override
        public long operations(WorkContext context) {
            return KEYS;
        }
    }

    /** Writes keys, sends events, and tells its process id. */
    private static class KeysWork implements ReadyWork {

        final Jedis jedis;
        private final WorkContext context;
        private final int keys;
        private Consumer<ProgressEvent> listener = event -> {};

        KeysWork(WorkContext context) {
            this(context, KEYS);
        }

        KeysWork(WorkContext context, int keys) {
            var config = DefaultJedisClientConfig.builder()
                    .password(context.target().password().orElse(null))
                    .build();
            this.jedis = new Jedis(
                    new HostAndPort(context.target().host(), context.target().port()), config);
            this.context = context;
            this.keys = keys;
        }

        @Override
        public void watch(Consumer<ProgressEvent> newListener) {
            listener = newListener;
        }

        @Override
        public long run() throws Exception {
            for (int n = 0; n < keys; n++) {
                jedis.set(Keyspace.PREFIX + n, "x");
            }
            System.out.println("a library prints to the standard output");
            listener.accept(new ProgressEvent.Mark('P'));
            listener.accept(new ProgressEvent.Second(1, 7, Outcomes.ok(7), 0, -1));
            return KEYS;
        }

        @Override
        public RoundDetails details() throws IOException {
            RoundDetails details = RoundDetails.NONE.withFigure(
                    "pid", (double) ProcessHandle.current().pid());
            String password = context.target().password().orElse("-");
            String visible = Files.readString(Path.of("/proc/self/cmdline")) + System.getenv();
            return password.length() > 1 && visible.contains(password)
                    ? details.withComplaints(List.of("the password is visible"))
                    : details;
        }

        @Override
        public void close() {
            jedis.close();
        }
    }

    private static final class ThrowingWork extends KeysWork {
        ThrowingWork(WorkContext context) {
            super(context);
        }

        @Override
        public long run() {
            throw new IllegalStateException("enough");
        }
    }

    private static final class DyingWork extends KeysWork {
        DyingWork(WorkContext context) {
            super(context);
        }

        @Override
        public long run() {
            Runtime.getRuntime().halt(3);
            return 0;
        }
    }

    private static final class EndlessWork extends KeysWork {
        EndlessWork(WorkContext context) {
            super(context);
        }

        @Override
        public long run() {
            for (long n = 0; !Thread.currentThread().isInterrupted(); n++) {
                jedis.set(Keyspace.PREFIX + n, "x");
            }
            return 0;
        }
    }

    private static final class UnitWork implements ReadyWork {
        @Override
        public long run() {
            LockSupport.parkNanos(Duration.ofMillis(1).toNanos());
            return 5;
        }

        @Override
        public void close() {}
    }
}
