// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import io.millrace.client.BucketLayout;
import io.millrace.client.BulkOptions;
import io.millrace.client.ClientOptions;
import io.millrace.client.RedisUri;
import io.millrace.client.Setting;
import io.millrace.client.command.SetOptions;
import io.millrace.load.LoadOptions;
import io.millrace.load.source.JdbcOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.ListResourceBundle;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/**
 * Maps options to their settings. Help texts and checks take the range and the default of an option from its setting.
 * picocli uses this class as a resource bundle: it supplies the variables of the help texts, such as
 * <code>${bundle:setting--in-flight}</code>.
 */
final class OptionSettings extends ListResourceBundle {

    static final Map<String, Setting<?>> BY_OPTION = Map.of(
            "-p", RedisUri.PORT,
            "-n", RedisUri.DATABASE,
            "--connections", LoadOptions.CONNECTIONS,
            "--in-flight", BulkOptions.IN_FLIGHT,
            "--in-flight-bytes", BulkOptions.IN_FLIGHT_BYTES,
            "--timeout", LoadOptions.TIMEOUT,
            "--limit", LoadOptions.LIMIT,
            "--max-errors", LoadOptions.MAX_ERRORS,
            "--fetch-size", JdbcOptions.FETCH_SIZE,
            "--rows", DemoRun.ROWS);

    /**
     * Checks the typed options.
     *
     * @throws UsageException if a value is out of the range of its setting
     */
    static void check(ParseResult parsed) {
        for (OptionSpec option : parsed.matchedOptions()) {
            Setting<?> setting = BY_OPTION.get(option.longestName());
            Object value = option.getValue();
            if (setting != null && value instanceof Optional<?> typed && typed.isPresent()) {
                check(option, setting, typed.get());
            }
        }
    }

    private static <T extends Comparable<T>> void check(OptionSpec option, Setting<T> setting, Object value) {
        @SuppressWarnings("unchecked") // an option and its setting have the same type; a test checks this
        T typed = (T) value;
        if (!setting.accepts(typed)) {
            throw new UsageException(setting.outOfRange(
                    option.longestName() + " " + option.originalStringValues().getFirst()));
        }
    }

    /** The help text of the option of {@code setting}: its meaning, its range and its default. */
    private static String help(Setting<?> setting) {
        String meaning = setting.help().substring(0, setting.help().length() - 1);
        return meaning + ": " + setting.rangeText() + ". Default: " + setting.defaultText() + ".";
    }

    private static String bucketRange() {
        return BucketLayout.MIN_PAIRS_BY_NUMBER + " to " + Setting.Unit.COUNT.text(BucketLayout.MAX_PAIRS_PER_BUCKET)
                + ", with --pairs at least " + BucketLayout.MIN_PAIRS_BY_HASH;
    }

    @Override
    protected Object[][] getContents() {
        List<Object[]> variables = new ArrayList<>();
        BY_OPTION.forEach((option, setting) -> variables.add(new Object[] {"setting" + option, help(setting)}));
        variables.add(new Object[] {"source-types", SourceChoice.help()});
        variables.add(new Object[] {"target-types", TargetArguments.typeHelp()});
        variables.add(new Object[] {"range--bucket", bucketRange()});
        variables.add(new Object[] {"range--pairs", "1 to " + Setting.Unit.COUNT.text(BucketLayout.MAX_PAIRS)});
        variables.add(new Object[] {
            "range--ttl",
            Setting.Unit.TIME.text(SetOptions.MIN_TTL) + " to " + Setting.Unit.TIME.text(SetOptions.MAX_TTL)
        });
        variables.add(new Object[] {"default.connectTimeout", ClientOptions.CONNECT_TIMEOUT.defaultText()});
        variables.add(new Object[] {"longest.connectTimeout", Setting.Unit.TIME.text(LoadRequest.LONGEST_CONNECT)});
        return variables.toArray(new Object[0][]);
    }
}
