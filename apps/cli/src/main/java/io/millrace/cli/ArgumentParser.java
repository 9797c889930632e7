// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Parses the command-line arguments and creates an {@link Invocation}.
 *
 * <p>{@link FastParser} parses usual command lines. {@link PicocliParser} parses all others, and explains errors.
 */
final class ArgumentParser {

    private static final String COMMANDS =
            "The commands are load, verify, doctor, run, bitmap, queue, demo and help. See millrace --help.";

    private ArgumentParser() {}

    /**
     * Parses {@code args}.
     *
     * @throws UsageException if the arguments are not valid
     */
    static Invocation parse(String[] args) {
        if (args.length == 0) {
            throw new UsageException("no command. " + COMMANDS);
        }
        checkCharset(args, System.getProperty("sun.jnu.encoding", "UTF-8"));
        return args[0].startsWith("-")
                ? parseLeading(args)
                : parseCommand(args[0], List.of(args).subList(1, args.length));
    }

    /**
     * Refuses arguments that Java could not decode. Without this check, a load in the C locale would write keys with
     * replacement characters.
     */
    static void checkCharset(String[] args, String charset) {
        for (int i = 0; i < args.length; i++) {
            if (args[i].indexOf('\uFFFD') >= 0 && !charset.equals("UTF-8")) {
                throw new UsageException(
                        "argument " + (i + 1) + " is not text in the character set of the locale: charset=" + charset
                                + ". Set LC_ALL=C.UTF-8.");
            }
        }
    }

    private static Invocation parseLeading(String[] args) {
        if (args.length == 1 && args[0].equals("--version")) {
            return Invocation.print(Version.line());
        }
        LeadingArguments leading = new LeadingArguments();
        List<String> operands = new ArrayList<>();
        PicocliParser.parse(PicocliModel.leading(leading, operands), List.of(args), "millrace");
        checkRanges(leading.groups());
        if (leading.help.isTyped()) {
            return Invocation.print(PicocliModel.help(PicocliModel.millrace()));
        }
        if (leading.version.isTyped()) {
            return Invocation.print(Version.line());
        }
        if (operands.isEmpty()) {
            throw new UsageException("no command. " + COMMANDS);
        }
        int leadingCount = args.length - operands.size();
        List<String> commandArgs = new ArrayList<>(Arrays.asList(args).subList(0, leadingCount));
        commandArgs.addAll(operands.subList(1, operands.size()));
        return parseCommand(operands.getFirst(), commandArgs);
    }

    private static Invocation parseCommand(String name, List<String> args) {
        return switch (name) {
            case "load" -> parseLoad(args, false);
            case "verify" -> parseLoad(args, true);
            case "doctor" -> parseDoctor(args);
            case "run" -> parseRun(args);
            case "bitmap" -> parseBitmap(args);
            case "queue" -> parseQueue(args);
            case "demo" -> parseDemo(args);
            case "help" -> parseHelp(args);
            default -> throw new UsageException("unknown command '" + name + "'. " + COMMANDS);
        };
    }

    private static Invocation parseLoad(List<String> args, boolean verifies) {
        LoadArguments load = new LoadArguments(verifies);
        Optional<List<String>> operands = FastParser.parse(load.groups(), args);
        if (operands.isPresent() && !operands.get().isEmpty()) {
            operands.get().forEach(load::addSource);
        } else {
            load = new LoadArguments(verifies);
            PicocliParser.parse(PicocliModel.load(load), args, load.command());
        }
        checkFiles(load, args);
        checkRanges(load.groups());
        return load.help.isTyped()
                ? Invocation.print(PicocliModel.help(PicocliModel.load(load)))
                : Invocation.load(load);
    }

    /** Refuses a SOURCE argument after the first that is not a file: it may be a misplaced value of an option. */
    private static void checkFiles(LoadArguments load, List<String> args) {
        List<String> more = load.from.moreFiles;
        for (String name : more) {
            if (!SourceFiles.isFileOrPattern(name, load.from) || !SourceFiles.isFileOrPattern(load.source, load.from)) {
                throw new UsageException(PicocliParser.unexpected(name, args, load.command()));
            }
        }
    }

