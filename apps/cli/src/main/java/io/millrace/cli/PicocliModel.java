// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** Describes the commands to picocli, for help texts, error messages, man pages and the completion of the shell. */
final class PicocliModel {

    private PicocliModel() {}

    /** The command {@code millrace} with its commands. */
    static CommandLine millrace() {
        LeadingArguments leading = new LeadingArguments();
        CommandSpec spec = PicocliSpecs.command("millrace", "millrace COMMAND [options]")
                .addSubcommand("load", load(new LoadArguments()))
                .addSubcommand("verify", load(new LoadArguments(true)))
                .addSubcommand("doctor", doctor(new DoctorArguments()))
                .addSubcommand("run", run(new RunArguments()))
                .addSubcommand("bitmap", bitmap(new BitmapArguments()))
                .addSubcommand("queue", queue(new QueueArguments()))
                .addSubcommand("demo", demo(new DemoArguments()))
                .addSubcommand("help", help());
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
        return PicocliSpecs.commandLine(spec, List.of(leading.group));
    }

    /** The options before the name of a command. {@code operands} receives this name and all arguments after it. */
    static CommandLine leading(LeadingArguments leading, List<String> operands) {
        CommandSpec spec = PicocliSpecs.command("millrace", "millrace COMMAND [options]")
                .addPositional(PositionalParamSpec.builder()
                        .paramLabel("COMMAND")
                        .arity("0..*")
                        .type(List.class)
                        .auxiliaryTypes(String.class)
                        .setter(new PicocliSpecs.Setter() {
                            @Override
                            void setValue(Object value) {
                                for (Object operand : (List<?>) value) {
                                    operands.add((String) operand);
                                }
                            }
                        })
                        .build());
        return PicocliSpecs.commandLine(spec, leading.groups()).setStopAtPositional(true);
    }

