// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli.doctor;

import io.millrace.client.ClientOptions;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Server;
import io.millrace.embedded.EmbeddedOptions;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.load.LoadOptions;
import io.millrace.load.LoadPlan;
import io.millrace.load.LoadReport;
import io.millrace.load.Loader;
import io.millrace.load.source.Row;
import io.millrace.load.source.RowReader;
import io.millrace.load.source.RowSource;
import io.millrace.load.target.BitmapTarget;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * Loads sample rows into a private server, and measures their memory. The private server has those settings of the real
 * server that decide about compact forms. The real server is not changed.
 */
final class SampleLoad {

    /**
     * Number of sample rows. The share of a file that has been read counts a whole buffer of 64 KiB, so a smaller sample
     * would give a wrong number of rows.
     */
    static final int ROWS = 10_000;

    /** The settings that decide about the compact forms of small hashes, lists, sets and sorted sets. */
    private static final String COMPACT =
            "[a-z]+-max-(listpack|ziplist|intset)-(entries|value|size)|stream-node-max-.*";

    private SampleLoad() {}

    /** The number of rows of a source. */
    private record Total(OptionalLong rows, boolean exact) {}

    /**
     * Reads the beginning of the source of {@code plan} twice. Blocks until the sample is loaded.
     *
     * @param settings settings of the real server
     * @throws io.millrace.load.source.SourceException if the source cannot be read
     * @throws io.millrace.load.target.PlanException if the target does not fit the source or the private server
     * @throws RuntimeException if the private server does not start
     */
    static Sample measure(LoadPlan plan, Map<String, String> settings) {
        Total total = count(plan.source());
        LoadOptions options = LoadOptions.builder().limit(ROWS).build();
        String[] config = settings.entrySet().stream()
                .filter(setting -> setting.getKey().matches(COMPACT))
                .map(setting -> setting.getKey() + " " + setting.getValue())
                .toArray(String[]::new);
        try (EmbeddedRedis redis = start(config)) {
            ClientOptions client = ClientOptions.builder(RedisUri.parse(redis.uri()))
                    .connections(1)
                    .build();
            try (RedisClient watching = RedisClient.connect(client)) {
                long before = usedBytes(watching);
                LoadReport report =
                        new Loader(client).run(new LoadPlan(plan.source(), plan.target(), options), event -> {});
                long bytes = Math.max(0, usedBytes(watching) - before);
                return new Sample(
                        report.rows().read(),
                        report.rows().written(),
                        bytes,
                        total.rows(),
                        total.exact(),
                        !(plan.target() instanceof BitmapTarget));
            }
        }
    }

    private static EmbeddedRedis start(String[] config) {
        try {
            return EmbeddedRedis.start(EmbeddedOptions.defaults().withConfig(config));
        } catch (RuntimeException unknownSetting) {
            // A newer server may have settings that the private server does not know.
            return EmbeddedRedis.start();
        }
    }

    /** Memory without the buffers of connections, which a load enlarges. */
    private static long usedBytes(RedisClient client) {
        List<String> lines = client.call(Server.info("memory")).lines().toList();
        return number(lines, "used_memory:") - number(lines, "mem_clients_normal:");
    }

    private static long number(List<String> lines, String name) {
        return lines.stream()
                .filter(line -> line.startsWith(name))
                .mapToLong(line -> Long.parseLong(line.substring(name.length()).strip()))
                .findFirst()
                .orElse(0);
    }

    private static Total count(RowSource source) {
        try (RowReader reader = source.open()) {
            OptionalLong exact = reader.expectedRows();
            if (exact.isPresent()) {
                return new Total(exact, true);
            }
            Row row = new Row();
            long rows = 0;
            while (rows < ROWS && reader.next(row)) {
                rows++;
            }
            if (rows < ROWS) {
                return new Total(OptionalLong.of(rows), true);
            }
            OptionalDouble share = reader.share();
            return share.orElse(0) > 0
                    ? new Total(OptionalLong.of(Math.round(rows / share.getAsDouble())), false)
                    : new Total(OptionalLong.empty(), false);
        }
    }
}
