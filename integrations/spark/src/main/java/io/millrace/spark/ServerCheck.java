// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Command;
import io.millrace.client.command.Replies;
import io.millrace.client.exception.RedisException;
import io.millrace.load.LoadPlan;
import io.millrace.load.Loader;
import io.millrace.load.target.PlanException;
import java.util.Collections;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;

/** The checks of the driver before the first task. */
final class ServerCheck {

    /** The default of the option {@code maxConnections}. Redis accepts 10,000 connections by default. */
    private static final int MAX_CONNECTIONS = 2_000;

    /** Elements of a range in the reply to {@code CLUSTER SLOTS}: first slot, last slot, primary, then replicas. */
    private static final int PRIMARY = 2;

    private ServerCheck() {}

    /**
     * Connects to the server, and checks that it can store the rows: a load without rows has all checks of a load.
     *
     * @throws SparkLoadException if the server cannot be reached, or cannot store the rows
     */
    static void run(JobPlan plan) {
        SparkContext spark = SparkContext.getOrCreate();
        checkOrder(plan, spark.getConf().getBoolean("spark.speculation", false));
        try (SharedClients.Loan loan = SharedClients.OF_THIS_JVM.borrow(plan.server(), ConnectPatience.none())) {
            checkConnections(plan, slots(spark), primaries(loan.client()));
            PartitionSource nothing = new PartitionSource(
                    "no rows",
                    false,
                    () -> new IteratorReader(
                            plan.columns(),
                            Collections.emptyIterator(),
                            new RowFiller(plan.schema()),
                            RowSample.none()));
            var unused = new Loader(loan.client())
                    .run(new LoadPlan(nothing, plan.target(), plan.loadOptions()), event -> {});
        } catch (RedisException | PlanException refused) {
            throw cannotPrepare(plan, refused);
        }
    }

    /**
     * Removes the keys of earlier jobs. Spark may read and sort the input between {@link #run} and this method, so the client
     * may be closed again. This method then waits for the server as long as a task does.
     *
     * @throws SparkLoadException if the server cannot be reached, or refuses this
     */
    static void removeOldKeys(JobPlan plan) {
        ConnectPatience patience = new ConnectPatience(plan.loadOptions().patience(), () -> false);
        try (SharedClients.Loan loan = SharedClients.OF_THIS_JVM.borrow(plan.server(), patience)) {
            var unused = OldKeys.remove(loan.client(), plan.options());
        } catch (RedisException refused) {
            throw cannotPrepare(plan, refused);
        }
    }

    private static SparkLoadException cannotPrepare(JobPlan plan, RuntimeException refused) {
        return new SparkLoadException(
                "the driver cannot prepare the server " + plan.server() + ": " + refused.getMessage(), refused);
    }

    /**
     * Refuses an order of rows together with speculation: Spark ends one of two attempts at any row, and this attempt may have
     * replaced the last row of a key by an earlier row.
     */
    static void checkOrder(JobPlan plan, boolean speculation) {
        if (speculation && plan.orderBy().isPresent()) {
            throw new SparkLoadException(
                    "option orderBy cannot be used with spark.speculation=true: an attempt that Spark"
                            + " ends early may leave an earlier row of a key. Turn speculation off, or keep one row for each key.");
        }
    }

    /**
     * Refuses a job whose tasks would open too many connections.
     *
     * @param slots number of tasks that can run at the same time
     * @param primaries number of servers to which each task opens its connections
     */
    static void checkConnections(JobPlan plan, long slots, long primaries) {
        long perPrimary = plan.loadOptions().connections();
        long sum = slots * perPrimary * primaries;
        long most = plan.given()
                .value(WriteOption.MAX_CONNECTIONS, OptionTexts::whole)
                .orElse((long) MAX_CONNECTIONS);
        if (sum > most) {
            throw new SparkLoadException("too many connections: slots of all executors=" + slots
                    + ", connections of a task to a primary=" + perPrimary + ", primaries=" + primaries + ", sum=" + sum
                    + ", maxConnections=" + most
                    + ". Use fewer executors or connections, or raise maxConnections. A repartition does not change the"
                    + " sum.");
        }
    }

    /** The number of servers that store the rows. */
    static long primaries(RedisClient client) {
        if (!(client.options().uri().endpoint() instanceof RedisUri.Cluster)) {
            return 1;
        }
        return Math.max(
                1,
                Replies.items(client.call(Command.of("CLUSTER SLOTS"))).stream()
                        .map(range -> Replies.items(range).get(PRIMARY))
                        .distinct()
                        .count());
    }

    /**
     * The number of tasks that can run at the same time: on the present executors, or on all executors that the
     * configuration names, if these are more. Executors to come are unknown if the configuration names no number.
     */
    private static long slots(SparkContext spark) {
        long present =
                spark.maxNumConcurrentTasks(spark.resourceProfileManager().defaultResourceProfile());
        SparkConf conf = spark.getConf();
        int executors = conf.getInt(
                conf.getBoolean("spark.dynamicAllocation.enabled", false)
                        ? "spark.dynamicAllocation.maxExecutors"
                        : "spark.executor.instances",
                0);
        int cpusOfTask = Math.max(1, conf.getInt("spark.task.cpus", 1));
        long slotsOfOne = conf.getInt("spark.executor.cores", 1) / cpusOfTask;
        long named = executors == Integer.MAX_VALUE ? 0 : executors * slotsOfOne;
        return Math.max(present, Math.max(named, conf.getInt("spark.cores.max", 0) / cpusOfTask));
    }
}
