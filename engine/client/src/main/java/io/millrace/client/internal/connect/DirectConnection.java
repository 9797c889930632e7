// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.connect;

import io.millrace.client.ClientOptions;
import io.millrace.client.command.Fusion;
import io.millrace.resp.Reply;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.function.Consumer;

/**
 * A connection over which one thread sends a command and waits for its reply: for questions of the client itself, which the
 * stats do not count.
 */
public final class DirectConnection implements Closeable {

    private final Transport transport;

    private DirectConnection(Transport transport) {
        this.transport = transport;
    }

    /**
     * Connects to the server of {@code options}, which is not Sentinels and not a cluster.
     *
     * @param opened receives the socket before it connects, so that another thread can close the socket
     * @throws io.millrace.client.exception.ConnectException if connecting fails
     */
    static DirectConnection open(ClientOptions options, Login login, ConnectLimit limit, Consumer<Closeable> opened) {
        Transport transport = new TransportOpener(options, options.uri().endpoint(), limit, opened).open();
        boolean ready = false;
        try {
            new Handshake(transport, options, login.ask(limit), limit, true).perform(Fusion.NONE, false);
            ready = true;
            return new DirectConnection(transport);
        } finally {
            if (!ready) {
                transport.close();
            }
        }
    }

    /**
     * Sends a command, and waits for its reply.
     *
     * @throws java.net.SocketTimeoutException if the reply does not arrive within the limit
     * @throws IOException if the connection has ended
     */
    Reply ask(ConnectLimit limit, String... command) throws IOException {
        return askAll(limit, List.of(List.of(command))).getFirst();
    }

    /**
     * Sends commands in one write, and waits for their replies, one for each command.
     *
     * @throws java.net.SocketTimeoutException if the replies do not arrive within the limit
     * @throws IOException if the connection has ended
     */
    List<Reply> askAll(ConnectLimit limit, List<List<String>> commands) throws IOException {
        List<Reply> replies = new Exchange(transport, limit).repliesTo(commands);
        if (replies.size() < commands.size()) {
            throw new IOException("the server closed the connection");
        }
        return replies;
    }

    @Override
    public void close() {
        transport.close();
    }
}
