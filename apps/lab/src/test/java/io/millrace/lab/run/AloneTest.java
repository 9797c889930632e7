// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.millrace.lab.run.TestRuns.PaperContender;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class AloneTest {

    private static final PaperContender CONTENDER = new PaperContender("paper", "folded", Optional.empty());

    private record Folding() implements Serverless {

        @Override
        public String name() {
            return "folding";
        }

        @Override
        public String variant(Contender contender) {
            return "folding/" + contender.variant();
        }

        @Override
        public long operations(Size size) {
            return size.operations();
        }

        @Override
        public List<Contender> contenders() {
            return List.of(CONTENDER);
        }
    }

    /** A terminal of 30 columns that remembers. */
    private static final class Screen implements Progress {

        private final List<String> shown = new ArrayList<>();

        @Override
        public void line(String text) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void now(String text) {
            shown.add(text);
        }

        @Override
        public int room() {
            return 30;
        }
    }

    /** Tells some news, and measures what it is told to. */
    private record Scripted(List<News> news, Optional<Outcomes> outcomes) implements Entrant {

        @Override
        public Measured round(Consumer<News> live) {
            news.forEach(live);
            return Measured.of(2, 1, OptionalDouble.empty(), outcomes, Map.of());
        }
    }

    private final Screen screen = new Screen();

    private Sample round(Scripted entrant) {
        var folding = new Folding();
        return new Alone().round(new Arena.Turn(folding, CONTENDER, 1, 10, "folding, round 1 of 1"), entrant, screen);
    }

    @Test
    void theRhythmIsShownInTheRoomThatTheTerminalHas() {
        var sample = round(new Scripted(
                List.of(new Step(1, 0, 2, 20), new Step(1, 10, 2, 20), new Step(0, 10, 2, 20)),
                Optional.of(Outcomes.answered(10, 0))));

        assertThat(screen.shown)
                .containsExactly(
                        "folding/folded paper P", "folding/folded paper PPCCC", "folding/folded paper PPCCCCCC");
        assertThat(screen.shown).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(30));
        assertThat(sample.serverCpuSeconds()).isEmpty();
        assertThat(sample.serverShare()).isEmpty();
        assertThat(sample.outcomes()).isEqualTo(Outcomes.answered(10, 0));
    }

    @Test
    void secondsAreShownInWords() {
        round(new Scripted(
                List.of(new Second(3, 7, Outcomes.answered(6, 0), 1, -1)), Optional.of(Outcomes.answered(10, 0))));

        assertThat(screen.shown)
                .containsExactly("folding, round 1 of 1; second 3: ok 6, errors 0, timeouts 0, refused 0, pending 1");
    }

    @Test
    void whoKeepsNoAccountHasFailedForNobodyElseCanTell() {
        assertThatExceptionOfType(LabException.class)
                .isThrownBy(() -> round(new Scripted(List.of(), Optional.empty())))
                .withMessage("paper/folded keeps no account, and there is no server that could: workload=folding."
                        + " Have its rounds return outcomes.");
    }

    @Test
    void nobodyLooksAtAServerForIt() {
        assertThat(new Folding().needsServer()).isFalse();
        assertThatIllegalStateException()
                .isThrownBy(() -> new Folding().check())
                .withMessage("nothing is left on a server: workload=folding");
    }
}
