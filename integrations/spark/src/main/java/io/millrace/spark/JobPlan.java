// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

import io.millrace.client.BulkOptions;
import io.millrace.load.LoadOptions;
import io.millrace.load.LoadOptions.OnError;
import io.millrace.load.LoadOptions.Verification;
import io.millrace.load.source.Column;
import io.millrace.load.target.PlanException;
import io.millrace.load.target.RowMapping;
import io.millrace.load.target.Target;
import io.millrace.load.target.TargetOptions;
import java.io.Serializable;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.types.StructType;

/**
 * The checked options of a job, for the driver and its executors. The text of this record contains no secrets.
 *
 * @param id identifier of the query, from Spark
 */
record JobPlan(String id, WriteOptions given, ServerChoice server, StructType schema) implements Serializable {

    /** Legal values of the option {@code delivery}. */
    private static final String AT_LEAST_ONCE = "at-least-once";

    /**
     * Checks all options and columns.
     *
     * @throws SparkLoadException if an option or a column is refused
     */
    static JobPlan of(String id, WriteOptions given, StructType schema) {
        JobPlan plan = new JobPlan(id, given, ServerChoice.of(given, System::getenv), schema);
        try {
            var unused = plan.loadOptions();
            var unusedFiller = new RowFiller(schema);
            plan.checkDelivery();
            plan.checkVerification();
            plan.orderBy().ifPresent(plan::checkColumn);
            plan.keyColumnsToDistribute().forEach(plan::checkColumn);
        } catch (PlanException refused) {
            throw new SparkLoadException(String.valueOf(refused.getMessage()), refused);
        }
        return plan;
    }

    private void checkDelivery() {
        RowMapping mapping = target().bind(columns());
        boolean accepted = given.value(WriteOption.DELIVERY, text -> {
                    if (text.equals(AT_LEAST_ONCE)) {
                        return true;
                    }
                    throw new IllegalArgumentException("'" + text + "' is unknown. Legal: " + AT_LEAST_ONCE + ".");
                })
                .orElse(false);
        switch (mapping.repetition()) {
            case CHANGES_NOTHING, LEAVES_ROW_OUT -> {}
            case ADDS_ROW_AGAIN -> {
                if (!accepted) {
                    throw new SparkLoadException("Spark repeats failed tasks, and each repeated row would be in the "
                            + target().type() + " twice: key="
                            + target().options().key()
                            + ". Choose another type, or accept repeated rows with delivery=" + AT_LEAST_ONCE + ".");
                }
            }
        }
    }

    private void checkVerification() {
        if (verification().share() > 0) {
            target().whyNotVerifiable().ifPresent(why -> {
                throw new SparkLoadException("option verify cannot be used: " + why + ".");
            });
        }
    }

    private void checkColumn(String column) {
        if (columns().stream().noneMatch(present -> present.name().equals(column))) {
            throw new SparkLoadException("there is no column " + column + ". The columns are "
                    + String.join(", ", schema.fieldNames()) + ".");
        }
    }

    List<Column> columns() {
        return RowFiller.columns(schema);
    }

    Target target() {
        return TargetChoice.of(given);
    }

    /** The options of the load of one task, without a file for rejected rows. The task verifies its rows itself. */
    LoadOptions loadOptions() {
        LoadOptions.Builder options = LoadOptions.builder();
        given.setting(WriteOption.CONNECTIONS, LoadOptions.CONNECTIONS, OptionTexts::integer)
                .ifPresent(options::connections);
        given.setting(WriteOption.IN_FLIGHT, BulkOptions.IN_FLIGHT, OptionTexts::integer)
                .ifPresent(options::inFlight);
        given.setting(WriteOption.IN_FLIGHT_BYTES, BulkOptions.IN_FLIGHT_BYTES, OptionTexts::size)
                .ifPresent(options::inFlightBytes);
        given.setting(WriteOption.TIMEOUT, LoadOptions.TIMEOUT, OptionTexts::duration)
                .ifPresent(options::timeout);
        given.setting(WriteOption.RATE, LoadOptions.RATE, OptionTexts::whole).ifPresent(options::rate);
        given.setting(WriteOption.PATIENCE, LoadOptions.PATIENCE, OptionTexts::duration)
                .ifPresent(options::patience);
        maxErrors().ifPresent(options::maxErrors);
        given.value(WriteOption.ON_ERROR, JobPlan::onError).ifPresent(options::onError);
        if (given.flag(WriteOption.NO_FUSION)) {
            options.withoutFusion();
        }
        return options.build();
    }

    private static OnError onError(String text) {
        return switch (text) {
            case "stop" -> OnError.STOP;
            case "skip" -> OnError.SKIP;
            default -> throw new IllegalArgumentException("'" + text + "' is unknown. Legal: stop, skip.");
        };
    }

    /** Maximum number of rejected rows of a task, and of the whole job. */
    Optional<Long> maxErrors() {
        return given.setting(WriteOption.MAX_ERRORS, LoadOptions.MAX_ERRORS, OptionTexts::whole);
    }

    Verification verification() {
        return given.value(WriteOption.VERIFY, OptionTexts::verification).orElse(Verification.NONE);
    }

    /** The column that orders the rows of a partition. */
    Optional<String> orderBy() {
        return given.text(WriteOption.ORDER_BY);
    }

    /** The columns whose rows must be in the same partition; empty if any partition may have a row. */
    List<String> keyColumnsToDistribute() {
        boolean byKey = given.value(WriteOption.DISTRIBUTE, text -> switch (text) {
                    case "key" -> true;
                    case "none" -> false;
                    default -> throw new IllegalArgumentException("'" + text + "' is unknown. Legal: key, none.");
                })
                .orElse(false);
        return byKey ? options().keyColumns() : List.of();
    }

    TargetOptions options() {
        return target().options();
    }

    /** The server, the type and the key, such as {@code redis://cache:6379 hash user:{id}}. */
    @Override
    public String toString() {
        return server + " " + given.text(WriteOption.AS).orElse("") + " "
                + given.text(WriteOption.KEY).orElse("");
    }
}
