// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.KeySlot;
import io.millrace.client.RedisUri;
import io.millrace.resp.Reply;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClusterScanTest {

    private static final RedisUri.Tcp A = new RedisUri.Tcp("10.0.0.1", 7_001);
    private static final RedisUri.Tcp B = new RedisUri.Tcp("10.0.0.1", 7_000);
    private static final RedisUri.Tcp C = new RedisUri.Tcp("10.0.0.1", 7_002);
    private static final RedisUri.Tcp PROMOTED = new RedisUri.Tcp("10.0.0.1", 6_999);

    /** The n-th third of the slots belongs to the n-th owner. */
    private static SlotMap map(RedisUri.Tcp... owners) {
        Map<Integer, RedisUri.Tcp> slots = new HashMap<>();
        for (int slot = 0; slot < KeySlot.COUNT; slot++) {
            slots.put(slot, owners[Math.min(2, slot / 5_461)]);
        }
        return SlotMap.empty().with(slots);
    }

    /** The cursor of the caller after a page in which the primary has answered with {@code end}. */
    private static String after(ClusterScan scan, String end) {
        Reply page = scan.page(new Reply.ArrayReply(List.of(
                new Reply.BulkString(end.getBytes(java.nio.charset.StandardCharsets.UTF_8)),
                new Reply.ArrayReply(List.of()))));
        return ((Reply.BulkString) ((Reply.ArrayReply) page).items().getFirst()).text();
    }

    @Test
    void primariesAreVisitedInTheOrderOfTheirSlots() {
        SlotMap map = map(A, B, C);
        ClusterScan first = ClusterScan.of("0", map);
        assertThat(first.node()).isEqualTo(A);

        ClusterScan again = ClusterScan.of(after(first, "17"), map);
        ClusterScan second = ClusterScan.of(after(again, "0"), map);
        ClusterScan third = ClusterScan.of(after(second, "0"), map);

        assertThat(again.node()).isEqualTo(A);
        assertThat(again.cursor()).isEqualTo("17");
        assertThat(second.node()).isEqualTo(B);
        assertThat(second.cursor()).isEqualTo("0");
        assertThat(third.node()).isEqualTo(C);
        assertThat(after(third, "0")).isEqualTo("0");
    }

    @Test
    void scanBeginsAgainAtAPromotedNode() {
        String cursor = after(ClusterScan.of(after(ClusterScan.of("0", map(A, B, C)), "0"), map(A, B, C)), "99");

        ClusterScan continued = ClusterScan.of(cursor, map(A, PROMOTED, C));

        assertThat(continued.node()).isEqualTo(PROMOTED);
        assertThat(continued.cursor()).isEqualTo("0");
        assertThat(ClusterScan.of(after(continued, "0"), map(A, PROMOTED, C)).node())
                .isEqualTo(C);
    }

    @Test
    void laterPrimaryThatWasReplacedIsVisited() {
        String cursor = after(ClusterScan.of(after(ClusterScan.of("0", map(A, B, C)), "0"), map(A, B, C)), "0");

        assertThat(ClusterScan.of(cursor, map(A, B, PROMOTED)).node()).isEqualTo(PROMOTED);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "17", "17@", "17@x@10.0.0.1:7000", "17@16384@10.0.0.1:7000", "17@10.0.0.1:7000"})
    void otherTextIsNoCursor(String text) {
        assertThatThrownBy(() -> ClusterScan.of(text, map(A, B, C)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("cursor=" + text);
    }
}
