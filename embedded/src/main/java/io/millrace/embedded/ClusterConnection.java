// SPDX-License-Identifier: Apache-2.0
package io.millrace.embedded;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A connection for the commands that form and change a cluster. Sends one command at a time and reads replies of RESP2
 * without nested arrays and without null. Not thread-safe.
 */
final class ClusterConnection implements AutoCloseable {

    private static final int MAX_LINE_BYTES = 10_000;

    private final Socket socket;
    private final InputStream in;
    private final int port;

    private ClusterConnection(Socket socket, int port) throws IOException {
        this.socket = socket;
        this.in = new BufferedInputStream(socket.getInputStream());
        this.port = port;
    }

    /**
     * Opens a connection and logs in if the server has a password.
     *
     * @param timeout maximum time to connect, and for each read
     * @throws EmbeddedRedisException if the server rejects the password
     */
    static ClusterConnection open(EmbeddedRedis server, Duration timeout) throws IOException {
        Socket socket = new Socket();
        boolean ready = false;
        try {
            int millis = Math.toIntExact(timeout.toMillis());
            socket.setTcpNoDelay(true);
            socket.setSoTimeout(millis);
            socket.connect(
                    new InetSocketAddress(InetAddress.getByAddress(EmbeddedRedis.loopback()), server.port()), millis);
            ClusterConnection connection = new ClusterConnection(socket, server.port());
            if (server.password().isPresent()) {
                connection.call("AUTH", server.password().get());
            }
            ready = true;
            return connection;
        } finally {
            if (!ready) {
                socket.close();
            }
        }
    }

    static List<byte[]> command(String... parts) {
        return Arrays.stream(parts).map(part -> part.getBytes(UTF_8)).toList();
    }

    /** Sends a command and returns its reply as text. The text is empty if the reply is an empty array. */
    String call(String... command) throws IOException {
        List<byte[]> reply = call(command(command));
        return reply.isEmpty() ? "" : new String(reply.getFirst(), UTF_8);
    }

    /**
     * Sends a command and returns the elements of an array, or a list with one element for any other reply.
     *
     * @throws EmbeddedRedisException if the reply is an error
     */
    List<byte[]> call(List<byte[]> command) throws IOException {
        socket.getOutputStream().write(encode(command));
        String header = header();
        List<byte[]> reply = new ArrayList<>();
        switch (header.charAt(0)) {
            case '*' -> {
                int elements = length(header);
                for (int i = 0; i < elements; i++) {
                    reply.add(element(header()));
                }
            }
            case '-' ->
                throw new EmbeddedRedisException("a server of the cluster refused a command: command=" + name(command)
                        + ", port=" + port + ", error=" + header.substring(1).replaceFirst("\\.$", "")
                        + ". Check the states of the servers with CLUSTER NODES.");
            default -> reply.add(element(header));
        }
        return reply;
    }

    /** The name of a command without its arguments, because an argument may be a password. */
    private static String name(List<byte[]> command) {
        String first = new String(command.getFirst(), UTF_8);
        return first.equals("CLUSTER") ? first + " " + new String(command.get(1), UTF_8) : first;
    }

    private static byte[] encode(List<byte[]> command) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(("*" + command.size() + "\r\n").getBytes(US_ASCII));
        for (byte[] argument : command) {
            out.writeBytes(("$" + argument.length + "\r\n").getBytes(US_ASCII));
            out.writeBytes(argument);
            out.writeBytes("\r\n".getBytes(US_ASCII));
        }
        return out.toByteArray();
    }

    private byte[] element(String header) throws IOException {
        return switch (header.charAt(0)) {
            case '+', ':' -> header.substring(1).getBytes(UTF_8);
            case '$' -> {
                int length = length(header);
                byte[] bytes = in.readNBytes(length);
                if (bytes.length < length || !line().isEmpty()) {
                    throw new EOFException("the reply is incomplete: bytes=" + bytes.length + ", expected=" + length);
                }
                yield bytes;
            }
            default -> throw new IOException("unexpected reply: " + header);
        };
    }

    private static int length(String header) throws IOException {
        try {
            int length = Integer.parseInt(header.substring(1));
            if (length >= 0) {
                return length;
            }
        } catch (NumberFormatException e) {
            throw new IOException("unexpected reply: " + header, e);
        }
        throw new IOException("unexpected reply: " + header);
    }

    private String header() throws IOException {
        String header = line();
        if (header.isEmpty()) {
            throw new IOException("unexpected reply: an empty line");
        }
        return header;
    }

    private String line() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int b = in.read(); b != '\n'; b = in.read()) {
            if (b < 0 || line.size() == MAX_LINE_BYTES) {
                throw new EOFException("the connection ended, or a line has more than " + MAX_LINE_BYTES + " bytes");
            }
            line.write(b);
        }
        return line.toString(UTF_8).stripTrailing();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
