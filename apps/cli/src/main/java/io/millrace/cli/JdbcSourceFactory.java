// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import io.millrace.load.source.JdbcOptions;
import io.millrace.load.source.JdbcSource;
import io.millrace.load.source.RowSource;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Creates sources that read a table or a query of a database. The SOURCE argument is a JDBC URL. */
final class JdbcSourceFactory {

    private static final Pattern FILE = Pattern.compile(
            "jdbc:(sqlite|h2|duckdb):(?:file:|nio:|zip:)?(?!:|mem:|tcp:|ssl:)([^?;]+).*", Pattern.CASE_INSENSITIVE);

    /** Matches {@code password=…} in the properties of a URL, and a password before the {@code @}. */
    private static final Pattern PASSWORD = Pattern.compile(
            "[?&;(,]\\s*(?:password|passwd|pass|pwd)\\s*=\\s*[^&;,)]|//[^/?;@:]*:[^/?;@]+@", Pattern.CASE_INSENSITIVE);

    private JdbcSourceFactory() {}

    /** Whether {@code source} is a JDBC URL. */
    static boolean accepts(String source) {
        return source.regionMatches(true, 0, "jdbc:", 0, 5);
    }

    static SourceChoice create(
            String url, SourceArguments typed, StandardStreams standardStreams, SecretMasker secretMasker) {
        secretMasker.addFrom(url);
        if (typed.table.isTyped() == typed.query.isTyped()) {
            throw new UsageException(
                    typed.table.isTyped()
                            ? "--table and --query both say what to read. Choose one."
                            : "a jdbc: source needs --table NAME or --query SQL.");
        }
        JdbcOptions options = options(typed, standardStreams, new PasswordReader(standardStreams, secretMasker));
        JdbcSource whole = typed.table
                .value()
                .map(table -> JdbcSource.ofTable(url, table, options))
                .orElseGet(() -> JdbcSource.ofQuery(url, typed.query.value().orElseThrow(), options));
        RowSource source = partitioned(whole, typed);
        List<String> warnings = PASSWORD.matcher(url).find()
                ? List.of("other users of this machine can see a password in a jdbc: URL; MILLRACE_DB_PASSWORD or "
                        + "--db-password-file hides it.")
                : List.of();
        return new SourceChoice(source, file(url).stream().toList(), warnings);
    }

    /** The source with the readers that the user typed. */
    private static RowSource partitioned(JdbcSource source, SourceArguments typed) {
        if (typed.readers.isTyped() != typed.partition.isTyped()) {
            throw new UsageException(
                    "--readers and --partition belong together: --readers 4 --partition id reads ranges of "
                            + "the column id with 4 connections.");
        }
        return typed.partition
                .value()
                .map(partition ->
                        partition.partitioned(source, typed.readers.value().orElseThrow()))
                .orElse(source);
    }

    /**
     * The file of the database that {@code url} names; empty for a database in memory, and for
     * databases other than SQLite, H2 and DuckDB.
     */
    private static Optional<Path> file(String url) {
        Matcher matcher = FILE.matcher(url);
        if (!matcher.matches()) {
            return Optional.empty();
        }
        boolean h2 = matcher.group(1).equalsIgnoreCase("h2");
        String name =
                matcher.group(2).replaceFirst("^~(?=/)", Matcher.quoteReplacement(System.getProperty("user.home")));
        try {
            return Optional.of(Path.of(h2 ? name + ".mv.db" : name));
        } catch (InvalidPathException noFile) {
            return Optional.empty();
        }
    }

    private static JdbcOptions options(
            SourceArguments typed, StandardStreams standardStreams, PasswordReader passwordReader) {
        JdbcOptions defaults = JdbcOptions.defaults();
        return new JdbcOptions(
                typed.databaseUser.value(),
                passwordReader.database(typed.databasePasswordFile.value()),
                typed.fetchSize.value().orElse(defaults.fetchSize()),
                DriverFiles.of(typed.driver.value(), standardStreams.env("MILLRACE_DRIVERS")));
    }
}
