// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.FusionProgram.Mode;
import io.millrace.client.FusionProgram.Promise;
import io.millrace.client.FusionProgram.Step;
import io.millrace.client.command.Fusion;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Runs each random program twice: with fusion on one server, and without fusion on a second server. The replies of both
 * servers must be equal, unless an enabled kind of fusion allows different replies. At the end both servers must have
 * the same keys.
 *
 * <p>{@code -Dmillrace.fusion.programs=…} sets the number of programs. If {@code -Dmillrace.fusion.seed=…} is set, the
 * test runs only the program of this seed; the number of programs is then the number of its runs. Repetitions are
 * useful, because the seed does not determine which commands wait at the same time and can be fused.
 */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class FusionProgramTest {

    private static final int PROGRAMS = Integer.getInteger("millrace.fusion.programs", 200);
    private static final String SEED = System.getProperty("millrace.fusion.seed", "");

    /** The test stops after this number of failures, because more failures give no more information. */
    private static final int MAX_FAILURES = 5;

    /**
     * The fused commands whose name differs from the name of the replaced commands. For example, the client sends
     * {@code mset} in place of {@code set} commands.
     */
    private static final Set<String> FUSED =
            Set.of("mset", "msetex", "mget", "hmget", "bitfield", "smismember", "zmscore");

    /**
     * The kinds of fusion that this test does not use. The server of this test does not know the fused command of
     * {@code SET_EXPIRING}, and the programs contain no scripts.
     */
    private static final Set<Fusion> UNSUPPORTED = EnumSet.of(Fusion.SET_EXPIRING, Fusion.SCRIPT);

    @RegisterExtension
    final WatchedClients clients = new WatchedClients();

    private final List<String> failures = new ArrayList<>();

    /** The fusion counts of each mode. */
    private final Map<Mode, FusionCounts> fusions = new EnumMap<>(Mode.class);

    @Test
    @Timeout(value = 60, unit = TimeUnit.MINUTES)
    void repliesAndKeysAreTheSameWithAndWithoutFusion() throws Exception {
        long first = SEED.isEmpty() ? System.nanoTime() >>> 20 << 20 : Long.parseLong(SEED);
        List<Long> seeds = LongStream.range(0, PROGRAMS)
                .mapToObj(i -> SEED.isEmpty() ? first + i : first)
                .toList();
        System.out.println("seed: " + first);

        try (FusionProgramServer fusing = new FusionProgramServer();
                FusionProgramServer plain = new FusionProgramServer();
                RedisClient single = connect(plain, Fusion.NONE)) {
            Map<Promise, RedisClient> fused = new EnumMap<>(Promise.class);
            for (Promise promise : Promise.values()) {
                fused.put(promise, connect(fusing, promise.kinds()));
            }
            for (long seed : seeds) {
                FusionProgram program = FusionProgram.of(seed);
                RedisClient client = fused.get(program.promise());
                compare(program, fusing, plain, client == null ? single : client, single);
                if (failures.size() == MAX_FAILURES) {
                    break;
                }
            }
            assertThat(failures).isEmpty();
            fused.values().forEach(RedisClient::close);
            assertThat(single.stats().fusion()).isEqualTo(FusionCounts.NONE);
            if (SEED.isEmpty()) {
                checkFusionCounts(fusing.calls(), plain.calls());
            }
        }
    }

    private RedisClient connect(FusionProgramServer server, Set<Fusion> kinds) {
        UnaryOperator<ClientOptions.Builder> fusion = options -> options.fusion(kinds);
        return clients.connect(server.uri(), fusion);
    }

    private void compare(
            FusionProgram program,
            FusionProgramServer fusing,
            FusionProgramServer plain,
            RedisClient client,
            RedisClient single)
            throws InterruptedException {
        fusing.empty();
        plain.empty();

        List<Object> expected = FusionProgramRun.of(program, single, Fusion.NONE);
        FusionCounts before = client.stats().fusion();
        List<Object> answers =
                FusionProgramRun.of(program, client, program.promise().kinds());
        FusionCounts after = client.stats().fusion();
        FusionCounts fused =
                new FusionCounts(after.fusedBatches() - before.fusedBatches(), after.commands() - before.commands());
        fusions.merge(program.mode(), fused, FusionCounts::plus);

        for (int i = 0; i < answers.size(); i++) {
            if (!isSame(program, program.steps().get(i), expected.get(i), answers.get(i))) {
                String place = "step " + i + ": expected " + expected.get(i) + ", but was " + answers.get(i);
                failures.add(failure(program, place + program.around(i)));
                return;
            }
        }
        String difference = difference(plain.keys(), fusing.keys());
        if (!difference.isEmpty()) {
            failures.add(failure(program, difference));
        }
    }

    private static boolean isSame(FusionProgram program, Step step, Object expected, Object answer) {
        if (program.promise() == Promise.WRITING
                && step.promisesTypeOnly()
                && !(expected instanceof FusionProgramRun.ErrorText)) {
            return expected.getClass().equals(answer.getClass());
        }
        return expected.equals(answer);
    }

    private static String failure(FusionProgram program, String difference) {
        return "\n" + program.mode() + ", " + program.promise() + ", " + difference
                + "\n  again: -Dmillrace.fusion.seed=" + program.seed() + " -Dmillrace.fusion.programs=100";
    }

    /** Describes the differences between the keys of the two servers. The text is empty if there are no differences. */
    private static String difference(
            Map<String, FusionProgramServer.Value> expected, Map<String, FusionProgramServer.Value> actual) {
        Set<String> all = new HashSet<>(expected.keySet());
        all.addAll(actual.keySet());
        return all.stream()
                .filter(key -> {
                    FusionProgramServer.Value one = expected.get(key);
                    FusionProgramServer.Value other = actual.get(key);
                    return one == null || other == null || !one.isLike(other);
                })
                .map(key -> "key " + key + ": expected " + expected.get(key) + ", but was " + actual.get(key))
                .collect(Collectors.joining("; "));
    }

    /**
     * Compares the command counts of the two servers. The server with fusion received fewer commands. The difference
     * must equal the number of commands that fusion saved according to the stats of the clients.
     */
    private void checkFusionCounts(Map<String, Long> fusing, Map<String, Long> plain) {
        FusionCounts counts = fusions.values().stream().reduce(FusionCounts.NONE, FusionCounts::plus);
        Map<Fusion, Long> saved = new EnumMap<>(Fusion.class);
        for (Fusion kind : Fusion.values()) {
            if (!UNSUPPORTED.contains(kind)) {
                String name = kind.name().toLowerCase(Locale.ROOT);
                saved.put(kind, plain.getOrDefault(name, 0L) - fusing.getOrDefault(name, 0L));
            }
        }
        Map<String, Long> more = new TreeMap<>();
        FUSED.forEach(name -> more.put(name, fusing.getOrDefault(name, 0L) - plain.getOrDefault(name, 0L)));
        System.out.println(fusions + "; single commands saved: " + saved + "; others instead: " + more);

        assertThat(saved.values()).allMatch(number -> number > 0);
        long all = Stream.concat(saved.values().stream(), more.values().stream().map(number -> -number))
                .mapToLong(Long::longValue)
                .sum();
        assertThat(all).isEqualTo(counts.commands() - counts.fusedBatches());
        assertThat(fusions.values()).hasSize(3).allMatch(fused -> fused.commands() > 2 * fused.fusedBatches());
    }
}
