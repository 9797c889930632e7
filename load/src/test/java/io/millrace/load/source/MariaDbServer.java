// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/** A MariaDB server of the machine, with its data in a folder of the test. */
final class MariaDbServer implements AutoCloseable {

    private static final String[] PLACES = {"/usr/sbin", "/usr/bin", "/usr/local/sbin", "/usr/local/bin"};

    private final Process process;
    private final int port;

    private MariaDbServer(Process process, int port) {
        this.process = process;
        this.port = port;
    }

    /** Whether this machine has the programs of the server: the package mariadb-server of Debian. */
    static boolean isInstalled() {
        return program("mariadbd").isPresent() && program("mariadb-install-db").isPresent();
    }

    /**
     * Starts a server with the database {@code shop} and two users with the password {@code hunter2}: {@code ada}, and
     * {@code single} with at most one connection.
     */
    static MariaDbServer start(Path folder) throws IOException, InterruptedException, SQLException {
        Path data = Files.createDirectory(folder.resolve("data"));
        Path log = folder.resolve("log");
        String user = "--user=" + System.getProperty("user.name");
        Process install = run(
                log,
                List.of(
                        program("mariadb-install-db").orElseThrow().toString(),
                        "--no-defaults",
                        "--datadir=" + data,
                        "--auth-root-authentication-method=normal",
                        user));
        if (install.waitFor() != 0) {
            throw new IOException("the database cannot be created: " + Files.readString(log));
        }
        int port = freePort();
        Process process = run(
                log,
                List.of(
                        program("mariadbd").orElseThrow().toString(),
                        "--no-defaults",
                        "--datadir=" + data,
                        "--socket=" + folder.resolve("s"),
                        "--port=" + port,
                        "--bind-address=127.0.0.1",
                        "--skip-name-resolve",
                        "--innodb-flush-log-at-trx-commit=0",
                        user));
        MariaDbServer server = new MariaDbServer(process, port);
        try {
            server.awaitStart(log);
            Sql.run(
                    server.url("mariadb", "mysql") + "?user=root",
                    "CREATE DATABASE shop CHARACTER SET utf8mb4",
                    "CREATE USER ada IDENTIFIED BY 'hunter2'",
                    "GRANT ALL ON shop.* TO ada",
                    "CREATE USER single IDENTIFIED BY 'hunter2' WITH MAX_USER_CONNECTIONS 1",
                    "GRANT ALL ON shop.* TO single");
        } catch (IOException | SQLException e) {
            server.close();
            throw e;
        }
        return server;
    }

    private void awaitStart(Path log) throws IOException {
        long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
        while (true) {
            try {
                DriverManager.getConnection(url("mariadb", "mysql") + "?user=root")
                        .close();
                return;
            } catch (SQLException e) {
                if (!process.isAlive() || System.nanoTime() > deadline) {
                    throw new IOException("the server does not start: " + Files.readString(log), e);
                }
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
            }
        }
    }

    /** The URL of a database, for the driver {@code mariadb} or {@code mysql}. */
    String url(String driver, String database) {
        return "jdbc:" + driver + "://127.0.0.1:" + port + "/" + database;
    }

    private static Process run(Path log, List<String> command) throws IOException {
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
    }

    private static Optional<Path> program(String name) {
        return Stream.of(PLACES)
                .map(place -> Path.of(place, name))
                .filter(Files::isExecutable)
                .findFirst();
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }
}
