// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import io.millrace.client.Message;
import io.millrace.client.Topics;
import io.millrace.resp.Reply;
import io.millrace.resp.RequestEncoder;
import io.millrace.resp.RespReader;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * One connection of a subscription, from its {@code SUBSCRIBE}s to its end. One thread does all of it, writing included.
 *
 * <p>Each channel and pattern is subscribed to by a command of its own, so that a refusal names the one that was meant.
 * RESP3 marks messages and confirmations as pushes, RESP2 sends them as arrays; nothing else comes but errors and answers to
 * {@code PING}, which is sent when it has been quiet for long, so that a dead connection is noticed.
 */
final class SubscriptionReader {

    private static final byte[] SUBSCRIBE = RequestEncoder.encodeName("SUBSCRIBE");
    private static final byte[] PSUBSCRIBE = RequestEncoder.encodeName("PSUBSCRIBE");
    private static final byte[] PING = RequestEncoder.encodeName("PING");

    private final Transport transport;
    private final Topics topics;
    private final int quietMillis;
    private final Mailbox mailbox;
    private final Runnable whenConfirmed;
    private final SegmentChain chain = new SegmentChain();
    private final RequestEncoder encoder = new RequestEncoder(chain);
    private final RespReader replies = new RespReader();
    private final byte[] buffer = new byte[16 * 1024];

    /** How many channels and patterns are confirmed. */
    private int confirmed;

    /**
     * A reader of {@code transport}, on which the handshake is done.
     *
     * @param quietMillis how long it may be quiet before a {@code PING} is sent, and again until its answer
     * @param whenConfirmed is run once all of {@code topics} are confirmed
     */
    SubscriptionReader(Transport transport, Topics topics, int quietMillis, Mailbox mailbox, Runnable whenConfirmed) {
        this.transport = transport;
        this.topics = topics;
        this.quietMillis = quietMillis;
        this.mailbox = mailbox;
        this.whenConfirmed = whenConfirmed;
    }

    /**
     * Subscribes, and reads until the connection ends.
     *
     * @throws IOException always: it says why the connection is of no more use
     */
    void run() throws IOException {
        topics.channels().forEach(channel -> encode(SUBSCRIBE, List.of(channel)));
        topics.patterns().forEach(pattern -> encode(PSUBSCRIBE, List.of(pattern)));
        send();
        while (true) {
            int count = read();
            if (count < 0) {
                throw new EOFException("the server closed the connection");
            }
            replies.feed(buffer, 0, count);
            while (replies.next()) {
                take(replies.reply());
            }
        }
    }

    private int read() throws IOException {
        try {
            return transport.readWithin(buffer, quietMillis);
        } catch (SocketTimeoutException e) {
            if (confirmed < topicCount()) {
                throw new IOException("no confirmation came within " + quietMillis + " ms", e);
            }
            return readAnswerToPing();
        }
    }

    private int readAnswerToPing() throws IOException {
        encode(PING, List.of());
        send();
        try {
            return transport.readWithin(buffer, quietMillis);
        } catch (SocketTimeoutException e) {
            throw new IOException("nothing came within " + 2L * quietMillis + " ms, not even an answer to PING", e);
        }
    }

    private void encode(byte[] name, List<String> arguments) {
        encoder.begin(name, 1);
        arguments.forEach(encoder::arg);
        int length = encoder.end();
        chain.publish(encoder.finished(), length);
    }

    private void send() throws IOException {
        while (chain.taken() < chain.published()) {
            if (chain.sendSome(transport) == 0) {
                transport.awaitWritable();
            }
        }
    }

    private void take(Reply reply) throws IOException {
        switch (reply) {
            case Reply.Push push -> take(push.items());
            case Reply.ArrayReply array -> take(array.items());
            case Reply.ErrorReply error -> refuse(error);
            default -> {
                // A PONG.
            }
        }
    }

    private void take(List<Reply> items) {
        switch (text(items, 0)) {
            case "message" -> mailbox.put(new Message(text(items, 1), Optional.empty(), bytes(items, 2)));
            case "pmessage" -> mailbox.put(new Message(text(items, 2), Optional.of(text(items, 1)), bytes(items, 3)));
            case "subscribe", "psubscribe" -> {
                confirmed++;
                if (confirmed == topicCount()) {
                    whenConfirmed.run();
                }
            }
            default -> {
                // A PONG in RESP2, or a kind that nobody asked for.
            }
        }
    }

    /** Confirmations and refusals come in the order of the commands. A PING that is refused was answered all the same. */
    private void refuse(Reply.ErrorReply error) throws IOException {
        if (confirmed < topicCount()) {
            throw new IOException(named(confirmed) + " is refused: " + error.message());
        }
    }

    private String named(int topic) {
        List<String> all = new ArrayList<>(topics.channels());
        all.addAll(topics.patterns());
        return (topic < topics.channels().size() ? "channel \"" : "pattern \"") + all.get(topic) + "\"";
    }

    private int topicCount() {
        return topics.channels().size() + topics.patterns().size();
    }

    private static String text(List<Reply> items, int index) {
        return new String(bytes(items, index), StandardCharsets.UTF_8);
    }

    private static byte[] bytes(List<Reply> items, int index) {
        return index < items.size() && items.get(index) instanceof Reply.BulkString bulk ? bulk.bytes() : new byte[0];
    }
}
