// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.connections;

import static io.millrace.lab.experiment.Bar.Limit.atLeast;
import static io.millrace.lab.experiment.Bar.Limit.atMost;

import io.millrace.lab.client.ClientLibrary;
import io.millrace.lab.client.UsageMode.Capability;
import io.millrace.lab.experiment.Bar;
import io.millrace.lab.experiment.Experiment;
import io.millrace.lab.experiment.Figure;
import io.millrace.lab.experiment.JvmContender;
import io.millrace.lab.experiment.Parameters;
import io.millrace.lab.experiment.RoundPlan;
import io.millrace.lab.experiment.Scenario;
import io.millrace.lab.experiment.ServerUse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongFunction;
import java.util.stream.Stream;

/** The same commands one by one and in one pipeline, and the first pipeline of a new JVM. */
public final class Pipelines {

    private static final int LENGTH = 10_000;
    private static final int SHORT_LENGTH = 1_000;
    private static final RoundPlan PLAN = RoundPlan.USUAL.withForks(2).withRounds(3);

    private static final String ONE_BY_ONE = "-one-by-one";
    private static final String FUSED_WRITES = "millrace/fused-writes";

    /** The lists that are drained have so many elements that all units find some. */
    private static final int MAX_DRAINS = 480;

    private static final String FUSED = "-fused";
    private static final List<String> REFERENCE = List.of("raw-socket");
    private static final List<String> JEDIS = List.of("jedis", "jedis/own-connection");

    private final Parameters parameters;
    private final int payloadBytes;
    private final List<LibraryMode> call;
    private final List<LibraryMode> batch;

    /** {@link #batch}, and a small program over one socket. */
    private final List<LibraryMode> withReference;

    /** Batches that are made by hand, and the mode of Millrace that fuses every kind. */
    private final List<LibraryMode> fused;

    private Pipelines(Parameters parameters, List<ClientLibrary> libraries) {
        this.parameters = parameters;
        this.payloadBytes = parameters.payloadBytes(16);
        this.call = LibraryMode.fewIfQuick(parameters, LibraryMode.main(Capability.CALL, libraries)).stream()
                .filter(mode -> !mode.isOf(REFERENCE))
                .toList();
        List<LibraryMode> all = LibraryMode.with(Capability.BATCH, libraries);
        // A pipeline holds one connection, so a pool of Lettuce makes no difference.
        this.withReference = LibraryMode.fewIfQuick(parameters, all).stream()
                .filter(mode -> !Set.of("lettuce-pool", "millrace-fused-writes", "millrace-bulk-writer")
                        .contains(mode.label(mode.library().name())))
                .toList();
        this.batch =
                withReference.stream().filter(mode -> !mode.isOf(REFERENCE)).toList();
        this.fused = Stream.concat(
                        LibraryMode.with(Capability.BATCH_BY_HAND, libraries).stream(),
                        all.stream().filter(mode -> mode.mode().name().equals("fused-writes")))
                .toList();
    }

    public static Experiment of(Parameters parameters) {
        return of(parameters, LibraryMode.libraries());
    }

    static Experiment of(Parameters parameters, List<ClientLibrary> libraries) {
        return new Pipelines(parameters, libraries).experiment();
    }

    /**
     * Commands that are sent in a pipeline.
     *
     * @param fuses whether Millrace fuses these commands by default
     * @param oneByOne whether the commands are also sent one by one
     */
    private record Activity(
            String name,
            String title,
            LongFunction<CommandList> lists,
            double fusedLimit,
            boolean fuses,
            boolean oneByOne) {}

    private Experiment experiment() {
        List<Scenario> scenarios = new ArrayList<>();
        for (Activity activity : activities()) {
            if (activity.oneByOne) {
                scenarios.add(oneByOne(activity));
            }
            scenarios.addAll(pipelines(activity.name + "-pipeline", activity, LENGTH));
        }
        Activity shortSets = new Activity("", "SETs", this::sets, 1.4, true, false);
        scenarios.addAll(pipelines("pipeline-" + SHORT_LENGTH + "-sets", shortSets, SHORT_LENGTH));
        scenarios.add(mixed());
        scenarios.add(first("cold", 0));
        if (!parameters.quick()) {
            scenarios.add(first("warmed", 20));
        }
        return new Experiment(
                "e3", "Pipelines", "How much faster is a pipeline than the same commands one by one?", scenarios);
    }

