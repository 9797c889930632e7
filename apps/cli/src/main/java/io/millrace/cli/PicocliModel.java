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

/** Describes the commands to picocli, for help texts, error messages, man pages and the completion of the shell. */
final class PicocliModel {

    private PicocliModel() {}

    /** The command {@code millrace} with its commands. */
    static CommandLine millrace() {
        LeadingArguments leading = new LeadingArguments();
        CommandSpec spec = command("millrace", "millrace COMMAND [options]")
                .addSubcommand("load", load(new LoadArguments()))
                .addSubcommand("verify", load(new LoadArguments(true)))
                .addSubcommand("bitmap", bitmap(new BitmapArguments()))
                .addSubcommand("queue", queue(new QueueArguments()))
                .addSubcommand("demo", demo(new DemoArguments()));
        spec.usageMessage()
                .header("Moves data into Redis as fast as Redis accepts it, and reports the outcome of every row.")
                .description("")
                .commandListHeading("%nCommands:%n")
                .footer(
                        "",
                        "For the options and exit codes of a load, see millrace load --help.",
                        "In a source tree, ./millrace lab measures ways to use Redis with Millrace and with six "
                                + "other clients",
                        "(lab --help).");
        return commandLine(spec, List.of(leading.group));
    }

    /** The options before the name of a command. {@code operands} receives this name and all arguments after it. */
    static CommandLine leading(LeadingArguments leading, List<String> operands) {
        CommandSpec spec = command("millrace", "millrace COMMAND [options]")
                .addPositional(PositionalParamSpec.builder()
                        .paramLabel("COMMAND")
                        .arity("0..*")
                        .type(List.class)
                        .auxiliaryTypes(String.class)
                        .setter(new Setter() {
                            @Override
                            void setValue(Object value) {
                                for (Object operand : (List<?>) value) {
                                    operands.add((String) operand);
                                }
                            }
                        })
                        .build());
        return commandLine(spec, leading.groups()).setStopAtPositional(true);
    }

    /** The command {@code millrace load} or {@code millrace verify}. */
    static CommandLine load(LoadArguments load) {
        CommandSpec spec = command(
                        load.verifies ? "verify" : "load",
                        load.command() + " SOURCE --key TEMPLATE --as TYPE [options]")
                .addPositional(source(load))
                .addPositional(moreFiles(load));
        spec.usageMessage()
                .description("")
                .exitCodeListHeading("%nExit codes:%n")
                .exitCodeList(exitCodes());
        if (load.verifies) {
            describeVerification(spec);
        } else {
            describeLoad(spec);
        }
        return commandLine(spec, load.groups());
    }

    private static void describeVerification(CommandSpec spec) {
        spec.usageMessage()
                .header("Compares a table or a file with Redis, and writes nothing.")
                .footer(
                        "",
                        "The options of the target must be those of the load. The first differences",
                        "are printed, and --differences writes all of them to a file.",
                        "",
                        "Examples:",
                        "  millrace verify shop.csv --key 'customer:{id}' --as hash",
                        "  millrace verify shop.csv --key 'customer:{id}' --as hash --verify sample:1%% \\",
                        "      --differences differences.jsonl",
                        "");
    }

    private static void describeLoad(CommandSpec spec) {
        spec.usageMessage()
                .header("Loads a table or a file into Redis and reports the outcome of every row.")
                .footer(
                        "",
                        "Environment: REDIS_URL, REDISCLI_AUTH, MILLRACE_DB_PASSWORD, MILLRACE_DRIVERS.",
                        "",
                        "Examples:",
                        "  millrace load shop.csv --key 'customer:{id}' --as hash",
                        "  millrace load shop.csv --key 'mail:{id}' --as string --value email --ttl 1h",
                        "  millrace load jdbc:postgresql://db/shop --db-user me --table customers \\",
                        "      --key 'customer:{id}' --as json --verify sample:1%% -u redis://cache:6379",
                        "  millrace load shop.tsv.gz --key prices --field '{sku}' --value price --as hash \\",
                        "      --rejects rejected.jsonl --json",
                        "  millrace load rejected.jsonl --key prices --field '{sku}' --value price --as hash",
                        "  millrace load 'orders-*.jsonl.zst' --columns id,customer.name,total \\",
                        "      --key 'order:{id}' --as json",
                        "  millrace load jdbc:duckdb: --driver duckdb_jdbc.jar \\",
                        "      --query \"FROM 'sales/*.parquet'\" --key 'sale:{id}' --as hash",
                        "");
    }

