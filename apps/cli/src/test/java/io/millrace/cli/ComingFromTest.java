// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.embedded.EmbeddedRedis;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the commands of Millrace in docs/coming-from.md, with other hosts and folders. */
class ComingFromTest {

    private static final String DATABASE = "jdbc:h2:mem:coming;USER=sa;PASSWORD=x;DATABASE_TO_UPPER=FALSE";

    /** A word of a command: text in single quotes, or text without spaces. */
    private static final Pattern WORD = Pattern.compile("'([^']*)'|(\\S+)");

    @TempDir
    static Path folder;

    private static EmbeddedRedis redis;
    private static Keyspace keyspace;
    private static Connection shop;

    @BeforeAll
    static void start() throws IOException, SQLException {
        redis = EmbeddedRedis.start();
        keyspace = Keyspace.of(redis);
        Files.writeString(folder.resolve("shop.csv"), "id,name,city\n1,\"Ada, Countess\",London\n2,Grace,\n");
        shop = DriverManager.getConnection(DATABASE);
        try (Statement statement = shop.createStatement()) {
            statement.execute("CREATE TABLE orders AS SELECT 7 AS \"id\", 9.90 AS \"total\"");
        }
    }

    @AfterAll
    static void end() throws SQLException {
        shop.close();
        keyspace.close();
        redis.close();
    }

    /** The commands of Millrace in the document, each on one line. */
    private static List<String> commands() throws IOException {
        String text = Files.readString(Path.of("../../docs/coming-from.md")).replace("\\\n", " ");
        return text.lines()
                .filter(line -> line.startsWith("$ millrace "))
                .map(line -> line.substring("$ millrace ".length()))
                .toList();
    }

    private static CliRun run(String command) {
        List<String> args = new ArrayList<>();
        Matcher words = WORD.matcher(
                command.replace("shop.csv", folder.resolve("shop.csv").toString())
                        .replace("jdbc:postgresql://db/shop", DATABASE)
                        .replace(" --db-user me", "")
                        .replace(" -p 6379", "")
                        .replace(" -h cache", ""));
        while (words.find()) {
            args.add(words.group(1) == null ? words.group(2) : words.group(1));
        }
        return CliRun.of(
                Stream.concat(args.stream(), Stream.of("-p", Integer.toString(redis.port()), "--verify", "full"))
                        .toArray(String[]::new));
    }

    @Test
    void everyCommandLoadsEveryRow() throws IOException {
        assertThat(commands()).hasSize(6).allSatisfy(command -> {
            keyspace.clear();

            CliRun run = run(command);

            assertThat(run.code()).as(command + "\n" + run.err()).isZero();
            assertThat(run.lastLine()).contains("rejected: 0");
        });
    }

    @Test
    void dataAreThoseOfTheOtherTools() throws IOException {
        List<String> commands = commands();
        keyspace.clear();
        commands.stream()
                .filter(command -> !command.contains("--as string") && !command.contains("--null"))
                .forEach(ComingFromTest::run);

        assertThat(keyspace.hash("customer:1"))
                .containsEntry("name", "Ada, Countess")
                .containsEntry("id", "1");
        assertThat(keyspace.number("PTTL", "customer:1")).isPositive();
        assertThat(keyspace.number("SCARD", "ids")).isEqualTo(2);
        assertThat(keyspace.text("GET", "order:7")).isEqualTo("{\"id\":7,\"total\":9.90}");

        run(commands.getLast());
        assertThat(keyspace.hash("customer:2")).containsEntry("city", "");
    }
}
