// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.millrace.lab.client.Target;
import io.millrace.lab.experiment.Mix;
import io.millrace.lab.experiment.Outcomes;
import io.millrace.lab.experiment.Parameters;
import io.millrace.lab.experiment.ProgressEvent;
import io.millrace.lab.experiment.RoundDetails;
import io.millrace.lab.experiment.Sample.MemoryUse;
import io.millrace.lab.experiment.Trace;
import io.millrace.lab.experiment.WorkContext;
import io.millrace.lab.measure.RoundWatch.Look;
import io.millrace.lab.measure.WorkerMessages.Action;
import io.millrace.lab.measure.WorkerMessages.Answer;
import io.millrace.lab.measure.WorkerMessages.Command;
import io.millrace.lab.measure.WorkerMessages.Limits;
import io.millrace.lab.measure.WorkerMessages.MeasuredPart;
import io.millrace.lab.measure.WorkerMessages.Opening;
import io.millrace.lab.server.CpuTime;
import io.millrace.lab.server.LabException;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** The small parts of a measurement. */
class MeasurePartsTest {

    private static final long SECOND = 1_000_000_000;

    @Test
    void serverSecondsDivideCountsBetweenTwoLooks() {
        var first = new Look(5 * SECOND, 1_000);
        var second = new Look(5 * SECOND + SECOND * 3 / 2, 1_300);
        var third = new Look(5 * SECOND + SECOND * 5 / 2, 1_300);

        assertThat(RoundWatch.perSecond(List.of(first, second, third))).containsExactly(200L, 100L);
        assertThat(RoundWatch.perSecond(List.of(first))).isEmpty();
    }

    @Test
    void timesOfTheShellAreThoseOfItsChildren() {
        CpuTime times = ProcessRound.childTimes("0m9.000s 0m9.000s\n1m2.345s 0m0,250s\n", 0.001);

        assertThat(times).isEqualTo(new CpuTime(62.345, 0.25, 0.001));
        assertThatThrownBy(() -> ProcessRound.childTimes("no\ntimes", 0.001))
                .isInstanceOf(LabException.class)
                .hasMessage("the times of the shell cannot be read: no | times");
    }

    @Test
    void ownCpuTimeGrows() {
        CpuTime before = UsageMeter.cpu();

        double sum = 0;
        while (UsageMeter.cpu().minus(before).seconds() < 0.02) {
            sum += Math.sin(sum + 1);
        }

        assertThat(sum).isFinite();
        assertThat(before.resolutionSeconds()).isEqualTo(0.01, within(1e-9));
    }

    @Test
    void messagesKeepEveryValue() {
        var target = new Target(
                "host",
                6379,
                Optional.of(Path.of("/a socket")),
                Optional.of("user"),
                Optional.of("password"),
                3,
                Optional.of(Path.of("/ca.pem")),
                true,
                4,
                5,
                Duration.ofMillis(1_500));
        var parameters = new Parameters(
                OptionalLong.of(7),
                Optional.of(Duration.ofSeconds(2)),
                OptionalInt.of(16),
                OptionalInt.empty(),
                Optional.of(new Mix(9, 1)),
                OptionalLong.empty(),
                42,
                true);
        var context = new WorkContext(target, target, parameters, Path.of("/folder"));
        var command = new Command(Action.OPEN, new Opening("e", "s", "c", context), new Limits(6, 7));
        var details = RoundDetails.NONE
                .withOutcomes(new Outcomes(1, 2, 3, 4, 5))
                .withFigure("p50", 0.1 + 0.2)
                .withFigure("none", Double.NaN)
                .withTrace(new Trace(List.of(1.5), 2, List.of(2.5, 3.0)))
                .withRemark("a \"remark\"\nwith two lines");

        assertThat(copy(command, Command.class)).isEqualTo(command);
        var measured =
                new MeasuredPart(8, 9, 1.5, new CpuTime(0.1, 0.2, 0.01), Optional.of(new MemoryUse(1L << 40, 2, 0.5)));
        var second = new ProgressEvent.Second(1, 2, Outcomes.ok(3), 4, -1);
        for (Answer answer : List.of(
                Answer.DONE,
                Answer.failed("because"),
                Answer.of(details),
                Answer.of(measured),
                Answer.of(second),
                Answer.of(new ProgressEvent.Mark('P')))) {
            assertThat(copy(answer, Answer.class)).isEqualTo(answer);
        }
        assertThat(command.toString()).doesNotContain("password=Optional").doesNotContain("password]");
    }

    private static <T> T copy(T value, Class<T> type) {
        String line = WorkerMessages.JSON.writeValueAsString(value);
        assertThat(line).doesNotContain("\n");
        return WorkerMessages.JSON.readValue(line, type);
    }

    @Test
    void progressReplacesTheLastLineOnATerminalOnly() {
        var terminal = new ByteArrayOutputStream();
        var file = new ByteArrayOutputStream();
        var onTerminal = new ProgressLine(new PrintStream(terminal), OptionalInt.of(6));
        var inFile = new ProgressLine(new PrintStream(file), OptionalInt.empty());

        for (ProgressLine line : List.of(onTerminal, inFile)) {
            line.now("0123456789");
            line.line("done");
        }

        assertThat(terminal.toString(StandardCharsets.UTF_8)).isEqualTo("\r\u001b[K01234\r\u001b[Kdone\n");
        assertThat(file.toString(StandardCharsets.UTF_8)).isEqualTo("done\n");
        assertThat(ProgressLine.columns("24 80\n")).isEqualTo(80);
        assertThat(ProgressLine.columns("0 0\n")).isEqualTo(110);
    }

    @Test
    void environmentNamesMachineAndLibraries() {
        var clock = Clock.fixed(Instant.parse("2026-11-21T10:00:00.5Z"), ZoneOffset.UTC);

        Environment environment = Environment.here(clock, "7.0.15");

        assertThat(environment.date()).isEqualTo(Instant.parse("2026-11-21T10:00:00Z"));
        assertThat(environment.server()).isEqualTo("7.0.15");
        assertThat(environment.cores()).isPositive();
        assertThat(environment.commit().orElse("0".repeat(40))).matches("[0-9a-f]{40}(\\+changes)?");
        assertThat(environment.versions())
                .containsKeys("gc", "heap", "os", "jedis", "lettuce", "redisson", "glide", "spring", "vertx", "netty")
                .containsKeys("fs2", "cats-effect", "reactor");
        assertThat(environment.versions().get("jedis")).matches("\\d+\\.\\d+\\.\\d+.*");
        assertThat(environment.versions().get("glide")).matches("\\d+\\.\\d+\\.\\d+");
    }

    @Test
    void collectorIsNotTheNameOfAnotherFlag() {
        String flags = """
               size_t MaxHeapSize                              = 6320816128       {product} {ergonomic}
               size_t SoftMaxHeapSize                          = 1048576       {manageable} {ergonomic}
                 bool UseG1GC                                  = true             {product} {ergonomic}
                 bool UseMaximumCompactionOnSystemGC           = true               {product} {default}
                 bool UseSerialGC                              = false              {product} {default}
            """;

        assertThat(Environment.collectorAndHeap(flags)).isEqualTo(Map.of("gc", "G1", "heap", "6028 MiB"));
    }
}
