// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HelpCommandTest {

    @ParameterizedTest
    @ValueSource(strings = {"load", "verify", "doctor", "run", "bitmap", "queue", "demo"})
    void helpOfACommandIsThatOfItsOption(String command) {
        CliRun help = CliRun.of("help", command);

        assertThat(help.code()).isZero();
        assertThat(help.out()).isEqualTo(CliRun.of(command, "--help").out()).contains("Usage: millrace " + command);
    }

    @Test
    void helpWithoutACommandListsTheCommands() {
        String help = CliRun.of("help").out();

        assertThat(help).isEqualTo(CliRun.of("--help").out());
        assertThat(PicocliModel.millrace().getSubcommands().keySet())
                .allSatisfy(command -> assertThat(help).contains("  " + command + " "));
    }
}
