// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import io.millrace.load.source.JdbcOptions;
import io.millrace.load.source.JdbcSource;
import io.millrace.load.source.RowSource;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** From a database as typed to a source that can be opened. */
final class DatabaseChoice {

    private static final Pattern FILE = Pattern.compile(
            "jdbc:(sqlite|h2):(?:file:|nio:|zip:)?(?!:|mem:|tcp:|ssl:)([^?;]+).*", Pattern.CASE_INSENSITIVE);

    private DatabaseChoice() {}

    /**
     * The table or query of {@code url}; no connection is made yet.
     *
     * @throws UsageException if options are missing or contradict each other
     */
    static RowSource of(String url, SourceArguments typed, Streams streams, Secrets secrets) {
        LibraryLogs.silence();
        secrets.addFrom(url);
        List<String> forFiles = fileOptionsGiven(typed);
        if (!forFiles.isEmpty()) {
            throw new UsageException(String.join(", ", forFiles) + " belongs to a file, and the source is a database.");
        }
        if (typed.table.isPresent() == typed.query.isPresent()) {
            throw new UsageException(
                    typed.table.isPresent()
                            ? "--table and --query both say what to read. Choose one."
                            : "a jdbc: source needs --table NAME or --query SQL.");
        }
        JdbcOptions options = options(typed, new Passwords(streams, secrets));
        return typed.table
                .<RowSource>map(table -> JdbcSource.ofTable(url, table, options))
                .orElseGet(() -> JdbcSource.ofQuery(url, typed.query.orElseThrow(), options));
    }

    /** The file that {@code url} names, where its database is one: SQLite and H2. */
    static Optional<Path> file(String url) {
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

    private static JdbcOptions options(SourceArguments typed, Passwords passwords) {
        JdbcOptions defaults = JdbcOptions.defaults();
        try {
            return new JdbcOptions(
                    typed.databaseUser,
                    passwords.database(typed.databasePasswordFile),
                    typed.fetchSize.orElse(defaults.fetchSize()));
        } catch (IllegalArgumentException outOfRange) {
            throw new UsageException("--fetch-size is out of range: " + outOfRange.getMessage() + ".", outOfRange);
        }
    }

    /** The options typed that have a meaning for a database only. */
    static List<String> optionsGiven(SourceArguments typed) {
        List<String> given = new ArrayList<>();
        typed.table.ifPresent(x -> given.add("--table"));
        typed.query.ifPresent(x -> given.add("--query"));
        typed.databaseUser.ifPresent(x -> given.add("--db-user"));
        typed.databasePasswordFile.ifPresent(x -> given.add("--db-password-file"));
        typed.fetchSize.ifPresent(x -> given.add("--fetch-size"));
        return given;
    }

    private static List<String> fileOptionsGiven(SourceArguments typed) {
        List<String> given = new ArrayList<>();
        typed.format.ifPresent(x -> given.add("--format"));
        typed.delimiter.ifPresent(x -> given.add("--delimiter"));
        typed.quote.ifPresent(x -> given.add("--quote"));
        typed.nullText.ifPresent(x -> given.add("--null-in"));
        typed.encoding.ifPresent(x -> given.add("--encoding"));
        if (!typed.columns.isEmpty()) {
            given.add("--columns");
        }
        return given;
    }
}
