// SPDX-License-Identifier: Apache-2.0
package io.millrace.embedded;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Asks a server on the loopback interface for a section of {@code INFO}, such as that with the process id.
 *
 * <p>A {@code PING} is not enough: another server may have taken the port first, and would answer the {@code PING}. The
 * process id shows whether the started server answers.
 */
record ServerProbe(int port, Optional<String> password) {

    private static final int TIMEOUT_MILLIS = 1_000;

    /** Returns the fields of a section of {@code INFO}, or an empty result if the server does not answer now. */
    Optional<Map<String, String>> ask(String section) {
        try (Socket socket = new Socket()) {
            socket.connect(
                    new InetSocketAddress(InetAddress.getByAddress(EmbeddedRedis.loopback()), port), TIMEOUT_MILLIS);
            socket.setSoTimeout(TIMEOUT_MILLIS);
            ByteArrayOutputStream request = new ByteArrayOutputStream();
            if (password.isPresent()) {
                command(request, "AUTH", password.get());
            }
            command(request, "INFO", section);
            socket.getOutputStream().write(request.toByteArray());
            InputStream in = socket.getInputStream();
            if (password.isPresent() && !line(in).equals("+OK")) {
                return Optional.empty();
            }
            String header = line(in);
            if (!header.startsWith("$")) {
                return Optional.empty();
            }
            byte[] body = in.readNBytes(Integer.parseInt(header.substring(1)));
            return Optional.of(fields(new String(body, UTF_8)));
        } catch (IOException | NumberFormatException e) {
            return Optional.empty();
        }
    }

    private static Map<String, String> fields(String info) {
        return info.lines()
                .filter(line -> line.contains(":"))
                .map(line -> line.split(":", 2))
                .collect(Collectors.toMap(pair -> pair[0], pair -> pair[1], (first, second) -> first));
    }

    private static void command(ByteArrayOutputStream out, String name, String argument) {
        out.writeBytes(("*2\r\n$" + name.length() + "\r\n" + name + "\r\n").getBytes(US_ASCII));
        byte[] bytes = argument.getBytes(UTF_8);
        out.writeBytes(("$" + bytes.length + "\r\n").getBytes(US_ASCII));
        out.writeBytes(bytes);
        out.writeBytes("\r\n".getBytes(US_ASCII));
    }

    private static String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int b = in.read(); b != '\n'; b = in.read()) {
            if (b < 0 || line.length() > 200) {
                throw new IOException("no line");
            }
            line.append((char) b);
        }
        return line.toString().stripTrailing();
    }
}
