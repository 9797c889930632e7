// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.command.BitOperation;
import io.millrace.client.command.Bitmaps;
import io.millrace.client.command.Geo;
import io.millrace.client.command.GeoPosition;
import io.millrace.client.command.GeoSearch;
import io.millrace.client.command.Hashes;
import io.millrace.client.command.HyperLogLogs;
import io.millrace.client.command.Keys;
import io.millrace.client.command.ListEnd;
import io.millrace.client.command.Lists;
import io.millrace.client.command.PopResult;
import io.millrace.client.command.PubSub;
import io.millrace.client.command.Replies;
import io.millrace.client.command.ScanOptions;
import io.millrace.client.command.ScanPage;
import io.millrace.client.command.ScoredMember;
import io.millrace.client.command.Script;
import io.millrace.client.command.Scripts;
import io.millrace.client.command.Server;
import io.millrace.client.command.SetOptions;
import io.millrace.client.command.Sets;
import io.millrace.client.command.SortedRange;
import io.millrace.client.command.SortedSets;
import io.millrace.client.command.StreamEntry;
import io.millrace.client.command.StreamRead;
import io.millrace.client.command.Streams;
import io.millrace.client.command.Strings;
import io.millrace.client.command.TimeToLive;
import io.millrace.client.command.Transactions;
import io.millrace.client.command.TrimOptions;
import java.time.Duration;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** Keys, fields, members and values of arbitrary bytes are returned unchanged, for every data type. */
@ParameterizedClass(name = "RESP{0}")
@ValueSource(ints = {2, 3})
class BinaryTest {

    private static final byte[] KEY = {'k', '\r', '\n', 0, (byte) 0xff, (byte) 0xc3};
    private static final byte[] A = {0, '\n', '\r', '$', '5', (byte) 0x80, '\r', '\n'};
    private static final byte[] B = {(byte) 0xed, (byte) 0xa0, (byte) 0x80, '*', '1', '\r', '\n', '{', '}'};
    private static final byte[] NONE = {};
    private static final Duration SHORT = Duration.ofMillis(1);

    @RegisterExtension
    static final CommandServer SERVER = new CommandServer();

    private final RawConnection redis;

    BinaryTest(int protocol) {
        redis = SERVER.connect(protocol);
    }

    @Test
    void stringKeysAndValuesCanBeBinary() {
        redis.run(Strings.set(KEY, A));
        redis.run(Strings.setAllBytes(Map.of(A, B, B, NONE)));

        assertThat(redis.run(Strings.get(KEY)))
                .hasValueSatisfying(value -> assertThat(value).isEqualTo(A));
        assertThat(hex(redis.run(Strings.getAll(A, KEY, B)).stream()
                        .map(Optional::orElseThrow)
                        .toList()))
                .isEqualTo(hex(List.of(B, A, NONE)));
        assertThat(redis.run(Strings.getAndSet(KEY, B, SetOptions.ALWAYS)).orElseThrow())
                .isEqualTo(A);
        assertThat(redis.run(Strings.set(KEY, A, SetOptions.IF_ABSENT))).isFalse();
        assertThat(redis.run(Strings.getRange(KEY, 0, -1))).isEqualTo(B);
        redis.run(Strings.append(KEY, A));
        redis.run(Strings.setRange(KEY, 0, A));
        assertThat(redis.run(Strings.getAndExpire(KEY, Duration.ofMinutes(1))).orElseThrow())
                .startsWith(A)
                .endsWith(A);
        assertThat(redis.run(Strings.length(KEY))).isEqualTo(A.length + B.length);
        assertThat(redis.run(Strings.getAndDelete(KEY)).orElseThrow()).hasSize(A.length + B.length);
    }

    @Test
    void keyCommandsAcceptBinaryKeys() {
        redis.run(Strings.set(KEY, A));

        assertThat(redis.run(Keys.exist(KEY, A))).isEqualTo(1);
        assertThat(redis.run(Keys.rename(KEY, A))).isEqualTo("OK");
        byte[] payload = redis.run(Keys.dump(A)).orElseThrow();
        redis.run(Keys.restore(B, payload));
        redis.run(Keys.replace(A, payload));
        assertThat(redis.run(Strings.get(B)).orElseThrow()).isEqualTo(A);
        ScanPage<List<byte[]>> page = redis.run(
                Keys.scan(ScanPage.START, ScanOptions.DEFAULT).as(Replies.page(Replies.list(Replies::bytes))));
        assertThat(hex(page.found())).containsExactlyInAnyOrderElementsOf(hex(List.of(A, B)));
        assertThat(redis.run(Keys.expire(A, Duration.ofMinutes(1)))).isTrue();
        assertThat(redis.run(Keys.timeToLive(A))).isInstanceOf(TimeToLive.Expires.class);
        assertThat(redis.run(Keys.persist(A))).isTrue();
        assertThat(redis.run(Keys.type(A))).isEqualTo("string");
        assertThat(redis.run(Keys.delete(A, B))).isEqualTo(2);
    }

