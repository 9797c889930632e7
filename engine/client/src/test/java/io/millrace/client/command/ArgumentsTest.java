// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.millrace.client.RawConnection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests the arguments that commands send to the server, and the invalid arguments that the factories reject. */
class ArgumentsTest {

    private static final double INFINITE = Double.POSITIVE_INFINITY;
    private static final Duration WAIT = Duration.ofMillis(61_005);
    private static final Instant TIME = Instant.ofEpochMilli(1_500);
    private static final MemberRange RANGE = MemberRange.ALL.from("a", true).to("b", false);
    private static final GeoPosition HERE = new GeoPosition(13.4, 52.5);

    static List<Arguments> words() {
        return List.of(
                arguments(Strings.set("k", "v", SetOptions.ALWAYS), "SET k v"),
                arguments(Strings.set("k", "v", SetOptions.IF_ABSENT.expiringIn(WAIT)), "SET k v NX PX 61005"),
                arguments(Strings.set("k", "v", SetOptions.IF_PRESENT.keepingTtl()), "SET k v XX KEEPTTL"),
                arguments(
                        Strings.getAndSet("k", "v", SetOptions.ALWAYS.expiringIn(Duration.ofDays(36_500))),
                        "SET k v GET PX 3153600000000"),
                arguments(Strings.getAndExpire("k", Duration.ofSeconds(2)), "GETEX k PX 2000"),
                arguments(Strings.increment("k", Long.MIN_VALUE), "INCRBY k -9223372036854775808"),
                arguments(Keys.scan("17", ScanOptions.DEFAULT), "SCAN 17 COUNT 10"),
                arguments(Hashes.scan("h", "0", new ScanOptions("a*", 7)), "HSCAN h 0 MATCH a* COUNT 7"),
                arguments(Keys.encoding("k"), "OBJECT ENCODING k"),
                arguments(Lists.move("a", ListEnd.LEFT, "b", ListEnd.RIGHT), "LMOVE a b LEFT RIGHT"),
                arguments(Lists.awaitLeft(WAIT, "a", "b"), "BLPOP a b 61.005"),
                arguments(Lists.awaitRight(Duration.ofMillis(1), "a"), "BRPOP a 0.001"),
                arguments(
                        Lists.awaitMove(Duration.ofDays(1), "a", ListEnd.RIGHT, "b", ListEnd.LEFT),
                        "BLMOVE a b RIGHT LEFT 86400.000"),
                arguments(SortedSets.awaitMin(WAIT, "z"), "BZPOPMIN z 61.005"),
                arguments(
                        SortedSets.add("z", SortedSets.ScoreCondition.IF_GREATER, Map.of("m", -INFINITE)),
                        "ZADD z GT CH -inf m"),
                arguments(SortedSets.add("z", 0.1, "m"), "ZADD z 0.1 m"),
                arguments(SortedSets.range("z", SortedRange.ofRanks(0, -1)), "ZRANGE z 0 -1"),
                arguments(SortedSets.range("z", SortedRange.ofRanks(0, 9).reversed()), "ZRANGE z 0 9 REV"),
                arguments(
                        SortedSets.rangeWithScores(
                                "z",
                                SortedRange.ofScores(ScoreRange.closedOpen(1, INFINITE))
                                        .limit(2, 3)
                                        .reversed()),
                        "ZRANGE z (inf 1.0 BYSCORE REV LIMIT 2 3 WITHSCORES"),
                arguments(SortedSets.count("z", ScoreRange.openClosed(-1, 2.5)), "ZCOUNT z (-1.0 2.5"),
                arguments(Bitmaps.set("b", 4_294_967_295L, true), "SETBIT b 4294967295 1"),
                arguments(Bitmaps.combine(BitOperation.XOR, "to", "a", "b"), "BITOP XOR to a b"),
                arguments(
                        Bitmaps.field(
                                "b", BitField.begin().get("u63", 0).saturating().increment("i64", 5, -1)),
                        "BITFIELD b GET u63 0 OVERFLOW SAT INCRBY i64 5 -1"),
                arguments(
                        Geo.search(
                                "g",
                                GeoSearch.box(HERE, 1_000, 500).farthestFirst().limit(3)),
                        "GEOSEARCH g FROMLONLAT 13.4 52.5 BYBOX 1000.0 500.0 m DESC COUNT 3 WITHCOORD WITHDIST"),
                arguments(
                        Geo.search("g", GeoSearch.circle("m", 0.5)),
                        "GEOSEARCH g FROMMEMBER m BYRADIUS 0.5 m ASC WITHCOORD WITHDIST"),
                arguments(Streams.add("s", Map.of("f", "v")), "XADD s * f v"),
                arguments(Streams.add("s", "1-2", Map.of("f", "v")), "XADD s 1-2 f v"),
                arguments(Streams.add("s", TrimOptions.toLength(9), Map.of("f", "v")), "XADD s MAXLEN ~ 9 * f v"),
                arguments(Streams.trim("s", TrimOptions.from("1-2").exactly()), "XTRIM s MINID = 1-2"),
                arguments(
                        Streams.read(
                                StreamRead.of("s", "0").and("t", "$").limit(5).waiting(WAIT)),
                        "XREAD COUNT 5 BLOCK 61005 STREAMS s t 0 $"),
                arguments(Streams.readGroup("g", "c", StreamRead.of("s", ">")), "XREADGROUP GROUP g c STREAMS s >"),
                arguments(Streams.createGroup("s", "g", "$"), "XGROUP CREATE s g $ MKSTREAM"),
                arguments(
                        Scripts.eval(Script.of("return"), List.of("k", "l"), List.of(1, "a")), "EVAL return 2 k l 1 a"),
                arguments(Server.awaitReplicas(2, WAIT), "WAIT 2 61005"),
                arguments(Strings.set("k", "v", SetOptions.ALWAYS.expiringAt(TIME)), "SET k v PXAT 1500"),
                arguments(Strings.getAndExpire("k", Expiry.NONE), "GETEX k PERSIST"),
                arguments(Strings.getAndExpire("k", Expiry.KEEP), "GETEX k"),
                arguments(Strings.getAndExpire("k", Expiry.at(TIME)), "GETEX k PXAT 1500"),
                arguments(Strings.commonSubsequenceLength("a", "b"), "LCS a b LEN"),
                arguments(KeyExpiry.expire("k", WAIT, ExpireCondition.IF_NO_EXPIRY), "PEXPIRE k 61005 NX"),
                arguments(KeyExpiry.expireAt("k", TIME, ExpireCondition.IF_LATER), "PEXPIREAT k 1500 GT"),
                arguments(Keys.copyReplacing("a", "b"), "COPY a b REPLACE"),
                arguments(Keys.restore("k", new byte[] {'p'}, WAIT), "RESTORE k 61005 p"),
                arguments(Lists.insertAfter("l", "p", "e"), "LINSERT l AFTER p e"),
                arguments(Lists.lastIndexOf("l", "e"), "LPOS l e RANK -1"),
                arguments(Pops.lists(ListEnd.RIGHT, 3, "a", "b"), "LMPOP 2 a b RIGHT COUNT 3"),
                arguments(Pops.awaitLists(WAIT, ListEnd.LEFT, 1, "a"), "BLMPOP 61.005 1 a LEFT COUNT 1"),
                arguments(Pops.sortedSets(ScoreEnd.MAX, 2, "a"), "ZMPOP 1 a MAX COUNT 2"),
                arguments(Pops.awaitSortedSets(WAIT, ScoreEnd.MIN, 1, "a"), "BZMPOP 61.005 1 a MIN COUNT 1"),
                arguments(Sets.intersectionSize(5, "a", "b"), "SINTERCARD 2 a b LIMIT 5"),
                arguments(
                        SortedSets.incrementIf("z", SortedSets.ScoreCondition.IF_LESS, -1, "m"),
                        "ZADD z LT INCR -1.0 m"),
                arguments(
                        SortedSets.range(
                                "z", SortedRange.ofMembers(RANGE).reversed().limit(0, 1)),
                        "ZRANGE z (b [a BYLEX REV LIMIT 0 1"),
                arguments(SortedSetRanges.countMembers("z", MemberRange.ALL), "ZLEXCOUNT z - +"),
                arguments(SortedSetRanges.store("to", "z", SortedRange.ofRanks(0, 9)), "ZRANGESTORE to z 0 9"),
                arguments(
                        SortedSetCombinations.storeUnion("to", Aggregate.MAX, Map.of("a", 2.0)),
                        "ZUNIONSTORE to 1 a WEIGHTS 2.0 AGGREGATE MAX"),
                arguments(
                        Sorting.read(
                                "l", SortOptions.DEFAULT.limit(1, 2).reversed().asText()),
                        "SORT_RO l LIMIT 1 2 DESC ALPHA"),
                arguments(Sorting.store("l", SortOptions.DEFAULT, "to"), "SORT l STORE to"),
                arguments(Streams.addIfPresent("s", Map.of("f", "v")), "XADD s NOMKSTREAM * f v"),
                arguments(StreamGroups.claim("s", "g", "c", WAIT, "1-1", "1-2"), "XCLAIM s g c 61005 1-1 1-2"),
                arguments(
                        StreamGroups.claimIdle("s", "g", "c", WAIT, ClaimPage.LAST, 7),
                        "XAUTOCLAIM s g c 61005 0-0 COUNT 7"),
                arguments(HashFields.expire("h", WAIT, "f", "g"), "HPEXPIRE h 61005 FIELDS 2 f g"),
                arguments(
                        HashFields.expire("h", WAIT, ExpireCondition.IF_EARLIER, "f"),
                        "HPEXPIRE h 61005 LT FIELDS 1 f"),
                arguments(HashFields.expireAt("h", TIME, "f"), "HPEXPIREAT h 1500 FIELDS 1 f"),
                arguments(HashFields.getAndExpire("h", Expiry.NONE, "f"), "HGETEX h PERSIST FIELDS 1 f"),
                arguments(HashFields.set("h", Expiry.KEEP, Map.of("f", "v")), "HSETEX h KEEPTTL FIELDS 1 f v"),
                arguments(Functions.callReadOnly("f", List.of("k"), List.of(1)), "FCALL_RO f 1 k 1"));
    }