    /** The command {@code millrace load} or {@code millrace verify}. */
    static CommandLine load(LoadArguments load) {
        CommandSpec spec = PicocliSpecs.command(
                        load.verifies ? "verify" : "load",
                        load.command() + " SOURCE --key TEMPLATE --as TYPE [options]")
                .addPositional(source(load, true, "One of: " + SourceChoice.help() + "."))
                .addPositional(moreFiles(load));
        spec.usageMessage()
                .description("")
                .exitCodeListHeading("%nExit codes:%n")
                .exitCodeList(PicocliSpecs.exitCodes());
        if (load.verifies) {
            describeVerification(spec);
        } else {
            describeLoad(spec);
        }
        return PicocliSpecs.commandLine(spec, load.groups());
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
                        "Environment: REDIS_URL, REDISCLI_AUTH, MILLRACE_SENTINEL_PASSWORD, MILLRACE_DB_PASSWORD,",
                        "MILLRACE_DRIVERS.",
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

    private static PositionalParamSpec source(LoadArguments load, boolean required, String description) {
        return PositionalParamSpec.builder()
                .index("0")
                .arity(required ? "1" : "0..1")
                .paramLabel("SOURCE")
                .required(required)
                // picocli completes the names of files if the type is Path. The value is the text as typed.
                .type(Path.class)
                .converters((ITypeConverter<String>) text -> text)
                .description(description)
                .setter(new PicocliSpecs.Setter() {
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
                .setter(new PicocliSpecs.Setter() {
                    @Override
                    void setValue(Object value) {
                        ((List<?>) value).forEach(name -> load.addSource((String) name));
                    }
                })
                .build();
    }

    /** The command {@code millrace doctor}. */
    static CommandLine doctor(DoctorArguments doctor) {
        CommandSpec spec = PicocliSpecs.command("doctor", "millrace doctor [SOURCE --key TEMPLATE --as TYPE] [options]")
                .addPositional(source(
                        doctor.load, false, "The source of a planned load: its first rows show the needed memory."))
                .addPositional(moreFiles(doctor.load));
        spec.usageMessage()
                .header("Examines a server before a load, and gives advice. Changes nothing.")
                .description(
                        "",
                        "Version and known defects, memory and eviction, persistence and what a killed server loses, "
                                + "limits of connections and buffers, round trip. With a SOURCE, the first 10,000 rows "
                                + "are loaded into a private server on this machine to measure the memory of all rows.",
                        "")
                .footer(
                        "",
                        "Exit codes: 0 no problem; 2 wrong options or source; 3 a problem would stop a load or lose rows;",
                        "4 an error of the server; 5 cannot connect or authenticate.",
                        "",
                        "Examples:",
                        "  millrace doctor -h cache",
                        "  millrace doctor shop.csv --key 'customer:{id}' --as hash --json",
                        "");
        return PicocliSpecs.commandLine(spec, doctor.groups());
    }

    /** The command {@code millrace help}. */
    private static CommandLine help() {
        CommandSpec spec = PicocliSpecs.command("help", "millrace help [COMMAND]")
                .addPositional(PositionalParamSpec.builder()
                        .index("0")
                        .arity("0..1")
                        .paramLabel("COMMAND")
                        .type(String.class)
                        .description("The same as millrace COMMAND --help.")
                        .completionCandidates(List.of("load", "verify", "doctor", "run", "bitmap", "queue", "demo"))
                        .build());
        spec.usageMessage().header("Explains a command.").description("");
        return PicocliSpecs.commandLine(spec, List.of());
    }

    /** The command {@code millrace run}. */
    static CommandLine run(RunArguments run) {
        CommandSpec spec = PicocliSpecs.command("run", "millrace run FILE [options]")
                .addPositional(PositionalParamSpec.builder()
                        .index("0")
                        .paramLabel(OptionGroup.FILE)
                        .required(true)
                        .type(Path.class)
                        .converters((ITypeConverter<String>) text -> text)
                        .description("YAML file with the jobs.")
                        .setter(new PicocliSpecs.Setter() {
                            @Override
                            void setValue(Object value) {
                                run.operands.add((String) value);
                            }
                        })
                        .build());
        describeRun(spec);
        return PicocliSpecs.commandLine(spec, run.groups());
    }

    private static void describeRun(CommandSpec spec) {
        spec.usageMessage()
                .header("Runs the loads that a YAML file describes, and reports each of them and their sum.")
                .description("")
                .exitCodeListHeading("%nExit codes:%n")
                .exitCodeList(PicocliSpecs.exitCodes())
                .footer(
                        "",
                        "A job has the options of millrace load, without dashes. An option",
                        "without a value is true or false, and a list may replace commas. Options",
                        "under defaults apply to all jobs. $${NAME} is an environment variable.",
                        "With targets, a source is read once for several loads.",
                        "",
                        "If several exit codes apply, the most serious one is returned.",
                        "",
                        "Example:",
                        "  defaults:",
                        "    uri: $${REDIS_URL}",
                        "  jobs:",
                        "    prices: {source: prices.csv, key: 'price:{sku}', as: hash, swap: true}",
                        "    customers:",
                        "      source: jdbc:postgresql://db/shop",
                        "      table: customers",
                        "      prune: true",
                        "      targets:",
                        "        - {key: 'customer:{id}', as: hash}",
                        "        - {key: by-age, as: zset, score: age, value: '{id}'}",
                        "");
    }

    /** The command {@code millrace bitmap}. */
    static CommandLine bitmap(BitmapArguments bitmap) {
        CommandSpec spec = PicocliSpecs.command("bitmap", "millrace bitmap ACTION NAME [options]")
                .addPositional(PicocliSpecs.operand(
                        "0",
                        "ACTION",
                        Words.of(BitmapAction.class),
                        "One of: create, count, members, retention.",
                        text -> bitmap.action = text))
                .addPositional(PicocliSpecs.operand(
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
        return PicocliSpecs.commandLine(spec, bitmap.groups());
    }

    /** The command {@code millrace queue}. */
    static CommandLine queue(QueueArguments queue) {
        CommandSpec spec = PicocliSpecs.command("queue", "millrace queue ACTION NAME [options]")
                .addPositional(PicocliSpecs.operand(
                        "0",
                        "ACTION",
                        Words.of(QueueAction.class),
                        "One of: " + QueueAction.help(),
                        queue.operands::add))
                .addPositional(PicocliSpecs.operand("1", "NAME", List.of(), "Name of the queue.", queue.operands::add));
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
        return PicocliSpecs.commandLine(spec, queue.groups());
    }

    /** The command {@code millrace demo}. */
    static CommandLine demo(DemoArguments demo) {
        CommandSpec spec = PicocliSpecs.command("demo", "millrace demo [--rows N] [--keep]");
        spec.usageMessage()
                .header("Demonstrates a load with a private Redis server.")
                .description(
                        "",
                        "Starts a private Redis server, generates customers, loads and verifies all rows, and loads some "
                                + "of them again, one command at a time, for comparison. Deletes everything at the end.",
                        "");
        return PicocliSpecs.commandLine(spec, demo.groups());
    }

    /** The help text of {@code line}. */
    static String help(CommandLine line) {
        return line.getUsageMessage().stripTrailing();
    }
}
