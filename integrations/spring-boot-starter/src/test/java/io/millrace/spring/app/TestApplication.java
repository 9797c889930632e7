// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring.app;

import io.millrace.client.RedisClient;
import io.millrace.spring.LoadEnded;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.event.EventListener;

/** Prints the ends of its loads, and when it is ready. All else is in its arguments. */
@SpringBootApplication
public class TestApplication {

    public static void main(String[] arguments) {
        SpringApplication.run(TestApplication.class, arguments);
    }

    @EventListener
    void print(LoadEnded ended) {
        System.out.println(
                "LOADED job=" + ended.run().job() + ", shared=" + ended.run().shared() + ", written="
                        + ended.run().report().rows().written() + ", code="
                        + ended.run().code());
    }

    @EventListener
    void print(ApplicationReadyEvent ready) {
        RedisClient client = ready.getApplicationContext().getBean(RedisClient.class);
        System.out.println("READY " + client.options().uri());
    }
}
