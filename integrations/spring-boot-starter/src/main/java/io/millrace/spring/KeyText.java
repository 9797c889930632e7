// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import java.lang.reflect.Array;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.time.ZoneId;
import java.time.temporal.TemporalAccessor;
import java.time.temporal.TemporalAmount;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Currency;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.cache.interceptor.SimpleKey;

/**
 * The text form of cache keys. Two keys have the same text only if they are equal; one exception: whole numbers of different
 * types, such as {@code 7} and {@code 7L}, have the same text.
 *
 * <p>DESIGN. Usual keys stay readable: {@code 42}, {@code de}, {@code de,42}. The text of any other type begins with the
 * name of its type: {@code UUID(…)}. A string that could be mistaken for another form has quotes: an empty string, a string
 * that looks like a number, and a string with a character that has a meaning here. So the form of each argument is known
 * from its text:
 *
 * <pre>
 *   f("a, b", "c")   "a, b",c            f("42")   "42"        f(List.of(1, 2))   [1,2]
 *   f("a", "b, c")   a,"b, c"            f(42)     42          f(1, 2)            1,2
 * </pre>
 *
 * <p>The text depends on this class only, not on a version of Spring or of the JDK.
 */
final class KeyText {

    private static final int MAX_DEPTH = 16;

    private final String cache;

    /** Creates the text form of the keys of {@code cache}. */
    KeyText(String cache) {
        this.cache = cache;
    }

    /**
     * Returns the text of a key.
     *
     * @throws IllegalArgumentException if an argument has no text form
     */
    String of(Object key) {
        if (key instanceof String text && isPlain(text)) {
            return text;
        }
        if (key instanceof Long || key instanceof Integer) {
            return key.toString();
        }
        StringBuilder out = new StringBuilder();
        if (key instanceof ArgumentsKey arguments) {
            appendAll(arguments.arguments(), out);
        } else if (key.equals(SimpleKey.EMPTY)) {
            out.append("()");
        } else {
            append(key, out, 0);
        }
        return out.toString();
    }

    private void appendAll(List<@Nullable Object> arguments, StringBuilder out) {
        if (arguments.isEmpty()) {
            out.append("()");
        }
        for (int i = 0; i < arguments.size(); i++) {
            if (i > 0) {
                out.append(',');
            }
            append(arguments.get(i), out, 0);
        }
    }

    private void append(@Nullable Object value, StringBuilder out, int depth) {
        if (depth > MAX_DEPTH) {
            throw new IllegalArgumentException("a cache key is nested too deeply: cache=" + cache + ", depth=" + depth
                    + ". Set the attribute key of the annotation.");
        }
        switch (value) {
            case null -> out.append("null");
            case String text -> append(text, out);
            case Integer number -> out.append(number.intValue());
            case Long number -> out.append(number.longValue());
            case Short number -> out.append(number.intValue());
            case Byte number -> out.append(number.intValue());
            case BigInteger number -> out.append(number);
            case Boolean flag -> out.append(flag.booleanValue());
            case Optional<?> optional ->
                tagged("Optional", optional.map(List::of).orElse(List.of()), out, depth);
            case Set<?> set -> sorted(set, out, depth);
            case Map<?, ?> map -> sorted(map, out, depth);
            case Collection<?> elements -> bracketed(new ArrayList<>(elements), out, depth);
            case byte[] bytes ->
                out.append("bytes(").append(HexFormat.of().formatHex(bytes)).append(')');
            case Record entry -> tagged(entry.getClass().getName(), components(entry), out, depth);
            case Enum<?> constant ->
                tagged(constant.getDeclaringClass().getName(), List.of(constant.name()), out, depth);
            default -> {
                if (value.getClass().isArray()) {
                    bracketed(elements(value), out, depth);
                } else {
                    tagged(value.getClass().getSimpleName(), List.of(scalar(value)), out, depth);
                }
            }
        }
    }

