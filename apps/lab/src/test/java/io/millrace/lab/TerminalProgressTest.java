// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.OptionalInt;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class TerminalProgressTest {

    private static final String ERASE = "\r\u001b[K";

    private static String shown(OptionalInt columns, Consumer<TerminalProgress> actions) {
        var out = new ByteArrayOutputStream();
        actions.accept(new TerminalProgress(new PrintStream(out, true, StandardCharsets.UTF_8), columns));
        return out.toString(StandardCharsets.UTF_8).replace(System.lineSeparator(), "\n");
    }

    private static void goThrough(TerminalProgress progress) {
        progress.now("A is at work");
        progress.now("A: 1 s");
        progress.line("A: done");
        progress.end();
    }

    @Test
    void withoutATerminalThereAreLinesAndNothingElse() {
        assertThat(shown(OptionalInt.empty(), TerminalProgressTest::goThrough)).isEqualTo("A: done\n");
    }

    @Test
    void onATerminalTheLastLineChangesAndIsErasedBeforeALineStays() {
        assertThat(shown(OptionalInt.of(60), TerminalProgressTest::goThrough))
                .isEqualTo(ERASE + "A is at work" + ERASE + "A: 1 s" + ERASE + "A: done\n" + ERASE);
    }

    @Test
    void theChangingLineIsCutToTheWidthBecauseWhatWrapsCannotBeErased() {
        var shown = shown(OptionalInt.of(60), progress -> progress.now("x".repeat(500)));

        assertThat(shown).isEqualTo(ERASE + "x".repeat(59));
    }

    @Test
    void aLineThatStaysIsWhole() {
        assertThat(shown(OptionalInt.of(60), progress -> progress.line("x".repeat(500))))
                .contains("x".repeat(500) + "\n");
    }

    @Test
    void theWidthIsWhatTheTerminalSaysOrTheUsualOne() {
        assertThat(TerminalProgress.columns("24 80\n")).isEqualTo(80);
        assertThat(TerminalProgress.columns("0 0\n")).isEqualTo(110);
        assertThat(TerminalProgress.columns("\n")).isEqualTo(110);
    }
}
