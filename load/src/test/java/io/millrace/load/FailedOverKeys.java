// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.RedisClient;
import io.millrace.client.command.Command;
import io.millrace.resp.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Compares the keys {@code k0}, {@code k1}, … with the report of the load that wrote them, after a failover. */
final class FailedOverKeys {

    /** Number of keys that one request reads. */
    private static final int KEYS = 500;

    private FailedOverKeys() {}

    /**
     * Checks that no row is missing that counts as written, and that each row has one outcome.
     *
     * @return number of missing rows
     */
    static long missing(LoadReport report, RedisClient client, long rows) {
        List<Long> missing = new ArrayList<>();
        for (long id = 0; id < rows; id += KEYS) {
            List<CompletableFuture<Reply>> replies = new ArrayList<>();
            for (long i = id; i < Math.min(rows, id + KEYS); i++) {
                replies.add(client.send(Command.of("EXISTS", "k" + i)));
            }
            for (int i = 0; i < replies.size(); i++) {
                if (replies.get(i).join().equals(new Reply.IntegerReply(0))) {
                    missing.add(id + i);
                }
            }
        }
        RowCounts counts = report.rows();
        System.out.println("FailedOverKeys: " + counts + ", missing=" + missing.size());
        assertThat(counts.read()).isEqualTo(rows);
        assertThat(counts.written() + counts.unconfirmed()).isEqualTo(rows);
        assertThat(report.details().takenBackRows()).isEqualTo(counts.unconfirmed());
        assertThat((long) missing.size()).isLessThanOrEqualTo(counts.unconfirmed());
        assertThat(missing).allMatch(id -> isInRange(report, id + 1), "is in a range of unconfirmed rows");
        return missing.size();
    }

    private static boolean isInRange(LoadReport report, long row) {
        return report.details().unconfirmedRows().stream()
                .anyMatch(range -> range.firstRow() <= row && row <= range.lastRow());
    }
}
