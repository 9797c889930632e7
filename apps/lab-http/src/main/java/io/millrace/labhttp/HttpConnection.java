// SPDX-License-Identifier: Apache-2.0
package io.millrace.labhttp;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/** A connection to a server of this machine, which stays open between requests. Used by one thread. */
final class HttpConnection implements AutoCloseable {

    static final String SERVER = "127.0.0.1";

    /** Longer than every load. */
    private static final int TIMEOUT_MILLIS = 300_000;

    private final Socket socket;
    private final InputStream in;

    /** Bytes that were read so far. */
    private long received;

    private HttpConnection(Socket socket) throws IOException {
        this.socket = socket;
        this.in = new BufferedInputStream(socket.getInputStream());
    }

    /**
     * An answer.
     *
     * @param headers the names are in lower case
     * @param bytes length of the whole answer, with the first line and the headers
     */
    record Answer(int status, Map<String, String> headers, String body, long bytes) {}

    static HttpConnection open(int port) throws IOException {
        var socket = new Socket();
        try {
            socket.connect(new InetSocketAddress(loopback(1), port));
            return of(socket);
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    /** Uses a connected socket, which is closed with this connection. */
    static HttpConnection of(Socket socket) throws IOException {
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(TIMEOUT_MILLIS);
        return new HttpConnection(socket);
    }

    /** The address 127.0.0.{@code number} of this machine. */
    static InetAddress loopback(int number) throws IOException {
        return InetAddress.getByAddress(new byte[] {127, 0, 0, (byte) number});
    }

    Answer get(String path) throws IOException {
        send("GET " + path + " HTTP/1.1\r\nHost: " + SERVER + "\r\n\r\n");
        return answer();
    }

    /** {@code json} has only ASCII characters. */
    Answer post(String path, String json) throws IOException {
        send("POST " + path + " HTTP/1.1\r\nHost: " + SERVER + "\r\nContent-Type: application/json\r\nContent-Length: "
                + json.length() + "\r\n\r\n" + json);
        return answer();
    }

    void send(String request) throws IOException {
        socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
    }

    private Answer answer() throws IOException {
        long before = received;
        int status = status();
        Map<String, String> headers = headers();
        String length = headers.get("content-length");
        byte[] body = length == null ? chunks(headers) : bytes(Integer.parseInt(length));
        return new Answer(status, headers, new String(body, StandardCharsets.UTF_8), received - before);
    }

    private byte[] bytes(int length) throws IOException {
        byte[] bytes = in.readNBytes(length);
        received += bytes.length;
        if (bytes.length < length) {
            throw new EOFException("the server closed the connection within an answer: read=" + bytes.length);
        }
        return bytes;
    }

    private byte[] chunks(Map<String, String> headers) throws IOException {
        if (!headers.getOrDefault("transfer-encoding", "").equals("chunked")) {
            throw new IOException("an answer has no length: headers=" + headers);
        }
        var body = new ByteArrayOutputStream();
        for (int length = chunkLength(); length > 0; length = chunkLength()) {
            body.writeBytes(bytes(length));
            skipEmptyLine();
        }
        skipEmptyLine();
        return body.toByteArray();
    }

    private int chunkLength() throws IOException {
        return Integer.parseInt(line(), 16);
    }

    private void skipEmptyLine() throws IOException {
        String line = line();
        if (!line.isEmpty()) {
            throw new IOException("a line after a chunk is not empty: " + line);
        }
    }

    private int status() throws IOException {
        String[] words = line().split(" ", -1);
        if (words.length < 2 || !words[0].equals("HTTP/1.1")) {
            throw new IOException("an answer does not begin as HTTP/1.1: " + String.join(" ", words));
        }
        return Integer.parseInt(words[1]);
    }

    private Map<String, String> headers() throws IOException {
        Map<String, String> headers = new HashMap<>();
        for (String line = line(); !line.isEmpty(); line = line()) {
            int colon = line.indexOf(':');
            headers.put(
                    line.substring(0, colon).toLowerCase(Locale.ROOT),
                    line.substring(colon + 1).strip());
        }
        return headers;
    }

    private String line() throws IOException {
        var line = new StringBuilder();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new EOFException("the server closed the connection: read=" + line);
            }
            line.append((char) next);
        }
        received += line.length() + 1;
        return line.toString().stripTrailing();
    }

    /** Reads to the end of the connection, and returns the number of lines that are equal to {@code wanted}. */
    int countLines(String wanted) throws IOException {
        int found = 0;
        try {
            while (true) {
                found += line().equals(wanted) ? 1 : 0;
            }
        } catch (EOFException end) {
            return found;
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
