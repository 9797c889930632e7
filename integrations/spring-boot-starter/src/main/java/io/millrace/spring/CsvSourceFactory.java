// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import io.millrace.load.source.CsvOptions;
import io.millrace.load.source.CsvSource;
import io.millrace.load.source.CsvTypes;
import io.millrace.load.source.FilesSource;
import io.millrace.load.source.RowSource;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.Resource;
import org.springframework.core.io.ResourceLoader;
import org.springframework.util.ResourceUtils;

/** Creates the source of the CSV files of a job. A file is a path, or a location such as {@code classpath:prices.csv}. */
final class CsvSourceFactory {

    private static final String INFER = "infer";

    private final JobProperties keys;
    private final String prefix;
    private final ResourceLoader resourceLoader;

    CsvSourceFactory(JobProperties keys, String prefix, ResourceLoader resourceLoader) {
        this.keys = keys;
        this.prefix = prefix;
        this.resourceLoader = resourceLoader;
    }

    RowSource create() {
        CsvOptions options = options();
        List<RowSource> files =
                keys.csv().stream().map(location -> file(location, options)).toList();
        return files.size() == 1 ? files.getFirst() : FilesSource.of(files);
    }

    private RowSource file(String location, CsvOptions options) {
        try {
            if (!ResourceUtils.isUrl(location)) {
                return CsvSource.of(Path.of(location), options);
            }
            Resource resource = resourceLoader.getResource(location);
            return resource.isFile()
                    ? CsvSource.of(resource.getFile().toPath(), options)
                    : new ResourceSource(resource, location, options);
        } catch (InvalidPathException | IOException unusable) {
            throw new KeyException(
                    prefix + ".csv=" + location + " cannot be read: " + unusable.getMessage(),
                    "Correct the path or the location.",
                    unusable);
        }
    }

    private CsvOptions options() {
        JobProperties.CsvFormat format = keys.csvFormat();
        CsvOptions.Builder options = CsvOptions.builder().columns(format.columns());
        character("delimiter", format.delimiter(), options::delimiter);
        character("comment", format.comment(), options::comment);
        String quote = format.quote();
        if (quote != null && quote.equals("none")) {
            options.withoutQuote();
        } else {
            character("quote", quote, options::quote);
        }
        if (format.nullText() != null) {
            options.nullText(format.nullText());
        }
        if (format.encoding() != null) {
            options.encoding(charset(format.encoding()));
        }
        SettingKeys settings = new SettingKeys(prefix + ".csv-format");
        settings.set("skip-lines", format.skipLines(), CsvOptions.SKIP_LINES, options::skipLines);
        settings.set("field-limit", fieldLimit(format), CsvOptions.FIELD_LIMIT_BYTES, options::fieldLimitBytes);
        options.types(types(format.types()));
        return settings.build(options::build);
    }

    private static @Nullable Integer fieldLimit(JobProperties.CsvFormat format) {
        return format.fieldLimit() == null
                ? null
                : Math.clamp(format.fieldLimit().toBytes(), Integer.MIN_VALUE, Integer.MAX_VALUE);
    }

    private void character(String key, @Nullable String text, Consumer<Character> option) {
        if (text == null) {
            return;
        }
        String single = text.equals("\\t") ? "\t" : text;
        if (single.length() != 1) {
            throw new KeyException(
                    prefix + ".csv-format." + key + "=" + text + " is not one character",
                    "Write one character. \\t is a tab.");
        }
        option.accept(single.charAt(0));
    }

    private Charset charset(String name) {
        try {
            return Charset.forName(name);
        } catch (IllegalArgumentException unknown) {
            throw new KeyException(
                    prefix + ".csv-format.encoding=" + name + " is unknown",
                    "Write a name such as UTF-8, ISO-8859-1 or windows-1252.",
                    unknown);
        }
    }

    private CsvTypes types(List<String> parts) {
        boolean infer = false;
        Map<String, CsvTypes.Type> columns = new HashMap<>();
        for (String part : parts) {
            int colon = part.lastIndexOf(':');
            if (part.equals(INFER)) {
                infer = true;
            } else if (colon <= 0 || columns.put(part.substring(0, colon), type(part, colon)) != null) {
                throw notAType(part);
            }
        }
        return new CsvTypes(infer, columns);
    }

    private CsvTypes.Type type(String part, int colon) {
        try {
            return CsvTypes.Type.valueOf(part.substring(colon + 1).strip().toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException unknown) {
            throw notAType(part);
        }
    }

    private KeyException notAType(String part) {
        return new KeyException(
                prefix + ".csv-format.types=" + part + " is not a type",
                "Write infer, or each column once with its type: text, int, number or bool, such as age:int.");
    }
}
