// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.connect;

import io.millrace.client.internal.log.ClientLog;
import io.millrace.resp.Reply;
import io.millrace.resp.RequestEncoder;
import io.millrace.resp.RespReader;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Sends a few commands over a new transport and waits for their replies. Used by one thread. */
final class Exchange {

    private final Transport transport;
    private final ConnectLimit limit;
    private final RespReader replies = new RespReader();
    private final byte[] buffer = new byte[4_096];

    Exchange(Transport transport, ConnectLimit limit) {
        this.transport = transport;
        this.limit = limit;
    }

    /**
     * Sends {@code commands} in one write, and returns their replies. Pushes are ignored. If the server closes the
     * connection, the list is shorter than {@code commands}.
     *
     * @throws java.net.SocketTimeoutException if the replies do not arrive within the limit
     */
    List<Reply> repliesTo(List<List<String>> commands) throws IOException {
        try {
            send(encoded(commands));
        } catch (IOException e) {
            // The server has closed the connection. Continue, and read the replies that the server sent before: they
            // contain the reason.
            ClientLog.logger().log(Level.DEBUG, "the commands of the handshake could not be sent", e);
        }
        List<Reply> answers = new ArrayList<>();
        while (answers.size() < commands.size()) {
            if (replies.next()) {
                if (!(replies.reply() instanceof Reply.Push)) {
                    answers.add(replies.reply());
                }
            } else {
                int count = transport.readWithin(buffer, limit.millisLeft());
                if (count < 0) {
                    return answers;
                }
                replies.feed(buffer, 0, count);
            }
        }
        return answers;
    }

    /** Whether no byte of a further reply has arrived. */
    boolean isAtBoundary() {
        return replies.atBoundary();
    }

    private void send(byte[] request) throws IOException {
        for (int sent = 0; sent < request.length; ) {
            int taken = transport.write(request, sent, request.length - sent);
            sent += taken;
            if (taken == 0) {
                transport.awaitWritable();
            }
        }
    }

    private static byte[] encoded(List<List<String>> commands) {
        byte[][] target = {new byte[0]};
        RequestEncoder encoder = new RequestEncoder(bytes -> target[0] = new byte[Math.max(bytes, 1 << 16)]);
        for (List<String> command : commands) {
            encoder.begin(RequestEncoder.encodeName(command.getFirst()), 1);
            for (String argument : command.subList(1, command.size())) {
                encoder.arg(argument);
            }
            encoder.end();
        }
        return Arrays.copyOf(target[0], encoder.finishedOffset());
    }
}
