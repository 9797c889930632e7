// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.embedded.EmbeddedRedis;
import io.millrace.lab.broken.BadContender;
import io.millrace.lab.broken.Behaviour;
import io.millrace.lab.library.Endpoint;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the lab and the JVM of its contenders say to each other. */
class WarmProcessTest {

    private static final EmbeddedRedis SERVER = EmbeddedRedis.start();

    private static final WarmContender GOOD = new BadContender(Behaviour.GOOD);
    private static final WarmContender TALKATIVE = new BadContender(Behaviour.GOOD_AND_TALKATIVE);
    private static final WarmContender ANGRY = new BadContender(Behaviour.THROWS);
    private static final WarmContender CLOSED = new BadContender(Behaviour.DOES_NOT_OPEN);
    private static final WarmContender MORTAL = new BadContender(Behaviour.DIES);

    @TempDir
    private Path folder;

    @AfterAll
    static void stop() {
        SERVER.close();
    }

    /** JVMs that other test classes keep. */
    private final List<ProcessHandle> before = contenders();

    @AfterEach
    void noProcessIsLeft() {
        assertThat(contenders()).isSubsetOf(before);
    }

    private static List<ProcessHandle> contenders() {
        return ProcessHandle.current()
                .children()
                .filter(child -> child.info().commandLine().orElse("").contains(WarmJvm.class.getName()))
                .toList();
    }

    private Task task(WarmContender contender) {
        return new Task(
                "broken",
                contender.label(),
                20,
                Endpoint.of(SERVER.host(), SERVER.port()),
                Map.of(),
                folder.toString());
    }

    @Test
    void aContenderThatFailsDoesNotTakeTheOthersOfItsJvmDown() {
        try (var process = WarmProcess.start(GOOD)) {
            process.open(task(GOOD));
            process.open(task(ANGRY));

            assertThatThrownBy(() -> process.round(ANGRY.label(), second -> {}))
                    .isInstanceOf(LabException.class)
                    .hasMessage("shared, asked to round, failed: IllegalStateException: enough is enough");
            assertThatThrownBy(() -> process.open(task(CLOSED)))
                    .isInstanceOf(LabException.class)
                    .hasMessage("shared, asked to open, failed: IllegalStateException: the door is locked");
            assertThat(process.round(GOOD.label(), second -> {}).complaints()).isEmpty();
        }
    }

    @Test
    void secondsComeBeforeTheAnswerAndAreInIt() {
        try (var process = WarmProcess.start(TALKATIVE)) {
            process.open(task(TALKATIVE));

            var measured = process.round(TALKATIVE.label(), second -> {});

            assertThat(measured.seconds())
                    .containsExactly(
                            new Second(1, 7, Outcomes.answered(7, 0), 0, -1),
                            new Second(2, 8, Outcomes.answered(8, 0), 0, -1));
            assertThat(measured.wallSeconds()).isPositive();
        }
    }

    @Test
    void whatWasClosedOrNeverOpenedHasNoRounds() {
        try (var process = WarmProcess.start(GOOD)) {
            process.open(task(GOOD));
            process.close(GOOD.label());
            process.close(GOOD.label());

            assertThatThrownBy(() -> process.round(GOOD.label(), second -> {}))
                    .isInstanceOf(LabException.class)
                    .hasMessageEndingWith("not opened: good/warm");
        }
    }

    @Test
    void aJvmThatEndsInTheMiddleIsTold() {
        try (var process = WarmProcess.start(MORTAL)) {
            process.open(task(MORTAL));

            assertThatThrownBy(() -> process.round(MORTAL.label(), second -> {}))
                    .isInstanceOf(LabException.class)
                    .hasMessage("mortal/warm, asked to round, failed: its JVM ended, and its own words are above");
        }
    }

    @Test
    void contendersOfOneJvmShareItAndAFreshOneIsNewEachRound() {
        var fresh = new BadContender(Behaviour.FRESH);
        try (var processes = new WarmProcesses();
                var guest = processes.open(GOOD, task(GOOD));
                var neighbour = processes.open(TALKATIVE, task(TALKATIVE));
                var alone = processes.open(fresh, task(fresh))) {
            assertThat(pid(guest)).isEqualTo(pid(neighbour)).isEqualTo(pid(guest));
            assertThat(pid(alone)).isNotEqualTo(pid(alone)).isNotEqualTo(pid(guest));
        }
    }

    private static double pid(Entrant entrant) {
        entrant.prepare();
        return entrant.round(second -> {}).figures().getOrDefault("pid", -1.0);
    }
}
