// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tune;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.lab.TestServer;
import io.millrace.lab.experiment.RoundDetails;
import io.millrace.lab.experiment.Sample;
import io.millrace.lab.server.CpuTime;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class TunePointTest {

    /** Three units of ten commands. */
    private static final Sample SAMPLE = new Sample(
            1,
            1,
            30,
            3,
            1,
            new CpuTime(0, 0, 1),
            Optional.empty(),
            Optional.empty(),
            RoundDetails.NONE,
            List.of(),
            List.of());

    @Test
    void keyThatTheLastUnitLeftOutIsFound() {
        try (var server = TestServer.start()) {
            for (int number = 0; number < 10; number++) {
                server.control().set("millrace-lab:tune:" + number, "3:" + number + "...");
            }
            assertThat(TunePoint.complaints(server, SAMPLE, 6)).isEmpty();

            server.control().set("millrace-lab:tune:7", "2:7...");
            assertThat(TunePoint.complaints(server, SAMPLE, 6))
                    .containsExactly("wrong value: key=millrace-lab:tune:7, unit=3, value=2:7...");

            server.control().del("millrace-lab:tune:7");
            assertThat(TunePoint.complaints(server, SAMPLE, 6))
                    .hasSize(2)
                    .contains("wrong number of keys: expected=10, keys=9");
        }
    }
}
