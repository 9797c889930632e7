// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ShellTest {

    @TempDir
    private Path folder;

    @Test
    void theTimesOfChildrenAreOnTheSecondLine() {
        var times = Shell.parse("0m0.010000s 0m9.000000s\n1m2.500000s 0m0.250000s\n");

        assertThat(times).isEqualTo(new Shell.Times(62.5, 0.25));
    }

    @Test
    void timesAreReadWithADecimalCommaToo() {
        assertThat(Shell.parse("0m0,001s 0m0,002s\n0m0,123s 0m0,045s\n")).isEqualTo(new Shell.Times(0.123, 0.045));
    }

    @Test
    void otherTextIsRefused() {
        assertThatThrownBy(() -> Shell.parse("no times"))
                .isInstanceOf(LabException.class)
                .hasMessageContaining("no times");
    }

    @Test
    void theCpuOfACommandIsWrittenAndItsExitCodeKept() throws Exception {
        var times = folder.resolve("times");
        var busy = List.of("sh", "-c", "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; exit 7");
        var builder = new ProcessBuilder(Shell.wrap(busy));
        builder.environment().put(Shell.TIMES_VARIABLE, times.toString());

        int exit = builder.start().waitFor();

        assertThat(exit).isEqualTo(7);
        assertThat(Shell.parse(Files.readString(times)).user()).isGreaterThan(0.05);
    }
}
