// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.lab.run.Checkout;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

@KeepsJvms
class BenchTest {

    @TempDir
    private Path folder;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream progress = new ByteArrayOutputStream();

    private int bench(String... args) {
        return Bench.run(
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(progress, true, StandardCharsets.UTF_8),
                args);
    }

    private String out() {
        return out.toString(StandardCharsets.UTF_8);
    }

    private String progress() {
        return progress.toString(StandardCharsets.UTF_8);
    }

    @Test
    @NeedsRedisTools
    void everyContenderDoesItsWorkOnARealServerAndTheJsonStandsAlone() {
        int exit = bench("--only", "set,start", "--operations", "10000", "--rounds", "2", "--json");

        assertThat(exit).as(progress()).isZero();
        var results = JsonMapper.shared().readTree(out()).path("results");
        assertThat(results)
                .extracting(result -> result.path("experiment").stringValue() + " "
                        + result.path("contender").stringValue() + "/"
                        + result.path("variant").stringValue())
                .containsExactly(
                        "set redis-cli-pipe/process",
                        "set jedis/warm",
                        "set millrace/fused",
                        "set millrace/unfused",
                        "start redis-cli-pipe/process",
                        "start millrace/process");
        assertThat(results).allSatisfy(BenchTest::isComplete);
    }

    @Test
    @NeedsRedisTools
    void whatIsFusedLeavesTheSameAsWhatIsNot() {
        int exit = bench("--only", "fields,bits,pops", "--operations", "10000", "--rounds", "2", "--json");

        assertThat(exit).as(progress()).isZero();
        var results = JsonMapper.shared().readTree(out()).path("results");
        assertThat(results)
                .extracting(result -> result.path("experiment").stringValue() + " "
                        + result.path("variant").stringValue())
                .containsExactly(
                        "fields fused", "fields unfused", "bits fused", "bits unfused", "pops fused", "pops unfused");
        assertThat(results).allSatisfy(BenchTest::isComplete);
    }

    @Test
    @NeedsRedisTools
    void callersOfEveryClientGetBackWhatTheySet() {
        int exit = bench("--only", "calls-1,calls-64", "--operations", "20000", "--rounds", "2", "--json");

        assertThat(exit).as(progress()).isZero();
        var results = JsonMapper.shared().readTree(out()).path("results");
        assertThat(results)
                .extracting(result -> result.path("experiment").stringValue() + " "
                        + result.path("contender").stringValue() + "/"
                        + result.path("variant").stringValue())
                .containsExactly(
                        "calls-1 jedis/platform",
                        "calls-1 lettuce/platform",
                        "calls-1 millrace/platform",
                        "calls-1 millrace/platform-unfused",
                        "calls-1 millrace/virtual",
                        "calls-1 millrace/virtual-unfused",
                        "calls-64 jedis/platform",
                        "calls-64 jedis/virtual",
                        "calls-64 lettuce/virtual",
                        "calls-64 raw-socket/virtual",
                        "calls-64 millrace/virtual",
                        "calls-64 millrace/virtual-unfused");
        assertThat(results).allSatisfy(BenchTest::isComplete);
    }

    @Test
    @NeedsRedisTools
    void whatOneThreadSendsWithoutWaitingIsAnsweredToo() {
        int exit = bench(
                "--only",
                "send-10000,pipeline-1000,calls-64-sets,pipeline-10000-hash,pipeline-10000-drain",
                "--operations",
                "30000",
                "--rounds",
                "2",
                "--json");

        assertThat(exit).as(progress()).isZero();
        var results = JsonMapper.shared().readTree(out()).path("results");
        assertThat(results)
                .extracting(result -> result.path("experiment").stringValue() + " "
                        + result.path("contender").stringValue())
                .containsExactly(
                        "send-10000 lettuce",
                        "send-10000 millrace",
                        "pipeline-1000 jedis",
                        "pipeline-1000 lettuce",
                        "pipeline-1000 raw-socket",
                        "pipeline-1000 millrace",
                        "calls-64-sets millrace",
                        "calls-64-sets millrace",
                        "pipeline-10000-hash jedis",
                        "pipeline-10000-hash millrace",
                        "pipeline-10000-hash millrace",
                        "pipeline-10000-drain jedis",
                        "pipeline-10000-drain millrace",
                        "pipeline-10000-drain millrace");
        assertThat(results).allSatisfy(BenchTest::isComplete);
    }