    @ParameterizedTest
    @MethodSource("words")
    void commandIsSentWithTheExpectedArguments(Command<?> command, String words) {
        assertThat(RawConnection.words(command).stream()
                        .map(word -> new String(word, UTF_8))
                        .collect(Collectors.joining(" ")))
                .isEqualTo(words);
    }

    static List<Arguments> refused() {
        Duration none = Duration.ZERO;
        Duration longest = Duration.ofDays(1);
        return List.of(
                refused(() -> Lists.awaitLeft(none, "k"), "wait=zero is out of range: 1 ms to 24 h."),
                refused(
                        () -> Lists.awaitRight(longest.plusMillis(1), "k"),
                        "wait=86,400,001 ms is out of range: 1 ms to 24 h."),
                refused(
                        () -> Lists.awaitMove(none, "a", ListEnd.LEFT, "b", ListEnd.LEFT),
                        "wait=zero is out of range: 1 ms"),
                refused(() -> SortedSets.awaitMin(none, "k"), "wait=zero is out of range: 1 ms"),
                refused(() -> StreamRead.of("k", "0").waiting(none), "wait=zero is out of range: 1 ms"),
                refused(() -> Server.awaitReplicas(1, none), "wait=zero is out of range: 1 ms"),
                refused(() -> Server.awaitReplicas(0, longest), "replicas=0 is out of range: 1 to 2,147,483,647."),
                refused(() -> Keys.expire("k", none), "ttl=zero is out of range: 1 ms to 36,500 days."),
                refused(
                        () -> Strings.getAndExpire("k", Duration.ofDays(36_501)),
                        "ttl=36,501 days is out of range: 1 ms"),
                refused(() -> SetOptions.ALWAYS.expiringIn(Duration.ofMillis(-1)), "ttl=-1 ms is out of range: 1 ms"),
                refused(
                        () -> SetOptions.ALWAYS.expiringIn(Duration.ofNanos(1)),
                        "ttl=PT0.000000001S is out of range: 1 ms"),
                refused(
                        () -> Expiry.at(Instant.EPOCH),
                        "time must be 1970-01-01T00:00:00.001Z to 9999-12-31T23:59:59.999Z, not 1970-01-01T00:00:00Z"),
                refused(() -> SetOptions.ALWAYS.expiringAt(Instant.MAX), "time must be 1970-01-01T00:00:00.001Z to"),
                refused(() -> Expiry.after(none), "ttl=zero is out of range: 1 ms to 36,500 days."),
                refused(() -> Pops.lists(ListEnd.LEFT, 0, "k"), "count=0 is out of range: 1 to 2,147,483,647."),
                refused(() -> Pops.awaitSortedSets(none, ScoreEnd.MIN, 1, "k"), "wait=zero is out of range: 1 ms"),
                refused(
                        () -> StreamGroups.claim("k", "g", "c", Duration.ofMillis(-1), "1-1"),
                        "minIdle=-1 ms is out of range: zero to 24 h."),
                refused(() -> SortOptions.DEFAULT.limit(-1, 1), "offset=-1 is out of range: 0 to 2,147,483,647."),
                refused(
                        () -> SortedSetCombinations.storeUnion("k", Aggregate.SUM, Map.of("a", Double.NaN)),
                        "weight must be a number"),
                refused(() -> Hashes.incrementReal("h", "f", INFINITE), "by must be a finite number, not Infinity"),
                refused(() -> Strings.setRange("k", -1, "v"), "offset=-1 is out of range: 0 to 536,870,911."),
                refused(() -> Strings.incrementReal("k", INFINITE), "by must be a finite number, not Infinity"),
                refused(() -> Lists.popLeft("k", 0), "count=0 is out of range: 1 to 2,147,483,647."),
                refused(
                        () -> Lists.popRight("k", 1L << 31),
                        "count=2,147,483,648 is out of range: 1 to 2,147,483,647."),
                refused(() -> Sets.pop("k", -1), "count=-1 is out of range: 1 to 2,147,483,647."),
                refused(() -> SortedSets.popMin("k", 0), "count=0 is out of range: 1 to 2,147,483,647."),
                refused(() -> SortedSets.add("k", Double.NaN, "m"), "score must be a number, finite or infinite"),
                refused(() -> SortedSets.increment("k", Double.NaN, "m"), "by must be a number"),
                refused(() -> ScoreRange.closed(Double.NaN, 1), "min must be a number"),
                refused(
                        () -> SortedRange.ofScores(ScoreRange.ALL).limit(-1, 1),
                        "offset=-1 is out of range: 0 to 2,147,483,647."),
                refused(() -> SortedRange.ofRanks(0, 1).limit(0, 1), "limit() is for ranges of scores"),
                refused(() -> ScanOptions.DEFAULT.withCount(0), "count=0 is out of range: 1 to 1,000,000."),
                refused(() -> Bitmaps.get("k", 1L << 32), "offset=4,294,967,296 is out of range: 0 to 4,294,967,295."),
                refused(() -> Bitmaps.combine(BitOperation.NOT, "k", "a", "b"), "BITOP NOT takes 1 source, not 2"),
                refused(() -> BitField.begin().get("u64", 0), "type must be u1 to u63 or i1 to i64, not u64"),
                refused(() -> BitField.begin().get("i0", 0), "type must be u1 to u63 or i1 to i64, not i0"),
                refused(
                        () -> Bitmaps.field("k", BitField.begin().failing()),
                        "the number of operations must be 1 or more"),
                refused(() -> new GeoPosition(180.1, 0), "longitude=180.1 is out of range: -180 to 180."),
                refused(
                        () -> new GeoPosition(0, Double.NaN),
                        "latitude=NaN is out of range: -85.05112878 to 85.05112878."),
                refused(() -> GeoSearch.circle("m", 0), "metres must be more than 0 and finite, not 0.0"),
                refused(() -> GeoSearch.box("m", 1, Double.NaN), "heightMetres must be more than 0"),
                refused(() -> TrimOptions.toLength(-1), "threshold must be a number, 0 or more, not -1"),
                refused(() -> TrimOptions.from("yesterday"), "threshold must be an ID such as 1526919030474-55"),
                refused(() -> StreamRead.of("k", "0").limit(0), "limit=0 is out of range: 1 to 2,147,483,647."));
    }

