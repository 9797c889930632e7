// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.lab.experiment.Sweep;
import io.millrace.lab.run.Measured;
import io.millrace.lab.run.Outcomes;
import io.millrace.lab.run.Run;
import io.millrace.lab.run.Sample;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;

/** What stands in the way, in runs of one second with figures that were chosen for it. */
class BottleneckTest {

    private static final double GIGABYTES = 1e9;
    private static final int CORES = Runtime.getRuntime().availableProcessors();

    private static Run run(Sweep sweep, long value, long operations, double clientCpu, double serverCpu) {
        var measured =
                Measured.of(1, clientCpu, OptionalDouble.empty(), Optional.empty(), Map.of(Measured.OPERATIONS, (double)
                        operations));
        var sample = new Sample(1, measured, OptionalDouble.of(serverCpu), Outcomes.answered(operations, 0), List.of());
        return new Run(sweep, sweep.point(value), Duration.ZERO, 1_000, List.of(sample), Optional.empty());
    }

    private static Link link(Duration roundTrip, double bytesPerSecond) {
        return new Link(roundTrip, bytesPerSecond, false);
    }

    private static String word(Sweep sweep, Link link, Run run) {
        return Bottleneck.of(sweep, link, Map.of(), run).word();
    }

    @Test
    void aServerThatIsBusyAllTheTimeIs() {
        var link = link(Duration.ofNanos(100_000), GIGABYTES);

        var bottleneck = Bottleneck.of(
                Sweep.IN_FLIGHT, link, Map.of(), run(Sweep.IN_FLIGHT, 65_536, 1_000_000, 0.1 * CORES, 0.98));

        assertThat(bottleneck.word()).isEqualTo("server CPU");
        assertThat(bottleneck.why())
                .isEqualTo("used of what there is: server CPU 0.98, client CPU 0.10, window 0.00, bandwidth 0.06");
    }

    @Test
    void aClientThatIsBusyOnAllProcessorsIs() {
        var run = run(Sweep.IN_FLIGHT, 65_536, 1_000_000, 0.95 * CORES, 0.5);

        assertThat(word(Sweep.IN_FLIGHT, link(Duration.ofNanos(100_000), GIGABYTES), run))
                .isEqualTo("client CPU");
    }

    @Test
    void whatALocalServerTakesTheClientCannotHave() {
        var run = run(Sweep.IN_FLIGHT, 65_536, 1_000_000, CORES - 0.7, 0.7);
        var local = new Link(Duration.ofNanos(100_000), GIGABYTES, true);

        var bottleneck = Bottleneck.of(Sweep.IN_FLIGHT, local, Map.of(), run);

        assertThat(bottleneck.word()).isEqualTo("client CPU");
        assertThat(bottleneck.why()).contains("client CPU 1.00");
    }

    @Test
    void aWindowThatIsFullAllTheTimeIs() {
        var run = run(Sweep.IN_FLIGHT, 1_024, 100_000, 0.2, 0.2);

        assertThat(word(Sweep.IN_FLIGHT, link(Duration.ofMillis(10), GIGABYTES), run))
                .isEqualTo("window");
    }

    @Test
    void theWindowOfSeveralConnectionsIsThatOfAll() {
        var run = run(Sweep.CONNECTIONS, 4, 100_000, 0.2, 0.2);
        var link = link(Duration.ofMillis(10), GIGABYTES);

        var held = Map.of("inFlight", 1_024L);

        assertThat(Bottleneck.of(Sweep.CONNECTIONS, link, held, run).why()).contains("window 0.24");
    }

    @Test
    void aCallerThatWaitsIsHeldUpByTheRoundTrip() {
        var pipelines = run(Sweep.BATCH, 100, 9_000, 0.1, 0.1);
        var callers = run(Sweep.SHARED, 2, 6_000, 0.1, 0.1);
        var link = link(Duration.ofMillis(10), GIGABYTES);

        assertThat(word(Sweep.BATCH, link, pipelines)).isEqualTo("round trip");
        assertThat(word(Sweep.SHARED, link, callers)).isEqualTo("round trip");
    }

    @Test
    void aLineThatIsFullIs() {
        var run = run(Sweep.IN_FLIGHT, 65_536, 100_000, 0.2, 0.2);

        assertThat(word(Sweep.IN_FLIGHT, link(Duration.ofMillis(1), 7e6), run)).isEqualTo("bandwidth");
    }
}
