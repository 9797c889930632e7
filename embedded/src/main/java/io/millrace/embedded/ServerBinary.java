// SPDX-License-Identifier: Apache-2.0
package io.millrace.embedded;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Source of the server binary of a private server. */
public sealed interface ServerBinary {

    /** {@code redis-server} or {@code valkey-server} from the PATH, otherwise the binary in the jar. The default. */
    static ServerBinary any() {
        return new Any();
    }

    /** {@code redis-server} or {@code valkey-server} from the PATH only. */
    static ServerBinary fromPath() {
        return new FromPath();
    }

    /** Redis {@value FromJar#VERSION} from the jar of {@code org.signal:embedded-redis}, for Linux and macOS. */
    static ServerBinary fromJar() {
        return new FromJar();
    }

    /** The program {@code file}. */
    static ServerBinary at(Path file) {
        return new At(file.toAbsolutePath());
    }

    /**
     * Returns the path of the server program. Empty if this source has no program for this machine. A binary from the
     * jar is unpacked into {@code directory}.
     */
    Optional<Path> resolve(Path directory);

    /** The binary from the PATH, otherwise the binary in the jar. */
    record Any() implements ServerBinary {
        @Override
        public Optional<Path> resolve(Path directory) {
            return new FromPath().resolve(directory).or(() -> new FromJar().resolve(directory));
        }
    }

    /** The binary from the PATH. */
    record FromPath() implements ServerBinary {

        private static final List<String> NAMES = List.of("redis-server", "valkey-server");

        @Override
        public Optional<Path> resolve(Path directory) {
            return NAMES.stream().flatMap(name -> find(name).stream()).findFirst();
        }

        /** Finds the program {@code name} in the PATH. */
        static Optional<Path> find(String name) {
            String path = Optional.ofNullable(System.getenv("PATH")).orElse("");
            for (String folder : path.split(File.pathSeparator, -1)) {
                Path file = Path.of(folder).resolve(name);
                if (Files.isRegularFile(file) && Files.isExecutable(file)) {
                    return Optional.of(file.toAbsolutePath());
                }
            }
            return Optional.empty();
        }
    }

    /** The binary in the jar. */
    record FromJar() implements ServerBinary {

        static final String VERSION = "7.0.15";

        @Override
        public Optional<Path> resolve(Path directory) {
            String resource = "/redis-server-" + VERSION + "-" + platform();
            Path file = directory.resolve("redis-server");
            try (InputStream in = ServerBinary.class.getResourceAsStream(resource)) {
                if (in == null) {
                    return Optional.empty();
                }
                Files.createFile(
                        file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
                try (var out = Files.newOutputStream(file)) {
                    in.transferTo(out);
                }
                return Optional.of(file);
            } catch (IOException e) {
                throw new EmbeddedRedisException(
                        "the server inside the jar cannot be unpacked: file=" + file + ", cause=" + e.getMessage()
                                + ". Make disk space available, or set java.io.tmpdir to another directory.",
                        e);
            }
        }

        /** Operating system and processor as in the file names of the jar, such as {@code linux-amd64}. */
        static String platform() {
            String system = System.getProperty("os.name", "").toLowerCase(Locale.ROOT);
            String processor = System.getProperty("os.arch", "").toLowerCase(Locale.ROOT);
            return (system.startsWith("mac") ? "darwin" : system) + "-"
                    + switch (processor) {
                        case "x86_64", "amd64" -> "amd64";
                        case "aarch64", "arm64" -> "arm64";
                        case "x86", "i386", "i686" -> "386";
                        default -> processor;
                    };
        }
    }

    /** A given file. */
    record At(Path file) implements ServerBinary {
        @Override
        public Optional<Path> resolve(Path directory) {
            return Files.isExecutable(file) ? Optional.of(file) : Optional.empty();
        }
    }
}
