// SPDX-License-Identifier: Apache-2.0
package io.millrace.examples;

import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Hashes;
import io.millrace.client.command.Keys;
import io.millrace.tasks.OnStop;
import io.millrace.tasks.Outcome;
import io.millrace.tasks.RunningTaskFlow;
import io.millrace.tasks.Source;
import io.millrace.tasks.TaskFlow;
import io.millrace.tasks.TaskFlowReport;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Refreshes the rows of a table that are due, again and again, until the flow is cancelled. A row is marked as done only
 * after its task has succeeded. So no row is lost if the process is killed, and a failed row is tried again later. If the
 * database fails, the flow continues and asks again. One process at a time may run this program. For several processes,
 * push the rows to a {@code JobQueue}.
 */
public final class StaleRows {

    static final String TITLES = "example:stale:titles";

    private static final String DATABASE = "jdbc:h2:mem:example-stale";
    private static final int ROWS = 100;

    private StaleRows() {}

    /** Opens a connection for each use. A service passes the method {@code getConnection} of its pool. */
    interface Database {
        Connection connect() throws SQLException;
    }

    public static void main(String[] args) throws SQLException, InterruptedException {
        String uri = args.length == 0 ? "redis://127.0.0.1:6379" : args[0];
        // The database exists as long as it has a connection.
        try (Connection database = DriverManager.getConnection(DATABASE);
                RedisClient client = RedisClient.connect(RedisUri.parse(uri))) {
            createRows(database, ROWS);
            RunningTaskFlow<String> flow = start(client, () -> DriverManager.getConnection(DATABASE));
            boolean ended = false;
            while (!ended && countDue(database) > 0) {
                ended = flow.await(Duration.ofMillis(20));
            }
            flow.cancel(OnStop.DRAIN); // a service would do this when it stops
            TaskFlowReport<String> report = flow.await();
            System.out.println("refreshed: " + report.counts().succeeded() + ", due: " + countDue(database));
            client.call(Keys.delete(TITLES));
        }
    }

    /** Starts a flow that refreshes due rows until it is cancelled. */
    static RunningTaskFlow<String> start(RedisClient client, Database database) {
        // snippet: stale
        Source<String> due = Source.polling(Duration.ofSeconds(1), new DueFeeds(database));

        return TaskFlow.from(due)
                .name("feeds")
                .consumers(20)
                .deadline(Duration.ofSeconds(10))
                .continueOnFailure()
                .start(feed -> client.call(Hashes.set(TITLES, feed, title(feed))));
        // end
    }

    // snippet: source
    /** The feeds that are due. Marks a feed as done after its task has succeeded. */
    record DueFeeds(Database database, Set<String> running) implements Source<String> {

        DueFeeds(Database database) {
            this(database, ConcurrentHashMap.newKeySet());
        }

        @Override
        public List<String> next() throws SQLException {
            // The tasks of these feeds may end while the rows are read. So this copy is compared, and not the set.
            Set<String> before = Set.copyOf(running);
            List<String> due = new ArrayList<>();
            try (Connection connection = database.connect();
                    PreparedStatement query =
                            connection.prepareStatement("SELECT feed FROM feeds WHERE due <= ? ORDER BY due LIMIT ?")) {
                query.setTimestamp(1, Timestamp.from(Instant.now()));
                query.setInt(2, 100 + before.size());
                try (ResultSet rows = query.executeQuery()) {
                    while (rows.next()) {
                        due.add(rows.getString(1));
                    }
                }
            }
            due.removeAll(before);
            running.addAll(due);
            return due;
        }

        @Override
        public void settled(Outcome<String, ?> outcome) throws SQLException {
            Duration wait = outcome instanceof Outcome.Succeeded<?, ?> ? Duration.ofHours(1) : Duration.ofMinutes(1);
            try (Connection connection = database.connect();
                    PreparedStatement update = connection.prepareStatement("UPDATE feeds SET due = ? WHERE feed = ?")) {
                update.setTimestamp(1, Timestamp.from(Instant.now().plus(wait)));
                update.setString(2, outcome.task());
                update.executeUpdate();
            } finally {
                running.remove(outcome.task());
            }
        }
    }
    // end

    static void createRows(Connection database, int count) throws SQLException {
        try (PreparedStatement table = database.prepareStatement(
                "CREATE TABLE feeds (feed VARCHAR(100) PRIMARY KEY, due TIMESTAMP NOT NULL)")) {
            table.execute();
        }
        try (PreparedStatement insert = database.prepareStatement("INSERT INTO feeds VALUES (?, ?)")) {
            for (int row = 0; row < count; row++) {
                insert.setString(1, "feed " + row);
                insert.setTimestamp(2, Timestamp.from(Instant.EPOCH));
                insert.executeUpdate();
            }
        }
    }

    static int countDue(Connection database) throws SQLException {
        try (PreparedStatement query = database.prepareStatement("SELECT COUNT(*) FROM feeds WHERE due <= ?")) {
            query.setTimestamp(1, Timestamp.from(Instant.now()));
            try (ResultSet rows = query.executeQuery()) {
                rows.next();
                return rows.getInt(1);
            }
        }
    }

    private static String title(String feed) {
        return "title of " + feed;
    }
}
