// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.push;

import io.millrace.client.RedisUri;
import io.millrace.client.Topic;
import io.millrace.client.internal.push.ChannelOwners.RefusalMeaning;
import io.millrace.resp.Reply;

/** Tells whether the server of a connection serves a topic. The thread of the connection calls the methods. */
interface ServedTopics {

    /** A server that serves all topics, as outside a cluster. */
    ServedTopics ALL = new ServedTopics() {
        @Override
        public boolean mayMove(Topic topic) {
            return false;
        }

        @Override
        public RefusalMeaning answer(Topic topic, Reply.ErrorReply error) {
            return RefusalMeaning.REFUSED;
        }
    };

    /** The shard channels of a node of a cluster. */
    record OfNode(ChannelOwners owners, RedisUri.Tcp node) implements ServedTopics {

        @Override
        public boolean mayMove(Topic topic) {
            owners.requestRefresh();
            return true;
        }

        @Override
        public RefusalMeaning answer(Topic topic, Reply.ErrorReply error) {
            return owners.answer(topic, error, node);
        }
    }

    /**
     * The server has ended the subscription to {@code topic}. Returns whether another server may serve the topic, so that the
     * connection continues with the other topics.
     */
    boolean mayMove(Topic topic);

    /** Reads the error reply to a command for {@code topic}. */
    RefusalMeaning answer(Topic topic, Reply.ErrorReply error);
}
