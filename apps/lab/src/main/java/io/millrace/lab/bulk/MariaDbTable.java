// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.bulk;

import io.millrace.lab.server.LabException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/** A MariaDB server of this machine, with its data in a folder of the contender. */
final class MariaDbTable implements TableDatabase {

    private static final String INSTALL = "MariaDB (Debian and Ubuntu: apt install mariadb-server)";

    /** Debian keeps the server outside of the PATH of most users. */
    private static final List<String> PLACES = List.of("/usr/sbin", "/usr/bin", "/usr/local/sbin", "/usr/local/bin");

    private static final Duration START_LIMIT = Duration.ofMinutes(2);
    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(20);

    private static final String CREATE = "CREATE TABLE " + RowSource.TABLE
            + " (id bigint PRIMARY KEY, name text, email text, city text, balance decimal(12, 2))";

    private final Process process;
    private final Thread atExit;
    private final int port;

    private MariaDbTable(Process process, int port) {
        this.process = process;
        this.port = port;
        this.atExit = new Thread(process::destroyForcibly, "stop-mariadb");
        Runtime.getRuntime().addShutdownHook(atExit);
    }

    /** Why the server cannot start here; empty if the server can. */
    static Optional<String> missing() {
        return Stream.of("mariadbd", "mariadb-install-db")
                .filter(name -> program(name).isEmpty())
                .findFirst()
                .map(name -> "not installed: " + name + ". Install " + INSTALL + ".");
    }

    private static Optional<Path> program(String name) {
        return PLACES.stream()
                .map(place -> Path.of(place, name))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /** Starts the server with its data in {@code folder}. */
    static MariaDbTable start(Path folder) throws IOException {
        Path own = Files.createTempDirectory(folder, "mariadb");
        Path log = own.resolve("log");
        String data = "--datadir=" + own.resolve("data");
        String user = "--user=" + System.getProperty("user.name");
        String install = program("mariadb-install-db").orElseThrow().toString();
        ExternalPrograms.run(
                List.of(install, "--no-defaults", data, "--auth-root-authentication-method=normal", user),
                Map.of(),
                log);
        int port = freePort();
        var command = List.of(
                program("mariadbd").orElseThrow().toString(),
                "--no-defaults",
                data,
                "--socket=s", // within the data folder: a path of a socket must be short
                "--pid-file=p",
                "--port=" + port,
                "--bind-address=127.0.0.1",
                "--skip-name-resolve",
                "--local-infile=1",
                "--innodb-flush-log-at-trx-commit=0", // no data must survive a crash
                "--innodb-buffer-pool-size=512M", // the table stays in memory, as with PostgreSQL
                user);
        var process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
        var started = new MariaDbTable(process, port);
        try {
            started.awaitStart(log);
            return started;
        } catch (LabException e) {
            started.close();
            throw e;
        }
    }

    private void awaitStart(Path log) throws IOException {
        long start = System.nanoTime();
        while (true) {
            try (var connection = DriverManager.getConnection(url());
                    var statement = connection.createStatement()) {
                statement.execute("SELECT 1");
                return;
            } catch (SQLException e) {
                if (!process.isAlive() || System.nanoTime() - start > START_LIMIT.toNanos()) {
                    throw new LabException(
                            "MariaDB does not start: port=" + port + ", log="
                                    + Files.readString(log).strip(),
                            e);
                }
                LockSupport.parkNanos(BETWEEN_LOOKS.toNanos());
            }
        }
    }

    /** The database {@code test} exists after the installation. */
    @Override
    public String url() {
        return "jdbc:mariadb://127.0.0.1:" + port + "/test?user=root";
    }

    @Override
    public void fill(Path csv) throws SQLException {
        try (var connection = DriverManager.getConnection(url() + "&allowLocalInfile=true");
                var statement = connection.createStatement()) {
            statement.execute(CREATE + " CHARACTER SET utf8mb4");
            statement.execute("LOAD DATA LOCAL INFILE '" + csv + "' INTO TABLE " + RowSource.TABLE
                    + " CHARACTER SET utf8mb4 FIELDS TERMINATED BY ',' OPTIONALLY ENCLOSED BY '\"' IGNORE 1 LINES");
            statement.execute("ANALYZE TABLE " + RowSource.TABLE);
        }
    }

    private static int freePort() throws IOException {
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
        try {
            Runtime.getRuntime().removeShutdownHook(atExit);
        } catch (IllegalStateException shutdownHasBegun) {
            // The hook runs anyway.
        }
    }
}
