// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.Period;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Currency;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.cache.interceptor.SimpleKey;

class KeyTextTest {

    private static final KeyText TEXT = new KeyText("prices");
    private static final int TEXTS = Integer.getInteger("millrace.keyTexts", 50_000);

    record Point(int x, @Nullable String y) {}

    private static ArgumentsKey arguments(@Nullable Object... arguments) {
        return new ArgumentsKey(arguments);
    }

    static Stream<Arguments> texts() {
        return Stream.of(
                Arguments.of("de", "de"),
                Arguments.of("with space", "with space"),
                Arguments.of("ü€", "ü€"),
                Arguments.of("a, b", "\"a, b\""),
                Arguments.of("say \"a\\b\"", "\"say \\\"a\\\\b\\\"\""),
                Arguments.of("", "\"\""),
                Arguments.of("42", "\"42\""),
                Arguments.of("-42", "\"-42\""),
                Arguments.of("4.2", "4.2"),
                Arguments.of("-", "-"),
                Arguments.of("null", "\"null\""),
                Arguments.of("true", "\"true\""),
                Arguments.of(42, "42"),
                Arguments.of(-42L, "-42"),
                Arguments.of((short) 7, "7"),
                Arguments.of((byte) 7, "7"),
                Arguments.of(BigInteger.TEN, "10"),
                Arguments.of(4.2, "Double(4.2)"),
                Arguments.of(4.2f, "Float(4.2)"),
                Arguments.of(new BigDecimal("4.20"), "BigDecimal(4.20)"),
                Arguments.of(true, "true"),
                Arguments.of('c', "Character(c)"),
                Arguments.of(DayOfWeek.MONDAY, "java.time.DayOfWeek(MONDAY)"),
                Arguments.of(new UUID(1, 2), "UUID(00000000-0000-0001-0000-000000000002)"),
                Arguments.of(URI.create("http://a/b"), "URI(http://a/b)"),
                Arguments.of(Locale.GERMANY, "Locale(de-DE)"),
                Arguments.of(Currency.getInstance("EUR"), "Currency(EUR)"),
                Arguments.of(ZoneId.of("Europe/Berlin"), "ZoneRegion(Europe/Berlin)"),
                Arguments.of(LocalDate.of(2026, 11, 21), "LocalDate(2026-11-21)"),
                Arguments.of(Instant.EPOCH, "Instant(1970-01-01T00:00:00Z)"),
                Arguments.of(Duration.ofSeconds(90), "Duration(PT1M30S)"),
                Arguments.of(Period.ofDays(3), "Period(P3D)"),
                Arguments.of(String.class, "Class(java.lang.String)"),
                Arguments.of(Optional.of("a"), "Optional(a)"),
                Arguments.of(Optional.empty(), "Optional()"),
                Arguments.of(List.of("a", 1), "[a,1]"),
                Arguments.of(new String[] {"a", "b"}, "[a,b]"),
                Arguments.of(new int[] {1, 2}, "[1,2]"),
                Arguments.of(new byte[] {1, -1}, "bytes(01ff)"),
                Arguments.of(Set.of(), "{}"),
                Arguments.of(Map.of(), "{=}"),
                Arguments.of(Map.of("a", 1), "{a=1}"),
                Arguments.of(new Point(1, null), "io.millrace.spring.KeyTextTest$Point(1,null)"),
                Arguments.of(arguments(), "()"),
                Arguments.of(SimpleKey.EMPTY, "()"),
                Arguments.of(arguments("a, b", "c"), "\"a, b\",c"),
                Arguments.of(arguments("a", "b, c"), "a,\"b, c\""),
                Arguments.of(arguments("a", null, 3), "a,null,3"),
                Arguments.of(arguments((Object) null), "null"));
    }

    @ParameterizedTest
    @MethodSource("texts")
    void eachTypeOfArgumentHasAText(Object key, String text) {
        assertThat(TEXT.of(key)).isEqualTo(text);
    }

    @Test
    void equalSetsAndMapsHaveTheSameText() {
        assertThat(TEXT.of(new LinkedHashSet<>(List.of("b", "a"))))
                .isEqualTo(TEXT.of(new LinkedHashSet<>(List.of("a", "b"))))
                .isEqualTo("{a,b}");
        Map<String, Integer> reversed = new LinkedHashMap<>();
        reversed.put("b", 2);
        reversed.put("a", 1);
        assertThat(TEXT.of(reversed)).isEqualTo(TEXT.of(new HashMap<>(Map.of("a", 1, "b", 2))));
    }

    @Test
    void typeWithoutATextFormIsRefusedWithItsNameAndTheCache() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TEXT.of(arguments("a", new Object())))
                .withMessageContaining("cache=prices, type=java.lang.Object");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TEXT.of(new SimpleKey(1, 2)))
                .withMessageContaining("SimpleKey");
    }

    @Test
    void keyThatContainsItselfIsRefused() {
        List<Object> endless = new ArrayList<>();
        endless.add(endless);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> TEXT.of(endless))
                .withMessageContaining("nested too deeply");
    }

    @Test
    void differentArgumentsHaveDifferentTexts() {
        Random random = new Random(7);
        Map<String, List<@Nullable Object>> byText = new HashMap<>();

        for (int i = 0; i < TEXTS; i++) {
            List<@Nullable Object> arguments = new ArrayList<>();
            int count = random.nextInt(4);
            for (int j = 0; j < count; j++) {
                arguments.add(value(random, 2));
            }
            List<@Nullable Object> same = byText.putIfAbsent(TEXT.of(arguments(arguments.toArray())), arguments);
            assertThat(same == null || same.equals(arguments))
                    .as("seed=7, arguments=%s, same text as %s", arguments, same)
                    .isTrue();
        }
    }

    private static @Nullable Object value(Random random, int depth) {
        int kinds = depth == 0 ? 5 : 8;
        return switch (random.nextInt(kinds)) {
            case 0 -> null;
            case 1 -> (long) random.nextInt(3);
            case 2 -> random.nextBoolean();
            case 3, 4 -> word(random);
            case 5 -> list(random, depth);
            case 6 -> Optional.ofNullable(value(random, depth - 1));
            default -> new LinkedHashSet<>(list(random, depth));
        };
    }

    private static List<@Nullable Object> list(Random random, int depth) {
        List<@Nullable Object> elements = new ArrayList<>();
        for (int i = random.nextInt(3); i > 0; i--) {
            elements.add(value(random, depth - 1));
        }
        return elements;
    }

    private static String word(Random random) {
        char[] letters = new char[random.nextInt(3)];
        for (int i = 0; i < letters.length; i++) {
            letters[i] = "a1,\"\\()[]{}= -".charAt(random.nextInt(14));
        }
        return new String(letters);
    }

    @Test
    void argumentsKeyEqualsTheKeyOfSpring() {
        assertThat((Object) arguments("a", 1))
                .isEqualTo(new SimpleKey("a", 1))
                .hasSameHashCodeAs(new SimpleKey("a", 1));
        assertThat(Arrays.asList(1, 2)).isNotEqualTo(arguments(1, 2));
    }
}
