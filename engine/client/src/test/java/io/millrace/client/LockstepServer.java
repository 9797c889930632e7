// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.millrace.testkit.Handler;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;

/**
 * A server that reads a command only after it has written the complete reply to the previous command. A client that
 * does not read while it writes deadlocks with this server. The server knows the handshake and {@code ECHO}, and serves
 * each connection on its own thread.
 */
final class LockstepServer implements AutoCloseable {

    private final ServerSocket listener;
    private final List<Socket> sockets = new ArrayList<>();
    private final Thread thread;

    LockstepServer() {
        try {
            listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        thread = Thread.ofPlatform().name("lockstep-server").unstarted(this::accept);
        thread.start();
    }

    RedisUri uri() {
        return RedisUri.of(listener.getInetAddress().getHostAddress(), listener.getLocalPort());
    }

    private void accept() {
        List<Thread> serving = new ArrayList<>();
        try {
            while (true) {
                Socket socket = listener.accept();
                sockets.add(socket);
                serving.add(Thread.ofVirtual().start(() -> serve(socket)));
            }
        } catch (IOException e) {
            // The listening socket was closed, so this thread ends.
        }
        sockets.forEach(LockstepServer::close);
        try {
            for (Thread server : serving) {
                server.join();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void serve(Socket socket) {
        try {
            DataInputStream in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
            OutputStream out = socket.getOutputStream();
            while (true) {
                List<byte[]> command = read(in);
                out.write(reply(command));
            }
        } catch (IOException e) {
            // The client is gone.
        }
    }

    private static List<byte[]> read(DataInputStream in) throws IOException {
        List<byte[]> arguments = new ArrayList<>();
        for (int left = number(in, '*'); left > 0; left--) {
            byte[] argument = new byte[number(in, '$')];
            in.readFully(argument);
            in.skipNBytes(2);
            arguments.add(argument);
        }
        return arguments;
    }

    private static int number(DataInputStream in, char type) throws IOException {
        if (in.readByte() != type) {
            throw new IOException("a request that is not an array of bulk strings");
        }
        int number = 0;
        for (byte digit = in.readByte(); digit != '\r'; digit = in.readByte()) {
            number = number * 10 + digit - '0';
        }
        in.skipNBytes(1);
        return number;
    }

    private static byte[] reply(List<byte[]> command) {
        return switch (new String(command.getFirst(), US_ASCII)) {
            case "HELLO" -> Handler.HELLO.getBytes(US_ASCII);
            case "ECHO" -> bulk(command.get(1));
            default -> "+OK\r\n".getBytes(US_ASCII);
        };
    }

    private static byte[] bulk(byte[] value) {
        byte[] header = ("$" + value.length + "\r\n").getBytes(US_ASCII);
        byte[] reply = new byte[header.length + value.length + 2];
        System.arraycopy(header, 0, reply, 0, header.length);
        System.arraycopy(value, 0, reply, header.length, value.length);
        reply[reply.length - 2] = '\r';
        reply[reply.length - 1] = '\n';
        return reply;
    }

    private static void close(AutoCloseable resource) {
        try {
            resource.close();
        } catch (Exception e) {
            throw new AssertionError("cannot close " + resource, e);
        }
    }

    @Override
    public void close() {
        close(listener);
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
