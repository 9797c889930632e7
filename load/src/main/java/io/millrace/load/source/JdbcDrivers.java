// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import io.millrace.load.source.SourceException.Kind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Driver;
import java.sql.DriverManager;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * The JDBC drivers of this process: those in files that the user names, and those on the class path.
 *
 * <p>Each file has a class loader of its own, with only the classes of Java above. So the libraries of a driver cannot
 * conflict with Millrace or with another driver. A file is loaded once and never unloaded, because some drivers contain
 * native code, which a process can load only once. Any thread may call the methods.
 */
final class JdbcDrivers {

    private static final Map<Path, List<Driver>> LOADED = new ConcurrentHashMap<>();

    /** Coordinates of drivers that are often missing, in the Maven repository. */
    private static final Map<String, String> COORDINATES = Map.of(
            "mysql", "com.mysql:mysql-connector-j",
            "mariadb", "org.mariadb.jdbc:mariadb-java-client",
            "duckdb", "org.duckdb:duckdb_jdbc",
            "oracle", "com.oracle.database.jdbc:ojdbc17",
            "sqlserver", "com.microsoft.sqlserver:mssql-jdbc",
            "db2", "com.ibm.db2:jcc",
            "clickhouse", "com.clickhouse:clickhouse-jdbc",
            "snowflake", "net.snowflake:snowflake-jdbc");

    private JdbcDrivers() {}

    /**
     * All drivers: first those in {@code files}, in this order.
     *
     * @throws SourceException if a file cannot be read, or contains no driver
     */
    static List<Driver> all(List<Path> files) {
        List<Driver> drivers = new ArrayList<>();
        for (Path file : files) {
            drivers.addAll(LOADED.computeIfAbsent(file.toAbsolutePath().normalize(), JdbcDrivers::load));
        }
        DriverManager.drivers().forEach(drivers::add);
        return drivers;
    }

    /** Tells the user where to get a driver for {@code scheme}. */
    static String advice(String scheme) {
        String coordinates = COORDINATES.get(scheme);
        return "Download the jar of the driver" + (coordinates == null ? "" : ", " + coordinates + ",")
                + " and name it as a driver file.";
    }

    private static List<Driver> load(Path file) {
        try {
            // The loader stays open, because a driver loads more classes later.
            URLClassLoader loader = new URLClassLoader(
                    "millrace-driver-" + file.getFileName(), urls(file), ClassLoader.getPlatformClassLoader());
            List<Driver> drivers = new ArrayList<>();
            ServiceLoader.load(Driver.class, loader).forEach(drivers::add);
            if (drivers.isEmpty()) {
                loader.close();
                throw unusable(file, "it contains no JDBC driver");
            }
            return List.copyOf(drivers);
        } catch (IOException | UncheckedIOException e) {
            throw unusable(file, String.valueOf(e.getMessage()));
        } catch (ServiceConfigurationError | LinkageError e) {
            throw unusable(file, "its driver does not start: " + e);
        }
    }

    private static URL[] urls(Path file) throws IOException {
        if (!Files.isDirectory(file)) {
            if (!Files.isReadable(file)) {
                throw new IOException("there is no such file, or no permission to read it");
            }
            return new URL[] {file.toUri().toURL()};
        }
        List<URL> urls = new ArrayList<>();
        try (Stream<Path> entries = Files.list(file)) {
            for (Path jar : entries.filter(JdbcDrivers::isJar).sorted().toList()) {
                urls.add(jar.toUri().toURL());
            }
        }
        return urls.toArray(URL[]::new);
    }

    private static boolean isJar(Path file) {
        return file.toString().endsWith(".jar");
    }

    private static SourceException unusable(Path file, String why) {
        return new SourceException(Kind.UNUSABLE, "cannot use the driver file %s: %s.".formatted(file, why));
    }
}
