// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.push;

import io.millrace.client.RedisUri;
import io.millrace.client.internal.connect.SentinelReplies;
import io.millrace.resp.Reply;
import java.io.IOException;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Asks a Sentinel for the address of a primary, and subscribes to its changes. Asks first: over RESP2, a subscribed
 * connection must not ask. A failover between the two commands is lost for this connection, but the other Sentinels tell
 * of it.
 */
final class SentinelSession implements PushSession {

    private static final String CHANNEL = "+switch-master";

    private final String primary;
    private final SentinelReplies replies;
    private final Consumer<RedisUri.Tcp> primaryIsAt;

    /** Number of requests without a reply: the question, then the subscription. */
    private int unanswered = 2;

    SentinelSession(String primary, SentinelReplies replies, Consumer<RedisUri.Tcp> primaryIsAt) {
        this.primary = primary;
        this.replies = replies;
        this.primaryIsAt = primaryIsAt;
    }

    @Override
    public List<PushRequest> requests() {
        return List.of(
                PushRequest.of("SENTINEL", "GET-MASTER-ADDR-BY-NAME", primary), PushRequest.of("SUBSCRIBE", CHANNEL));
    }

    @Override
    public boolean isConfirmed() {
        return unanswered == 0;
    }

    @Override
    public void handle(Reply reply) throws IOException {
        if (unanswered > 0) {
            if (reply instanceof Reply.ErrorReply error) {
                throw new IOException(error.message());
            }
            unanswered--;
            tell(replies.address(reply));
        } else {
            List<Reply> items = itemsOf(reply);
            if (PushFields.text(items, 0).equals("message")) {
                tell(replies.switched(PushFields.text(items, 2), primary));
            }
        }
    }

    private void tell(RedisUri.@Nullable Tcp address) {
        if (address != null) {
            primaryIsAt.accept(address);
        }
    }

    private static List<Reply> itemsOf(Reply reply) {
        return switch (reply) {
            case Reply.Push push -> push.items();
            case Reply.ArrayReply array -> array.items();
            default -> List.of(); // a reply to PING
        };
    }
}
