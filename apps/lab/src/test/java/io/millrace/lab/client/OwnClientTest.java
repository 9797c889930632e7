// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.embedded.EmbeddedRedis;
import io.millrace.lab.client.UsageMode.Capability;
import io.millrace.lab.connections.Calls;
import io.millrace.lab.connections.ConnectionPatterns;
import io.millrace.lab.connections.Latency;
import io.millrace.lab.connections.Pipelines;
import io.millrace.lab.experiment.Parameters;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The example of {@code docs/lab-client.md}, compiled and put into a jar as a user does. */
class OwnClientTest {

    private static final Path EXAMPLE = Path.of("src/test/resources/own-client/MyClient.java");
    private static final String CLASS = "com.example.MyClient";

    @TempDir
    private Path folder;

    @Test
    void documentationShowsTheExampleOfTheTest() throws IOException {
        assertThat(Files.readString(Path.of("../../docs/lab-client.md")))
                .contains(Files.readString(EXAMPLE).replaceFirst("// SPDX.*\n", ""));
    }

    @Test
    void clientOfAJarIsFoundAndUsed() throws Exception {
        var thread = Thread.currentThread();
        var before = thread.getContextClassLoader();
        try (var server = EmbeddedRedis.start();
                var loader = new URLClassLoader(new URL[] {jar().toUri().toURL()}, before)) {
            thread.setContextClassLoader(loader);

            var mode = ClientLibraries.all().getLast().modes().getFirst();
            assertThat(ClientLibraries.all().getLast().name()).isEqualTo("myclient");

            assertThat(mode.capabilities())
                    .contains(Capability.CALL, Capability.BATCH)
                    .doesNotContain(Capability.SEND, Capability.BORROW);
            try (var client = mode.open(Target.of(server.host(), server.port()))) {
                client.call(new Operation.Set("lab:key", "value"));
                assertThat(client.call(new Operation.Increment("lab:number"))).isEqualTo(1L);
                var replies = client.batch(List.of(new Operation.Get("lab:key"), new Operation.Get("lab:none")));
                assertThat(new ArrayList<Object>(replies)).containsExactly("value", null);
            }
        } finally {
            thread.setContextClassLoader(before);
        }
        assertThat(ClientLibraries.all()).extracting(ClientLibrary::name).doesNotContain("myclient");
    }

    @Test
    void clientOfAJarTakesPartInAQuickRun() throws Exception {
        var thread = Thread.currentThread();
        var before = thread.getContextClassLoader();
        try (var loader = new URLClassLoader(new URL[] {jar().toUri().toURL()}, before)) {
            thread.setContextClassLoader(loader);

            for (var experiment : List.of(
                    ConnectionPatterns.of(Parameters.QUICK),
                    Calls.of(Parameters.QUICK),
                    Pipelines.of(Parameters.QUICK),
                    Latency.of(Parameters.QUICK))) {
                assertThat(experiment.scenarios())
                        .as(experiment.name())
                        .anySatisfy(scenario -> assertThat(scenario.contenders())
                                .extracting(contender -> contender.description().library())
                                .contains("myclient", "jedis"));
            }
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    private Path jar() throws IOException {
        String classPath = System.getProperty("java.class.path");
        String[] options = {"-proc:none", "-cp", classPath, "-d", folder.toString(), EXAMPLE.toString()};
        assertThat(ToolProvider.getSystemJavaCompiler().run(null, null, null, options))
                .isZero();
        var jar = folder.resolve("my.jar");
        try (var output = new JarOutputStream(Files.newOutputStream(jar))) {
            String name = CLASS.replace('.', '/') + ".class";
            output.putNextEntry(new JarEntry(name));
            output.write(Files.readAllBytes(folder.resolve(name)));
            output.putNextEntry(new JarEntry("META-INF/services/" + ClientAdapter.class.getName()));
            output.write(CLASS.getBytes(StandardCharsets.UTF_8));
        }
        return jar;
    }
}
