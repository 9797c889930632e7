// SPDX-License-Identifier: Apache-2.0
package io.millrace.labspring;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;

/** An application with only what its class path configures. As a program, it starts and ends. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
public class EmptyApplication {

    public static void main(String[] args) {
        try (var context = SpringApplication.run(EmptyApplication.class, args)) {
            System.out.println(context.isActive() ? "ready" : "ended");
        }
    }
}
