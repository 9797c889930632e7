// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static io.millrace.client.WatchedClients.uri;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.command.Command;
import io.millrace.client.command.Fusion;
import io.millrace.resp.Reply;
import io.millrace.testkit.Answer;
import io.millrace.testkit.FakeRedis;
import io.millrace.testkit.Handler;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests how the reply to a fused script is divided among its commands. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class FusionScriptTest {

    @RegisterExtension
    final WatchedClients clients = new WatchedClients();

    /** Runs two scripts on key {@code a} and one on key {@code b}. The server replies {@code reply} to the fused script. */
    private List<Outcome> outcomes(String reply) {
        Handler handler = Handler.afterHandshake(command -> Answer.reply(reply));
        try (FakeRedis server = FakeRedis.start(handler);
                RedisClient client = clients.connect(uri(server), options -> options.fusion(Set.of(Fusion.SCRIPT)))) {
            Pipeline pipeline = client.pipeline();
            Stream.of("a", "a", "b").forEach(key -> pipeline.add(Command.of("EVALSHA", "sha1", 1, key, 9, 1, "f")));
            List<Outcome> outcomes =
                    pipeline.run().stream().<Outcome>map(Result::outcome).toList();
            assertThat(FusionReplies.lines(server)).containsExactly("EVALSHA sha1 2 a b 9 2 f f 9 1 f");
            return outcomes;
        }
    }

    @Test
    void eachCommandGetsTheReplyOfItsGroup() {
        Outcome ofA = new Outcome.Ok(new Reply.IntegerReply(1));
        Outcome ofB = new Outcome.Ok(new Reply.IntegerReply(0));

        assertThat(outcomes("*2\r\n:1\r\n:0\r\n")).containsExactly(ofA, ofA, ofB);
    }

    @Test
    void errorOfAGroupBelongsToItsCommandsOnly() {
        Outcome ofA = new Outcome.Failed(new Reply.ErrorReply("WRONGTYPE of a", true));
        Outcome ofB = new Outcome.Failed(new Reply.ErrorReply("OOM of b", false));
        Outcome ok = new Outcome.Ok(new Reply.IntegerReply(1));

        assertThat(outcomes("*2\r\n-WRONGTYPE of a\r\n:1\r\n")).containsExactly(ofA, ofA, ok);
        assertThat(outcomes("*2\r\n:1\r\n-OOM of b\r\n")).containsExactly(ok, ok, ofB);
    }

    @Test
    void errorOfTheWholeScriptBelongsToEachCommand() {
        Outcome failed = new Outcome.Failed(new Reply.ErrorReply("NOSCRIPT No matching script.", true));

        assertThat(outcomes("-NOSCRIPT No matching script.\r\n")).containsExactly(failed, failed, failed);
    }
}