    @Test
    void hashFieldsAndValuesCanBeBinary() {
        redis.run(Hashes.set(KEY, Map.of(A, B, B, A)));
        redis.run(Hashes.set(KEY, NONE, A));

        Map<String, String> expected = new TreeMap<>(Map.of(hex(A), hex(B), hex(B), hex(A), "", hex(A)));
        Map<byte[], byte[]> all = redis.run(Hashes.getAll(KEY));
        assertThat(hex(all)).isEqualTo(expected);
        assertThat(all.get(A.clone())).isEqualTo(B);
        assertThat(hex(redis.run(Hashes.scan(KEY, ScanPage.START, ScanOptions.DEFAULT))
                        .found()))
                .isEqualTo(expected);
        assertThat(redis.run(Hashes.get(KEY, A)).orElseThrow()).isEqualTo(B);
        assertThat(redis.run(Hashes.getEach(KEY, B, KEY)).getFirst().orElseThrow())
                .isEqualTo(A);
        assertThat(hex(redis.run(Hashes.fields(KEY)))).containsExactlyInAnyOrderElementsOf(expected.keySet());
        assertThat(hex(redis.run(Hashes.values(KEY)))).containsExactlyInAnyOrderElementsOf(expected.values());
        assertThat(redis.run(Hashes.contains(KEY, A))).isTrue();
        assertThat(redis.run(Hashes.delete(KEY, A, B, NONE))).isEqualTo(3);
    }

    @Test
    void listElementsCanBeBinary() {
        redis.run(Lists.pushRight(KEY, A, B, NONE, A));
        redis.run(Lists.pushLeft(KEY, B));

        assertThat(hex(redis.run(Lists.range(KEY, 0, -1)))).isEqualTo(hex(List.of(B, A, B, NONE, A)));
        assertThat(redis.run(Lists.remove(KEY, 1, NONE))).isEqualTo(1);
        assertThat(redis.run(Lists.popLeft(KEY)).orElseThrow()).isEqualTo(B);
        assertThat(redis.run(Lists.move(KEY, ListEnd.LEFT, KEY, ListEnd.RIGHT)).orElseThrow())
                .isEqualTo(A);
        assertThat(redis.run(Lists.awaitMove(SHORT, KEY, ListEnd.LEFT, KEY, ListEnd.RIGHT))
                        .orElseThrow())
                .isEqualTo(B);
        assertThat(hex(redis.run(Lists.popRight(KEY, 1)))).isEqualTo(hex(List.of(B)));
        PopResult<byte[], byte[]> popResult =
                redis.run(Lists.awaitLeft(SHORT, A, KEY)).orElseThrow();
        assertThat(popResult.key()).isEqualTo(KEY);
        assertThat(popResult.element()).isEqualTo(A);
        assertThat(redis.run(Lists.awaitRight(SHORT, KEY)).orElseThrow().element())
                .isEqualTo(A);
    }

    @Test
    void setMembersCanBeBinary() {
        redis.run(Sets.add(KEY, A, B, NONE));
        redis.run(Sets.add(A, A));

        assertThat(redis.run(Sets.members(KEY)).contains(A.clone())).isTrue();
        assertThat(redis.run(Sets.containsEach(KEY, B, KEY))).containsExactly(true, false);
        assertThat(hex(List.copyOf(redis.run(Sets.intersection(KEY, A))))).isEqualTo(hex(List.of(A)));
        assertThat(redis.run(Sets.union(KEY, A))).hasSize(3);
        assertThat(hex(List.copyOf(redis.run(Sets.difference(KEY, A))))).isEqualTo(hex(List.of(NONE, B)));
        assertThat(hex(redis.run(Sets.scan(KEY, ScanPage.START, ScanOptions.DEFAULT))
                        .found()))
                .containsExactlyInAnyOrderElementsOf(hex(List.of(A, B, NONE)));
        assertThat(redis.run(Sets.remove(KEY, NONE, A))).isEqualTo(2);
        assertThat(redis.run(Sets.pop(KEY)).orElseThrow()).isEqualTo(B);
        assertThat(redis.run(Sets.pop(A, 2)).contains(A)).isTrue();
    }