    private static void append(String text, StringBuilder out) {
        if (isPlain(text)) {
            out.append(text);
            return;
        }
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\');
            }
            out.append(c);
        }
        out.append('"');
    }

    /** Whether a string without quotes cannot be mistaken for another form. */
    private static boolean isPlain(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (isSpecial(text.charAt(i))) {
                return false;
            }
        }
        return !text.isEmpty()
                && !isWholeNumber(text)
                && !text.equals("null")
                && !text.equals("true")
                && !text.equals("false");
    }

    /** Whether a character has a meaning between or around texts. */
    private static boolean isSpecial(char c) {
        return switch (c) {
            case '"', '\\', ',', '(', ')', '[', ']', '{', '}', '=' -> true;
            default -> false;
        };
    }

    private static boolean isWholeNumber(String text) {
        int first = text.charAt(0) == '-' ? 1 : 0;
        for (int i = first; i < text.length(); i++) {
            if (text.charAt(i) < '0' || text.charAt(i) > '9') {
                return false;
            }
        }
        return text.length() > first;
    }

    /** The text of a value whose type has a canonical text. */
    private String scalar(Object value) {
        return switch (value) {
            case Character c -> c.toString();
            case Double number -> number.toString();
            case Float number -> number.toString();
            case BigDecimal number -> number.toString();
            case UUID id -> id.toString();
            case URI uri -> uri.toString();
            case Locale locale -> locale.toLanguageTag();
            case Currency currency -> currency.getCurrencyCode();
            case ZoneId zone -> zone.getId();
            case Class<?> type -> type.getName();
            default -> {
                if ((value instanceof TemporalAccessor || value instanceof TemporalAmount)
                        && value.getClass().getName().startsWith("java.time.")) {
                    yield value.toString();
                }
                throw new IllegalArgumentException("an argument of a cached method has no text form: cache=" + cache
                        + ", type=" + value.getClass().getName()
                        + ". Set the attribute key of the annotation, or make the type a record.");
            }
        };
    }

    private void tagged(String type, List<?> values, StringBuilder out, int depth) {
        out.append(type).append('(');
        join(values, out, depth);
        out.append(')');
    }

    private void bracketed(List<?> values, StringBuilder out, int depth) {
        out.append('[');
        join(values, out, depth);
        out.append(']');
    }

    private void join(List<?> values, StringBuilder out, int depth) {
        for (int i = 0; i < values.size(); i++) {
            if (i > 0) {
                out.append(',');
            }
            append(values.get(i), out, depth + 1);
        }
    }

    /** The elements in the order of their texts, so that equal sets have the same text. */
    private void sorted(Set<?> set, StringBuilder out, int depth) {
        SortedSet<String> texts = new TreeSet<>();
        set.forEach(element -> texts.add(text(element, depth)));
        out.append('{').append(String.join(",", texts)).append('}');
    }

    private void sorted(Map<?, ?> map, StringBuilder out, int depth) {
        SortedSet<String> texts = new TreeSet<>();
        map.forEach((name, value) -> texts.add(text(name, depth) + "=" + text(value, depth)));
        out.append('{').append(map.isEmpty() ? "=" : String.join(",", texts)).append('}');
    }

    private static List<@Nullable Object> elements(Object array) {
        List<@Nullable Object> elements = new ArrayList<>();
        for (int i = 0; i < Array.getLength(array); i++) {
            elements.add(Array.get(array, i));
        }
        return elements;
    }

    private static List<@Nullable Object> components(Record entry) {
        List<@Nullable Object> values = new ArrayList<>();
        for (RecordComponent component : entry.getClass().getRecordComponents()) {
            Method accessor = component.getAccessor();
            try {
                accessor.setAccessible(true);
                values.add(accessor.invoke(entry));
            } catch (IllegalAccessException | InvocationTargetException failed) {
                throw new IllegalArgumentException(
                        "a component of a cache key cannot be read: type="
                                + entry.getClass().getName() + ", component=" + component.getName(),
                        failed);
            }
        }
        return values;
    }

    private String text(@Nullable Object value, int depth) {
        StringBuilder out = new StringBuilder();
        append(value, out, depth + 1);
        return out.toString();
    }
}
