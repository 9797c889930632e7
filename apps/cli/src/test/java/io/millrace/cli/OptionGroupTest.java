// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.Setting;
import io.millrace.client.Setting.Unit;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class OptionGroupTest {

    private final OptionGroup group = new OptionGroup("Group:");

    @Test
    void helpOfASettingHasItsRangeAndItsDefault() {
        Setting<Integer> size = new Setting<>("size", 1, 1_000, 10, Unit.COUNT, "Number of things.");

        Option<Integer> option =
                group.setting("--size", "N", size, WholeNumber::parseInt, help -> "For things. " + help);

        assertThat(option.help()).isEqualTo("For things. Number of things: 1 to 1,000. Default: 10.");
    }

    @Test
    void valueOutsideTheRangeOfTheSettingIsRefusedWithTheTypedText() {
        Setting<Long> size = new Setting<>("size", 1L, 1024L, 10L, Unit.BYTES, "Size.");
        Option<Long> option = group.setting("--size", "N", size, SizeText::parse);

        option.set(option.convert("1KB"));
        option.checkRange();
        option.set(option.convert("2KB"));

        assertThatThrownBy(option::checkRange)
                .isInstanceOf(UsageException.class)
                .hasMessage("--size 2KB is out of range: 1 byte to 1 KB.");
    }

    @Test
    void typedNamesHaveTheOrderOfTheHelpText() {
        Option<Boolean> first = group.flag("--first", "First.");
        Option<String> second = group.text("-s,--second", "TEXT", "Second.");
        group.flag("--third", "Third.");

        second.set(second.convert("x"));
        first.set(first.convert(""));

        assertThat(group.typedNames()).containsExactly("--first", "--second");
    }

    @Test
    void wholeNumbersHaveTheRangeOfTheirType() {
        assertThat(WholeNumber.parseInt("-2147483648")).isEqualTo(Integer.MIN_VALUE);
        assertThat(WholeNumber.parseLong("+9223372036854775807")).isEqualTo(Long.MAX_VALUE);
        assertThatThrownBy(() -> WholeNumber.parseInt("2147483648"))
                .hasMessage("'2147483648' is out of range: -2147483648 to 2147483647.");
        for (String text : List.of("", "x", "1.5", "1e3", "1 ", "0x1", "１")) {
            assertThatThrownBy(() -> WholeNumber.parseLong(text)).hasMessage("'" + text + "' is not a whole number.");
        }
    }

    @Test
    void everyNumericOptionOfALoadHasASetting() {
        assertThat(new LoadArguments()
                        .groups().stream()
                                .flatMap(group -> group.options().stream())
                                .filter(option -> option.setting().isEmpty() && isNumber(option))
                                .map(Option::name))
                .as("options that have no default")
                .containsExactlyInAnyOrder("--bucket", "--pairs");
    }

    private static boolean isNumber(Option<?> option) {
        return Stream.of("N", "COUNT", "ROWS", "NUMBER", "SIZE", "PORT").anyMatch(option.label()::equals);
    }
}
