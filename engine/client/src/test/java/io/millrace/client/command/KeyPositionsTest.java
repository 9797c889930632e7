// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.resp.Reply;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class KeyPositionsTest {

    @Test
    void noArgumentIsAKey() {
        assertThat(KeyPositions.none().first()).isEqualTo(-1);
        assertThat(found(KeyPositions.none(), "a b")).isEmpty();
    }

    @Test
    void singlePosition() {
        KeyPositions positions = KeyPositions.at(1);

        assertThat(positions.first()).isEqualTo(1);
        assertThat(found(positions, "a b c")).containsExactly(1);
        assertThat(found(positions, "a")).isEmpty();
    }

    @Test
    void rangeEndsBeforeTheRest() {
        assertThat(found(KeyPositions.range(0, 1, 0), "a b c")).containsExactly(0, 1, 2);
        assertThat(found(KeyPositions.range(1, 1, 2), "a b c d")).containsExactly(1);
        assertThat(found(KeyPositions.range(1, 1, 3), "a b c d")).isEmpty();
        assertThat(found(KeyPositions.range(0, 2, 0), "a 1 b 2 c")).containsExactly(0, 2, 4);
        assertThat(found(KeyPositions.range(1, 3, 1), "x a 1 2 b 3")).containsExactly(1, 4);
        assertThat(found(KeyPositions.range(0, 1, 0), "")).isEmpty();
    }

    @Test
    void countedKeysFollowTheirNumber() {
        KeyPositions positions = KeyPositions.counted(1);

        assertThat(positions.first()).isEqualTo(2);
        assertThat(found(positions, "x 2 a b c")).containsExactly(2, 3);
        assertThat(found(positions, "x 3 a b c")).containsExactly(2, 3, 4);
        assertThat(found(positions, "x 0 a b c")).isEmpty();
    }

    @Test
    void numberOfKeysThatTheServerRefusesMeansNoKeys() {
        for (String number : List.of("4", "-1", "x", "2x", "+2", "99999999999", "0000000000002")) {
            assertThat(found(KeyPositions.counted(1), "x " + number + " a b c"))
                    .as(number)
                    .isEmpty();
        }
        assertThat(found(KeyPositions.counted(1), "x")).isEmpty();
        assertThat(found(KeyPositions.counted(1), "")).isEmpty();
        assertThat(found(positionsOf("ZUNIONSTORE"), "destination 3 a b")).isEmpty();
        assertThat(found(positionsOf("MSETEX"), "2 a 1 b 2 EX 5")).containsExactly(1, 3);
    }

    @Test
    void halfOfTheArgumentsAfterTheWordStreamsAreKeys() {
        KeyPositions positions = positionsOf("XREADGROUP");

        assertThat(positions.first()).isEqualTo(4);
        assertThat(found(positions, "GROUP g c STREAMS a b > >")).containsExactly(4, 5);
        assertThat(found(positions, "COUNT 1 GROUP STREAMS STREAMS NOACK streams a >"))
                .containsExactly(7);
        assertThat(found(positions, "GROUP g c STREAMS")).isEmpty();
        assertThat(found(positions, "GROUP g c STREAMS a")).isEmpty();
        assertThat(found(positions, "GROUP")).isEmpty();
    }

    @Test
    void lastStoreOptionIsTheDestination() {
        assertThat(found(positionsOf("SORT"), "a STORE b STORE c")).containsExactly(0, 4);
        assertThat(found(positionsOf("SORT"), "a STORE")).containsExactly(0);
        assertThat(found(positionsOf("SORT"), "")).isEmpty();
        assertThat(found(positionsOf("GEORADIUS"), "a 1 2 3 m STORE b STOREDIST c"))
                .containsExactly(0, 8);
    }

    @Test
    void migratedKeysAreInOneOfTwoPlaces() {
        KeyPositions positions = positionsOf("MIGRATE");

        assertThat(found(positions, "h 1 a 0 5")).containsExactly(2);
        assertThat(found(positions, "h 1")).isEmpty();
        assertThat(found(positions, "h 1 a 0 5 KEYS b")).isEmpty();
        assertThat(positions.next(new byte[][] {{1}, {2}, {}, {3}, {4}, bytes("keys"), {5}}, -1))
                .isEqualTo(6);
    }

    @Test
    void wordsOfTheNameAreNeverKeys() {
        assertThat(found(positionsOf("OBJECT"), "ENCODING a")).containsExactly(1);
        assertThat(found(positionsOf("OBJECT NEW-IN-2027"), "a b")).containsExactly(0);
        assertThat(found(positionsOf("object new-in-2027"), "a b")).containsExactly(0);
        assertThat(found(positionsOf("BITOP AND"), "a b")).containsExactly(0, 1);
        assertThat(found(positionsOf("XREAD COUNT 1"), "STREAMS a 0")).containsExactly(1);
        assertThat(found(positionsOf("CONFIG NEW-IN-2027"), "a b")).isEmpty();
        for (String name :
                List.of("MGET a", "RENAME a", "EVAL body", "ZUNIONSTORE a", "SORT a", "MIGRATE h", "SPUBLISH c")) {
            assertThat(found(positionsOf(name), "1 b c d e f")).as(name).isEmpty();
        }
    }

    @Test
    void firstArgumentIsTheKeyOfAnUnknownCommand() {
        assertThat(found(positionsOf("NEW-IN-2027"), "a b c")).containsExactly(0);
        assertThat(found(positionsOf("NEW IN 2027"), "a b c")).containsExactly(0);
    }

    @Test
    void callerCanSetOtherPositions() {
        CommandSpec<Reply> spec = CommandSpec.of("MODULE.MSET", Replies::raw);

        assertThat(Command.of(spec.withKeys(KeyPositions.range(0, 2, 0)), "a", 1, "b", 2)
                        .keyIndexes())
                .containsExactly(0, 2);
        assertThat(Command.of(spec.keyAt(2), "a", 1, "b", 2).keyIndexes()).containsExactly(2);
        assertThat(Command.of(spec.withoutKey(), "a", 1).keyIndexes()).isEmpty();
        assertThat(spec.keyAt(2).idempotently().as(Replies::text).keyIndex()).isEqualTo(2);
    }

    @Test
    void positionsOutOfRangeAreRefused() {
        assertThatThrownBy(() -> KeyPositions.at(-1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("position=-1 is out of range: 0 to 1,048,575.");
        assertThatThrownBy(() -> KeyPositions.range(0, 0, 0)).hasMessageStartingWith("step=0 is out of range");
        assertThatThrownBy(() -> KeyPositions.range(-1, 1, 0)).hasMessageStartingWith("first=-1 is out of range");
        assertThatThrownBy(() -> KeyPositions.range(0, 1, -1)).hasMessageStartingWith("rest=-1 is out of range");
        assertThatThrownBy(() -> KeyPositions.counted(1 << 20)).hasMessageStartingWith("countPosition=");
    }

    private static KeyPositions positionsOf(String name) {
        return CommandSpec.of(name, Replies::raw).keys();
    }

    private static List<Integer> found(KeyPositions positions, String words) {
        byte[][] arguments = Arrays.stream(words.split(" "))
                .filter(word -> !word.isEmpty())
                .map(KeyPositionsTest::bytes)
                .toArray(byte[][]::new);
        List<Integer> found = new ArrayList<>();
        for (int i = positions.next(arguments, -1); i >= 0; i = positions.next(arguments, i)) {
            found.add(i);
        }
        return found;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }
}
