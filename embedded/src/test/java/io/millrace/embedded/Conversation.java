// SPDX-License-Identifier: Apache-2.0
package io.millrace.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;

/** Inline commands and one-line replies over any socket: as little as these tests need. */
final class Conversation implements AutoCloseable {

    private final Socket socket;
    private final BufferedReader in;

    Conversation(Socket socket) throws IOException {
        this.socket = socket;
        socket.setSoTimeout(5_000);
        this.in = new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8));
    }

    static Conversation with(EmbeddedRedis redis) throws IOException {
        return new Conversation(new Socket(redis.host(), redis.port()));
    }

    void timeoutMillis(int millis) throws IOException {
        socket.setSoTimeout(millis);
    }

    String say(String line) throws IOException {
        socket.getOutputStream().write((line + "\r\n").getBytes(UTF_8));
        return listen();
    }

    String listen() throws IOException {
        return String.valueOf(in.readLine());
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
