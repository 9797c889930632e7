// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.AddressMap;
import io.millrace.client.KeySlot;
import io.millrace.client.RedisUri;
import io.millrace.client.internal.connect.AnnouncedAddresses;
import io.millrace.resp.Reply;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SlotMapTest {

    private static final RedisUri.Tcp ASKED = new RedisUri.Tcp("10.0.0.7", 7_000);

    private static final AnnouncedAddresses UNCHANGED = new AnnouncedAddresses(AddressMap.NONE);

    private static Reply text(String text) {
        return new Reply.BulkString(text.getBytes(StandardCharsets.UTF_8));
    }

    private static Reply number(long value) {
        return new Reply.IntegerReply(value);
    }

    private static Reply array(Reply... items) {
        return new Reply.ArrayReply(List.of(items));
    }

    private static Reply node(Reply host, long port) {
        return array(host, number(port), text("0123456789abcdef"), array());
    }

    private static Reply range(long first, long last, Reply primary) {
        return array(number(first), number(last), primary, node(text("replica"), 1));
    }

    private static SlotMap read(Reply... ranges) {
        return SlotMap.of(array(ranges), ASKED, UNCHANGED);
    }

    @Test
    void rangesGiveTheirSlotsToTheirPrimaries() {
        SlotMap map = read(
                range(0, 99, node(text("10.0.0.1"), 7_001)),
                range(100, 100, node(text("node-2.example.com"), 7_002)),
                range(16_383, 16_383, node(text("10.0.0.1"), 7_001)));

        assertThat(map.ownerOf(0)).isEqualTo(new RedisUri.Tcp("10.0.0.1", 7_001));
        assertThat(map.ownerOf(99)).isEqualTo(new RedisUri.Tcp("10.0.0.1", 7_001));
        assertThat(map.ownerOf(100)).isEqualTo(new RedisUri.Tcp("node-2.example.com", 7_002));
        assertThat(map.ownerOf(101)).isNull();
        assertThat(map.ownerOf(16_383)).isEqualTo(new RedisUri.Tcp("10.0.0.1", 7_001));
        assertThat(map.primaries())
                .containsExactly(new RedisUri.Tcp("10.0.0.1", 7_001), new RedisUri.Tcp("node-2.example.com", 7_002));
        assertThat(map.unowned()).isEqualTo(KeySlot.COUNT - 102);
    }

    @Test
    void nodeWithoutHostIsOnTheHostThatWasAsked() {
        SlotMap map = read(
                range(0, 0, node(Reply.Null.NULL, 7_001)),
                range(1, 1, node(text(""), 7_002)),
                range(2, 2, node(text(" "), 7_003)));

        assertThat(map.ownerOf(0)).isEqualTo(new RedisUri.Tcp("10.0.0.7", 7_001));
        assertThat(map.ownerOf(1)).isEqualTo(new RedisUri.Tcp("10.0.0.7", 7_002));
        assertThat(map.ownerOf(2)).isEqualTo(new RedisUri.Tcp("10.0.0.7", 7_003));
    }

    @Test
    void nodeWithUnknownHostIsSkipped() {
        SlotMap map = read(range(0, 9, node(text("?"), 7_001)), range(10, 19, node(text("10.0.0.1"), 7_001)));

        assertThat(map.ownerOf(0)).isNull();
        assertThat(map.ownerOf(10)).isEqualTo(new RedisUri.Tcp("10.0.0.1", 7_001));
        assertThat(map.primaries()).hasSize(1);
    }

    @Test
    void hostMayBeAnAddressOfVersion6() {
        SlotMap map = read(range(0, 9, node(text("2001:db8::7"), 7_001)));

        assertThat(map.ownerOf(0)).isEqualTo(new RedisUri.Tcp("2001:db8::7", 7_001));
    }

    @ParameterizedTest
    @ValueSource(longs = {Long.MIN_VALUE, -1, 0, 65_536, 1L << 32 | 7_001, Long.MAX_VALUE})
    void nodeWithAPortOutOfRangeIsSkipped(long port) {
        SlotMap map = read(range(0, 9, node(text("10.0.0.1"), port)));

        assertThat(map).isEqualTo(SlotMap.empty());
    }

    @Test
    void rangeThatCannotBeReadIsIgnored() {
        Reply node = node(text("10.0.0.1"), 7_001);

        SlotMap map = read(
                range(-1, 5, node),
                range(5, 3, node),
                range(0, KeySlot.COUNT, node),
                range(Long.MIN_VALUE, Long.MAX_VALUE, node),
                array(),
                array(number(1)),
                array(number(1), number(2)),
                array(text("1"), text("2"), node),
                array(number(1), number(2), array()),
                array(number(1), number(2), array(text("10.0.0.1"))),
                array(number(1), number(2), array(text("10.0.0.1"), text("7001"))),
                array(number(1), number(2), text("10.0.0.1:7001")),
                Reply.Null.NULL,
                number(7));

        assertThat(map).isEqualTo(SlotMap.empty());
    }

    @Test
    void replyThatIsNoArrayHasNoSlots() {
        for (Reply reply : List.of(Reply.Null.NULL, number(1), text("OK"), new Reply.ErrorReply("ERR no"), array())) {
            assertThat(SlotMap.of(reply, ASKED, UNCHANGED)).isEqualTo(SlotMap.empty());
        }
    }

    @Test
    void slotOfSeveralRangesBelongsToTheLastOfThem() {
        SlotMap map = read(range(0, 20, node(text("10.0.0.1"), 7_001)), range(10, 30, node(text("10.0.0.2"), 7_002)));

        assertThat(map.ownerOf(9)).isEqualTo(new RedisUri.Tcp("10.0.0.1", 7_001));
        assertThat(map.ownerOf(10)).isEqualTo(new RedisUri.Tcp("10.0.0.2", 7_002));
        assertThat(map.ownerOf(30)).isEqualTo(new RedisUri.Tcp("10.0.0.2", 7_002));
    }

    @Test
    void namedAddressesAreReplaced() {
        AddressMap map = AddressMap.of(List.of("10.0.0.7:7001=localhost:7002"));
        Reply reply = array(range(0, 9, node(Reply.Null.NULL, 7_001)));

        SlotMap slots = SlotMap.of(reply, ASKED, new AnnouncedAddresses(map));

        assertThat(slots.ownerOf(9)).isEqualTo(new RedisUri.Tcp("localhost", 7_002));
    }

    @Test
    void copyGivesOneSlotToAnotherNode() {
        SlotMap map = read(range(0, 9, node(text("10.0.0.1"), 7_001)));
        RedisUri.Tcp other = new RedisUri.Tcp("10.0.0.2", 7_002);

        SlotMap changed = map.with(Map.of(5, other));

        assertThat(changed.ownerOf(5)).isEqualTo(other);
        assertThat(changed.ownerOf(4)).isEqualTo(map.ownerOf(4));
        assertThat(changed.primaries()).hasSize(2);
        assertThat(map.ownerOf(5)).isEqualTo(new RedisUri.Tcp("10.0.0.1", 7_001));
        assertThat(changed.with(Map.of(5, new RedisUri.Tcp("10.0.0.1", 7_001))).ownerOf(5))
                .isEqualTo(map.ownerOf(5));
    }

    @Test
    void anyReplyGivesAMapOfUsableAddresses() {
        Random random = new Random(16_384);
        for (int i = 0; i < 20_000; i++) {
            SlotMap map = SlotMap.of(reply(random, 4), ASKED, UNCHANGED);

            assertThat(map.primaries()).allSatisfy(primary -> {
                assertThat(primary.host()).isNotBlank();
                assertThat(primary.port()).isBetween(1, 65_535);
            });
        }
    }

    private static Reply reply(Random random, int depth) {
        return switch (random.nextInt(depth > 0 ? 8 : 4)) {
            case 0 -> text(List.of("", "?", "10.0.0.1", "\u2003", "::1").get(random.nextInt(5)));
            case 1 ->
                number(List.of(-1L, 0L, 1L, 16_383L, 16_384L, 65_535L, Long.MAX_VALUE)
                        .get(random.nextInt(7)));
            case 2 -> Reply.Null.NULL;
            case 3 -> number(random.nextInt(20_000));
            default ->
                new Reply.ArrayReply(random.ints(random.nextInt(5), 0, 2)
                        .mapToObj(unused -> reply(random, depth - 1))
                        .toList());
        };
    }
}
