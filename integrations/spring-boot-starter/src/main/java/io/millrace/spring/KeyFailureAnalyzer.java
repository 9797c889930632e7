// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.convert.ConversionFailedException;

/** Describes an unknown key and a malformed value of a key that begins with {@code millrace}, in one sentence. */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class KeyFailureAnalyzer extends AbstractFailureAnalyzer<BindException> {

    private static final String PREFIX = "millrace";

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, BindException failure) {
        if (!failure.getName().toString().startsWith(PREFIX)) {
            return null;
        }
        UnboundConfigurationPropertiesException unknown =
                findCause(failure, UnboundConfigurationPropertiesException.class);
        if (unknown != null) {
            return unknownKeys(unknown);
        }
        ConversionFailedException malformed = findCause(failure, ConversionFailedException.class);
        ConfigurationProperty property = failure.getProperty();
        return malformed == null || property == null ? null : malformedValue(property, malformed);
    }

    private static FailureAnalysis unknownKeys(UnboundConfigurationPropertiesException unknown) {
        String keys = unknown.getUnboundProperties().stream()
                .map(property -> property.getName() + origin(property))
                .collect(Collectors.joining(", "));
        return new FailureAnalysis(
                (unknown.getUnboundProperties().size() == 1 ? "This key is unknown: " : "These keys are unknown: ")
                        + keys + ".",
                "Correct the key. The document spring.md of Millrace lists all keys.",
                unknown);
    }

    private static FailureAnalysis malformedValue(ConfigurationProperty property, ConversionFailedException malformed) {
        Class<?> type = malformed.getTargetType().getType();
        return new FailureAnalysis(
                property.getName() + "=" + property.getValue() + origin(property) + " is not "
                        + article(type.getSimpleName().toLowerCase(Locale.ROOT)) + ".",
                "Correct the value" + example(type) + ".",
                malformed);
    }

    private static String article(String noun) {
        return ("aeiou".indexOf(noun.charAt(0)) >= 0 ? "an " : "a ") + noun;
    }

    private static String example(Class<?> type) {
        if (type.isEnum()) {
            return Arrays.stream(type.getEnumConstants())
                    .map(constant ->
                            constant.toString().toLowerCase(Locale.ROOT).replace('_', '-'))
                    .collect(Collectors.joining(", ", ": ", ""));
        }
        return switch (type.getSimpleName()) {
            case "Duration" -> ", such as 500ms, 10s, 15m or 1h";
            case "DataSize" -> ", such as 512KB, 8MB or 1GB";
            case "boolean", "Boolean" -> ": true or false";
            default -> "";
        };
    }

    private static String origin(ConfigurationProperty property) {
        return property.getOrigin() == null ? "" : " (in " + property.getOrigin() + ")";
    }
}
