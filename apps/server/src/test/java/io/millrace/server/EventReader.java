// SPDX-License-Identifier: Apache-2.0
package io.millrace.server;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Reads a stream of server-sent events in ASCII. Each event is compared with the description of the routes. */
final class EventReader implements AutoCloseable {

    private final RawConnection connection;
    private final String path;
    private final String contentType;

    /** The part of the stream that has been read and not used. */
    private String buffer = "";

    /** An event. */
    record Event(String name, long id, JsonNode data) {}

    private EventReader(RawConnection connection, String path, String contentType) {
        this.connection = connection;
        this.path = path;
        this.contentType = contentType;
    }

    /** Opens the stream and reads the headers of its answer. */
    static EventReader open(int port, String path) throws IOException {
        return open(new RawConnection(port), path, "");
    }

    /** Opens the stream from another address of this machine. */
    static EventReader open(int port, String path, String localAddress) throws IOException {
        return open(new RawConnection(port, InetAddress.getByName(localAddress)), path, "");
    }

    /** Opens the stream with the cookie of a session. */
    static EventReader openWithCookie(int port, String path, String cookie) throws IOException {
        return open(new RawConnection(port), path, "Cookie: " + cookie + "\r\n");
    }

    private static EventReader open(RawConnection connection, String path, String headers) throws IOException {
        connection.send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n" + headers + "Connection: close\r\n\r\n");
        String status = connection.line();
        if (!status.contains(" 200")) {
            connection.close();
            throw new IOException("the stream was refused: " + status);
        }
        String type = "";
        for (String line = connection.line(); !line.isEmpty(); line = connection.line()) {
            type = line.startsWith("Content-Type: ") ? line.substring("Content-Type: ".length()) : type;
        }
        return new EventReader(connection, path, type);
    }

    String contentType() {
        return contentType;
    }

    /** Returns the next event; null after the end of the stream. Skips comments. */
    @Nullable
    Event next() throws IOException {
        String name = "";
        long id = -1;
        while (true) {
            String line = line();
            if (line == null) {
                return null;
            } else if (line.startsWith("event: ")) {
                name = line.substring("event: ".length());
            } else if (line.startsWith("id: ")) {
                id = Long.parseLong(line.substring("id: ".length()));
            } else if (line.startsWith("data: ")) {
                JsonNode data = JsonMapper.shared().readTree(line.substring("data: ".length()));
                ApiDescription.checkEvent(path, name, data);
                return new Event(name, id, data);
            }
        }
    }

    private @Nullable String line() throws IOException {
        while (buffer.indexOf('\n') < 0) {
            byte[] chunk = connection.chunk();
            if (chunk.length == 0) {
                return null;
            }
            buffer += new String(chunk, StandardCharsets.US_ASCII);
        }
        int end = buffer.indexOf('\n');
        String line = buffer.substring(0, end);
        buffer = buffer.substring(end + 1);
        return line;
    }

    @Override
    public void close() throws IOException {
        connection.close();
    }
}