    private static Invocation parseDoctor(List<String> args) {
        DoctorArguments doctor = new DoctorArguments();
        Optional<List<String>> operands = FastParser.parse(doctor.groups(), args);
        if (operands.isPresent()) {
            operands.get().forEach(doctor.load::addSource);
        } else {
            doctor = new DoctorArguments();
            PicocliParser.parse(PicocliModel.doctor(doctor), args, "millrace doctor");
        }
        checkFiles(doctor.load, args);
        checkRanges(doctor.groups());
        return doctor.help.isTyped()
                ? Invocation.print(PicocliModel.help(PicocliModel.doctor(doctor)))
                : Invocation.doctor(doctor);
    }

    /** {@code millrace help COMMAND} is the same as {@code millrace COMMAND --help}. */
    private static Invocation parseHelp(List<String> args) {
        List<String> names = args.stream().filter(arg -> !arg.equals("--help")).toList();
        if (names.size() > 1) {
            throw new UsageException("help explains one command: millrace help COMMAND. " + COMMANDS);
        }
        return names.isEmpty() || names.getFirst().equals("help")
                ? Invocation.print(PicocliModel.help(PicocliModel.millrace()))
                : parseCommand(names.getFirst(), List.of("--help"));
    }

    private static Invocation parseRun(List<String> args) {
        RunArguments run = new RunArguments();
        Optional<List<String>> operands = FastParser.parse(run.groups(), args);
        if (operands.isPresent() && operands.get().size() == 1) {
            run.operands.addAll(operands.get());
        } else {
            run = new RunArguments();
            PicocliParser.parse(PicocliModel.run(run), args, "millrace run");
        }
        return run.help.isTyped() ? Invocation.print(PicocliModel.help(PicocliModel.run(run))) : Invocation.jobs(run);
    }

    private static Invocation parseBitmap(List<String> args) {
        BitmapArguments bitmap = new BitmapArguments();
        Optional<List<String>> operands = FastParser.parse(bitmap.groups(), args);
        if (operands.isPresent() && operands.get().size() == 2) {
            bitmap.action = operands.get().getFirst();
            bitmap.name = operands.get().getLast();
        } else {
            bitmap = new BitmapArguments();
            PicocliParser.parse(PicocliModel.bitmap(bitmap), args, "millrace bitmap");
        }
        checkRanges(bitmap.groups());
        return bitmap.help.isTyped()
                ? Invocation.print(PicocliModel.help(PicocliModel.bitmap(bitmap)))
                : Invocation.bitmap(bitmap);
    }

    private static Invocation parseQueue(List<String> args) {
        QueueArguments queue = new QueueArguments();
        Optional<List<String>> operands = FastParser.parse(queue.groups(), args);
        if (operands.isPresent() && operands.get().size() == 2) {
            queue.operands.addAll(operands.get());
        } else {
            queue = new QueueArguments();
            PicocliParser.parse(PicocliModel.queue(queue), args, "millrace queue");
        }
        checkRanges(queue.groups());
        return queue.help.isTyped()
                ? Invocation.print(PicocliModel.help(PicocliModel.queue(queue)))
                : Invocation.queue(queue);
    }

    private static Invocation parseDemo(List<String> args) {
        DemoArguments demo = new DemoArguments();
        Optional<List<String>> operands = FastParser.parse(demo.groups(), args);
        if (operands.isEmpty() || !operands.get().isEmpty()) {
            demo = new DemoArguments();
            PicocliParser.parse(PicocliModel.demo(demo), args, "millrace demo");
        }
        checkRanges(demo.groups());
        return demo.help.isTyped()
                ? Invocation.print(PicocliModel.help(PicocliModel.demo(demo)))
                : Invocation.demo(demo);
    }

    private static void checkRanges(List<OptionGroup> groups) {
        groups.forEach(group -> group.options().forEach(Option::checkRange));
    }
}