    private List<Activity> activities() {
        return List.of(
                new Activity("strings", "SETs", this::sets, 1.5, true, true),
                new Activity("hash", "fields of one hash", CommandList::oneHash, 1.6, false, true),
                new Activity(
                        "reads",
                        "SETs, then GETs",
                        size -> CommandList.setsThenGets(size, payloadBytes),
                        1.5,
                        true,
                        false),
                new Activity("drain", "pops from lists", CommandList::pops, 2.5, true, false));
    }

    private CommandList sets(long size) {
        return CommandList.sets(size, payloadBytes);
    }

    private Scenario oneByOne(Activity activity) {
        SendPattern pattern = SendPattern.oneByOne();
        List<JvmContender> contenders = call.stream()
                .map(mode -> mode.contender(
                        mode.label(),
                        pattern.note() + "; over a distance, a unit has a tenth of the commands",
                        new CommandListWork(mode, activity.lists, LENGTH, pattern, 0)))
                .toList();
        return scenario(
                activity.name + ONE_BY_ONE, size() + " " + activity.title + ", one by one", activity, contenders, PLAN);
    }

    /**
     * Two scenarios: in one, the server receives each command; in the other, each contender sends fewer and larger
     * commands. A client that fuses is compared with batches that are made by hand, and not with single commands.
     */
    private List<Scenario> pipelines(String name, Activity activity, int length) {
        List<JvmContender> single = new ArrayList<>();
        batch.stream()
                .map(mode -> asSingle(mode, contender(mode, activity, length), activity, name))
                .forEach(single::add);
        List<JvmContender> together = fused.stream()
                .map(mode -> fusedContender(mode, activity, length))
                .toList();
        if (!parameters.quick()) { // The limit compares fusion with single commands.
            together.stream()
                    .filter(contender -> contender.label().equals(FUSED_WRITES))
                    .map(contender -> contender.unfair(inPlace(name)).asReference())
                    .forEach(single::add);
        }
        String title = size() + " " + activity.title + " in pipelines of " + length;
        Scenario ofSingle = scenario(
                name,
                title,
                activity,
                single,
                PLAN,
                perSecond(FUSED_WRITES, activity.fusedLimit, JEDIS),
                perSecond("millrace/unfused", 1, JEDIS));
        Scenario ofFused = scenario(
                name + FUSED, title + ", fused by the client or by hand", activity, together, PLAN, fusedBar(together));
        return parameters.quick() && !activity.name.equals("strings") ? List.of(ofSingle) : List.of(ofSingle, ofFused);
    }

    private static String inPlace(String name) {
        return "sends fused commands; the scenario " + name + FUSED
                + " compares them with batches that are made by hand";
    }

    /** Of Millrace, one mode is compared: the usual one, or the one without fusion if the usual one fuses. */
    private static JvmContender asSingle(LibraryMode mode, JvmContender contender, Activity activity, String name) {
        boolean isOurs = mode.isOf(List.of("millrace"));
        if (!isOurs || !activity.fuses) {
            return mode.recommended(contender);
        }
        return mode.isMain() ? contender.unfair(inPlace(name)).asReference() : contender;
    }

    private static JvmContender contender(LibraryMode mode, Activity activity, int length) {
        return mode.contender(mode.label(), note(length), work(mode, activity, length));
    }

    /** The label has the name of the mode, also if the library has no other mode for this. */
    private static JvmContender fusedContender(LibraryMode mode, Activity activity, int length) {
        return mode.contender(mode.mode().name(), note(length), work(mode, activity, length));
    }

    private static String note(int length) {
        return "pipelines of " + length + " commands, every reply is read";
    }