    @Test
    @NeedsRedisTools
    void commandsThatNobodyWaitsForAreAllAccountedFor() {
        int exit = bench("--only", "memory", "--operations", "20000", "--json");

        assertThat(exit).as(progress()).isZero();
        var results = JsonMapper.shared().readTree(out()).path("results");
        assertThat(results)
                .extracting(result -> result.path("variant").stringValue())
                .containsExactly("block-128m", "refuse-128m");
        assertThat(results).allSatisfy(result -> {
            assertThat(result.path("verified").booleanValue(false)).isTrue();
            assertThat(result.path("operations").longValue()).isPositive();
            assertThat(result.path("outcomes").path("ok")).isEqualTo(result.path("operations"));
        });
        assertThat(results.path(0).path("outcomes").path("refused").longValue()).isZero();
    }

    @Test
    @NeedsRedisTools
    @EnabledIf(value = "theCommandLineIsPackaged", disabledReason = "apps/cli is not packaged: run verify, not test")
    void aFileIsLoadedByTheLibraryAndByTheCommandLine() {
        int exit = bench("--only", "csv-hash", "--operations", "10000", "--rounds", "2", "--json");

        assertThat(exit).as(progress()).isZero();
        var results = JsonMapper.shared().readTree(out()).path("results");
        assertThat(results)
                .extracting(result -> result.path("contender").stringValue() + "/"
                        + result.path("variant").stringValue())
                .containsExactly(
                        "redis-cli-pipe/process", "millrace/warm", "millrace/process", "millrace/process-own-seconds");
        assertThat(results).allSatisfy(BenchTest::isComplete);
    }

    /** Otherwise the launcher would build, inside a build, what this JVM has on its class path. */
    static boolean theCommandLineIsPackaged() {
        return Files.exists(Checkout.root().resolve("apps/cli/target/lib/millrace-cli.jar"));
    }

    private static void isComplete(JsonNode result) {
        assertThat(result.path("verified").booleanValue(false)).isTrue();
        assertThat(result.path("wallSeconds")).hasSize(2);
        assertThat(result.path("outcomes").path("ok")).isEqualTo(result.path("operations"));
        assertThat(result.path("cpuMicrosPerOperation").isNumber()).isTrue();
    }

    @Test
    @NeedsRedisTools
    void theRecordHoldsCommandVersionsSamplesTableAndJson() {
        var args = new String[] {
            "--only",
            "start",
            "--operations",
            "10000",
            "--rounds",
            "1",
            "--out",
            folder.toString(),
            "--report",
            folder.resolve("again.json").toString()
        };

        int exit = bench(args);

        assertThat(exit).as(progress()).isZero();
        assertThat(folder.resolve("command.txt")).content().contains(String.join(" ", args));
        assertThat(folder.resolve("environment.txt")).content().contains("jedis: 8.", "redis-server: ", "cores: ");
        assertThat(folder.resolve("samples.csv")).content().hasLineCount(5);
        assertThat(folder.resolve("table.txt")).content().isEqualTo(out().substring(1));
        assertThat(folder.resolve("report.json")).hasSameTextualContentAs(folder.resolve("again.json"));
    }

    @Test
    void anUnknownWorkloadIsAUsageErrorThatNamesThoseThereAre() {
        int exit = bench("--only", "nothing");

        assertThat(exit).isEqualTo(2);
        assertThat(progress())
                .isEqualTo("bench: no such workload: nothing."
                        + " There are: set, fields, bits, pops, csv-hash, postgres-hash, start,"
                        + " calls-1, calls-8, calls-64, calls-512, calls-64-sets, send-10000,"
                        + " pipeline-1000, pipeline-1000-sets, pipeline-10000-strings, pipeline-10000-hash, pipeline-10000-reads,"
                        + " pipeline-10000-drain, pipeline-first, memory, postgres-memory,"
                        + " e6-population, e6-month."
                        + System.lineSeparator());
    }

    @Test
    void tooLittleWorkIsAUsageError() {
        assertThat(bench("--operations", "3")).isEqualTo(2);
        assertThat(bench("--rounds", "0")).isEqualTo(2);
        assertThat(bench("--rounds", "many")).isEqualTo(2);
    }
}
