// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.load.target.BitmapTarget;
import io.millrace.load.target.BucketTarget;
import io.millrace.load.target.HashFieldTarget;
import io.millrace.load.target.HashTarget;
import io.millrace.load.target.JsonSetTarget;
import io.millrace.load.target.JsonTarget;
import io.millrace.load.target.ListTarget;
import io.millrace.load.target.SetTarget;
import io.millrace.load.target.SortedSetTarget;
import io.millrace.load.target.StreamTarget;
import io.millrace.load.target.StringTarget;
import io.millrace.load.target.Target;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TargetArgumentsTest {

    @Test
    void typeNameAndOptionsDetermineTheTarget() {
        assertThat(target("string", "--value", "name", "--replace-row")).isEqualTo(StringTarget.of("k:{id}", "name"));
        assertThat(target("string", "--value", "name", "--bucket", "100", "--pairs", "5000"))
                .isInstanceOf(BucketTarget.class);
        assertThat(target("hash", "--fields", "a,b", "--replace-row"))
                .isEqualTo(HashTarget.of("k:{id}").withFields("a", "b").withReplaceRow());
        assertThat(target("hash", "--field", "{id}", "--value", "name"))
                .isEqualTo(HashFieldTarget.of("k:{id}", "{id}").withValue("name"));
        assertThat(target("json", "--exclude", "a", "--null", "-", "--replace-row"))
                .isEqualTo(JsonTarget.of("k:{id}").withExclude("a").withNullText("-"));
    }

    @Test
    void everyTypeOfTheServerHasItsTarget() {
        assertThat(target("list", "--value", "name"))
                .isEqualTo(ListTarget.of("k:{id}").withValue("name"));
        assertThat(target("set")).isEqualTo(SetTarget.of("k:{id}"));
        assertThat(target("zset", "--score", "age", "--ttl", "1h"))
                .isEqualTo(SortedSetTarget.of("k:{id}", "age").withTtl(Duration.ofHours(1)));
        assertThat(target("stream", "--fields", "a"))
                .isEqualTo(StreamTarget.of("k:{id}").withFields("a"));
        assertThat(target("bitmap", "--offset", "age")).isEqualTo(BitmapTarget.of("k:{id}", "age"));
        assertThat(target("json", "--json-set")).isEqualTo(JsonSetTarget.of("k:{id}"));
    }

    @Test
    void expiryMayComeFromAColumnAndHaveAJitter() {
        assertThat(target("hash", "--ttl-field", "age", "--ttl", "1h", "--ttl-jitter", "10%"))
                .isEqualTo(HashTarget.of("k:{id}")
                        .withTtlField("age")
                        .withTtl(Duration.ofHours(1))
                        .withTtlJitter(0.1));
        assertThat(target("string", "--value", "name", "--only-missing"))
                .isEqualTo(StringTarget.of("k:{id}", "name").withOnlyMissing());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            zset                               | --as zset needs --score, the column with the score.
            bitmap                             | --as bitmap needs --offset, the column with the offset.
            list --ttl-field age               | --ttl-field needs a key for each row; the rows of this type share keys.
            hash --field f --only-missing      | --only-missing with --field needs a key for each row; the rows of this type share keys.
            hash --ttl-jitter 10%              | --ttl-jitter changes an expiry: add --ttl or --ttl-field.
            hash --only-missing --replace-row  | --replace-row and --only-missing contradict each other: a missing key has nothing to replace. Leave out one of these options.
            json --json-set --only-missing     | --only-missing cannot be combined with --json-set. Leave out one of these options.
            stream --value name                | --value is not for --as stream; the columns are the fields of an entry.
            set --score age                    | --score cannot be combined with --as set.
            """)
    void missingOrContradictingOptionsAreRefused(String typed, String sentence) {
        String[] words = typed.split(" ");
        String[] options = List.of(words).subList(1, words.length).toArray(new String[0]);

        assertThatThrownBy(() -> target(words[0], options))
                .isInstanceOf(UsageException.class)
                .hasMessage(sentence);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            string --value id --field f    | --field belongs to --as hash, not to --as string.
            string --value id --exclude a  | --fields and --exclude choose columns of a hash or a JSON document; --as string writes --value.
            hash --pairs 5                 | --pairs is the number of pairs that --bucket packs. Add --bucket N.
            json --bucket-above-limit      | --bucket-above-limit belongs to --bucket N.
            json --field f                 | --field belongs to --as hash, not to --as json.
            """)
    void optionOfAnotherTypeIsRefused(String typed, String sentence) {
        String[] words = typed.split(" ");
        String[] options = List.of(words).subList(1, words.length).toArray(new String[0]);

        assertThatThrownBy(() -> target(words[0], options))
                .isInstanceOf(UsageException.class)
                .hasMessage(sentence);
    }

    @Test
    void typeHasAGeneralMessageForAnOptionWithoutASpecificMessage() {
        TargetArguments typed = new TargetArguments();
        typed.ttl.set(typed.ttl.convert("1h"));
        TargetType type = TargetType.of("list", unused -> HashTarget.of("k:{id}"));

        assertThat(type.target(typed)).isEqualTo(HashTarget.of("k:{id}"));
        typed.replaceRow.set(typed.replaceRow.convert(""));
        assertThatThrownBy(() -> type.target(typed))
                .isInstanceOf(UsageException.class)
                .hasMessage("--replace-row cannot be combined with --as list.");
    }

    private static Target target(String type, String... options) {
        TargetArguments typed = new TargetArguments();
        List<String> args = List.of(CliRun.args(List.of("--key", "k:{id}", "--as", type), options));
        assertThat(FastParser.parse(List.of(typed.group), args)).contains(List.of());
        return typed.target();
    }
}
