// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.Setting;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Tests the metadata of the keys. The defaults of settings are in a file that this test writes: {@code ./mvnw -pl
 * integrations/spring-boot-starter -am test -Dtest=MetadataTest -Dsurefire.failIfNoSpecifiedTests=false
 * -Dmillrace.write=true}
 */
class MetadataTest {

    private static final Path ADDITIONAL =
            Path.of("src/main/resources/META-INF/additional-spring-configuration-metadata.json");
    private static final Path DOCUMENT = Path.of("../../docs/spring.md");

    /** The records whose keys the metadata cannot list, because a name of the user is part of the keys. */
    private static final List<Class<?>> BY_NAME = List.of(
            JobProperties.class,
            JobProperties.CsvFormat.class,
            JobProperties.Bucket.class,
            JobProperties.Reload.class,
            JobProperties.Checkpoint.class,
            CacheProperties.CacheKeySet.class,
            CacheProperties.Near.class);

    private static JsonNode metadata() throws IOException {
        return JsonMapper.shared()
                .readTree(Files.readString(Path.of("target/classes/META-INF/spring-configuration-metadata.json")));
    }

    private static Map<String, JsonNode> properties() throws IOException {
        Map<String, JsonNode> properties = new TreeMap<>();
        metadata()
                .get("properties")
                .forEach(property -> properties.put(property.get("name").asString(), property));
        return properties;
    }

    @Test
    void eachKeyHasADescriptionThatEndsAsASentence() throws IOException {
        assertThat(properties()).hasSizeGreaterThan(50).allSatisfy((name, property) -> {
            assertThat(property.has("description")).as(name).isTrue();
            assertThat(property.get("description").asString()).as(name).matches("[A-Z].*\\.");
        });
    }

    @Test
    void eachKeyIsInTheMetadata() throws IOException {
        Set<String> expected = new TreeSet<>(SettingsOfKeys.ALL.keySet());
        keys("millrace", MillraceProperties.class, expected);

        assertThat(properties().keySet()).containsAll(expected).contains("management.health.millrace.enabled");
    }

    /** Adds the keys of a record. A component whose type is a record of the starter is a group of keys. */
    private static void keys(String prefix, Class<?> type, Set<String> keys) {
        for (RecordComponent component : type.getRecordComponents()) {
            String name = prefix + "." + hyphenated(component.getName());
            if (component.getType().isRecord()
                    && component.getType().getPackageName().equals(type.getPackageName())) {
                keys(name, component.getType(), keys);
            } else {
                keys.add(name);
            }
        }
    }

    private static String hyphenated(String name) {
        return name.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
    }

    @Test
    void eachKeyBelowANameHasADescriptionInItsSource() throws IOException {
        for (Class<?> type : BY_NAME) {
            String file = type.getName().replaceFirst("\\$.*", "").replace('.', '/') + ".java";
            String source = Files.readString(Path.of("src/main/java").resolve(file));
            assertThat(type.getRecordComponents())
                    .allSatisfy(component ->
                            assertThat(source).containsPattern("@param " + component.getName() + " [A-Z][^@]*\\."));
        }
    }

    @Test
    void defaultsOfSettingsAreInTheMetadata() throws IOException {
        Map<String, JsonNode> properties = properties();

        SettingsOfKeys.ALL.forEach((key, setting) -> {
            JsonNode property = properties.get(key);
            assertThat(
                            property == null
                                    ? "absent"
                                    : property.path("defaultValue").asString("none"))
                    .as(key)
                    .isEqualTo(SettingsOfKeys.text(setting, setting.defaultValue()));
        });
    }

    @Test
    void fileWithTheDefaultsIsCurrent() throws IOException {
        String expected = additional();
        if (Boolean.getBoolean("millrace.write")) {
            Files.writeString(ADDITIONAL, expected);
        }

        assertThat(Files.readString(ADDITIONAL)).isEqualTo(expected);
    }

    private static String additional() {
        List<String> entries = new ArrayList<>();
        for (Map.Entry<String, Setting<?>> entry : SettingsOfKeys.ALL.entrySet()) {
            Setting<?> setting = entry.getValue();
            String text = SettingsOfKeys.text(setting, setting.defaultValue());
            entries.add("    {\"name\": \"" + entry.getKey() + "\", \"defaultValue\": "
                    + (text.matches("[0-9.]+") ? text : "\"" + text + "\"") + "}");
        }
        entries.add("    {\"name\": \"management.health.millrace.enabled\", \"type\": \"java.lang.Boolean\","
                + " \"description\": \"Whether to enable the health check of the client.\", \"defaultValue\": true}");
        return "{\n  \"properties\": [\n" + String.join(",\n", entries) + "\n  ]\n}\n";
    }

    @Test
    void documentListsEachKey() throws IOException {
        String document = Files.readString(DOCUMENT);
        Set<String> keys = new TreeSet<>();
        keys("", MillraceProperties.class, keys);
        BY_NAME.forEach(type -> keys("", type, keys));

        assertThat(keys)
                .allSatisfy(key -> assertThat(document)
                        .containsPattern("`(?:[a-z.<>-]*\\.)?" + key.substring(key.lastIndexOf('.') + 1) + "[`=]"));
    }
}
