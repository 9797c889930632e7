// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.ClientOptions;
import io.millrace.client.RedisUri;
import io.millrace.load.LoadReport.Ending;
import io.millrace.load.target.HashTarget;
import io.millrace.testkit.Answer;
import io.millrace.testkit.FakeRedis;
import io.millrace.testkit.Handler;
import io.millrace.testkit.NoThreadLeft;
import io.millrace.testkit.ReceivedCommand;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Loads with a checkpoint that give up while rows wait for their retries. */
@ExtendWith(NoThreadLeft.class)
class RetryCheckpointTest {

    private static final HashTarget TARGET = HashTarget.of("c:{id}").withReplaceRow();
    private static final int ROWS = 4_000;

    /** The row before a mark of the checkpoint whose import the server refuses. */
    private static final int REFUSED = AcknowledgedRows.MARK_ROWS - 10;

    /** The row behind this mark from which the server is full. It is in flight together with the refused row. */
    private static final int FULL = AcknowledgedRows.MARK_ROWS + 10;

    @TempDir
    private Path folder;

    private final CountDownLatch fullSent = new CountDownLatch(1);
    private volatile boolean full;

    @Test
    void rowWhoseRetryWasNeverSentIsWrittenByTheResumedLoad() {
        FakeHashServer hashes = new FakeHashServer(true, this::answer);
        hashes.putExpiring("c:" + REFUSED, Map.of("id", "old"));
        try (FakeRedis server = FakeRedis.start(Handler.afterHandshake(hashes))) {
            LoadReport first = load(server, o -> o);
            LoadReport second = load(server, CheckpointOptions::resuming);

            assertThat(first.ending().reason().orElseThrow()).contains("OOM");
            assertThat(first.details().checkpoint().orElseThrow().rows())
                    .as("the rows before the refused row")
                    .isLessThanOrEqualTo(REFUSED);
            assertThat(first.rows().skipped()).as("the refused row").isEqualTo(1);
            assertThat(second.ending()).isEqualTo(new Ending.Completed());
            assertThat(hashes.hashes())
                    .hasSize(ROWS)
                    .containsEntry("c:" + REFUSED, Map.of("id", "" + REFUSED, "name", "Customer " + REFUSED));
        }
    }

    /** In the first load, the server refuses one import, executes some rows, and is full then. */
    private Optional<Answer> answer(ReceivedCommand command) {
        boolean isImport = command.line().startsWith("HIMPORT SET ");
        if (isImport && command.line().startsWith("HIMPORT SET c:" + FULL + " ") && fullSent.getCount() > 0) {
            full = true;
            fullSent.countDown();
        }
        if (full && (isImport || command.name().equals("EVAL"))) {
            return Optional.of(Answer.reply("-OOM command not allowed when used memory > 'maxmemory'.\r\n"));
        }
        return isImport && command.line().startsWith("HIMPORT SET c:" + REFUSED + " ") && fullSent.getCount() > 0
                ? Optional.of(Answer.reply("-WRONGTYPE it is a string\r\n").heldUntil(fullSent))
                : Optional.empty();
    }

    private LoadReport load(FakeRedis server, UnaryOperator<CheckpointOptions> checkpoint) {
        LoadOptions options = LoadOptions.builder()
                .inFlight(64)
                .withoutFusion()
                .patience(Duration.ZERO)
                .checkpoint(checkpoint.apply(CheckpointOptions.of("job").in(folder)))
                .build();
        LoadReport report = new Loader(ClientOptions.of(RedisUri.parse(server.uri())))
                .run(new LoadPlan(TestRows.count(ROWS), TARGET, options), event -> {});
        full = false;
        return report;
    }
}
