// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.lab.TestServer;
import io.millrace.lab.run.LabException;
import io.millrace.lab.run.Outcomes;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import redis.clients.jedis.Jedis;

class PairDataTest {

    private static final int OPERATIONS = 50_000;

    @TempDir
    private Path folder;

    @Test
    void theCallersTogetherDoEveryPairOnceAndShareNoKey() {
        var data = PairData.of(64);
        var pairs = 0;
        var keys = new HashSet<String>();
        var distinctPerCaller = 0;

        for (int caller = 0; caller < 64; caller++) {
            var mine = new HashSet<String>();
            for (var walk = data.walk(caller, OPERATIONS); walk.next(); ) {
                pairs++;
                mine.add(walk.key());
            }
            keys.addAll(mine);
            distinctPerCaller += mine.size();
        }

        assertThat(pairs).isEqualTo(OPERATIONS / 2);
        assertThat(keys).hasSize(distinctPerCaller).hasSize(64 * (10_000 / 64));
    }

    @Test
    void aKeyIsSetToAnotherValueEachTime() {
        var before = new HashMap<String, String>();

        for (var walk = PairData.of(1).walk(0, OPERATIONS); walk.next(); ) {
            assertThat(before.put(walk.key(), walk.value())).isNotEqualTo(walk.value());
            assertThat(walk.key()).hasSize(13);
            assertThat(walk.value()).hasSize(16);
        }
    }

    @Test
    void aCallerGetsWhatItHasJustSetAndNothingElse() {
        var walk = PairData.of(8).walk(3, OPERATIONS);
        walk.next();

        walk.checkSet("OK");
        walk.checkGet(walk.value());

        assertThat(walk.readKey()).isEqualTo(walk.key());
        assertThatThrownBy(() -> walk.checkGet("value:0000000000"))
                .isInstanceOf(LabException.class)
                .hasMessage("a GET was not answered with what was set:"
                        + " key=key:000000003, expected=value:0000000003, reply=value:0000000000");
        assertThatThrownBy(() -> walk.checkGet(null)).isInstanceOf(LabException.class);
        assertThatThrownBy(() -> walk.checkSet(null)).isInstanceOf(LabException.class);
    }

    /** A command is sent when the one a window before it was answered. */
    @Test
    void inAWindowASetAndAGetOfOneKeyNeverTravelTogether() {
        int window = 100;
        var lastSet = new HashMap<String, Long>();
        var lastGet = new HashMap<String, Long>();
        var values = new HashMap<String, @Nullable String>();
        var found = 0;

        long command = 0;
        for (var walk = PairData.inFlight(window).walk(0, 5_000); walk.next(); ) {
            long set = command++;
            assertThat(set - lastGet.getOrDefault(walk.key(), -1_000L)).isGreaterThanOrEqualTo(window);
            lastSet.put(walk.key(), set);
            values.put(walk.key(), walk.value());

            long get = command++;
            assertThat(get - lastSet.getOrDefault(walk.readKey(), -1_000L)).isGreaterThanOrEqualTo(window);
            lastGet.put(walk.readKey(), get);
            walk.checkGet(values.get(walk.readKey()));
            found += values.containsKey(walk.readKey()) ? 1 : 0;
        }

        assertThat(found).isEqualTo(2_500 - window / 2);
    }

    @Test
    void completePairsPassTheCheck() {
        try (var server = TestServer.start(folder)) {
            var data = PairData.of(3);
            server.reset();
            run(server.control(), data, 100);

            assertThat(data.complaints(server, 100)).isEmpty();
            assertThat(data.outcomes(server, 100)).isEqualTo(Outcomes.answered(100, 0));
        }
    }

    @Test
    void commandsThatTheServerNeverSawAreLost() {
        try (var server = TestServer.start(folder)) {
            var data = PairData.of(3);
            server.reset();
            run(server.control(), data, 98);

            assertThat(data.outcomes(server, 100)).isEqualTo(new Outcomes(98, 0, 0, 0, 2));
        }
    }

    @Test
    void aMissingPairAndAWrongValueAreFound() {
        try (var server = TestServer.start(folder)) {
            var data = PairData.of(1);
            server.reset();
            run(server.control(), data, 8);
            server.control().set("key:000000001", "other");

            assertThat(data.complaints(server, 10))
                    .containsExactly(
                            "calls of get: expected=5, executed=4, failed=0, rejected=0",
                            "keys: expected=5, found=4",
                            "key:000000001: expected=value:0000000001, found=other",
                            "key:000000004: expected=value:0000000004, found=null");
        }
    }

    private static void run(Jedis redis, PairData data, long operations) {
        Map<Integer, PairData.Walk> walks = new HashMap<>();
        for (int caller = 0; caller < data.callers(); caller++) {
            walks.put(caller, data.walk(caller, operations));
        }
        walks.values().forEach(walk -> {
            while (walk.next()) {
                walk.checkSet(redis.set(walk.key(), walk.value()));
                walk.checkGet(redis.get(walk.readKey()));
            }
        });
    }
}
