// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.bulk;

import static io.millrace.lab.experiment.Bar.Limit.atLeast;
import static io.millrace.lab.experiment.Bar.Limit.atMost;

import io.millrace.client.CommandCounts;
import io.millrace.client.Overflow;
import io.millrace.client.RedisClient;
import io.millrace.client.command.Strings;
import io.millrace.lab.client.MillraceClients;
import io.millrace.lab.experiment.Bar;
import io.millrace.lab.experiment.Contender.Description;
import io.millrace.lab.experiment.Figure;
import io.millrace.lab.experiment.JvmContender;
import io.millrace.lab.experiment.Parameters;
import io.millrace.lab.experiment.ReadyWork;
import io.millrace.lab.experiment.RoundDetails;
import io.millrace.lab.experiment.RoundPlan;
import io.millrace.lab.experiment.Sample;
import io.millrace.lab.experiment.Scenario;
import io.millrace.lab.experiment.ServerUse;
import io.millrace.lab.experiment.Work;
import io.millrace.lab.experiment.WorkContext;
import io.millrace.lab.server.RedisServer;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;
import jdk.jfr.Recording;

/**
 * Commands that are sent faster than the server executes them, for ten seconds, from a heap of 128 MB. The process must
 * survive, every command must have an outcome, and the heap must stay small. One round is enough.
 */
record ClientMemory(Overflow overflow, Duration duration) implements Work {

    private static final Duration USUAL = Duration.ofSeconds(10);
    private static final Duration QUICK = Duration.ofSeconds(1);
    private static final int IN_FLIGHT = 10_000;
    private static final int KEYS = 10_000;
    private static final String REFUSED = "refused";

    static Scenario scenario(Parameters parameters) {
        var duration = parameters.duration().orElse(parameters.quick() ? QUICK : USUAL);
        var block = contender(Overflow.BLOCK, duration);
        var refuse = contender(Overflow.REFUSE, duration);
        return Scenario.named("memory", "Commands that nobody waits for, from a heap of 128 MB")
                .contender(block)
                .contender(refuse)
                .plan(RoundPlan.ONE_UNIT.withRounds(1).withExpectedUnit(duration))
                .server(ServerUse.checkedBy(ClientMemory::complaints))
                .bars(
                        heap(block),
                        heap(refuse),
                        Bar.absolute("refused", refuse.label(), Figure.own(REFUSED), atLeast(1)))
                .build();
    }

    private static JvmContender contender(Overflow overflow, Duration duration) {
        var description = new Description(
                "millrace",
                overflow.name().toLowerCase(Locale.ROOT) + "-128m",
                "send without a look at the future, one connection, " + IN_FLIGHT + " in flight, overflow " + overflow
                        + ", otherwise default options, -Xmx128m; operations are succeeded commands",
                "docs/client.md");
        return new JvmContender(
                description, new ClientMemory(overflow, duration), List.of("-Xmx128m"), target -> Optional.empty());
    }

    /** A process whose heap is half full after a collection is about to run out of memory. */
    private static Bar heap(JvmContender contender) {
        return Bar.absolute(
                "largest heap after a collection, MiB", contender.label(), Figure.own(HeapRecording.PEAK), atMost(64));
    }

    /** Every key has one value, so the data is right with any refused commands. */
    static List<String> complaints(RedisServer server, Sample sample) {
        var complaints = new ArrayList<>(FusedCalls.complaints(server, sample, "set", "mset", sample.operations()));
        var found = server.values(
                LongStream.range(0, KEYS).mapToObj(StringData::key).toList());
        long right = LongStream.range(0, KEYS)
                .filter(n -> StringData.value(n).equals(found.get((int) n)))
                .count();
        long all = server.keys();
        if (right == 0 || right != all) {
            complaints.add("keys: found=" + all + ", with the right value=" + right);
        }
        return complaints;
    }

    @Override
    public ReadyWork open(WorkContext context) {
        var client = RedisClient.connect(MillraceClients.options(context.target())
                .connections(1)
                .inFlight(IN_FLIGHT)
                .overflow(overflow)
                .build());
        return new Ready(client, this, context.folder().resolve("heap.jfr"));
    }

    private static final class Ready implements ReadyWork {

        private static final Duration LAST_OUTCOME = Duration.ofSeconds(20);
        private static final Duration BETWEEN_LOOKS = Duration.ofMillis(1);
        private static final int BETWEEN_CLOCKS = 64;

        private final RedisClient client;
        private final ClientMemory work;
        private final Path recordingFile;
        private final Recording recording = HeapRecording.start();
        private final String[] keys =
                LongStream.range(0, KEYS).mapToObj(StringData::key).toArray(String[]::new);
        private final String[] values =
                LongStream.range(0, KEYS).mapToObj(StringData::value).toArray(String[]::new);
        private long sent;
        private CommandCounts counts = CommandCounts.NONE;

        Ready(RedisClient client, ClientMemory work, Path recordingFile) {
            this.client = client;
            this.work = work;
            this.recordingFile = recordingFile;
        }

        @Override
        @SuppressWarnings("FutureReturnValueIgnored") // the scenario is about callers that ignore the future
        public long run() {
            long start = System.nanoTime();
            while (System.nanoTime() - start < work.duration.toNanos()) {
                for (int i = 0; i < BETWEEN_CLOCKS; i++) {
                    int n = (int) (sent++ % KEYS);
                    client.send(Strings.set(keys[n], values[n]));
                }
            }
            counts = settledCounts();
            return counts.ok();
        }

        private CommandCounts settledCounts() {
            long start = System.nanoTime();
            var now = client.counts();
            while (now.pending() > 0 && System.nanoTime() - start < LAST_OUTCOME.toNanos()) {
                LockSupport.parkNanos(BETWEEN_LOOKS.toNanos());
                now = client.counts();
            }
            return now;
        }

        @Override
        public RoundDetails details() throws IOException {
            System.gc(); // a short round may have had no collection
            recording.dump(recordingFile);
            var details = RoundDetails.NONE
                    .withOutcomes(Connections.outcomes(counts))
                    .withComplaints(complaints())
                    .withFigure(REFUSED, (double) counts.refused());
            return HeapRecording.read(recordingFile)
                    .addTo(FusedCalls.of(client.stats().fusion()).addTo(details));
        }

        private List<String> complaints() {
            long allowed = work.overflow == Overflow.REFUSE ? counts.refused() : 0;
            return counts.submitted() == sent && counts.ok() + allowed == sent
                    ? List.of()
                    : List.of("outcomes of sent commands: sent=" + sent + ", counts=" + counts);
        }

        @Override
        public void close() {
            recording.close();
            client.close();
        }
    }
}
