// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.embedded.EmbeddedRedis;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code millrace run} with a real server. */
class JobsCommandTest {

    private static final String PEOPLE = "id,name,age\n1,Ada,36\n2,Linus,54\n3,Grace,85\n";

    private static EmbeddedRedis redis;
    private static Keyspace keyspace;

    @TempDir
    Path folder;

    @BeforeAll
    static void start() {
        redis = EmbeddedRedis.start();
        keyspace = Keyspace.of(redis);
    }

    @AfterAll
    static void stop() {
        keyspace.close();
        redis.close();
    }

    @BeforeEach
    void prepare() throws IOException {
        keyspace.clear();
        Files.writeString(folder.resolve("people.csv"), PEOPLE);
    }

    @Test
    void jobsRunInTheirOrderAndTheSumIsTheLastLine() throws IOException {
        CliRun run = run("""
                defaults:
                  uri: ${REDIS}
                jobs:
                  people:
                    source: FOLDER/people.csv
                    key: 'person:{id}'
                    as: hash
                    fields: [name, age]
                    swap: true
                  names:
                    source: [FOLDER/people.csv]
                    key: 'name:{id}'
                    as: string
                    value: name
                    ttl: 1h
                    no-fusion: false
                """);

        assertThat(run.code()).as(run.err()).isZero();
        assertThat(run.out()).contains("job people:\n", "old data: 3 keys swapped\n", "job names:\n", "failed: 0");
        assertThat(run.lastLine()).startsWith("rows: 6, written: 6, rejected: 0, skipped: 0, unconfirmed: 0, ");
        assertThat(keyspace.hash("person:2")).isEqualTo(Map.of("name", "Linus", "age", "54"));
        assertThat(keyspace.text("GET", "name:3")).isEqualTo("Grace");
        assertThat(keyspace.number("EXISTS", "millrace:{people}:keys")).isOne();
    }

    @Test
    void targetsOfAJobGetTheRowsOfOneRead() throws IOException {
        CliRun run = run("""
                jobs:
                  people:
                    uri: ${REDIS}
                    source: FOLDER/people.csv
                    verify: full
                    targets:
                      - {key: 'person:{id}', as: hash}
                      - {key: people, as: set, value: '{id}', swap: true}
                      - key: by-age
                        as: zset
                        score: age
                        value: name
                """);

        assertThat(run.code()).as(run.err()).isZero();
        assertThat(run.out()).contains("job people-1:\n", "job people-2:\n", "job people-3:\n", "verified: 3 rows");
        assertThat(run.lastLine()).startsWith("rows: 9, written: 9, ");
        assertThat(keyspace.hash("person:1")).containsEntry("name", "Ada");
        assertThat(keyspace.number("SCARD", "people")).isEqualTo(3);
        assertThat(keyspace.number("ZRANK", "by-age", "Grace")).isEqualTo(2);
        assertThat(keyspace.number("EXISTS", "millrace:{people-2}:keys")).isOne();
    }

    @Test
    void failedTargetDoesNotStopTheOthers() throws IOException {
        CliRun run = run("""
                jobs:
                  people:
                    uri: ${REDIS}
                    source: FOLDER/people.csv
                    targets:
                      - {key: 'person:{nothing}', as: hash}
                      - {key: people, as: set, value: '{id}'}
                """);

        assertThat(run.code()).isEqualTo(2);
        assertThat(run.err()).contains("millrace: job people-1: ", "nothing");
        assertThat(run.out()).contains("loads: 2, failed: 1: people-1 (exit code 2), not run: 0");
        assertThat(keyspace.number("SCARD", "people")).isEqualTo(3);
    }

