// SPDX-License-Identifier: Apache-2.0
package io.millrace.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.Setting;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Checks the constants of type {@link Setting} in all modules. */
class SettingsTest {

    /** A constant, its class, and the source file of its class. */
    record Constant(Class<?> owner, String name, Setting<?> setting, Path source) {
        @Override
        public String toString() {
            return owner.getSimpleName() + "." + name;
        }
    }

    private static final Pattern DECLARATION = Pattern.compile("static final Setting<\\w+> (\\w+)");
    private static final Pattern SENTENCE = Pattern.compile("[A-Z][^.]+\\.");
    private static final Pattern ROW = Pattern.compile("\\| ((?:`\\w+`(?:, )?)+) \\| ([^|]+) \\|.*");

    @ParameterizedTest
    @MethodSource("constants")
    <T extends Comparable<T>> void defaultIsInTheRangeOfItsSetting(Constant constant) {
        @SuppressWarnings("unchecked")
        Setting<T> setting = (Setting<T>) constant.setting;

        assertThat(setting.min()).isLessThanOrEqualTo(setting.max());
        assertThat(setting.accepts(setting.defaultValue())).isTrue();
        if (setting.unit() != Setting.Unit.TIME_OR_ZERO) {
            assertThat(setting.defaultValue()).isBetween(setting.min(), setting.max());
        }
    }

    @ParameterizedTest
    @MethodSource("constants")
    void helpTextIsOneSentence(Constant constant) {
        assertThat(constant.setting.help()).matches(SENTENCE);
    }

    @ParameterizedTest
    @MethodSource("constants")
    void constantHasTheNameOfItsSetting(Constant constant) {
        assertThat(constant.name.replace("_", "")).isEqualToIgnoringCase(constant.setting.name());
    }

    @ParameterizedTest
    @MethodSource("publishedConstants")
    void javadocShowsTheRangeAndTheDefault(Constant constant) throws IOException {
        String javadoc = javadoc(constant);

        assertThat(javadoc).contains("Range: " + constant.setting.rangeText() + ". ");
        if (!javadoc.contains("Default: the number of processors")) {
            assertThat(javadoc)
                    .containsPattern("Default: " + Pattern.quote(constant.setting.defaultText()) + "(?:[.,] |\\.$)");
        }
    }

    @Test
    void cacheDocumentShowsTheDefaults() throws IOException, ClassNotFoundException {
        List<Constant> cache = constants()
                .filter(constant -> constant.owner.getSimpleName().equals("CacheOptions"))
                .toList();
        List<String> expected = cache.stream()
                .map(constant -> constant.setting.name() + ": " + constant.setting.defaultText())
                .toList();

        assertThat(documentedDefaults("docs/cache.md")).containsExactlyInAnyOrderElementsOf(expected);
    }

    static Stream<Constant> publishedConstants() throws IOException, ClassNotFoundException {
        Path cli = SourceTree.root().resolve(Module.CLI.folder());
        return constants().filter(constant -> !constant.source.startsWith(cli));
    }

    static Stream<Constant> constants() throws IOException, ClassNotFoundException {
        List<Constant> found = new ArrayList<>();
        for (Module module : Module.values()) {
            Path sources = SourceTree.root().resolve(module.folder()).resolve("src/main/java");
            try (Stream<Path> files = Files.walk(sources)) {
                for (Path file :
                        files.filter(name -> name.toString().endsWith(".java")).toList()) {
                    addConstants(sources, file, found);
                }
            }
        }
        assertThat(found).hasSizeGreaterThan(30);
        return found.stream();
    }

    private static void addConstants(Path sources, Path file, List<Constant> found)
            throws IOException, ClassNotFoundException {
        if (!DECLARATION.matcher(Files.readString(file)).find()) {
            return;
        }
        String path = sources.relativize(file).toString();
        Class<?> owner = Class.forName(
                path.substring(0, path.length() - ".java".length()).replace('/', '.'));
        for (Field field : owner.getDeclaredFields()) {
            if (field.getType() == Setting.class && Modifier.isStatic(field.getModifiers())) {
                found.add(new Constant(owner, field.getName(), setting(field), file));
            }
        }
    }

    private static Setting<?> setting(Field field) {
        try {
            field.setAccessible(true);
            return (Setting<?>) field.get(null);
        } catch (IllegalAccessException refused) {
            throw new IllegalStateException(field + " is not readable", refused);
        }
    }

    /** The javadoc of a constant as one line without tags. */
    private static String javadoc(Constant constant) throws IOException {
        String text = Files.readString(constant.source);
        Matcher declarations = DECLARATION.matcher(text);
        while (declarations.find()) {
            if (declarations.group(1).equals(constant.name)) {
                int begin = text.lastIndexOf("/**", declarations.start());
                int end = text.lastIndexOf("*/", declarations.start());
                return text.substring(begin + 3, end)
                        .replaceAll("\\s*\\n\\s*\\*?\\s*", " ")
                        .strip();
            }
        }
        throw new IllegalStateException(constant + " is not declared in " + constant.source);
    }

    /**
     * Reads the table of settings in a document. Returns one entry for each setting; a row may contain several
     * settings.
     */
    private static List<String> documentedDefaults(String document) throws IOException {
        List<String> defaults = new ArrayList<>();
        List<String> lines = Files.readAllLines(SourceTree.root().resolve(document));
        int first = lines.indexOf("| setting | default | meaning |") + 2;
        for (String line : lines.subList(first, lines.size())) {
            Matcher row = ROW.matcher(line);
            if (!row.matches()) {
                break;
            }
            String[] names = row.group(1).replace("`", "").split(", ", -1);
            String[] values = row.group(2).split(", ", -1);
            for (int i = 0; i < names.length; i++) {
                defaults.add(names[i] + ": " + values[i]);
            }
        }
        return defaults;
    }
}
