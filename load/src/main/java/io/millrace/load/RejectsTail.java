// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/** Removes lines from a rejects file, when a load continues an earlier load and rejects their rows again. */
final class RejectsTail {

    private static final JsonFactory JSON = new JsonFactory();

    private RejectsTail() {}

    /**
     * Removes the lines of rows after {@code row}, of unconfirmed rows, and an incomplete last line. The file is replaced
     * by a new file, so that a killed process leaves the old file or the new file. Does nothing to a special file.
     */
    static void drop(Path path, long row) throws IOException {
        if (!Files.isRegularFile(path) || Files.size(path) == 0) {
            return;
        }
        Path kept = path.resolveSibling(path.getFileName() + ".tmp");
        try (InputStream in = new BufferedInputStream(Files.newInputStream(path));
                OutputStream out = new BufferedOutputStream(Files.newOutputStream(kept))) {
            ByteArrayOutputStream line = new ByteArrayOutputStream();
            for (int b = in.read(); b >= 0; b = in.read()) {
                line.write(b);
                if (b == '\n') {
                    if (isKept(line.toByteArray(), row)) {
                        line.writeTo(out);
                    }
                    line.reset();
                }
            }
        }
        Files.move(kept, path, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    }

    /** Whether the line has a number up to {@code row}, and names no last number as a range does. */
    private static boolean isKept(byte[] line, long row) {
        try (JsonParser json = JSON.createParser(ObjectReadContext.empty(), line)) {
            boolean kept = false;
            json.nextToken();
            while (json.nextToken() == JsonToken.PROPERTY_NAME) {
                String name = json.currentName();
                JsonToken value = json.nextToken();
                if (name.equals("number") && value == JsonToken.VALUE_NUMBER_INT) {
                    kept = json.getLongValue() <= row;
                } else if (name.equals("lastNumber")) {
                    return false;
                }
                json.skipChildren();
            }
            return kept;
        } catch (JacksonException damaged) {
            return false;
        }
    }
}