    @ParameterizedTest
    @CsvSource({"stop, 1, 0", "continue, 0, 3"})
    void optionDecidesWhetherTheNextJobFollowsAFailedJob(String onFailure, int notRun, int written) throws IOException {
        CliRun run = run(
                """
                jobs:
                  missing: {uri: '${REDIS}', source: FOLDER/people.csv, key: 'a:{nothing}', as: hash}
                  people: {uri: '${REDIS}', source: FOLDER/people.csv, key: 'b:{id}', as: hash}
                """,
                "--on-failure",
                onFailure,
                "--json",
                "--report",
                folder.resolve("report.jsonl").toString());

        assertThat(run.code()).isEqualTo(2);
        assertThat(run.lastLine())
                .startsWith("{\"rows\":{\"read\":" + written + ",\"written\":" + written)
                .contains("\"failed\":1,\"notRun\":" + notRun + ",\"exit\":2,");
        assertThat(run.out()).startsWith("{\"name\":\"missing\",\"report\":{\"rows\":{\"read\":0,");
        assertThat(Files.readString(folder.resolve("report.jsonl"))).startsWith(run.lastLine() + "\n{\"name\":");
        assertThat(keyspace.size()).isEqualTo(written);
    }

    @Test
    void onlyNamedJobsRunAndADryRunWritesNothing() throws IOException {
        String jobs = """
                jobs:
                  a: {uri: '${REDIS}', source: FOLDER/people.csv, key: 'a:{id}', as: hash, swap: true}
                  b: {uri: '${REDIS}', source: FOLDER/people.csv, key: 'b:{id}', as: hash}
                """;

        CliRun dry = run(jobs, "--dry-run");
        CliRun only = run(jobs, "--only", "b");

        assertThat(dry.code()).as(dry.err()).isZero();
        assertThat(dry.lastLine()).startsWith("rows: 6, written: 0, rejected: 0, skipped: 6");
        assertThat(only.code()).as(only.err()).isZero();
        assertThat(keyspace.size()).isEqualTo(3);
        assertThat(run(jobs, "--only", "c").err()).contains("there is no job 'c'");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "jobs: {a: {source: x.csv, kye: 'a:{id}', as: hash}} | :1: 'kye' is unknown here. Did you mean 'key'?",
                "jobs: {a: {sorce: x.csv}} | :1: 'sorce' is unknown here. Did you mean 'source'?",
                "jobs: {a: {source: x.csv, something: 1}} | is unknown here. Legal: source, targets, and the options",
                "jobs: {a: {source: x.csv, key: {id}, as: hash}} | :1: key must be a single value. Put a value that",
                "jobs: {a: {source: x.csv, key: {id}:x, as: hash}} | Put a value that begins with a brace in quotes",
                "jobs: {a: {source: x.csv, key: 'a:{id}', as: hush}} | :1: as: 'hush' is an unknown type",
                "jobs: {a: {source: x.csv, key: 'a:{id}'}} | :1: job a: --as is missing",
                "jobs: {a: {key: 'a:{id}', as: hash}} | the job has no 'source'",
                "jobs: {a: {source: x.csv, key: '${MISSING}', as: hash}} | the environment variable MISSING is not set",
                "jobs: {a: {source: x.csv, key: '${A-B}', as: hash}} | names no environment variable",
                "jobs: {a: {source: x.csv, source: y.csv}} | 'source' is given twice",
                "jobs: {a: {source: x.csv, swap: maybe}} | swap must be true or false",
                "jobs: {a: {source: x.csv, connections: 65}} | :1: connections: ",
                "jobs: {a: {source: '-', format: csv}} | a job cannot read standard input",
                "jobs: {a: {source: x.csv, json: true}} | 'json' is not possible in a job file",
                "jobs: {a: {source: x.csv, targets: [{key: k, table: t}]}} | 'table' belongs to the job",
                "jobs: {a: {source: x.csv, key: k, targets: [{key: k}]}} | 'key' is also given for the whole job",
                "jobs: {a: {source: x.csv, targets: []}} | targets must be a list",
                "jobs: {} | there is no job",
                "job: {} | 'job' is unknown here",
                "jobs: [ | not valid YAML",
                "jobs: {a: &a {source: x.csv, targets: *a}} | targets must be a list",
                "jobs: !!javax.script.ScriptEngineManager [x] | jobs must be a mapping",
            })
    void wrongFileIsRefusedWithItsLineBeforeAnythingRuns(String jobs, String message) throws IOException {
        CliRun run = run(jobs);

        assertThat(run.code()).as(run.err()).isEqualTo(2);
        assertThat(run.err()).contains("jobs.yaml", message);
        assertThat(run.out()).isEmpty();
    }

    @Test
    void valuesOfTheEnvironmentAreNotShown() throws IOException {
        Map<String, String> env = Map.of("SECRET", "s3cr3t-word", "REDIS", redis.uri());

        CliRun run = run(env, """
                jobs:
                  a:
                    uri: ${REDIS}
                    source: FOLDER/people.csv
                    key: 'a:{id}'
                    as: ${SECRET}
                """);

        assertThat(run.code()).isEqualTo(2);
        assertThat(run.err())
                .contains("jobs.yaml:6: as: '***' is an unknown type")
                .doesNotContain("s3cr3t");
    }

    @Test
    void literalDollarBraceIsNoVariable() throws IOException {
        CliRun run = run("""
                jobs:
                  a: {uri: '${REDIS}', source: FOLDER/people.csv, key: 'a:{id}:$${{x}}', as: hash}
                """);

        assertThat(run.code()).as(run.err()).isZero();
        assertThat(keyspace.number("EXISTS", "a:1:${x}")).isOne();
    }

    @Test
    void twoLoadsMustNotWriteTheSameFile() throws IOException {
        CliRun run = run("""
                defaults: {rejects: FOLDER/rejects.jsonl}
                jobs:
                  a: {source: FOLDER/people.csv, key: 'a:{id}', as: hash}
                  b: {source: FOLDER/people.csv, key: 'b:{id}', as: hash}
                """);

        assertThat(run.code()).isEqualTo(2);
        assertThat(run.err()).contains("jobs.yaml:4: job b: two loads would write the same file");
    }

    @Test
    void twoLoadsMustNotHaveTheSameCheckpoint() throws IOException {
        CliRun run = run("""
                defaults: {uri: '${REDIS}', source: FOLDER/people.csv, as: hash, checkpoint: people}
                jobs:
                  a: {key: 'a:{id}'}
                  b: {key: 'b:{id}'}
                """);

        assertThat(run.code()).isEqualTo(2);
        assertThat(run.err()).contains("jobs.yaml:4: job b: two loads have the same checkpoint: checkpoint=people");
        assertThat(keyspace.size()).isZero();
    }

    @Test
    void twoLoadsMustNotHaveTheSameNameInRedis() throws IOException {
        CliRun run = run("""
                defaults: {uri: '${REDIS}', source: FOLDER/people.csv, as: hash, prune: true, job: people}
                jobs:
                  a: {key: 'a:{id}'}
                  b: {key: 'b:{id}'}
                """);

        assertThat(run.code()).isEqualTo(2);
        assertThat(run.err()).contains("jobs.yaml:4: job b: two loads have the same name", "job=people");
        assertThat(keyspace.size()).isZero();
    }

    @Test
    void sumNamesTheJobsThatDidNotRun() throws IOException {
        CliRun run = run("""
                defaults: {uri: '${REDIS}', source: FOLDER/people.csv, as: hash}
                jobs:
                  first: {key: 'a:{id}'}
                  second: {key: 'b:{nothing}'}
                  third: {targets: [{key: 'c:{id}'}, {key: 'd:{id}'}]}
                """);

        assertThat(run.code()).isEqualTo(2);
        assertThat(run.out())
                .contains("loads: 2, failed: 1: second (exit code 2), not run: 2: third-1, third-2\nrows: 3, ");
        assertThat(keyspace.size()).isEqualTo(3);
    }

    private CliRun run(String jobs, String... options) throws IOException {
        return run(Map.of("REDIS", redis.uri()), jobs, options);
    }

    private CliRun run(Map<String, String> env, String jobs, String... options) throws IOException {
        Path file = folder.resolve("jobs.yaml");
        Files.writeString(file, jobs.replace("FOLDER", folder.toString()));
        String[] args = CliRun.args(java.util.List.of("run", file.toString()), options);
        return CliRun.of(env, "", args);
    }
}
