// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.command.PublicCommands.Spec;
import io.millrace.client.exception.UnexpectedReplyException;
import io.millrace.resp.Reply;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RepliesTest {

    private static final Reply NULL = Reply.Null.NULL;
    private static final double INFINITE = Double.POSITIVE_INFINITY;

    @Test
    void realNumberIsDecodedFromADoubleOrAnIntegerOrText() {
        assertThat(Replies.real(new Reply.DoubleReply(1.5))).isEqualTo(1.5);
        assertThat(Replies.real(new Reply.IntegerReply(-3))).isEqualTo(-3);
        assertThat(Replies.real(bulk("3.0000000000000001e+300"))).isEqualTo(3e300);
        assertThat(Replies.real(bulk("inf"))).isEqualTo(INFINITE);
        assertThat(Replies.real(bulk("-inf"))).isEqualTo(-INFINITE);
        assertThat(Replies.real(new Reply.SimpleString("nan"))).isNaN();
        assertRefused(Replies::real, bulk("12 apples"), bulk(""), NULL, array());
    }

    @Test
    void booleanIsDecodedFromAnIntegerReplyOfZeroOrOneOrFromABooleanReply() {
        assertThat(Replies.flag(new Reply.IntegerReply(1))).isTrue();
        assertThat(Replies.flag(new Reply.IntegerReply(0))).isFalse();
        assertThat(Replies.flag(new Reply.BooleanReply(true))).isTrue();
        assertRefused(Replies::flag, new Reply.IntegerReply(2), bulk("1"), NULL);
    }

    @Test
    void bytesAreDecodedOnlyFromABulkString() {
        assertThat(Replies.bytes(bulk("a"))).containsExactly('a');
        assertThat(Replies.optionalBytes(NULL)).isEmpty();
        assertRefused(Replies::bytes, NULL, Reply.OK, new Reply.IntegerReply(1));
        assertRefused(Replies::optionalBytes, Reply.OK);
    }

    @Test
    void listIsDecodedFromAnArrayReplyOrFromASetReplyOrFromNull() {
        Function<Reply, List<Optional<String>>> list = Replies.list(Replies::optionalText);

        assertThat(list.apply(array(bulk("a"), NULL))).containsExactly(Optional.of("a"), Optional.empty());
        assertThat(list.apply(new Reply.SetReply(List.of(bulk("a"))))).containsExactly(Optional.of("a"));
        assertThat(list.apply(NULL)).isEmpty();
        assertRefused(list, Reply.OK, array(array()));
        assertThatThrownBy(() -> list.apply(array()).add(Optional.empty()))
                .isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void mapIsDecodedFromAMapReplyOrFromAFlatArrayOrFromPairs() {
        Function<Reply, Map<String, Long>> map = Replies.map(Replies::text, Replies::integer);
        Reply b = bulk("b");
        Reply a = bulk("a");
        Reply one = new Reply.IntegerReply(1);
        Reply two = new Reply.IntegerReply(2);

        assertThat(List.of(
                        map.apply(new Reply.MapReply(List.of(b, one, a, two))),
                        map.apply(array(b, one, a, two)),
                        map.apply(array(array(b, one), array(a, two)))))
                .allSatisfy(each -> assertThat(each).containsExactly(Map.entry("b", 1L), Map.entry("a", 2L)));
        assertThat(map.apply(array(a, one, a, two))).containsExactly(Map.entry("a", 2L));
        assertThat(map.apply(NULL)).isEmpty();
        assertRefused(map, array(a), array(array(a)), array(array(a, one), a), array(array(a, one), array()), Reply.OK);
    }

    @Test
    void scoresAreDecodedFromAFlatArrayOrPairs() {
        Function<Reply, List<ScoredMember<String>>> scored = Replies.scored(Replies::text);
        ScoredMember<String> a = new ScoredMember<>("a", 1.5);
        ScoredMember<String> b = new ScoredMember<>("b", INFINITE);

        assertThat(scored.apply(array(bulk("a"), bulk("1.5"), bulk("b"), bulk("inf"))))
                .containsExactly(a, b);
        assertThat(scored.apply(array(
                        array(bulk("a"), new Reply.DoubleReply(1.5)),
                        array(bulk("b"), new Reply.DoubleReply(INFINITE)))))
                .containsExactly(a, b);
        assertThat(scored.apply(array(bulk("a"), new Reply.DoubleReply(1.5)))).containsExactly(a);
        assertThat(scored.apply(array())).isEmpty();
        assertRefused(scored, array(bulk("a")), array(bulk("a"), bulk("b")), array(array(bulk("a"))));
    }

    @Test
    void setsAndMapsOfByteArraysCompareTheArraysByContent() {
        Reply members = array(bulk("b"), bulk("a"), bulk("b"));

        Set<byte[]> set = Replies.set(Replies::bytes).apply(members);
        Map<byte[], byte[]> map =
                Replies.map(Replies::bytes, Replies::bytes).apply(array(bulk("k"), bulk("1"), bulk("k"), bulk("2")));

        assertThat(set).hasSize(2);
        assertThat(set.contains(new byte[] {'a'})).isTrue();
        assertThat(map).hasSize(1);
        assertThat(map.get(new byte[] {'k'})).containsExactly('2');
        assertThat(Replies.set(Replies::text).apply(members)).containsExactly("b", "a");
        assertThat(Replies.set(Replies::bytes).apply(NULL).contains(new byte[] {'a'}))
                .isFalse();
    }

    @Test
    void scanPageIsDecodedFromACursorAndTheFoundElements() {
        Function<Reply, ScanPage<List<String>>> page = Replies.page(Replies.list(Replies::text));

        assertThat(page.apply(array(bulk("17"), array(bulk("a"))))).isEqualTo(new ScanPage<>("17", List.of("a")));
        assertThat(page.apply(array(bulk("0"), array())).last()).isTrue();
        assertRefused(page, array(bulk("17")), array(bulk("1"), bulk("2")), NULL);
    }

    static List<Spec> specs() {
        return PublicCommands.specs();
    }

    /**
     * A server or a proxy may send a reply of any type, and a spec may expect the wrong type. For every reply, the
     * decoder returns a value or throws an {@link UnexpectedReplyException}.
     */
    @ParameterizedTest
    @MethodSource("specs")
    void decoderReturnsAValueOrThrowsUnexpectedReplyExceptionForAnyReply(Spec spec) {
        int values = 0;
        for (Reply reply : replies()) {
            try {
                assertThat((Object) spec.spec().decode(reply)).isNotNull();
                values++;
            } catch (UnexpectedReplyException e) {
                assertThat(e).hasMessageContaining("received a");
            }
        }
        boolean raw =
                spec.spec().name().startsWith("EVAL") || spec.spec().name().startsWith("FCALL");
        assertThat(values).isPositive();
        assertThat(values == replies().size()).isEqualTo(raw);
    }

    private static List<Reply> replies() {
        List<Reply> flat = List.of(
                Reply.OK,
                bulk("text"),
                bulk("1.5"),
                bulk("1"),
                bulk(""),
                new Reply.BulkString(new byte[] {(byte) 0xff, 0, '\r', '\n'}),
                new Reply.IntegerReply(0),
                new Reply.IntegerReply(Long.MIN_VALUE),
                new Reply.IntegerReply(-3),
                NULL,
                new Reply.DoubleReply(Double.NaN),
                new Reply.BooleanReply(true),
                new Reply.BigNumber(BigInteger.TEN.pow(40)),
                new Reply.VerbatimString("txt", "text"),
                new Reply.ErrorReply("ERR inside"));
        List<Reply> all = new ArrayList<>(flat);
        all.add(array());
        for (Reply one : flat) {
            all.add(array(one));
            all.add(new Reply.SetReply(List.of(one)));
            for (Reply other : flat) {
                all.add(array(one, other));
                all.add(new Reply.MapReply(List.of(one, other)));
                all.add(array(array(one, other)));
                all.add(array(one, array(other)));
                all.add(array(one, array(other, other)));
                all.add(array(one, array(array(other, other))));
                all.add(array(array(one, array(other, other)), array(one, other)));
                all.add(array(one, other, other));
                all.add(array(new Reply.IntegerReply(1), one, one, array(array(bulk("one"), other))));
                all.add(array(array(one, other, array(other, other))));
                all.add(new Reply.MapReply(List.of(one, array(array(one, array(other, other))))));
            }
        }
        return all;
    }

    private static void assertRefused(Function<Reply, ?> decoder, Reply... replies) {
        assertThat(replies)
                .allSatisfy(reply ->
                        assertThatThrownBy(() -> decoder.apply(reply)).isInstanceOf(UnexpectedReplyException.class));
    }

    private static Reply array(Reply... items) {
        return new Reply.ArrayReply(List.of(items));
    }

    private static Reply bulk(String text) {
        return new Reply.BulkString(text.getBytes(UTF_8));
    }
}
