// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.exception.UnexpectedReplyException;
import io.millrace.resp.Reply;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * Decodes replies of Redis 7.4 and 8.0. The server of the tests does not have these commands. {@link ArgumentsTest} has
 * their arguments.
 */
class HashFieldsTest {

    @Test
    void resultOfEachFieldIsDecoded() {
        Command<List<FieldExpiryResult>> command = HashFields.expire("h", Duration.ofSeconds(1), "a", "b", "c", "d");

        assertThat(command.spec().decode(integers(-2, 0, 1, 2)))
                .containsExactly(
                        FieldExpiryResult.NO_FIELD,
                        FieldExpiryResult.UNCHANGED,
                        FieldExpiryResult.CHANGED,
                        FieldExpiryResult.DELETED);
        assertThat(HashFields.persist("h", "a").spec().decode(integers(-1)))
                .containsExactly(FieldExpiryResult.UNCHANGED);
        assertThatThrownBy(() -> command.spec().decode(integers(3))).isInstanceOf(UnexpectedReplyException.class);
    }

    @Test
    void expiryOfEachFieldIsDecoded() {
        assertThat(HashFields.timeToLive("h", "a").spec().decode(integers(-2, -1, 5)))
                .containsExactly(
                        new TimeToLive.NoKey(),
                        new TimeToLive.Unlimited(),
                        new TimeToLive.Expires(Duration.ofMillis(5)));
        assertThat(HashFields.expiryTime("h", "a").spec().decode(integers(-2, -1, 5)))
                .containsExactly(Optional.empty(), Optional.empty(), Optional.of(Instant.ofEpochMilli(5)));
        assertThatThrownBy(() -> HashFields.expiryTime("h", "a").spec().decode(integers(-3)))
                .isInstanceOf(UnexpectedReplyException.class);
    }

    private static Reply integers(long... values) {
        return new Reply.ArrayReply(
                Arrays.stream(values).<Reply>mapToObj(Reply.IntegerReply::new).toList());
    }
}
