// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.StandardProtocolFamily;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SocketChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Lists the inode numbers of the open sockets of this process. Sockets of every address family count, connected or not.
 * Works on Linux only; on other systems the list is empty.
 */
final class OpenSockets {

    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");
    private static final Path TABLES = Path.of("/proc/self/net");
    private static final String PREFIX = "socket:[";
    private static final Map<String, String> STATES = Map.of(
            "01", "ESTABLISHED",
            "02", "SYN_SENT",
            "04", "FIN_WAIT1",
            "05", "FIN_WAIT2",
            "08", "CLOSE_WAIT",
            "09", "LAST_ACK",
            "0A", "LISTEN",
            "0B", "CLOSING");

    static {
        // The JDK opens a pair of sockets when its network classes are used for the first time, and never closes this
        // pair. So this block uses the classes before any test: the pair then does not count as sockets of a test.
        try {
            SocketChannel.open().close();
            SocketChannel.open(StandardProtocolFamily.UNIX).close();
            new ServerSocket().close();
        } catch (IOException | UnsupportedOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private OpenSockets() {}

    static Set<String> inodes() {
        Set<String> inodes = new HashSet<>();
        if (!Files.isDirectory(DESCRIPTORS)) {
            return inodes;
        }
        try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(DESCRIPTORS)) {
            for (Path descriptor : descriptors) {
                String target = targetOf(descriptor);
                if (target.startsWith(PREFIX)) {
                    inodes.add(target.substring(PREFIX.length(), target.length() - 1));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("the open sockets of this process cannot be listed", e);
        }
        return inodes;
    }

    /** Text with the addresses and the state of the socket with this inode number. */
    static String describe(String inode) {
        for (String table : List.of("tcp6", "tcp")) {
            for (String[] columns : rows(table)) {
                if (columns.length > 9 && columns[9].equals(inode)) {
                    return address(columns[1]) + " -> " + address(columns[2]) + " "
                            + STATES.getOrDefault(columns[3], columns[3]);
                }
            }
        }
        for (String[] columns : rows("unix")) {
            if (columns.length > 6 && columns[6].equals(inode)) {
                return "unix socket " + (columns.length > 7 ? columns[7] : "without a name");
            }
        }
        return "a socket that is neither connected nor listening";
    }

    private static String targetOf(Path descriptor) throws IOException {
        try {
            return Files.readSymbolicLink(descriptor).toString();
        } catch (NoSuchFileException e) {
            // The descriptor was closed after the directory listing was read. One example is the descriptor of the
            // directory itself.
            return "";
        }
    }

    private static List<String[]> rows(String table) {
        try {
            return Files.readAllLines(TABLES.resolve(table)).stream()
                    .map(line -> line.strip().split("\\s+"))
                    .toList();
        } catch (IOException e) {
            // The kernel has no such table, for example because it has no IPv6. So no open socket is in the table.
            return List.of();
        }
    }

    /**
     * Converts an address of the kernel to text. The kernel writes the IP address as words of four bytes in native byte
     * order, and the port as an ordinary hexadecimal number.
     */
    private static String address(String text) {
        int colon = text.indexOf(':');
        ByteBuffer written = ByteBuffer.wrap(HexFormat.of().parseHex(text.substring(0, colon)));
        ByteBuffer address = ByteBuffer.allocate(written.capacity()).order(ByteOrder.nativeOrder());
        while (written.hasRemaining()) {
            address.putInt(written.getInt());
        }
        try {
            return InetAddress.getByAddress(address.array()).getHostAddress() + ":"
                    + HexFormat.fromHexDigits(text.substring(colon + 1));
        } catch (UnknownHostException e) {
            return text;
        }
    }
}
