// SPDX-License-Identifier: Apache-2.0
package io.millrace.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;

/** Sends inline commands over a socket and reads one-line replies. */
final class InlineClient implements AutoCloseable {

    private final Socket socket;
    private final BufferedReader in;

    InlineClient(Socket socket) throws IOException {
        this.socket = socket;
        socket.setSoTimeout(5_000);
        this.in = new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8));
    }

    static InlineClient connect(EmbeddedRedis redis) throws IOException {
        return new InlineClient(new Socket(redis.host(), redis.port()));
    }

    void timeoutMillis(int millis) throws IOException {
        socket.setSoTimeout(millis);
    }

    String call(String line) throws IOException {
        socket.getOutputStream().write((line + "\r\n").getBytes(UTF_8));
        return readReply();
    }

    String readReply() throws IOException {
        return String.valueOf(in.readLine());
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