    @Test
    void sortedSetMembersCanBeBinary() {
        redis.run(SortedSets.add(KEY, 2, A));
        redis.run(SortedSets.add(KEY, Map.of(B, 1.0)));
        redis.run(SortedSets.add(KEY, SortedSets.ScoreCondition.IF_ABSENT, Map.of(NONE, 3.0)));

        assertThat(hex(redis.run(SortedSets.range(KEY, SortedRange.ofRanks(0, -1)))))
                .isEqualTo(hex(List.of(B, A, NONE)));
        assertThat(redis.run(SortedSets.rangeWithScores(KEY, SortedRange.ofRanks(1, 1)))
                        .getFirst())
                .satisfies(scored -> {
                    assertThat(scored.member()).isEqualTo(A);
                    assertThat(scored.score()).isEqualTo(2);
                });
        assertThat(redis.run(SortedSets.score(KEY, B))).hasValue(1.0);
        assertThat(redis.run(SortedSets.rank(KEY, A))).hasValue(1L);
        assertThat(redis.run(SortedSets.increment(KEY, 4, A))).isEqualTo(6);
        assertThat(redis.run(SortedSets.scan(KEY, ScanPage.START, ScanOptions.DEFAULT))
                        .found())
                .hasSize(3);
        assertThat(redis.run(SortedSets.remove(KEY, NONE))).isEqualTo(1);
        assertThat(redis.run(SortedSets.popMin(KEY, 1)).getFirst().member()).isEqualTo(B);
        PopResult<byte[], ScoredMember<byte[]>> popResult =
                redis.run(SortedSets.awaitMin(SHORT, KEY)).orElseThrow();
        assertThat(popResult.key()).isEqualTo(KEY);
        assertThat(popResult.element().member()).isEqualTo(A);
    }

    @Test
    void bitmapHyperLogLogAndGeoCommandsAcceptBinaryArguments() {
        redis.run(Bitmaps.set(KEY, 3, true));
        redis.run(HyperLogLogs.add(A, A, B, NONE));
        redis.run(Geo.add(B, new GeoPosition(1, 1), A));
        redis.run(Geo.add(B, Map.of(NONE, new GeoPosition(2, 2))));

        assertThat(redis.run(Bitmaps.combine(BitOperation.OR, NONE, KEY))).isEqualTo(1);
        assertThat(redis.run(Bitmaps.position(NONE, true))).hasValue(3L);
        assertThat(redis.run(HyperLogLogs.merge(new byte[] {0}, A))).isEqualTo("OK");
        assertThat(redis.run(Geo.search(B, GeoSearch.circle(A, 1))).getFirst().member())
                .isEqualTo(A);
        assertThat(redis.run(Geo.search(B, GeoSearch.box(NONE, 1, 1)))
                        .getFirst()
                        .member())
                .isEqualTo(NONE);
        assertThat(redis.run(Geo.positions(B, A, B)).getLast()).isEmpty();
        assertThat(redis.run(Geo.distance(B, A, NONE))).isPresent();
    }

    @Test
    void streamFieldsAndValuesCanBeBinary() {
        redis.run(Streams.createGroup(KEY, "g", "0"));
        redis.run(Streams.add(KEY, "1-1", Map.of(A, B)));

        assertThat(hex(redis.run(Streams.range(KEY, "-", "+", 1)).getFirst().fields()))
                .isEqualTo(Map.of(hex(A), hex(B)));
        Map<byte[], List<StreamEntry<byte[]>>> read =
                redis.run(Streams.read(StreamRead.of(KEY, "0").and(A, "0")));
        assertThat(hex(read.getOrDefault(KEY.clone(), List.of()).getFirst().fields()))
                .isEqualTo(Map.of(hex(A), hex(B)));
        assertThat(redis.run(Streams.readGroup("g", "c", StreamRead.of(KEY, ">")))
                        .get(KEY))
                .hasSize(1);
        assertThat(redis.run(Streams.acknowledge(KEY, "g", "1-1"))).isEqualTo(1);
        assertThat(redis.run(Streams.delete(KEY, "1-1"))).isEqualTo(1);
        redis.run(Streams.add(KEY, Map.of(NONE, NONE)));
        redis.run(Streams.add(KEY, TrimOptions.toLength(1).exactly(), Map.of(NONE, A)));
        assertThat(redis.run(Streams.trim(KEY, TrimOptions.toLength(0).exactly())))
                .isEqualTo(1);
    }

    @Test
    void scriptArgumentsChannelsAndMessagesCanBeBinary() {
        Script script = Script.of("return {KEYS[1], ARGV[1]}");

        assertThat(hex(redis.run(Scripts.eval(script, List.of(KEY), List.of(A)).as(Replies.list(Replies::bytes)))))
                .isEqualTo(hex(List.of(KEY, A)));
        assertThat(redis.run(Server.echo(B))).isEqualTo(B);
        assertThat(redis.run(PubSub.publish(KEY, A))).isZero();
        assertThat(redis.run(Transactions.watch(KEY, A))).isEqualTo("OK");
    }

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }

    private static List<String> hex(List<byte[]> list) {
        return list.stream().map(BinaryTest::hex).toList();
    }

    private static Map<String, String> hex(Map<byte[], byte[]> map) {
        Map<String, String> hex = new HashMap<>();
        map.forEach((key, value) -> hex.put(hex(key), hex(value)));
        return hex;
    }
}