    @ParameterizedTest
    @MethodSource("refused")
    void invalidArgumentIsRejected(Supplier<?> factory, String message) {
        assertThatThrownBy(factory::get)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(message);
    }

    @Test
    void emptyListOfKeysOrValuesIsRejected() {
        List<Supplier<?>> empty = List.of(
                () -> Keys.delete(new String[0]),
                () -> Keys.unlink(new byte[0][]),
                () -> Strings.setAll(Map.of()),
                () -> Strings.getAll(new String[0]),
                () -> Hashes.set("k", Map.of()),
                () -> Hashes.getEach("k"),
                () -> Lists.pushLeft("k"),
                () -> Lists.awaitLeft(WAIT, new String[0]),
                () -> Sets.add("k"),
                () -> Sets.union(new byte[0][]),
                () -> SortedSets.add("k", Map.of()),
                () -> Bitmaps.combine(BitOperation.OR, "k"),
                () -> HyperLogLogs.add("k"),
                () -> Geo.add("k", Map.of()),
                () -> Streams.add("k", Map.of()),
                () -> Streams.delete("k"),
                () -> Keys.touch(new byte[0][]),
                () -> Pops.lists(ListEnd.LEFT, 1, new String[0]),
                () -> HashFields.timeToLive("h"),
                () -> HashFields.set("h", Expiry.NONE, Map.of()),
                () -> SortedSetCombinations.union(new String[0]),
                () -> SortedSetCombinations.storeUnion("k", Aggregate.MIN, Map.of()),
                () -> StreamGroups.claim("k", "g", "c", Duration.ZERO),
                () -> Scripts.exist(),
                () -> Transactions.watch(new String[0]));

        assertThat(empty)
                .allSatisfy(factory -> assertThatThrownBy(factory::get)
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageEndingWith(" must be 1 or more, not 0"));
    }

