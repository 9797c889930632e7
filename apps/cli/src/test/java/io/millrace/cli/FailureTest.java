// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.load.ExitCode;
import io.millrace.load.source.SourceException;
import io.millrace.load.source.SourceException.Kind;
import io.millrace.load.target.PlanException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class FailureTest {

    @ParameterizedTest
    @CsvSource({"UNUSABLE, 2", "UNREACHABLE, 5", "BROKEN, 4"})
    void kindOfASourceFailureSelectsTheExitCode(Kind kind, int code) {
        assertThat(Failure.of(new SourceException(kind, "x")).code().number()).isEqualTo(code);
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void messageOfASourceFailureIsShown(Kind kind) {
        assertThat(Failure.of(new SourceException(kind, "cannot read shop.csv")).message())
                .isEqualTo("cannot read shop.csv");
    }

    @Test
    void invalidPlanIsAUsageError() {
        assertThat(Failure.of(new PlanException("no such column")))
                .isEqualTo(new Failure(ExitCode.USAGE, "no such column"));
    }

    @Test
    void unexpectedExceptionIsAnInternalFailure() {
        Failure failure = Failure.of(new IllegalStateException("boom"));

        assertThat(failure.code()).isEqualTo(ExitCode.INTERNAL);
        assertThat(failure.message())
                .isEqualTo("internal failure: IllegalStateException: boom."
                        + " Run again with --debug and report the stack trace.");
    }

    @Test
    void everyExitCodeHasAHelpTextOfItsOwn() {
        assertThat(Stream.of(ExitCode.values()).map(ExitCodeText::of)).doesNotHaveDuplicates();
    }
}
