// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

import java.nio.file.Path;
import org.apache.spark.SparkConf;
import org.apache.spark.deploy.master.Master;
import org.apache.spark.deploy.worker.Worker;
import org.apache.spark.rpc.RpcEnv;
import scala.Option;

/**
 * A standalone cluster in the JVM of the driver: two workers with one core each. Each worker starts its executors in JVMs of
 * their own. The master {@code local-cluster} gives all workers the same host, and Spark never starts a speculative attempt on
 * the host of another attempt. These workers have different names of one host.
 */
final class TwoWorkers {

    private static final int MEMORY_MEGABYTES = 1_024;

    private TwoWorkers() {}

    /**
     * Starts the cluster. It ends with the JVM.
     *
     * @param folder receives the logs of the executors
     * @return the address of the master
     */
    static String start(Path folder) {
        SparkConf conf = new SparkConf()
                .set("spark.deploy.maxExecutorRetries", "-1")
                .set("spark.master.rest.enabled", "false")
                .set("spark.ui.enabled", "false");
        RpcEnv master = Master.startRpcEnvAndEndpoint("127.0.0.1", 0, 0, conf)._1();
        String address = "spark://" + master.address();
        int number = 0;
        for (String host : new String[] {"127.0.0.1", "localhost"}) {
            var unused = Worker.startRpcEnvAndEndpoint(
                    host,
                    0,
                    0,
                    1,
                    MEMORY_MEGABYTES,
                    new String[] {address},
                    folder.resolve("work").toString(),
                    Option.apply(++number),
                    conf,
                    Option.empty());
        }
        return address;
    }
}
