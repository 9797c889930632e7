// SPDX-License-Identifier: Apache-2.0
package io.millrace.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Calls of a server. */
final class Call {

    private final int port;
    private final Map<String, String> headers;

    /** Null for the usual address. */
    private final @Nullable InetAddress from;

    Call(int port) {
        this(port, Map.of());
    }

    private Call(int port, Map<String, String> headers) {
        this(port, headers, null);
    }

    private Call(int port, Map<String, String> headers, @Nullable InetAddress from) {
        this.port = port;
        this.headers = headers;
        this.from = from;
    }

    /** Calls from another address of this machine. */
    Call from(String localAddress) {
        try {
            return new Call(port, headers, InetAddress.getByName(localAddress));
        } catch (UnknownHostException notAnAddress) {
            throw new IllegalArgumentException(localAddress, notAnAddress);
        }
    }

    private RawConnection connection() throws IOException {
        InetAddress local = from;
        return local == null ? new RawConnection(port) : new RawConnection(port, local);
    }

    int port() {
        return port;
    }

    Call with(String name, String value) {
        Map<String, String> more = new LinkedHashMap<>(headers);
        more.put(name, value);
        return new Call(port, more, from);
    }

    RawAnswer get(String path) {
        return send("GET", path, "");
    }

    RawAnswer head(String path) {
        return send("HEAD", path, "");
    }

    RawAnswer delete(String path) {
        return send("DELETE", path, "");
    }

    RawAnswer post(String path, String json) {
        return with("Content-Type", "application/json").send("POST", path, json);
    }

    JsonNode json(String path) {
        RawAnswer answer = with("Accept", "application/json").get(path);
        if (answer.status() != 200) {
            throw new AssertionError("status " + answer.status() + ": " + answer.body());
        }
        return JsonMapper.shared().readTree(answer.body());
    }

    RawAnswer send(String method, String path, String body) {
        StringBuilder request = new StringBuilder();
        request.append(method).append(' ').append(path).append(" HTTP/1.1\r\n");
        if (!headers.containsKey("Host")) {
            request.append("Host: 127.0.0.1:").append(port).append("\r\n");
        }
        headers.forEach(
                (name, value) -> request.append(name).append(": ").append(value).append("\r\n"));
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        if (bytes.length > 0 || method.equals("POST")) {
            request.append("Content-Length: ").append(bytes.length).append("\r\n");
        }
        request.append("Connection: close\r\n\r\n").append(new String(bytes, StandardCharsets.ISO_8859_1));
        try (RawConnection connection = connection()) {
            return connection.send(request.toString()).read();
        } catch (IOException failed) {
            throw new UncheckedIOException(method + " " + path, failed);
        }
    }
}
