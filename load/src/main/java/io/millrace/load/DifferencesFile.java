// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.load.target.Difference;
import io.millrace.load.target.PlanException;
import java.io.BufferedOutputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/**
 * The file of the differences that a verification has found. Each line is a JSON object:
 *
 * <pre>
 * {"key":"customer:17","difference":"value","field":"name","expected":"Ada","found":"Eve"}
 * {"key":"customer:18","difference":"absent","found":null}
 * </pre>
 *
 * <p>Confined to one thread. Blocks while the disk blocks.
 */
final class DifferencesFile implements AutoCloseable {

    private static final JsonFactory JSON =
            JsonFactory.builder().rootValueSeparator("").build();

    private final Path path;
    private final OutputStream file;
    private final JsonGenerator json;
    private boolean failed;

    private DifferencesFile(Path path, OutputStream file) {
        this.path = path;
        this.file = file;
        this.json = JSON.createGenerator(ObjectWriteContext.empty(), file);
    }

    /**
     * Creates the file. The caller must call this method before it writes anything to Redis.
     *
     * @throws PlanException if the file is not empty, or cannot be created
     */
    static DifferencesFile open(Path path) {
        try {
            if (Files.isRegularFile(path) && Files.size(path) > 0) {
                throw new PlanException("differences file is not empty: path=" + path + ", bytes=" + Files.size(path)
                        + ". Move the file away, or name another file.");
            }
            return new DifferencesFile(path, new BufferedOutputStream(new FileOutputStream(path.toFile(), true)));
        } catch (IOException e) {
            throw new PlanException("differences file cannot be created: path=" + path + " (" + e.getMessage()
                    + "). Name a file in a writable directory.");
        }
    }

    /**
     * Adds a difference.
     *
     * @throws UncheckedIOException if the write fails
     */
    void add(Suspects.Suspect suspect) {
        Difference difference = suspect.difference();
        try {
            json.writeStartObject();
            json.writeName("key");
            JsonBytes.write(json, suspect.place(), 0, suspect.keyLength());
            json.writeStringProperty("difference", difference.kind().name().toLowerCase(Locale.ROOT));
            member("field", difference.field());
            member("expected", difference.expected());
            if (difference.kind() == Difference.Kind.ABSENT) {
                json.writeNullProperty("found");
            } else {
                member("found", difference.found());
            }
            if (difference.cut()) {
                json.writeBooleanProperty("cut", true);
            }
            json.writeEndObject();
            json.writeRaw('\n');
        } catch (JacksonException e) {
            failed = true;
            throw new UncheckedIOException(failure(), new IOException(e));
        }
    }

    private void member(String name, byte[] value) {
        if (value.length > 0) {
            json.writeName(name);
            JsonBytes.write(json, value, 0, value.length);
        }
    }

    /**
     * Writes the buffered lines and closes the file.
     *
     * @throws UncheckedIOException if the lines cannot be written
     */
    @Override
    public void close() {
        try (file) {
            if (!failed) {
                json.flush();
                file.flush();
            }
        } catch (JacksonException | IOException e) {
            if (!failed) {
                failed = true;
                throw new UncheckedIOException(failure(), e instanceof IOException io ? io : new IOException(e));
            }
        }
    }

    private String failure() {
        return "differences file cannot be written: path=" + path
                + ". Free disk space or name another file, and verify again.";
    }
}
