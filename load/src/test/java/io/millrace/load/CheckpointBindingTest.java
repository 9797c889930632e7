// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.load.target.HashTarget;
import io.millrace.load.target.ListTarget;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class CheckpointBindingTest {

    @Test
    void equalPlansHaveNoDifference() {
        assertThat(binding(HashTarget.of("a:{id}")).difference(binding(HashTarget.of("a:{id}"))))
                .isEmpty();
    }

    @Test
    void componentThatDiffersIsNamedWithoutTheOtherComponents() {
        assertDifference(HashTarget.of("a:{id}"), HashTarget.of("b:{id}"), "key=a:{id}, now key=b:{id}");
        assertDifference(
                ListTarget.of("a"),
                ListTarget.of("a").withTtl(Duration.ofHours(2)),
                "ttl=Optional.empty, now ttl=Optional[PT2H]");
        assertDifference(
                "Options[names=[id, name], limit=3]",
                "Options[names=[id, name, city], limit=3]",
                "names=[id, name], now names=[id, name, city]");
    }

    @Test
    void textsThatAreNoRecordsAreShownFromTheirBegin() {
        assertDifference("id,name", "id,name,city", "id,name, now id,name,city");
        assertDifference(
                "select a, b=1 from t", "select a, b=2 from t", "select a, b=1 from t, now select a, b=2 from t");
    }

    @Test
    void longTextsAreShownAroundTheirDifference() {
        String begin = "x".repeat(1_000);

        String difference =
                binding(begin + "one").difference(binding(begin + "two")).orElseThrow();

        assertThat(difference).contains("xone, now ", "xtwo").hasSizeLessThan(300);
    }

    private static void assertDifference(Object before, Object after, String difference) {
        assertThat(binding(before).difference(binding(after))).contains("target: at the checkpoint " + difference);
    }

    private static CheckpointBinding binding(Object target) {
        return new CheckpointBinding(new TreeMap<>(Map.of("target", target.toString())));
    }
}
