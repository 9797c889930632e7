// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.measure;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.lab.TestServer;
import io.millrace.lab.experiment.Contender.Description;
import io.millrace.lab.experiment.Experiment;
import io.millrace.lab.experiment.JvmContender;
import io.millrace.lab.experiment.JvmContender.OwnClassPath;
import io.millrace.lab.experiment.Parameters;
import io.millrace.lab.experiment.ReadyWork;
import io.millrace.lab.experiment.RoundDetails;
import io.millrace.lab.experiment.RoundPlan;
import io.millrace.lab.experiment.Scenario;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A contender with a class path of its own, and one with the class path of the lab, in workers of the same library. */
class OwnClassPathTest {

    private static final String IS_OWN = "isOwnClassPath";

    /** The jar in the folder. The worker does not know the folder. */
    private static final String ENTRY = "only-jar.jar";

    private static Experiment experiment(Path jars) {
        Scenario scenario = Scenario.named("paths", "Two class paths")
                .contender(contender("lab", Optional.empty()))
                .contender(contender("own", Optional.of(new OwnClassPath(OwnWorker.class, List.of(jars)))))
                .plan(RoundPlan.ONE_UNIT.withRounds(1))
                .build();
        return new Experiment("paths", "Test", "Which class path has a worker?", List.of(scenario));
    }

    private static JvmContender contender(String mode, Optional<OwnClassPath> classPath) {
        return new JvmContender(
                new Description("same", mode, "", ""),
                context -> new PathWork(),
                List.of(),
                target -> Optional.empty(),
                classPath);
    }

    /** The main class of both kinds of worker. */
    static final class OwnWorker {

        public static void main(String[] args) throws InterruptedException {
            WorkerJvm.serve((name, parameters) -> experiment(Path.of("")));
        }

        private OwnWorker() {}
    }

    private static final class PathWork implements ReadyWork {

        @Override
        public long run() {
            return 1;
        }

        @Override
        public RoundDetails details() {
            boolean isOwn = System.getProperty("java.class.path").endsWith(ENTRY);
            return RoundDetails.NONE.withFigure(IS_OWN, isOwn ? 1.0 : 0.0);
        }

        @Override
        public void close() {}
    }

    /** Writes a jar without classes, whose manifest names the class path of this JVM. */
    private static void writeJar(Path jar) throws IOException {
        var manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes()
                .put(
                        Attributes.Name.CLASS_PATH,
                        Stream.of(System.getProperty("java.class.path").split(Pattern.quote(File.pathSeparator)))
                                .map(entry -> Path.of(entry).toUri().toString())
                                .collect(Collectors.joining(" ")));
        try (var file = Files.newOutputStream(jar);
                var out = new JarOutputStream(file, manifest)) {
            out.finish();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void eachContenderHasItsClassPath(boolean quick, @TempDir Path jars) throws IOException {
        writeJar(jars.resolve(ENTRY));
        var parameters = quick ? Parameters.QUICK : Parameters.DEFAULT;
        var silent = new ProgressLine(new PrintStream(OutputStream.nullOutputStream()), OptionalInt.empty());

        try (var session = Session.open(TestServer.start(), Session.Options.of(parameters, OwnWorker.class), silent)) {
            var results = session.run(experiment(jars));

            assertThat(results)
                    .flatExtracting(result -> result.samples())
                    .extracting(sample -> sample.details().figures())
                    .containsExactly(Map.of(IS_OWN, 0.0), Map.of(IS_OWN, 1.0));
        }
    }
}
