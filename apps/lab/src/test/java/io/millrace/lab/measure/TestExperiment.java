// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.measure;

import io.millrace.lab.client.JedisClients;
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
import io.millrace.lab.experiment.Work;
import io.millrace.lab.experiment.WorkContext;
import io.millrace.lab.server.Keyspace;
import io.millrace.lab.server.LabException;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;

/** Tiny scenarios with good and bad contenders. */
final class TestExperiment {

    /** Number of keys that each unit of work writes. */
    static final int KEYS = 10;

    private static final String NO_SPACE = "no space";

    private TestExperiment() {}

    private static final String PREPARED =
            "millrace-prepared-" + ProcessHandle.current().pid() + "-";

    private static final String KEYS_OF_SCRIPT = IntStream.range(0, KEYS)
            .mapToObj(key -> "millrace-lab:key" + key + " 1")
            .collect(Collectors.joining(" "));

    /** One file for each script that is prepared and not released. */
    static List<String> prepared() {
        return List.of(Objects.requireNonNull(
                new File(System.getProperty("java.io.tmpdir")).list((folder, name) -> name.startsWith(PREPARED))));
    }

    static Experiment of(String name, Parameters parameters) {
        Scenario keys = Scenario.named("keys", "Ten keys")
                .contenders(List.of(
                        contender("good", "a", KeysWork.writing(KEYS)),
                        contender("good", "b", KeysWork.writing(KEYS)),
                        contender("good", "c", KeysWork.writing(KEYS)),
                        contender("short", "", KeysWork.writing(KEYS - 1)),
                        contender("endless", "", KeysWork.writing(Integer.MAX_VALUE)),
                        contender(
                                "dies",
                                "",
                                KeysWork.doing(jedis -> Runtime.getRuntime().halt(3))),
                        contender("throws", "", KeysWork.doing(jedis -> {
                            throw new IllegalStateException("enough");
                        })),
                        contender("does-not-open", "", context -> {
                            throw new IllegalStateException("the connection is refused");
                        }),
                        script("script", ""),
                        script("script-fails", "echo no luck >&2; exit 3"),
                        script("script-without-space", NO_SPACE),
                        script(
                                "script-endless",
                                "for n in {1..2000}; do echo SET millrace-lab:$n x >&3; done; sleep 600")))
                .plan(RoundPlan.ONE_UNIT)
                .server(ServerUse.checkedBy((server, sample) ->
                        server.keys() == KEYS ? List.of() : List.of("keys: expected=10, found=" + server.keys())))
                .build();
        Scenario units = Scenario.named("units", "Short units of work without Redis")
                .contender(contender("short-unit", "", context -> new UnitWork()))
                .plan(RoundPlan.USUAL)
                .build();
        return new Experiment(name, "Test", "Does the runner work?", List.of(keys, units));
    }

    private static Contender contender(String library, String mode, Work work) {
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
                    "exec 3<>/dev/tcp/" + target.host() + "/" + target.port() + "; echo 'MSET " + KEYS_OF_SCRIPT
                            + "' >&3; head -n 1 <&3; " + more));
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
        public void prepare(WorkContext context) throws IOException {
            Files.createFile(prepared(context));
            if (more.equals(NO_SPACE)) {
                throw new IOException("no space");
            }
        }

        @Override
        public void release(WorkContext context) throws IOException {
            Files.delete(prepared(context));
        }

        private static Path prepared(WorkContext context) {
            return Path.of(
                    System.getProperty("java.io.tmpdir"),
                    PREPARED + context.folder().getFileName());
        }

        @Override
        public long operations(WorkContext context) {
            return KEYS;
        }
    }

    /** Writes to the server, sends events, and tells its process id and the number of connections of the server. */
    private record KeysWork(
            Jedis jedis, WorkContext context, Consumer<Jedis> write, AtomicReference<Consumer<ProgressEvent>> listener)
            implements ReadyWork {

        static Work writing(int keys) {
            return doing(jedis -> IntStream.range(0, keys).forEach(n -> jedis.set(Keyspace.PREFIX + n, "x")));
        }

        static Work doing(Consumer<Jedis> write) {
            return context -> new KeysWork(
                    new Jedis(
                            new HostAndPort(
                                    context.target().host(), context.target().port()),
                            JedisClients.config(context.target())),
                    context,
                    write,
                    new AtomicReference<>(event -> {}));
        }

        @Override
        public void watch(Consumer<ProgressEvent> newListener) {
            listener.set(newListener);
        }

        @Override
        public long run() {
            write.accept(jedis);
            System.out.println("a library prints to the standard output");
            listener.get().accept(new ProgressEvent.Mark('P'));
            listener.get().accept(new ProgressEvent.Second(1, 7, Outcomes.ok(7), 0, -1));
            return KEYS;
        }

        @Override
        public RoundDetails details() throws IOException {
            RoundDetails details = RoundDetails.NONE
                    .withFigure("pid", (double) ProcessHandle.current().pid())
                    .withFigure(
                            "connections", (double) jedis.clientList().lines().count());
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