    private static CommandListWork work(LibraryMode mode, Activity activity, int length) {
        return new CommandListWork(mode, activity.lists, LENGTH, SendPattern.batches(length), 0);
    }

    private static Bar fusedBar(List<JvmContender> contenders) {
        List<String> byHand = contenders.stream()
                .map(JvmContender::label)
                .filter(label -> !label.equals(FUSED_WRITES))
                .toList();
        return new Bar("per second", FUSED_WRITES, Figure.PER_SECOND, byHand, Optional.empty());
    }

    private String size() {
        return String.format(Locale.ROOT, "%,d", parameters.size(LENGTH));
    }

    private static Bar perSecond(String contender, double limit, List<String> others) {
        return Bar.ratio("per second", contender, Figure.PER_SECOND, others, atLeast(limit));
    }

    private Scenario scenario(
            String name, String title, Activity activity, List<JvmContender> contenders, RoundPlan plan, Bar... bars) {
        boolean drains = activity.name.equals("drain");
        CommandListCheck check = new CommandListCheck(activity.lists);
        ServerUse server = drains ? check.drains(parameters.size(LENGTH), MAX_DRAINS) : check.serverUse();
        Scenario.Builder scenario = Scenario.named(name, title)
                .contenders(contenders)
                .plan(drains ? plan.withMaxUnits(MAX_DRAINS) : plan)
                .server(server)
                .bars(Calls.barsOf(parameters, contenders, bars));
        String oneByOne = activity.name + ONE_BY_ONE;
        return (activity.oneByOne && !name.equals(oneByOne) ? scenario.relativeTo(oneByOne) : scenario).build();
    }

    /** Pipelines in which {@code SET} and {@code GET} alternate, so nothing can be fused. */
    private Scenario mixed() {
        List<JvmContender> contenders = withReference.stream()
                .map(mode -> mode.recommended(mode.contender(
                        mode.label(),
                        note(SHORT_LENGTH),
                        new PairWork(
                                mode,
                                () -> PairData.of(parameters, 1),
                                parameters.size(LENGTH),
                                PairWork.batches(SHORT_LENGTH)))))
                .toList();
        return Scenario.named("pipeline-" + SHORT_LENGTH, "SET and GET in pipelines of " + SHORT_LENGTH)
                .contenders(contenders)
                .plan(PLAN)
                .server(PairData.of(parameters, 1).serverUse())
                .bars(Calls.barsOf(
                        parameters,
                        contenders,
                        perSecond("millrace", 1.15, JEDIS),
                        Bar.ratio(
                                "client CPU, us per command",
                                "millrace",
                                Figure.CLIENT_CPU_MICROS,
                                List.of("jedis"),
                                atMost(0.7)),
                        perSecond("millrace", 0.9, List.of("raw-socket"))))
                .build();
    }

    /** Each round has a new JVM. The option of the JVM differs, so no two contenders share a JVM. */
    private Scenario first(String use, int warmUps) {
        String before = warmUps == 0 ? "nothing before" : "the same pipeline " + warmUps + " times before";
        Activity sets = activities().getFirst();
        List<JvmContender> contenders = batch.stream()
                .map(mode -> {
                    JvmContender contender = mode.contender(
                            mode.label(),
                            "the first pipeline of " + LENGTH + " commands in a new JVM, " + before,
                            new CommandListWork(mode, this::sets, LENGTH, SendPattern.batches(LENGTH), warmUps),
                            List.of("-Dmillrace.lab.first=" + use + "-"
                                    + mode.mode().name()));
                    return asSingle(mode, contender, sets, sets.name + "-pipeline");
                })
                .toList();
        return Scenario.named("first-" + use, "First pipeline of a JVM: " + before)
                .contenders(contenders)
                .plan(RoundPlan.ONE_UNIT.withForks(5).withRounds(1).withExpectedUnit(Duration.ofMillis(200)))
                .server(new CommandListCheck(this::sets).serverUse())
                .bars(Calls.barsOf(
                        parameters,
                        contenders,
                        perSecond("millrace", 1, JEDIS),
                        perSecond("millrace/unfused", 1, JEDIS)))
                .build();
    }
}
