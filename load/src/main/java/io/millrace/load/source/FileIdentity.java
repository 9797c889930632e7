// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Map;

/** The identity of a file for {@link RowSource#identity}. */
final class FileIdentity {

    private FileIdentity() {}

    /** The size and the modification time of {@code file}, and {@code options}, which decide how its bytes are read. */
    static Map<String, String> of(Path file, Record options) {
        try {
            BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
            return attributes.isRegularFile()
                    ? Map.of(
                            "bytes",
                            Long.toString(attributes.size()),
                            "modified",
                            attributes.lastModifiedTime().toInstant().toString(),
                            "options",
                            options.toString())
                    : ofStream(options);
        } catch (IOException missing) {
            // The opening of the source reports this error.
            return ofStream(options);
        }
    }

    /** The identity of a stream, which has no attributes. */
    static Map<String, String> ofStream(Record options) {
        return Map.of("options", options.toString());
    }
}