    @Test
    void streamReadWithTheWaitOptionIsABlockingCommand() {
        StreamRead<String> read = StreamRead.of("s", "0");

        assertThat(Streams.read(read).blocking()).isFalse();
        assertThat(Streams.read(read.waiting(WAIT)).blocking()).isTrue();
        assertThat(Streams.read(read.waiting(WAIT)).deadlineNanos(7)).isEqualTo(WAIT.toNanos() + 7);
        assertThat(Streams.readGroup("g", "c", read.waiting(WAIT)).blocking()).isTrue();
    }

    @Test
    void keyIndexOfAScriptWithoutKeysIsMinusOne() {
        Script script = Script.of("return 1");

        assertThat(Scripts.eval(script, List.of(), List.of("not a key")).spec().keyIndex())
                .isEqualTo(-1);
        assertThat(Scripts.evalSha(script, List.of("k"), List.of()).spec().keyIndex())
                .isEqualTo(2);
    }

    @Test
    void keyIndexOfAStreamReadPointsToItsFirstStreamEvenIfItHasOptions() {
        StreamRead<String> read = StreamRead.of("first", "0").and("second", "0");

        for (StreamRead<String> each :
                List.of(read, read.limit(1), read.waiting(WAIT), read.limit(1).waiting(WAIT))) {
            for (Command<?> command : List.of(Streams.read(each), Streams.readGroup("g", "c", each))) {
                byte[] key = RawConnection.arguments(command).get(command.spec().keyIndex());
                assertThat(new String(key, UTF_8)).isEqualTo("first");
            }
        }
    }

    private static Arguments refused(Supplier<?> factory, String message) {
        return arguments(factory, message);
    }
}
