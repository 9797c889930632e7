// SPDX-License-Identifier: Apache-2.0
package io.millrace.labhttp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.lab.server.LabException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How the output of {@code wrk} is understood. */
class WrkResultTest {

    private static final String USUAL = """
            Running 1s test @ http://127.0.0.1:8080/value/item-0
              1 threads and 64 connections
              Thread Stats   Avg      Stdev     Max   +/- Stdev
                Latency     3.99ms    2.01ms  30.21ms   88.02%
                Req/Sec    16.21k     1.03k   17.52k    70.00%
              Latency Distribution
                 50%    3.61ms
                 75%    4.50ms
                 90%    6.06ms
                 99%   11.89ms
              16123 requests in 1.00s, 9.12MB read
            Requests/sec:  16101.77
            Transfer/sec:      9.11MB
            """;

    private static final double ANSWER_BYTES = 300;

    private static String line(String errors) {
        return "millrace-lab: requests=16123 bytes=4836900 " + errors + " p50=3612 p99=11893\n";
    }

    @Test
    void figuresAreThoseOfTheLineOfTheScript() {
        var result = WrkResult.parse(USUAL + line("connect=0 read=0 write=0 status=0 timeout=0"));

        assertThat(result.requests()).isEqualTo(16_123);
        assertThat(result.succeeded()).isEqualTo(16_123);
        assertThat(result.p50Micros()).isEqualTo(3_612);
        assertThat(result.p99Micros()).isEqualTo(11_893);
        assertThat(result.complaints(ANSWER_BYTES)).isEmpty();
    }

    @Test
    void everyKindOfErrorIsAComplaint() {
        var result = WrkResult.parse(USUAL + line("connect=1 read=2 write=3 status=4 timeout=5"));

        assertThat(result.complaints(ANSWER_BYTES))
                .containsExactly("errors of wrk: requests=16123, connect=1, read=2, write=3, status=4, timeout=5");
        assertThat(result.succeeded()).isEqualTo(16_119);
    }

    @Test
    void runWithoutAnAnswerIsAComplaint() {
        var result = WrkResult.parse(
                "millrace-lab: requests=0 bytes=0 connect=0 read=0 write=0 status=0 timeout=0 p50=0 p99=0\n");

        assertThat(result.complaints(ANSWER_BYTES)).containsExactly("wrk got no answer");
    }

    /** Such as redirects, which {@code wrk} counts as successes. */
    @Test
    void answersOfAnotherLengthAreAComplaint() {
        var result = WrkResult.parse(line("connect=0 read=0 write=0 status=0 timeout=0"));

        assertThat(result.complaints(305)).isEmpty();
        assertThat(result.complaints(310)).containsExactly("wrong answers: expected bytes=310.0, found bytes=300.0");
        assertThat(result.complaints(290)).isNotEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "requests=1", "connect=0 read=0 write=0 status=-1 timeout=0", "connect=0 read=0 write=0"})
    void outputWithoutARightLineFails(String errors) {
        assertThatThrownBy(() -> WrkResult.parse(USUAL + line(errors)))
                .isInstanceOf(LabException.class)
                .hasMessageStartingWith("the figures of wrk cannot be read: lines=0, output=Running 1s test");
    }

    @Test
    void outputOfTwoRunsFails() {
        String good = line("connect=0 read=0 write=0 status=0 timeout=0");

        assertThatThrownBy(() -> WrkResult.parse(good + good))
                .isInstanceOf(LabException.class)
                .hasMessageContaining("lines=2");
    }
}
