// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.millrace.client.ClientOptions;
import io.millrace.client.CommandCounts;
import io.millrace.client.FusionCounts;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.load.LoadReport.Bottleneck;
import io.millrace.load.LoadReport.Details;
import io.millrace.load.LoadReport.Ending;
import io.millrace.load.LoadReport.Job;
import io.millrace.load.LoadReport.Times;
import io.millrace.load.LoadReport.Verified;
import io.millrace.load.source.SourceException;
import io.millrace.load.source.SourceException.Kind;
import io.millrace.load.target.PlanException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ExitCodeTest {

    @ParameterizedTest(name = "{0}: rejected {1}, skipped {2}, unconfirmed {3}, mismatched {4} -> {5}")
    @CsvSource({
        "completed,   0, 0, 0, 0, 0",
        "completed,   0, 5, 0, 0, 0",
        "completed,   1, 0, 0, 0, 3",
        "completed,   0, 0, 0, 1, 7",
        "completed,   1, 0, 0, 1, 7",
        "stopped,     0, 0, 0, 0, 4",
        "stopped,     1, 5, 0, 1, 4",
        "unverified,  0, 0, 0, 0, 4",
        "unverified,  0, 0, 1, 0, 6",
        "failed,      0, 0, 0, 0, 1",
        "completed,   1, 0, 1, 1, 6",
        "stopped,     1, 0, 1, 0, 6",
        "interrupted, 0, 0, 0, 0, 130",
        "interrupted, 1, 5, 1, 1, 130",
    })
    void mostSevereCodeIsUsed(String ending, long rejected, long skipped, long unconfirmed, long mismatched, int code) {
        assertThat(ExitCode.of(report(ending, rejected, skipped, unconfirmed, mismatched))
                        .number())
                .isEqualTo(code);
    }

    @ParameterizedTest
    @CsvSource({"UNUSABLE, 2", "UNREACHABLE, 5", "BROKEN, 4"})
    void kindOfASourceFailureSelectsTheCode(Kind kind, int code) {
        assertThat(ExitCode.of(new SourceException(kind, "x")).number()).isEqualTo(code);
    }

    @Test
    void invalidPlanIsAUsageError() {
        assertThat(ExitCode.of(new PlanException("no such column"))).isEqualTo(ExitCode.USAGE);
    }

    @Test
    void serverThatCannotBeReachedHasItsOwnCode() {
        ClientOptions options = ClientOptions.builder(RedisUri.of("127.0.0.1", 1))
                .connectTimeout(Duration.ofSeconds(5))
                .build();

        Throwable refused = catchThrowable(() -> RedisClient.connect(options).close());

        assertThat(ExitCode.of(refused)).isEqualTo(ExitCode.UNREACHABLE);
    }

    @Test
    void unexpectedExceptionIsAnInternalFailure() {
        assertThat(ExitCode.of(new IllegalStateException("boom"))).isEqualTo(ExitCode.INTERNAL);
    }

    @Test
    void onlyALoadWhoseRowsHaveKnownOutcomesIsComplete() {
        assertThat(ExitCode.values()).filteredOn(ExitCode::isComplete).containsExactly(ExitCode.OK, ExitCode.REJECTED);
    }

    private static LoadReport report(String ending, long rejected, long skipped, long unconfirmed, long mismatched) {
        RowCounts rows = new RowCounts(10 + rejected + skipped + unconfirmed, 10, rejected, skipped, unconfirmed);
        return new LoadReport(
                switch (ending) {
                    case "completed" -> new Ending.Completed();
                    case "stopped" -> new Ending.Stopped("why");
                    case "unverified" -> new Ending.Unverified("why");
                    case "failed" -> new Ending.Failed("why");
                    default -> new Ending.Interrupted();
                },
                new Job(Job.Kind.LOAD, "shop.csv", "redis://cache:6379 hash c:{id}", Instant.EPOCH),
                rows,
                CommandCounts.NONE,
                FusionCounts.NONE,
                1,
                1,
                1,
                1,
                new Times(0, 0, 0, 0),
                Bottleneck.SERVER,
                Optional.of(new Verified(10, mismatched)),
                Optional.empty(),
                Details.NONE);
    }
}
