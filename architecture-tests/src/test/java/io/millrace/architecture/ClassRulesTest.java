// SPDX-License-Identifier: Apache-2.0
package io.millrace.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import io.millrace.cache.fixture.KnowsCaffeine;
import io.millrace.client.fixture.OpensASocket;
import io.millrace.client.fixture.Synchronizes;
import io.millrace.client.fixture.TalksTls;
import io.millrace.lab.fixture.KnowsTheCommandLine;
import io.millrace.load.fixture.EndsTheProcess;
import io.millrace.load.fixture.HaltsTheProcess;
import io.millrace.load.fixture.KnowsEmbedded;
import io.millrace.load.fixture.Prints;
import io.millrace.load.fixture.PrintsAStackTrace;
import io.millrace.load.fixture.RowHelper;
import io.millrace.queue.fixture.KnowsTheCache;
import io.millrace.queue.fixture.KnowsTheLoader;
import io.millrace.resp.fixture.KnowsTheClient;
import io.millrace.resp.fixture.UsesAThreadPool;
import io.millrace.resp.fixture.UsesSql;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class ClassRulesTest {

    private static final JavaClasses PRODUCTION = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("io.millrace");

    static Stream<ArchRule> rules() {
        return Stream.of(
                ClassRules.RESP_IS_BYTES_AND_VALUES,
                ClassRules.ONLY_CLIENT_INTERNAL_OPENS_SOCKETS,
                ClassRules.NOTHING_PRINTS,
                ClassRules.NOTHING_EXITS,
                ClassRules.NO_SYNCHRONIZED_METHODS_IN_THE_ENGINE,
                ClassRules.ONE_CLASS_KNOWS_CAFFEINE,
                ClassRules.NAMES_SAY_SOMETHING);
    }

    static Stream<Arguments> breaches() {
        return Stream.of(
                Arguments.of(ClassRules.RESP_IS_BYTES_AND_VALUES, UsesAThreadPool.class),
                Arguments.of(ClassRules.RESP_IS_BYTES_AND_VALUES, UsesSql.class),
                Arguments.of(ClassRules.ONLY_CLIENT_INTERNAL_OPENS_SOCKETS, OpensASocket.class),
                Arguments.of(ClassRules.ONLY_CLIENT_INTERNAL_OPENS_SOCKETS, TalksTls.class),
                Arguments.of(ClassRules.NOTHING_PRINTS, Prints.class),
                Arguments.of(ClassRules.NOTHING_PRINTS, PrintsAStackTrace.class),
                Arguments.of(ClassRules.NOTHING_EXITS, EndsTheProcess.class),
                Arguments.of(ClassRules.NOTHING_EXITS, HaltsTheProcess.class),
                Arguments.of(ClassRules.NO_SYNCHRONIZED_METHODS_IN_THE_ENGINE, Synchronizes.class),
                Arguments.of(ClassRules.ONE_CLASS_KNOWS_CAFFEINE, KnowsCaffeine.class),
                Arguments.of(ClassRules.NAMES_SAY_SOMETHING, RowHelper.class),
                Arguments.of(ClassRules.edgesOf(Module.RESP), KnowsTheClient.class),
                Arguments.of(ClassRules.edgesOf(Module.LOAD), KnowsEmbedded.class),
                Arguments.of(ClassRules.edgesOf(Module.PATTERNS), KnowsTheLoader.class),
                Arguments.of(ClassRules.apart("io.millrace.queue"), KnowsTheCache.class),
                Arguments.of(ClassRules.edgesOf(Module.LAB), KnowsTheCommandLine.class));
    }

    @ParameterizedTest
    @MethodSource("rules")
    void theHouseKeepsItsRules(ArchRule rule) {
        rule.check(PRODUCTION);
    }

    @ParameterizedTest
    @EnumSource
    void aModuleKnowsOnlyWhomItMay(Module module) {
        ClassRules.edgesOf(module).check(PRODUCTION);
    }

    @ParameterizedTest
    @EnumSource
    void everyModuleIsLookedAt(Module module) {
        assertThat(PRODUCTION).extracting(JavaClass::getPackageName).anyMatch(module::has);
    }

    @Test
    void patternsDoNotKnowOneAnother() {
        Module.PATTERNS
                .rootPackages()
                .forEach(pattern -> ClassRules.apart(pattern).check(PRODUCTION));
    }

    @Test
    void noClassIsOutsideTheModules() {
        assertThat(PRODUCTION)
                .extracting(JavaClass::getPackageName)
                .allMatch(name -> Stream.of(Module.values()).anyMatch(module -> module.has(name)));
    }

    @ParameterizedTest
    @MethodSource("breaches")
    void aBreachIsReported(ArchRule rule, Class<?> culprit) {
        var result = rule.evaluate(new ClassFileImporter().importClasses(culprit));

        assertThat(result.getFailureReport().getDetails()).anyMatch(line -> line.contains(culprit.getName()));
    }
}
