// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.contender;

import io.millrace.lab.run.LabException;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** A file of commands as they go over the wire, for {@link CliPipe}. */
public final class CommandFile {

    private static final int BUFFER_BYTES = 1 << 20;

    /**
     * Writes {@code commands}, each as its words, and returns {@code file}.
     *
     * @throws LabException if that is not possible
     */
    public static Path write(Path file, Stream<List<String>> commands) {
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file), BUFFER_BYTES)) {
            for (var words : (Iterable<List<String>>) commands::iterator) {
                write(out, words);
            }
            return file;
        } catch (IOException e) {
            throw new LabException("cannot make the commands: file=" + file + ", cause=" + e.getMessage(), e);
        }
    }

    private static void write(OutputStream out, List<String> words) throws IOException {
        out.write(ascii("*" + words.size() + "\r\n"));
        for (var word : words) {
            var bytes = word.getBytes(StandardCharsets.UTF_8);
            out.write(ascii("$" + bytes.length + "\r\n"));
            out.write(bytes);
            out.write(ascii("\r\n"));
        }
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private CommandFile() {}
}