    private static PositionalParamSpec source(LoadArguments load) {
        return PositionalParamSpec.builder()
                .index("0")
                .paramLabel("SOURCE")
                .required(true)
                // picocli completes the names of files if the type is Path. The value is the text as typed.
                .type(Path.class)
                .converters((ITypeConverter<String>) text -> text)
                .description("One of: " + SourceChoice.help() + ".")
                .setter(new Setter() {
                    @Override
                    void setValue(Object value) {
                        load.addSource((String) value);
                    }
                })
                .build();
    }

    private static PositionalParamSpec moreFiles(LoadArguments load) {
        return PositionalParamSpec.builder()
                .index("1..*")
                .arity("0..*")
                .paramLabel("FILE")
                .type(List.class)
                .auxiliaryTypes(String.class)
                .description("More files with the same columns, loaded in this order.")
                .setter(new Setter() {
                    @Override
                    void setValue(Object value) {
                        ((List<?>) value).forEach(name -> load.addSource((String) name));
                    }
                })
                .build();
    }

    /** The command {@code millrace bitmap}. */
    static CommandLine bitmap(BitmapArguments bitmap) {
        CommandSpec spec = command("bitmap", "millrace bitmap ACTION NAME [options]")
                .addPositional(operand(
                        "0",
                        "ACTION",
                        Words.of(BitmapAction.class),
                        "One of: create, count, members, retention.",
                        text -> bitmap.action = text))
                .addPositional(operand(
                        "1",
                        "NAME",
                        List.of(),
                        "Name of a population, or of an activity with --event.",
                        text -> bitmap.name = text));
        spec.usageMessage()
                .header("Stores random bits, and queries populations and activities in bitmaps.")
                .description(
                        "",
                        "create stores a population of random bits. count and members query a population, or the spans "
                                + "of an activity; retention queries an activity.",
                        "")
                .footer(
                        "",
                        "Exit codes: 0 done; 2 wrong options, or no such population or activity;",
                        "4 an error of the server; 5 cannot connect or authenticate.",
                        "",
                        "Examples:",
                        "  millrace bitmap create coin --population 10000000 --less-than 10 --of 1000",
                        "  millrace bitmap count coin",
                        "  millrace bitmap members site --event login --from 2026-11-22 --limit 20",
                        "  millrace bitmap retention site --event login --from 2026-11-16 --spans 7",
                        "");
        return commandLine(spec, bitmap.groups());
    }

    /** The command {@code millrace queue}. */
    static CommandLine queue(QueueArguments queue) {
        CommandSpec spec = command("queue", "millrace queue ACTION NAME [options]")
                .addPositional(operand("0", "ACTION", List.of(), "One of: " + QueueAction.help(), queue.operands::add))
                .addPositional(operand("1", "NAME", List.of(), "Name of the queue.", queue.operands::add));
        spec.usageMessage()
                .header("Reads or changes a job queue.")
                .description("")
                .footer(
                        "",
                        "Examples:",
                        "  millrace queue stats emails --json",
                        "  millrace queue dead emails --limit 3",
                        "  millrace queue redrive emails --limit 1000",
                        "  millrace queue purge emails --part delayed",
                        "");
        return commandLine(spec, queue.groups());
    }

    /** The command {@code millrace demo}. */
    static CommandLine demo(DemoArguments demo) {
        CommandSpec spec = command("demo", "millrace demo [--rows N] [--keep]");
        spec.usageMessage()
                .header("Demonstrates a load with a private Redis server.")
                .description(
                        "",
                        "Starts a private Redis server, generates customers, loads and verifies all rows, and loads some "
                                + "of them again, one command at a time, for comparison. Deletes everything at the end.",
                        "");
        return commandLine(spec, demo.groups());
    }

    /** The help text of {@code line}. */
    static String help(CommandLine line) {
        return line.getUsageMessage().stripTrailing();
    }

    private static CommandSpec command(String name, String synopsis) {
        CommandSpec spec = CommandSpec.create().name(name);
        spec.usageMessage().customSynopsis(synopsis).sortOptions(false).autoWidth(true);
        return spec;
    }

    /** A required argument that is not an option. {@code words} are the legal values, if there is such a list. */
    private static PositionalParamSpec operand(
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
    private static CommandLine commandLine(CommandSpec spec, List<OptionGroup> groups) {
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
        } else {
            spec.type(boolean.class).arity("0");
        }
        return spec.setter(new Setter() {
                    @Override
                    @SuppressWarnings("unchecked") // the converter above returns this type
                    void setValue(Object value) {
                        option.set(option.takesValue() ? (Option.Typed<T>) value : option.convert(""));
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

    private static Map<String, String> exitCodes() {
        Map<String, String> codes = new LinkedHashMap<>();
        for (ExitCode code : ExitCode.values()) {
            codes.put(Integer.toString(code.number()), ExitCodeText.of(code));
        }
        return codes;
    }

    /** Ignores the initial values that picocli sets before it parses. */
    private abstract static class Setter implements ISetter {

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
