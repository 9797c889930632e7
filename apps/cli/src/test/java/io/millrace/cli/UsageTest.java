// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests the messages for invalid arguments. Invalid arguments are refused before Redis is contacted, so the tests start
 * no server.
 */
class UsageTest {

    @TempDir
    Path folder;

    @BeforeEach
    void createFiles() throws IOException {
        Files.writeString(folder.resolve("shop.csv"), "id,name\n1,Ada\n");
        Files.writeString(folder.resolve("shop.txt"), "id,name\n1,Ada\n");
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            ``                                             | no command. The commands are load, verify, doctor, run, bitmap, queue, demo and help
            lod shop.csv                                   | unknown command 'lod'
            load                                           | missing required parameter: 'SOURCE'
            load CSV --as hash                             | --key is missing
            load CSV --key {id}                            | --as is missing
            load CSV --key {id} --as geo                   | 'geo' is an unknown type. Legal: string, hash
            load CSV --key {id} --as HASH                  | 'HASH' is an unknown type. Legal: string, hash
            load CSV --key {nr} --as hash                  | column=nr
            load CSV --key {id} --as hash --fields nr      | column=nr
            load CSV --key {id} --as hash --ttl 5min       | 500ms, 30s, 15m, 1h or 7d
            load CSV --key {id} --as string                | --as string needs --value
            load CSV --key {id} --as string --value nr     | column=nr
            load CSV --key {id} --as string --value id --fields name       | --as string writes --value
            load CSV --key {id} --as string --value id --field x           | --field belongs to --as hash
            load CSV --key {id} --as hash --value name                     | needs --field
            load CSV --key k --as hash --field {id} --replace-row          | would delete the hash
            load CSV --key k --as hash --field {id} --value name --exclude id | Choose one
            load CSV --key {id} --as hash --fields id,name --exclude id    | both selected and excluded
            load CSV --key {id} --as hash --bucket 100     | --bucket packs strings
            load CSV --key {id} --as json --bucket 100     | --bucket packs strings
            load CSV --key {id} --as string --value name --bucket 1 | --bucket=1 is out of range: 2 to 1,000,000.
            load CSV --key {id} --as string --value name --bucket x        | 'x' is not a whole number
            load CSV --key {id} --as string --value name --bucket 100 --pairs 0   | --pairs=0 is out of range: 1 to 1,000,000,000,000.
            load CSV --key {id} --as string --value name --bucket 100 --ttl 1h    | before Redis 7.4
            load CSV --key {id} --as string --value name --bucket 100 --replace-row | would delete the hash
            load CSV --key {id} --as string --value name --pairs 100       | Add --bucket N
            load CSV --key {id} --as string --value name --bucket-above-limit     | belongs to --bucket N
            load CSV --key {id} --as json --value name     | --value belongs to --as string
            load CSV --key {id} --as json --field name     | --field belongs to --as hash
            load TXT --key {id} --as hash                  | cannot detect the format
            load none.csv --key {id} --as hash             | there is no such file
            load *.csv --key {id} --as hash                | no file matches this pattern
            load CSV b.csv --key {id} --as hash            | unexpected argument 'b.csv'
            load - --key {id} --as hash                    | standard input needs --format
            load - --format csv --key {id} --as hash --verify full         | can be read only once
            load - --format csv --key {id} --as hash --password-stdin      | with --password-stdin, the password.
            load CSV --format xml --key {id} --as hash     | 'xml' is an unknown format. Legal: csv, tsv, jsonl, json.
            load CSV --delimiter ;; --key {id} --as hash   | is not one character
            load CSV --delimiter , --quote , --key {id} --as hash          | must differ
            load CSV --types age --key {id} --as hash      | 'age' is not a type
            load CSV --types age:date --key {id} --as hash | 'date' is an unknown type. Legal: text, int, number, bool.
            load CSV --types age:int --key {id} --as hash  | no column 'age' for the type int
            load CSV --skip-lines -1 --key {id} --as hash  | --skip-lines -1 is out of range: 0 to 1,000,000.
            load CSV --comment // --key {id} --as hash     | is not one character
            load CSV --format jsonl --skip-lines 1 --key {id} --as hash    | --skip-lines belongs to a CSV or TSV file
            load CSV --driver x.jar --key {id} --as hash   | --driver belongs to a jdbc: source
            load gen:many --key {id} --as hash             | is not a generated source
            load gen:0 --key {id} --as hash                | gen:0 is out of range: 1 to 1,000,000,000,000.
            load gen:5 --format csv --key {id} --as hash   | but SOURCE is a source of generated rows
            load CSV --encoding utf-9 --key {id} --as hash | --encoding 'utf-9' is unknown
            load CSV --table t --key {id} --as hash        | --table belongs to a jdbc: source
            load CSV --db-user me --fetch-size 1 --key {id} --as hash      | --db-user, --fetch-size belongs
            load jdbc:sqlite:x --key {id} --as hash        | needs --table NAME or --query SQL
            load jdbc:sqlite:x --table t --query q --key {id} --as hash    | Choose one
            load jdbc:sqlite:x --table t --format csv --key {id} --as hash | --format belongs to a JSON file or a CSV or TSV file
            load jdbc:sqlite:x --table t --fetch-size 0 --key {id} --as hash | --fetch-size 0 is out of range: 1 to 1,000,000.
            load CSV --key {id} --as hash --connections 0  | --connections 0 is out of range: 1 to 64.
            load CSV --key {id} --as hash --connections x  | 'x' is not a whole number
            load CSV --key {id} --as hash --in-flight 0    | --in-flight 0 is out of range: 1 to 1,048,576.
            load CSV --key {id} --as hash --in-flight-bytes 1KB            | --in-flight-bytes 1KB is out of range: 64 KB to just under 1 TB.
            load CSV --key {id} --as hash --in-flight-bytes 1024gb         | --in-flight-bytes 1024gb is out of range: 64 KB to just under 1 TB.
            load CSV --key {id} --as hash --in-flight-bytes 999999999999999GB | --in-flight-bytes 999999999999999GB is out of range: 64 KB to
            load CSV --key {id} --as hash --in-flight-bytes 1K             | '1K' is not a size
            load CSV --key {id} --as hash --limit 0        | --limit 0 is out of range: at least 1.
            load CSV --key {id} --as hash --max-errors -1  | --max-errors -1 is out of range: at least 0.
            load CSV --key {id} --as hash --timeout 11m    | --timeout 11m is out of range: 1 ms to 10 min.
            load CSV --key {id} --as hash --timeout 0s     | --timeout 0s is out of range: 1 ms to 10 min.
            load CSV --key {id} --as hash --ttl 0s         | '--ttl': ttl=zero is out of range: 1 ms to 36,500 days.
            load CSV --key {id} --as hash --on-error ignore                | Legal: stop, skip.
            load CSV --key {id} --as hash --on-error stop --max-errors 3   | --max-errors has no meaning
            load CSV --key {id} --as hash --prune          | it needs the name of the job. Add --job NAME.
            load CSV --key {id} --as hash --job shop       | --job belongs to --swap or --prune.
            load CSV --key {id} --as hash --swap --job a/b | --job: job=a/b; it must consist of letters, digits and
            load CSV --key {id} --as hash --prune --job a --limit 5 | would remove the keys of the rows that are not read
            run                                            | missing required parameter: 'FILE'
            run nothing.yaml                               | cannot read nothing.yaml: there is no such file.
            load CSV --key {id} --as hash --dry-run --explain              | Choose one
            load CSV --key {id} --as hash --dry-run --verify full          | --dry-run writes nothing
            load CSV --key {id} --as hash --explain --verify sample:1%     | --explain writes nothing
            load CSV --key {id} --as hash --explain --json | writes no report
            load CSV --key {id} --as hash --verify half    | 'half' is not a valid share
            load CSV --key {id} --as hash --progress loud  | Legal: auto, bar, log, ndjson, none.
            load CSV --key {id} --as hash --quiet --progress bar           | --quiet shows no progress
            load CSV --key {id} --as hash --rejects CSV    | would overwrite the source
            load CSV --key {id} --as hash --report CSV     | would overwrite the source
            load CSV --key {id} --as hash --rejects /no/such/r             | there is no folder /no/such
            load CSV --key {id} --as hash --rejects OUT --report OUT       | name the same file
            load CSV --key {id} --as hash -u redis://h -p 1                | --uri names the server, and so does -h or -p
            load CSV --key {id} --as hash -u http://h      | not a Redis URI
            load CSV --key {id} --as hash -u redis://:pw@h -a pw2          | --uri has a password
            load CSV --key {id} --as hash -u redis://h/1 -n 2              | --uri has a database
            load CSV --key {id} --as hash -a pw --password-stdin           | Choose one
            load CSV --key {id} --as hash -p 70000         | --port 70000 is out of range: 1 to 65535.
            load CSV --key {id} --as hash -n -1            | -n -1 is out of range: at least 0.
            load CSV --key {id} --as hash --user me        | has no password
            load CSV --key {id} --as hash --password-file none             | there is no such file
            load CSV --key {id} --as hash --insecure       | only with --tls
            load CSV --key {id} --as hash --cacert ca.pem  | only with --tls
            load CSV --key {id} --as hash --tls --cert TXT | --cert and --tls-key belong together
            load CSV --key {id} --as hash --tls --cacert none.pem          | cannot be read
            load CSV --key {id} --as hash --tls --insecure --cacert TXT    | Choose one
            load CSV --key {id} --as hash --tls --sni=                     | --sni is empty
            load CSV --key {id} --as hash --key k          | should be specified only once
            load CSV --limit 5 --timeout 1s --limit 6 --key k --as hash | option '--limit' should be specified only once
            load CSV --fields id --fields name --key k --as hash | option '--fields' should be specified only once
            load CSV --json --json --key k --as hash       | option '--json' should be specified only once
            -n 1 load CSV -n 2 --key {id} --as hash        | option '-n' should be specified only once
            load CSV --key {id} --as hash --resum          | unknown option '--resum'. Did you mean
            load CSV --key {id} --as hash --limits 100       | unknown option '--limits'
            load CSV --key {id} --as hash -z               | unknown option '-z'
            load CSV --key {id} --as hash -s /tmp/redis -p 1 | -s names the server, and so does -u, -h or -p
            load CSV --key {id} --as hash -a pw --askpass    | Choose one
            load CSV --key {id} --as hash --askpass          | --askpass: there is no terminal
            load jdbc:sqlite:x --table t --key {id} --as hash --readers 2     | --readers and --partition belong together
            load jdbc:sqlite:x --table t --key {id} --as hash --partition id  | --readers and --partition belong together
            load jdbc:sqlite:x --table t --key {id} --as hash --readers 65 --partition id | --readers 65 is out of range: 1 to 64.
            load jdbc:sqlite:x --table t --key {id} --as hash --readers 2 --partition id:9..1 | Write id:1..9.
            load CSV --key {id} --as hash --readers 2 --partition id | belongs to a jdbc: source
            help load verify                                 | help explains one command
            help lod                                         | unknown command 'lod'
            --bogus load CSV                               | unknown option '--bogus'
            bitmap                                         | missing required parameters: 'ACTION', 'NAME'
            bitmap count                                   | missing required parameter: 'NAME'
            bitmap drop x                                  | 'drop' is an unknown action. Legal: create, count, members, retention.
            bitmap count x y                               | unexpected argument 'y': there is only one NAME.
            bitmap create x --population 0                 | --population 0 is out of range: 1 to 4,294,967,296.
            bitmap create x --less-than 11 --of 10         | --less-than 11 is more than --of 10
            bitmap create x --event login --from 2026-11-22 | --event, --from belongs to count, members and retention.
            bitmap count x --population 5 --seed 1         | --population, --seed belongs to create.
            bitmap count x --limit 5                       | --limit belongs to members.
            bitmap count x --event login                   | --event and --from belong together
            bitmap count x --spans 3                       | --event and --from belong together
            bitmap count x --event login --from yesterday  | is not a day or an hour. Write 2026-11-22 or 2026-11-22T13.
            bitmap count x --event login --from 2026-02-30 | is not a day or an hour.
            bitmap count x --event login --from 2026-11-22T24 | is not a day or an hour.
            bitmap retention x --event login --from 2026-11-22 | retention needs --event EVENT, --from DAY and --spans N.
            bitmap count x --event login --from 2026-11-22 --spans 0 | --spans 0 is out of range: 1 to 1,000.
            demo --rows 0                                  | --rows 0 is out of range: 1 to 50,000,000.
            demo -h localhost                              | unknown option '-h'
            -h localhost demo                              | unknown option '-h'
            """)
    void invalidArgumentsAreRefusedWithAOneLineMessageAndExitCode2(String typed, String expected) {
        CliRun run = CliRun.of(args(typed));

        assertThat(run.err()).startsWith("millrace: ").contains(expected).hasLineCount(1);
        assertThat(run.out()).isEmpty();
        assertThat(run.code()).isEqualTo(2);
    }

    @Test
    void unknownColumnMessageListsTheColumns() {
        CliRun run = CliRun.of(args("load CSV --key {nr} --as hash"));

        assertThat(run.err()).contains("columns=[id, name]");
    }

    @ParameterizedTest
    @CsvSource({
        "jdbc:sqlite:DIR/shop.txt, shop.txt",
        "jdbc:sqlite:file:DIR/shop.txt?cache=shared, shop.txt",
        "jdbc:h2:DIR/shop;IFEXISTS=TRUE, shop.mv.db",
        "jdbc:h2:file:DIR/shop, shop.mv.db",
    })
    void reportAndRejectsFilesCannotBeTheSourceDatabase(String url, String file) {
        String output = folder.resolve(file).toString();
        String source = url.replace("DIR", folder.toString());

        for (String option : List.of("--report", "--rejects")) {
            CliRun run = CliRun.of("load", source, "--table", "t", "--key", "{id}", "--as", "hash", option, output);

            assertThat(run.err()).contains(option + " " + output + " would overwrite the source");
            assertThat(run.code()).isEqualTo(2);
        }
    }

    @Test
    void reportFileReplacesAnEarlierReportButNoOtherFile() throws IOException {
        Path text = folder.resolve("shop.txt");
        Path earlier = Files.writeString(folder.resolve("report.json"), "{\"rows\":{}}");

        CliRun overText = CliRun.of(args("load CSV --key {id} --as hash --dry-run --report TXT"));
        CliRun overReport = CliRun.of(args("load CSV --key {id} --as hash --dry-run --report " + earlier));

        assertThat(overText.err()).contains("is not a report: it does not begin with '{'");
        assertThat(overText.code()).isEqualTo(2);
        assertThat(text).hasContent("id,name\n1,Ada\n");
        assertThat(overReport.code()).as(overReport.err()).isZero();
        assertThat(earlier).content().contains("\"read\":1");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "load CSV --key {id} --as hash --password-stdin hunter2",
                "load --password-stdin hunter2 CSV --key {id} --as hash",
                "load --password-stdin hunter2 --key {id} --as hash",
                "--password-stdin hunter2 load CSV --key {id} --as hash",
                "load CSV --key {id} --as hash -a my hunter2",
                "load CSV --key {id} --as hash -amy hunter2",
                "load CSV hunter2 --key {id} --as hash --password-stdin",
                "load CSV --key {id} --as hash --db-password-file none hunter2",
                "load CSV --key {id} --as hash --passwort hunter2",
            })
    void argumentNextToAPasswordOptionIsNotPrinted(String typed) {
        CliRun run = CliRun.of(args(typed + " --debug"));

        assertThat(run.err()).startsWith("millrace: ").doesNotContain("hunter2");
        assertThat(run.code()).isEqualTo(2);
    }

    @Test
    void valueOfAMistypedOptionIsNotPrinted() {
        CliRun run = CliRun.of(args("load CSV --key {id} --as hash --pasword=hunter2 --passwort hunter2"));

        assertThat(run.err()).contains("unknown option '--pasword'").doesNotContain("hunter2");
    }

    @Test
    void debugOptionAddsTheStackTraceButNoSecret() {
        CliRun run = CliRun.of(args("load CSV --key {id} --as hash --debug -u redis://me:hun%20ter2@h:x"));

        assertThat(run.err()).contains("\tat io.millrace.cli.").doesNotContain("hun%20ter2", "hun ter2");
        assertThat(run.code()).isEqualTo(2);
    }

    @Test
    void connectionOptionsAreAlsoAcceptedBeforeTheCommandName() {
        CliRun run = CliRun.of(args("-h cache -p 70000 load CSV --key {id} --as hash"));

        assertThat(run.err()).contains("--port 70000 is out of range: 1 to 65535.");
    }

    @Test
    void argumentWithALeadingAtSignIsNotReadAsAFile() throws IOException {
        Files.writeString(folder.resolve("key"), "--bogus");

        CliRun run = CliRun.of(
                "load",
                folder.resolve("shop.csv").toString(),
                "--key",
                "@" + folder.resolve("key") + "{id}",
                "--as",
                "hash",
                "--explain");

        assertThat(run.out()).startsWith("HSET @" + folder.resolve("key") + "1 ");
    }

    @Test
    void messageForAnInvalidRedisUrlNamesTheVariableButNotItsValue() {
        CliRun run = CliRun.of(Map.of("REDIS_URL", "redis://:hunter2@"), "", args("load CSV --key {id} --as hash"));

        assertThat(run.err()).startsWith("millrace: REDIS_URL: ").doesNotContain("hunter2");
        assertThat(run.code()).isEqualTo(2);
    }

    private String[] args(String typed) {
        List<String> args = new ArrayList<>();
        for (String word : typed.strip().split(" +", -1)) {
            switch (word) {
                case "" -> {}
                case "CSV" -> args.add(folder.resolve("shop.csv").toString());
                case "TXT" -> args.add(folder.resolve("shop.txt").toString());
                case "OUT" -> args.add(folder.resolve("out").toString());
                default -> args.add(word);
            }
        }
        return args.toArray(new String[0]);
    }
}
