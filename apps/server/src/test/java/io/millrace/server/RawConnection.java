// SPDX-License-Identifier: Apache-2.0
package io.millrace.server;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * A connection to the server that sends any bytes, also such that no HTTP client would send. Each answer is compared with the
 * description of the routes.
 */
final class RawConnection implements AutoCloseable {

    /** Long, because a machine may be busy. */
    private static final int TIMEOUT_MILLIS = 60_000;

    private final Socket socket;
    private final InputStream in;

    /** The begin of the request that has been sent. */
    private String request = "";

    private volatile int status;

    RawConnection(int port) throws IOException {
        this(new Socket(InetAddress.getLoopbackAddress(), port));
    }

    /** Opens a connection from another address of this machine. */
    RawConnection(int port, InetAddress from) throws IOException {
        this(new Socket(InetAddress.getLoopbackAddress(), port, from, 0));
    }

    RawConnection(Socket connected) throws IOException {
        socket = connected;
        socket.setSoTimeout(TIMEOUT_MILLIS);
        socket.setTcpNoDelay(true);
        in = new BufferedInputStream(socket.getInputStream());
    }

    /** Sends a text, each character as one byte. */
    RawConnection send(String text) throws IOException {
        if (text.contains(" HTTP/")) {
            request = text;
        }
        try {
            socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
            socket.getOutputStream().flush();
        } catch (SocketException closed) {
            // The server has answered and closed the connection before it has read everything.
        }
        return this;
    }

    /** Reads an answer. */
    RawAnswer read() throws IOException {
        String[] words = request.split(" ", 3);
        RawAnswer answer = read(words[0].equals("HEAD"));
        if (words.length == 3) {
            ApiDescription.check(words[0], words[1], answer);
        }
        return answer;
    }

    /** {@code head}: whether the answer has no body, because the method is HEAD. */
    private RawAnswer read(boolean head) throws IOException {
        String statusLine = line();
        Map<String, List<String>> headers = new TreeMap<>();
        for (String line = line(); !line.isEmpty(); line = line()) {
            int colon = line.indexOf(':');
            headers.computeIfAbsent(line.substring(0, colon).toLowerCase(Locale.ROOT), name -> new ArrayList<>())
                    .add(line.substring(colon + 1).strip());
        }
        int status = Integer.parseInt(statusLine.split(" ", -1)[1]);
        boolean hasBody = !head && status != 204 && status >= 200;
        return new RawAnswer(status, headers, hasBody ? body(headers) : "");
    }

    private String body(Map<String, List<String>> headers) throws IOException {
        byte[] bytes;
        if (headers.getOrDefault("transfer-encoding", List.of()).contains("chunked")) {
            bytes = chunks();
        } else if (headers.containsKey("content-length")) {
            bytes = in.readNBytes(Integer.parseInt(headers.get("content-length").getFirst()));
        } else {
            bytes = in.readAllBytes();
        }
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private byte[] chunks() throws IOException {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        for (byte[] chunk = chunk(); chunk.length > 0; chunk = chunk()) {
            body.write(chunk);
        }
        return body.toByteArray();
    }

    /** Reads a chunk of a body. The last chunk is empty. */
    byte[] chunk() throws IOException {
        byte[] chunk = in.readNBytes(Integer.parseInt(line(), 16));
        line();
        return chunk;
    }

    /** Reads a line without its end. */
    String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new EOFException("the server has closed the connection: read=" + line);
            }
            line.append((char) next);
        }
        return line.toString().stripTrailing();
    }

    /** Reads until the server closes the connection. */
    String rest() throws IOException {
        return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }

    /** Reads an answer, and waits until the server closes the connection. */
    void readToTheEnd() {
        try {
            status = read().status();
            var unused = rest();
        } catch (IOException reset) {
            // The connection has ended.
        }
    }

    /** The status of the answer, if there was one. Read after the end of the thread that has read the answer. */
    int status() {
        return status;
    }

    /** Whether the server has closed the connection. Waits for this or for further bytes. */
    boolean isClosedByServer() {
        try {
            return in.read() < 0;
        } catch (IOException reset) {
            return true;
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
