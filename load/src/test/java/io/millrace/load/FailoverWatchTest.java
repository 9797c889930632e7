// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.Outcome;
import io.millrace.resp.Reply;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class FailoverWatchTest {

    private static final String NONE = "0".repeat(40);
    private static final Optional<String> PROCESS = Optional.of("process");
    private static final Optional<String> OTHER_PROCESS = Optional.of("other");

    private final List<RowRange> takenBack = new ArrayList<>();
    private boolean earlierLoadsInDoubt;

    private void add(MarkedRows rows) {
        earlierLoadsInDoubt |= rows.includesEarlierLoads();
        if (rows.count() > 0) {
            takenBack.add(rows.range());
        }
    }

    private FailoverWatch watch(WatchedServers servers) {
        return new FailoverWatch(servers, PROCESS, this::add);
    }

    private static Outcome mark(String role, String id, long offset, String earlierId, long earlierEnd) {
        String text = "# Replication\r\nrole:" + role + "\r\nmaster_replid:" + id + "\r\nmaster_replid2:" + earlierId
                + "\r\nmaster_repl_offset:" + offset + "\r\nsecond_repl_offset:" + earlierEnd + "\r\n";
        return new Outcome.Ok(new Reply.BulkString(text.getBytes(StandardCharsets.US_ASCII)));
    }

    private static Outcome mark(String id, long offset) {
        return mark("master", id, offset, NONE, -1);
    }

    private static Outcome refusal() {
        return new Outcome.Failed(new Reply.ErrorReply("NOPERM User app has no permissions to run the 'info' command"));
    }

    private static void acknowledge(ServerRows rows, long from, long to) {
        for (long row = from; row <= to; row++) {
            rows.acknowledged(row, 0, "");
        }
    }

    private static RowRange rows(long from, long to) {
        return new RowRange(from, to, 0, 0, to - from + 1, "");
    }

    /** A connection whose rows 1 to 10, 11 to 20 and 21 to 30 end at the offsets 100, 200 and 300; then rows 31 to 35. */
    private static ServerRows threeMarks(FailoverWatch watch) {
        ServerRows rows = watch.opened("a:1");
        watch.marked(rows, mark("first", 0));
        for (long i = 0; i < 3; i++) {
            acknowledge(rows, 10 * i + 1, 10 * i + 10);
            watch.marked(rows, mark("first", 100L * (i + 1)));
        }
        acknowledge(rows, 31, 35);
        return rows;
    }

    @ParameterizedTest
    @EnumSource(WatchedServers.class)
    void rowsBehindTheLastMarkOfThePromotedReplicaAreTakenBack(WatchedServers servers) {
        FailoverWatch watch = watch(servers);
        ServerRows earlier = threeMarks(watch);

        watch.closed(earlier, true);
        ServerRows promoted = watch.opened("b:1");
        watch.marked(promoted, mark("master", "second", 260, "first", 201));
        boolean settled = watch.reconnected(OTHER_PROCESS, false);

        assertThat(settled).isTrue();
        assertThat(takenBack).containsExactly(rows(21, 30), rows(31, 35));
        assertThat(earlierLoadsInDoubt).isFalse();
    }

    @Test
    void promotedReplicaWithoutTheOffsetOfTheMarkTakesItsRowsBack() {
        FailoverWatch watch = watch(WatchedServers.SENTINELS);
        ServerRows earlier = threeMarks(watch);

        watch.closed(earlier, true);
        watch.marked(watch.opened("b:1"), mark("master", "second", 260, "first", 200));

        assertThat(takenBack).first().isEqualTo(rows(11, 20));
    }

    @Test
    void secondFailoverTakesBackRowsOfTheFirstPrimary() {
        FailoverWatch watch = watch(WatchedServers.SENTINELS);
        watch.closed(threeMarks(watch), true);
        ServerRows promoted = watch.opened("b:1");
        watch.marked(promoted, mark("master", "second", 260, "first", 201));
        acknowledge(promoted, 36, 40);
        watch.marked(promoted, mark("master", "second", 350, "first", 201));
        takenBack.clear();

        watch.closed(promoted, true);
        watch.marked(watch.opened("c:1"), mark("master", "third", 150, "second", 151));

        assertThat(takenBack).containsExactly(rows(11, 20), rows(36, 40));
    }

    @Test
    void plannedFailoverOfAClusterTakesNothingBack() {
        FailoverWatch watch = watch(WatchedServers.CLUSTER);
        ServerRows demoted = threeMarks(watch);

        // The promoted replica has all 330 bytes. The demoted primary answers its last mark later.
        ServerRows promoted = watch.opened("b:1");
        watch.marked(promoted, mark("master", "second", 330, "first", 331));
        acknowledge(promoted, 36, 40);
        watch.marked(demoted, mark("slave", "second", 340, "first", 331));
        watch.closed(demoted, false);
        watch.closed(promoted, false);

        assertThat(takenBack).isEmpty();
    }

    @Test
    void demotedPrimaryThatHadMoreThanThePromotedReplicaLosesItsLastRows() {
        FailoverWatch watch = watch(WatchedServers.CLUSTER);
        ServerRows demoted = threeMarks(watch);

        watch.marked(watch.opened("b:1"), mark("master", "second", 260, "first", 301));
        // A full synchronization has replaced the data of the demoted primary.
        watch.marked(demoted, mark("slave", "second", 340, NONE, -1));

        assertThat(takenBack).containsExactly(rows(31, 35));
    }

    @Test
    void firstReplicaOfARunningServerTakesNothingBack() {
        FailoverWatch watch = watch(WatchedServers.ONE);
        ServerRows rows = threeMarks(watch);

        watch.marked(rows, mark("second", 14));
        acknowledge(rows, 36, 40);
        watch.marked(rows, mark("second", 50));
        watch.closed(rows, true);
        watch.marked(watch.opened("a:1"), mark("master", "third", 14, "second", 15));

        // The rows from before the replica are in it.
        assertThat(takenBack).containsExactly(rows(36, 40));
    }

    @Test
    void lostConnectionToTheSameProcessTakesNothingBack() {
        FailoverWatch watch = watch(WatchedServers.ONE);
        ServerRows rows = threeMarks(watch);

        watch.closed(rows, true);
        watch.marked(watch.opened("a:1"), mark("first", 350));
        boolean settled = watch.reconnected(PROCESS, false);

        assertThat(settled).isTrue();
        assertThat(takenBack).isEmpty();
    }

    @Test
    void restartOfAServerThatSavesEachWriteTakesNothingBack() {
        FailoverWatch watch = watch(WatchedServers.ONE_THAT_SAVES);
        ServerRows rows = threeMarks(watch);

        watch.closed(rows, true);
        watch.marked(watch.opened("a:1"), mark("second", 0));
        boolean settled = watch.reconnected(OTHER_PROCESS, false);

        assertThat(settled).isTrue();
        assertThat(takenBack).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(
            value = WatchedServers.class,
            names = {"ONE", "SENTINELS"})
    void anotherProcessWithoutTheEarlierHistoryTakesAllRowsBack(WatchedServers servers) {
        FailoverWatch watch = watch(servers);
        ServerRows rows = threeMarks(watch);

        watch.closed(rows, true);
        watch.marked(watch.opened("a:1"), mark("second", 0));
        boolean settled = watch.reconnected(OTHER_PROCESS, false);

        assertThat(settled).isTrue();
        assertThat(takenBack).containsExactly(rows(1, 10), rows(11, 20), rows(21, 30), rows(31, 35));
        assertThat(earlierLoadsInDoubt).isTrue();
    }

    @Test
    void nodeOfAClusterIsSettledAtTheEnd() {
        FailoverWatch watch = watch(WatchedServers.CLUSTER);
        ServerRows lost = threeMarks(watch);
        ServerRows other = watch.opened("b:1");
        watch.marked(other, mark("other", 0));
        acknowledge(other, 36, 40);

        watch.closed(lost, true);
        watch.closed(other, false);
        watch.settle(List.of(state("other", "", 0), state("third", "first", 101)), Optional.empty());

        assertThat(takenBack).containsExactly(rows(11, 20), rows(21, 30), rows(31, 35));
    }

    @Test
    void nodeThatHasLostItsHistoryTakesItsRowsBackAtTheEnd() {
        FailoverWatch watch = watch(WatchedServers.CLUSTER);
        ServerRows lost = threeMarks(watch);

        watch.closed(lost, true);
        watch.reconnected(Optional.empty(), false);
        List<RowRange> before = List.copyOf(takenBack);
        watch.settle(List.of(state("other", "", 0)), Optional.empty());

        assertThat(before).isEmpty();
        assertThat(takenBack).hasSize(4);
    }

    private static ReplicationState state(String id, String earlierId, long earlierEnd) {
        return new ReplicationState(
                true, id, 500, Optional.of(earlierId).filter(earlier -> !earlier.isEmpty()), earlierEnd);
    }

    @ParameterizedTest
    @EnumSource(value = WatchedServers.class, names = "CLUSTER", mode = EnumSource.Mode.EXCLUDE)
    void serverThatRefusesMarksTakesAllRowsBackAfterALoss(WatchedServers servers) {
        FailoverWatch watch = new FailoverWatch(servers, Optional.empty(), this::add);
        ServerRows rows = watch.opened("a:1");
        watch.marked(rows, refusal());
        acknowledge(rows, 1, 5);

        watch.closed(rows, true);
        watch.marked(watch.opened("a:1"), refusal());
        boolean settled = watch.reconnected(Optional.empty(), false);

        assertThat(settled).isTrue();
        assertThat(takenBack).hasSize(servers == WatchedServers.ONE_THAT_SAVES ? 0 : 1);
    }

    @Test
    void serverThatRefusesMarksKeepsItsRowsIfTheConnectionWasNotLost() {
        FailoverWatch watch = new FailoverWatch(WatchedServers.ONE, Optional.empty(), this::add);
        ServerRows rows = watch.opened("a:1");
        watch.marked(rows, refusal());
        acknowledge(rows, 1, 5);

        watch.closed(rows, false);
        watch.marked(watch.opened("a:1"), refusal());
        boolean settled = watch.reconnected(Optional.empty(), true);

        assertThat(settled).isTrue();
        assertThat(takenBack).isEmpty();
    }

    @Test
    void nodeThatRefusesMarksTakesItsRowsBackAfterALoss() {
        FailoverWatch watch = watch(WatchedServers.CLUSTER);
        ServerRows lost = watch.opened("a:1");
        watch.marked(lost, refusal());
        acknowledge(lost, 1, 5);
        ServerRows other = watch.opened("b:1");
        watch.marked(other, refusal());
        acknowledge(other, 6, 9);

        watch.closed(lost, true);
        watch.closed(other, false);
        watch.reconnected(Optional.empty(), false);

        assertThat(takenBack).containsExactly(rows(1, 5));
    }

    @Test
    void silentServerSettlesNothing() {
        FailoverWatch watch = watch(WatchedServers.ONE);
        ServerRows rows = threeMarks(watch);

        watch.closed(rows, true);
        watch.marked(watch.opened("a:1"), new Outcome.Lost(true, "reset"));
        boolean settled = watch.reconnected(Optional.empty(), false);

        assertThat(settled).isFalse();
        assertThat(takenBack).isEmpty();
    }

    @Test
    void replicaSettlesNothing() {
        FailoverWatch watch = watch(WatchedServers.ONE);
        ServerRows rows = threeMarks(watch);

        watch.closed(rows, false);
        watch.marked(watch.opened("a:1"), mark("slave", "other", 900, NONE, -1));
        boolean settled = watch.reconnected(PROCESS, false);

        assertThat(settled).isFalse();
        assertThat(takenBack).isEmpty();
    }

    @Test
    void numberOfMarksIsLimitedAndThinningOnlyEnlargesTheDoubt() {
        FailoverWatch watch = watch(WatchedServers.SENTINELS);
        ServerRows rows = watch.opened("a:1");
        int marks = 40 * ReplicationHistory.MAX_MARKS;
        for (int i = 1; i <= marks; i++) {
            acknowledge(rows, i, i);
            watch.marked(rows, mark("first", i));
        }
        watch.closed(rows, true);
        // The replica has the rows up to the middle.
        watch.marked(watch.opened("b:1"), mark("master", "second", marks / 2, "first", marks / 2 + 1));

        assertThat(takenBack).hasSizeLessThanOrEqualTo(ReplicationHistory.MAX_MARKS + 1);
        assertThat(takenBack.getLast().lastRow()).isEqualTo(marks);
        assertThat(takenBack.getFirst().firstRow()).isBetween(marks / 2L - marks / 32, marks / 2L + 1);
        assertThat(takenBack.stream().mapToLong(RowRange::unconfirmed).sum())
                .isEqualTo(marks - takenBack.getFirst().firstRow() + 1);
    }
}
