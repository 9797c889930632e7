// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.millrace.embedded.EmbeddedOptions;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.lab.client.FusingClient.FusedCommands;
import io.millrace.lab.client.UsageMode.Capability;
import io.millrace.testkit.TestCertificates;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.params.ClientKillParams;

/** Each library in each mode, on a server with a password, in a database other than 0. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ClientContractTest {

    private static final String PASSWORD = "s3cret pass/w@1";
    private static final int DATABASE = 1;
    private static final String TEXT = "värde \"€\"\r\n";

    static final List<Mode> MODES = ClientLibraries.ALL.stream()
            .flatMap(library -> library.modes().stream().map(mode -> new Mode(library, mode)))
            .toList();

    static final List<Mode> MODES_WITH_BATCH = Stream.concat(
                    modes(Capability.BATCH).stream(), modes(Capability.BATCH_BY_HAND).stream())
            .toList();
    static final List<Mode> MODES_WITH_SEND = modes(Capability.SEND);

    /** Modes that end a command at the time limit of the target. The raw socket has no time limit. */
    static final List<Mode> MODES_WITH_TIMEOUT = without("raw-socket/");

    static final List<Mode> MODES_THAT_REFUSE = MODES.stream()
            .filter(mode -> Set.of("lettuce/request-queue", "glide/multiplexed", "vertx/connection")
                    .contains(mode.toString()))
            .toList();

    /** Modes that open a lost connection again. The bulk writer ends at a lost connection. */
    static final List<Mode> MODES_THAT_RECONNECT =
            without("raw-socket/", "jedis/own-connection", "millrace/bulk-writer");

    /** Clients that tests share, because some libraries need a second to connect. */
    private static final Map<Mode, ClientAdapter> OPEN = new HashMap<>();

    @TempDir
    private static Path folder;

    private static EmbeddedRedis server;
    private static Path authority;
    private static Set<Thread> threadsBefore;
    private static Jedis control;

    /** A mode with its library. */
    record Mode(ClientLibrary library, UsageMode mode) {

        @Override
        public String toString() {
            return library.name() + "/" + mode.name();
        }

        boolean has(Capability capability) {
            return mode.capabilities().contains(capability);
        }

        /** Sends one command, for each capability of the mode. */
        Map<Capability, Function<ClientAdapter, CommandRunner>> runners() {
            Map<Capability, Function<ClientAdapter, CommandRunner>> all = Map.of(
                    Capability.CALL, client -> client::call,
                    Capability.REPEATED_CALL, client -> client::call,
                    Capability.SEND,
                            client -> operation ->
                                    sent(client, List.of(operation)).getFirst(),
                    Capability.BATCH,
                            client -> operation ->
                                    client.batch(List.of(operation)).getFirst(),
                    Capability.BATCH_BY_HAND,
                            client -> operation ->
                                    client.batch(List.of(operation)).getFirst(),
                    Capability.BORROW, client -> operation -> borrowed((BorrowingClient) client, operation));
            var supported = new EnumMap<>(all);
            supported.keySet().retainAll(mode.capabilities());
            return supported;
        }

        CommandRunner anyRunner(ClientAdapter client) {
            return runners().values().iterator().next().apply(client);
        }
    }

    /** Sends one command and waits for the reply. */
    interface CommandRunner {
        @Nullable
        Object run(Operation operation) throws Exception;
    }

    private static List<Mode> modes(Capability capability) {
        return MODES.stream().filter(mode -> mode.has(capability)).toList();
    }

    private static List<Mode> without(String... names) {
        return MODES.stream()
                .filter(mode -> !Set.of(names).contains(mode.toString()))
                .toList();
    }

    private static List<@Nullable Object> sent(ClientAdapter client, List<Operation> operations) throws Exception {
        var stages = new ArrayList<CompletionStage<? extends @Nullable Object>>();
        for (var operation : operations) {
            stages.add(client.send(operation));
        }
        if (client instanceof FlushingClient flushing) {
            flushing.flush();
        }
        var values = new ArrayList<@Nullable Object>();
        for (var stage : stages) {
            values.add(stage.toCompletableFuture().get());
        }
        return values;
    }

    /** Sends a batch and then the command on a borrowed connection. */
    private static @Nullable Object borrowed(BorrowingClient client, Operation operation) throws Exception {
        try (var connection = client.borrow()) {
            assertThat(connection.batch(List.of(new Operation.Get("lab:none"))).getFirst())
                    .isNull();
            return connection.call(operation);
        }
    }

    /** The server by TCP without TLS. */
    private static Target target() {
        return target(server.port(), Optional.empty(), Optional.empty(), Optional.of(PASSWORD), Optional.empty());
    }

    private static Target target(
            int port,
            Optional<Path> socket,
            Optional<String> username,
            Optional<String> password,
            Optional<Path> certificate) {
        String host = server.host();
        var timeout = Target.LONG_TIMEOUT;
        return new Target(host, port, socket, username, password, DATABASE, certificate, false, 2, 0, timeout);
    }

    private static ClientAdapter open(Mode mode) throws Exception {
        var client = OPEN.get(mode);
        if (client == null) {
            client = mode.mode.open(mode.mode.sizedFor(target(), 4));
            OPEN.put(mode, client);
        }
        return client;
    }

    @BeforeAll
    static void start() {
        var certificates = new TestCertificates(folder);
        authority = certificates.authority();
        server = EmbeddedRedis.start(EmbeddedOptions.defaults()
                .withPassword(PASSWORD)
                .withUnixSocket()
                .withTls(new EmbeddedOptions.Tls(
                        certificates.certificate("server", "ip:127.0.0.1", "-1d", 10),
                        certificates.key(),
                        authority,
                        false)));
        control = new Jedis(server.host(), server.port(), 60_000);
        control.auth(PASSWORD);
        control.select(DATABASE);
        control.aclSetUser("lab", "on", ">other s3cret", "~lab:*", "&*", "+@all");
        threadsBefore = Set.copyOf(Thread.getAllStackTraces().keySet());
    }

    @BeforeEach
    void empty() {
        control.flushAll();
    }

    @AfterAll
    static void closedClientsLeaveNoThreadAndNoConnection() throws Exception {
        for (var client : OPEN.values()) {
            client.close();
        }

        assertThat(LeftThreads.since(threadsBefore)).isEmpty();
        holds(() -> control.clientList().lines().count() == 1);
        control.close();
        server.close();
    }

    @ParameterizedTest
    @FieldSource("MODES")
    void eachRunnerReturnsTheReplyOfEachCommand(Mode mode) throws Exception {
        var client = open(mode);

        for (var runner : mode.runners().entrySet()) {
            control.flushAll();
            control.rpush("lab:list", "first", TEXT);
            var run = runner.getValue().apply(client);

            run.run(new Operation.Set("lab:text", TEXT));
            run.run(new Operation.SetField("lab:hash", "field", TEXT));
            run.run(new Operation.Expire("lab:hash", 600_000));

            assertThat(control.get("lab:text")).isEqualTo(TEXT);
            assertThat(control.hgetAll("lab:hash")).isEqualTo(Map.of("field", TEXT));
            assertThat(control.pttl("lab:hash")).isBetween(1L, 600_000L);
            assertThat(run.run(new Operation.Get("lab:text"))).isEqualTo(TEXT);
            assertThat(run.run(new Operation.Get("lab:none"))).isNull();
            assertThat(run.run(new Operation.Increment("lab:number"))).isEqualTo(1L);
            assertThat(run.run(new Operation.Increment("lab:number"))).isEqualTo(2L);
            assertThat(run.run(new Operation.PopLast("lab:list"))).isEqualTo(TEXT);
            assertThat(run.run(new Operation.PopLast("lab:none"))).isNull();
            assertThat(control.lrange("lab:list", 0, -1)).containsExactly("first");
        }
    }

    @ParameterizedTest
    @FieldSource("MODES")
    void errorReplyIsThrownAndTheClientWorksAfterwards(Mode mode) throws Exception {
        control.rpush("lab:list", "x");
        control.set("lab:text", "value");
        var client = open(mode);

        for (var runner : mode.runners().values()) {
            var run = runner.apply(client);
            var failure = catchThrowable(() -> run.run(new Operation.Increment("lab:list")));

            assertThat(failure).isNotNull();
            assertThat(mode.library.failureKinds().apply(failure)).isEqualTo(FailureKind.ERROR);
            assertThat(messages(failure)).contains("WRONGTYPE");
            assertThat(run.run(new Operation.Get("lab:text"))).isEqualTo("value");
        }
    }

    @ParameterizedTest
    @FieldSource("MODES_WITH_BATCH")
    void batchOfThousandReturnsRepliesInOrderAndThrowsAnErrorInTheMiddle(Mode mode) throws Exception {
        var client = open(mode);
        var sets = new ArrayList<Operation>();
        var gets = new ArrayList<Operation>();
        var expected = new ArrayList<@Nullable Object>();
        for (int i = 0; i < 1_000; i++) {
            sets.add(new Operation.Set("lab:" + i, "value-" + i));
            gets.add(new Operation.Get("lab:" + i % 999 + (i == 500 ? "none" : "")));
            expected.add(i == 500 ? null : "value-" + i % 999);
        }

        client.batch(sets);
        var replies = client.batch(gets);
        control.rpush("lab:list", "x");
        gets.set(500, new Operation.Increment("lab:list"));

        assertThat(control.dbSize()).isEqualTo(1_001);
        assertThat(new ArrayList<Object>(replies)).isEqualTo(expected);
        assertThatThrownBy(() -> client.batch(gets))
                .satisfies(e -> assertThat(messages(e)).contains("WRONGTYPE"));
    }

    @ParameterizedTest
    @FieldSource("MODES")
    void serverCountsEachCommandThatWasNotFused(Mode mode) throws Exception {
        var client = open(mode);
        var batch = IntStream.range(0, 100)
                .<Operation>mapToObj(i -> new Operation.Set("lab:" + i, "x"))
                .toList();
        var before = client instanceof FusingClient fusing ? fusing.fused() : FusedCommands.NONE;
        control.configResetStat();

        for (var runner : mode.runners().values()) {
            for (var operation : batch) {
                runner.apply(client).run(operation);
            }
        }
        boolean hasBatch = mode.has(Capability.BATCH) || mode.has(Capability.BATCH_BY_HAND);
        if (hasBatch) {
            client.batch(batch);
        }

        int commands = 100 * (mode.runners().size() + (hasBatch ? 1 : 0));
        var fused = client instanceof FusingClient fusing ? fusing.fused().minus(before) : FusedCommands.NONE;
        assertThat(calls("set")).isEqualTo(commands - fused.commands());
        assertThat(calls("mset")).isEqualTo(fused.batches());
        assertThat(fused.batches() > 0)
                .isEqualTo(Set.of("millrace/shared", "millrace/fused-writes", "millrace/bulk-writer")
                                .contains(mode.toString())
                        || mode.has(Capability.BATCH_BY_HAND));
    }

    @ParameterizedTest
    @FieldSource("MODES_WITH_SEND")
    void thousandCommandsAreSentWithoutWaiting(Mode mode) throws Exception {
        var client = open(mode);
        var operations = new ArrayList<Operation>();
        for (int i = 0; i < 500; i++) {
            operations.add(new Operation.Set("lab:" + i, "value-" + i));
            operations.add(new Operation.Get("lab:" + i));
        }

        var replies = sent(client, operations);

        assertThat(control.dbSize()).isEqualTo(500);
        assertThat(replies).hasSize(1_000);
        if (mode.has(Capability.ORDERED_SEND)) {
            assertThat(IntStream.range(0, 500).mapToObj(i -> replies.get(2 * i + 1)))
                    .isEqualTo(
                            IntStream.range(0, 500).mapToObj(i -> "value-" + i).toList());
        }
    }

    @ParameterizedTest
    @FieldSource("MODES")
    void eightThreadsUseTheClientAtTheSameTime(Mode mode) throws Exception {
        var client = open(mode);
        var runners = List.copyOf(mode.runners().values());
        var number = new AtomicInteger();
        Callable<@Nullable Object> thread = () -> {
            String key = "lab:" + number.incrementAndGet();
            for (int i = 1; i <= 100; i++) {
                var runner = runners.get(i % runners.size()).apply(client);
                assertThat(runner.run(new Operation.Increment(key))).isEqualTo((long) i);
            }
            return null;
        };

        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (var result :
                    threads.invokeAll(Stream.generate(() -> thread).limit(8).toList())) {
                result.get();
            }
        }

        assertThat(IntStream.rangeClosed(1, 8).mapToObj(i -> control.get("lab:" + i)))
                .containsOnly("100");
    }

    @ParameterizedTest
    @FieldSource("MODES")
    void opensEachKindOfConnectionThatTheModeSupports(Mode mode) throws Exception {
        var user = Optional.of("lab");
        var password = Optional.of("other s3cret");
        var targets = new HashMap<Capability, Target>();
        targets.put(
                Capability.TLS,
                target(server.tlsPort().orElseThrow(), Optional.empty(), user, password, Optional.of(authority)));
        targets.put(Capability.UNIX_SOCKET, target(1, server.unixSocket(), user, password, Optional.empty()));
        targets.keySet().retainAll(mode.mode.capabilities());

        for (var target : targets.entrySet()) {
            control.flushAll();
            try (var client = mode.mode.open(target.getValue())) {
                mode.anyRunner(client).run(new Operation.Set("lab:key", TEXT));
            }
            assertThat(control.get("lab:key")).as(target.getKey().name()).isEqualTo(TEXT);
        }
    }

    @Test
    void opensConnectionsToACluster() throws Exception {
        try (var node = EmbeddedRedis.start(EmbeddedOptions.defaults()
                        .withPassword(PASSWORD)
                        .withConfig(
                                "cluster-enabled yes", "cluster-announce-ip 127.0.0.1", "cluster-port " + freePort()));
                var direct = new Jedis(node.host(), node.port(), 60_000)) {
            direct.auth(PASSWORD);
            direct.clusterAddSlotsRange(0, 16_383);
            holds(() -> direct.clusterInfo().contains("cluster_state:ok"));
            Optional<Path> none = Optional.empty();
            var password = Optional.of(PASSWORD);
            var timeout = Target.LONG_TIMEOUT;
            var cluster = new Target(
                    node.host(), node.port(), none, Optional.empty(), password, 0, none, true, 2, 0, timeout);

            for (var mode : modes(Capability.CLUSTER)) {
                direct.flushAll();
                try (var client = mode.mode.open(cluster)) {
                    var runner = mode.anyRunner(client);
                    runner.run(new Operation.Set("lab:1", TEXT));
                    runner.run(new Operation.Set("lab:2", TEXT));
                }
                assertThat(direct.get("lab:1")).as(mode.toString()).isEqualTo(TEXT);
                assertThat(direct.dbSize()).isEqualTo(2);
            }
        }
    }

    private static void holds(BooleanSupplier condition) {
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofMinutes(1));
        }
    }

    /**
     * Opens a client that has answered a command. The time limit of the target holds for both steps, so a busy machine may need
     * several attempts.
     */
    private static ClientAdapter openAndSet(Mode mode, Target target, Function<ClientAdapter, CommandRunner> runner) {
        var opened = new AtomicReference<ClientAdapter>();
        holds(() -> catchThrowable(() -> {
                    var client = mode.mode.open(target);
                    var failure = catchThrowable(() -> runner.apply(client).run(new Operation.Set("lab:key", "x")));
                    if (failure != null) {
                        client.close();
                        throw failure;
                    }
                    opened.set(client);
                })
                == null);
        return opened.get();
    }

    private static int freePort() throws IOException {
        try (var socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    @ParameterizedTest
    @FieldSource("MODES")
    void wrongPasswordIsRefusedAndNotShown(Mode mode) {
        Optional<Path> none = Optional.empty();
        var wrong = target(server.port(), none, Optional.of("lab"), Optional.of("n0t-it"), none);

        assertThatThrownBy(() -> mode.mode.open(wrong))
                .satisfies(e -> assertThat(messages(e))
                        .containsPattern("WRONGPASS|[Pp]assword|AUTH|Failed to create client")
                        .doesNotContain("n0t-it"));
    }

    @ParameterizedTest
    @FieldSource("MODES_WITH_TIMEOUT")
    void commandTimesOutIfTheServerDoesNotAnswer(Mode mode) throws Exception {
        var runners = mode.runners();
        if (mode.library.name().equals("vertx")) {
            runners.remove(Capability.SEND); // has no time limit
        }
        for (var runner : runners.values()) {
            try (var client =
                    openAndSet(mode, target().withConnections(1).withTimeout(Duration.ofMillis(300)), runner)) {
                var run = runner.apply(client);
                server.pause();

                var failure = catchThrowable(() -> run.run(new Operation.Get("lab:key")));

                assertThat(failure).isNotNull();
                assertThat(mode.library.failureKinds().apply(failure)).isEqualTo(FailureKind.TIMED_OUT);
            } finally {
                server.resume();
            }
        }
    }

    @ParameterizedTest
    @FieldSource("MODES_THAT_RECONNECT")
    void commandsSucceedAgainAfterTheServerHasClosedTheConnections(Mode mode) throws Exception {
        control.set("lab:key", "value");
        Optional<Path> none = Optional.empty();
        var user = target(server.port(), none, Optional.of("lab"), Optional.of("other s3cret"), none);
        try (var client = mode.mode.open(user.withTimeout(Duration.ofSeconds(5)))) {
            var runner = mode.anyRunner(client);
            runner.run(new Operation.Get("lab:key"));

            control.clientKill(new ClientKillParams().user("lab"));

            var failures = new ArrayList<Throwable>();
            holds(() -> {
                var failure = catchThrowable(() ->
                        assertThat(runner.run(new Operation.Get("lab:key"))).isEqualTo("value"));
                failures.add(failure);
                return failure == null;
            });
            failures.removeLast();
            assertThat(failures)
                    .as("%s: %s", mode, failures.stream().findFirst())
                    .extracting(mode.library.failureKinds())
                    .doesNotContain(FailureKind.ERROR, FailureKind.REFUSED);
        }
    }

    @ParameterizedTest
    @FieldSource("MODES_THAT_REFUSE")
    void commandsBeyondTheLimitAreRefused(Mode mode) throws Exception {
        int commands = 50;
        try (var client = mode.mode.open(target().withInFlight(10))) {
            server.pause();
            var results = new ArrayList<Callable<?>>();
            for (int i = 0; i < commands; i++) {
                try {
                    results.add(
                            client.send(new Operation.Increment("lab:number")).toCompletableFuture()::get);
                } catch (Exception e) {
                    results.add(() -> {
                        throw e;
                    });
                }
            }
            server.resume();
            var failures = results.stream()
                    .map(result -> catchThrowable(result::call))
                    .filter(Objects::nonNull)
                    .toList();

            assertThat(failures)
                    .isNotEmpty()
                    .allSatisfy(
                            failure -> assertThat(mode.library.failureKinds().apply(failure))
                                    .isEqualTo(FailureKind.REFUSED));
            assertThat(control.get("lab:number")).isEqualTo(Integer.toString(commands - failures.size()));
        } finally {
            server.resume();
        }
    }

    @Test
    void eachLibraryNamesTheDocumentationAndTheSettingsOfEachMode() {
        assertThat(MODES).extracting(Mode::toString).doesNotHaveDuplicates();
        assertThat(MODES).allSatisfy(mode -> {
            assertThat(mode.library.documentation()).isNotBlank();
            assertThat(mode.mode.note()).isNotBlank();
            assertThat(mode.library.modes().getFirst().capabilities()).contains(Capability.CALL);
        });
    }

    private static String messages(Throwable failure) {
        return Stream.iterate(failure, Objects::nonNull, Throwable::getCause)
                .map(Throwable::toString)
                .collect(Collectors.joining("\n"));
    }

    private static int calls(String command) {
        return Pattern.compile("cmdstat_" + command + ":calls=(\\d+)")
                .matcher(control.info("commandstats"))
                .results()
                .mapToInt(found -> Integer.parseInt(found.group(1)))
                .sum();
    }
}
