// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.Setting;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/** Tests the options whose range and default come from a {@link Setting}. */
class OptionSettingsTest {

    private static final List<OptionSpec> OPTIONS = options();

    @ParameterizedTest
    @MethodSource("optionsWithASetting")
    void helpOfAnOptionShowsTheDefaultAndTheRangeOfItsSetting(String name) {
        Setting<?> setting = Objects.requireNonNull(OptionSettings.BY_OPTION.get(name));

        OptionSpec option = option(name);

        assertThat(String.join("", option.description()))
                .startsWith(
                        name.equals("--fetch-size")
                                ? "For a jdbc: source. "
                                : setting.help().substring(0, 10))
                .contains(": " + setting.rangeText() + ". Default: " + setting.defaultText() + ".");
    }

    @ParameterizedTest
    @MethodSource("optionsWithASetting")
    void optionHasTheTypeOfItsSetting(String name) {
        Class<?> type = Objects.requireNonNull(OptionSettings.BY_OPTION.get(name))
                .defaultValue()
                .getClass();

        OptionSpec option = option(name);

        assertThat(option.auxiliaryTypes()).containsExactly(type);
    }

    @Test
    void everyNumericLoadOptionWithADefaultHasASetting() {
        assertThat(OPTIONS.stream()
                        .filter(option ->
                                option.auxiliaryTypes()[0] == Integer.class || option.auxiliaryTypes()[0] == Long.class)
                        .map(OptionSpec::longestName)
                        .filter(name -> !OptionSettings.BY_OPTION.containsKey(name)))
                .as("options that have no default")
                .containsExactlyInAnyOrder("--bucket", "--pairs");
    }

    static Stream<String> optionsWithASetting() {
        return OptionSettings.BY_OPTION.keySet().stream().sorted();
    }

    private static OptionSpec option(String name) {
        return OPTIONS.stream()
                .filter(option -> option.longestName().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static List<OptionSpec> options() {
        List<OptionSpec> options = new ArrayList<>();
        for (Object arguments : List.of(new LoadArguments(), new DemoArguments())) {
            CommandLine line = ArgumentParser.commandLine(arguments);
            options.addAll(line.getCommandSpec().options());
        }
        return options;
    }
}
