// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.command.Replies;
import io.millrace.load.target.StringTarget;
import io.millrace.testkit.NoThreadLeft;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The first run of a job that removes old keys. It knows no keys of earlier loads. */
@ExtendWith(NoThreadLeft.class)
class FirstPruneTest {

    private static final StringTarget TARGET = StringTarget.of("k:{id}", "name");

    @RegisterExtension
    static final RedisServerExtension REDIS = new RedisServerExtension();

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void firstRunSaysThatKeysOfEarlierLoadsStay(boolean swap) {
        LoadOptions pruning =
                LoadOptions.builder().reload(new Reload("shop", swap, true)).build();
        run(LoadOptions.defaults(), 100);

        List<String> first = run(pruning, 60);
        long keysAfterFirst = keys();
        List<String> second = run(pruning, 50);

        assertThat(first)
                .containsExactly(
                        "this is the first run of the job, so the keys of earlier loads are not known and stay:"
                                + " job=shop. The next run removes the keys that this run wrote and that the source no longer"
                                + " has.");
        assertThat(keysAfterFirst).isEqualTo(100);
        assertThat(second).isEmpty();
        assertThat(keys()).isEqualTo(90);
    }

    @Test
    void runAfterASwapWithoutPruneIsNotTheFirst() {
        run(LoadOptions.builder().reload(new Reload("shop", true, false)).build(), 100);

        List<String> pruning = run(
                LoadOptions.builder().reload(new Reload("shop", false, true)).build(), 50);

        assertThat(pruning).isEmpty();
        assertThat(keys()).isEqualTo(50);
    }

    /** Returns the warnings of the load. */
    private static List<String> run(LoadOptions options, long rows) {
        LoadReport report =
                new Loader(REDIS.options()).run(new LoadPlan(TestRows.count(rows), TARGET, options), event -> {});
        assertThat(report.rows().written()).isEqualTo(rows);
        return report.details().warnings();
    }

    private static long keys() {
        return Replies.integer(REDIS.call("EVAL", "return #redis.call('KEYS','k:*')", "0"));
    }
}
