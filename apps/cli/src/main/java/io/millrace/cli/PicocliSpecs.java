// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import io.millrace.load.ExitCode;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import picocli.CommandLine;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.ArgGroupSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.ISetter;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.TypeConversionException;

/** Makes the parts of a {@link PicocliModel}: commands, operands, and options from their {@link Option}. */
final class PicocliSpecs {

    private PicocliSpecs() {}

    static CommandSpec command(String name, String synopsis) {
        CommandSpec spec = CommandSpec.create().name(name);
        spec.usageMessage().customSynopsis(synopsis).sortOptions(false).autoWidth(true);
        return spec;
    }

    /** A required argument that is not an option. {@code words} are the legal values, if there is such a list. */
    static PositionalParamSpec operand(
            String index, String label, List<String> words, String description, Consumer<String> setter) {
        PositionalParamSpec.Builder operand = PositionalParamSpec.builder()
                .index(index)
                .paramLabel(label)
                .required(true)
                .type(String.class)
                .description(description)
                .setter(new Setter() {
                    @Override
                    void setValue(Object value) {
                        setter.accept((String) value);
                    }
                });
        if (!words.isEmpty()) {
            operand.completionCandidates(words);
        }
        return operand.build();
    }

    /** A command line that takes each argument literally: no file is read for an {@code @}, and quotes are kept. */
    static CommandLine commandLine(CommandSpec spec, List<OptionGroup> groups) {
        int order = 1;
        for (OptionGroup group : groups) {
            if (group.heading().isEmpty()) {
                group.options().forEach(option -> spec.addOption(option(option)));
            } else {
                ArgGroupSpec.Builder options =
                        ArgGroupSpec.builder().validate(false).order(order++).heading("%n" + group.heading() + "%n");
                group.options().forEach(option -> options.addArg(option(option)));
                spec.addArgGroup(options.build());
            }
        }
        return new CommandLine(spec).setExpandAtFiles(false);
    }

    private static <T> OptionSpec option(Option<T> option) {
        OptionSpec.Builder spec = OptionSpec.builder(option.names().toArray(String[]::new))
                .description(option.help().replace("%", "%%"))
                .usageHelp(option.name().equals("--help"))
                .versionHelp(option.name().equals("--version"));
        if (option.takesValue()) {
            spec.paramLabel(option.label())
                    // picocli completes the names of files if the type is Path. The converter determines the value.
                    .type(option.label().equals(OptionGroup.FILE) ? Path.class : Option.Typed.class)
                    .converters((ITypeConverter<Option.Typed<T>>) text -> convert(option, text));
            if (!option.words().isEmpty()) {
                spec.completionCandidates(option.words());
            }
            if (option.isRepeatable()) {
                spec.type(List.class).auxiliaryTypes(Option.Typed.class);
            }
        } else {
            spec.type(boolean.class).arity("0");
        }
        return spec.setter(new Setter() {
                    @Override
                    @SuppressWarnings("unchecked") // the converter above returns this type
                    void setValue(Object value) {
                        switch (value) {
                            case List<?> values -> values.forEach(each -> option.set((Option.Typed<T>) each));
                            case Option.Typed<?> typed -> option.set((Option.Typed<T>) typed);
                            default -> option.set(option.convert(""));
                        }
                    }
                })
                .build();
    }

    private static <T> Option.Typed<T> convert(Option<T> option, String text) {
        try {
            return option.convert(text);
        } catch (IllegalArgumentException notValid) {
            throw new TypeConversionException(String.valueOf(notValid.getMessage()));
        }
    }

    static Map<String, String> exitCodes() {
        Map<String, String> codes = new LinkedHashMap<>();
        for (ExitCode code : ExitCode.values()) {
            codes.put(Integer.toString(code.number()), ExitCodeText.of(code));
        }
        return codes;
    }

    /** Ignores the initial values that picocli sets before it parses. */
    abstract static class Setter implements ISetter {

        abstract void setValue(Object value);

        @Override
        public <T> T set(T value) {
            if (value != null && !value.equals(false)) {
                setValue(value);
            }
            return value;
        }
    }
}
